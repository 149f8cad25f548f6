#include "check/precedents.h"

#include <algorithm>

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
  *current_ = {form, {}};
}

bool Precedents::is_sound(std::size_t number, const SchemaKind& kind, const SchemaPack& pack,
                          const Tree& tree, NodeId root) {
  if (current_ == nullptr) return false;
  if (is_first_) {
    current_->objects.resize(number + 1);
    NodeBits ruled(tree.size());
    if (!checker(pack).is_sound(kind, tree, root, ruled)) return false;
    current_->objects[number] = {&kind, std::move(ruled)};
    return true;
  }
  if (number >= current_->objects.size()) return false;
  const Known& known = current_->objects[number];
  if (known.kind != &kind) return false;
  looked_at_ = known.ruled;
  looked_at_.add_all(*open_);
  return checker(pack).is_still_sound(kind, tree, root, looked_at_);
}

FormChecker& Precedents::checker(const SchemaPack& pack) {
  for (const auto& each : checkers_) {
    if (&each->pack() == &pack) return *each;
  }
  return *checkers_.emplace_back(std::make_unique<FormChecker>(pack));
}

}  // namespace trainyard
