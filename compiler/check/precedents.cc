#include "check/precedents.h"

#include <algorithm>
#include <utility>

#include "check/check.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostSets = 8;

}  // namespace

void Precedents::begin(std::uint64_t form, bool is_first, const NodeBits& open) {
  current_ = nullptr;
  is_first_ = is_first;
  open_ = &open;
  if (form == 0) return;
  if (!is_first) {
    const auto known = std::ranges::find(sets_, form, &Set::form);
    if (known != sets_.end()) current_ = &*known;
    return;
  }
  if (sets_.size() < kMostSets) {
    current_ = &sets_.emplace_back();
  } else {
    current_ = &sets_[next_++ % kMostSets];
  }
  *current_ = {form, {}, {}, {}};
}

bool Precedents::is_sound(std::size_t number, const SchemaKind& kind, const SchemaPack& pack,
                          const Tree& tree, NodeId root) {
  if (current_ == nullptr) return false;
  if (is_first_) {
    current_->objects.resize(number + 1);
    SoundForm form;
    if (!checker(pack).is_sound(kind, tree, root, form)) return false;
    current_->objects[number] = {&kind, std::move(form), {}, {}};
    return true;
  }
  if (number >= current_->objects.size()) return false;
  const Known& known = current_->objects[number];
  if (known.kind != &kind) return false;
  return checker(pack).is_still_sound(kind, tree, root, *open_, known.form);
}

bool Precedents::are_known_alike(const ObjectSet& objects) {
  std::vector<Head>& heads = current_->heads;
  if (is_first_ && heads.empty()) {
    for (const Object& each : objects.objects) {
      const View root(objects.tree, each.root);
      const View name = get(get(root, "metadata"), "name");
      const bool is_text = name && name.kind() == Kind::String;
      heads.push_back({root["apiVersion"].id(), root["kind"].id(), is_text ? name.id() : kNoNode});
    }
  }
  return std::ranges::all_of(heads, [&](const Head& each) {
    return each.api_version != kNoNode && !open_->has(each.api_version) && each.kind != kNoNode &&
           !open_->has(each.kind) && each.name != kNoNode && !objects.tree[each.name].text.empty();
  });
}

void Precedents::run_checks(std::size_t number, View root, std::string name,
                            const ObjectSet& objects, const Surroundings& surroundings,
                            CheckContext& context) {
  const bool can = current_ != nullptr && number < current_->objects.size() &&
                   surroundings.inventory != nullptr && are_known_alike(objects);
  Asked asked;
  if (can) {
    Known& known = current_->objects[number];
    Questions& questions = known.questions;
    const Around around{surroundings.cluster, surroundings.severities};
    if (is_first_) {
      current_->around = around;
      asked.note = &questions;
    } else if (current_->around == around && questions.find_due(root.tree(), *open_, due_)) {
      asked = {nullptr, &questions, &due_, &known.quiet, open_};
    }
  }
  trainyard::run_checks(root, std::move(name), {}, asked, context);
}

FormChecker& Precedents::checker(const SchemaPack& pack) {
  for (const auto& each : checkers_) {
    if (&each->pack() == &pack) return *each;
  }
  return *checkers_.emplace_back(std::make_unique<FormChecker>(pack));
}

}  // namespace trainyard
