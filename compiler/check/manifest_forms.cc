#include "check/manifest_forms.h"

#include <algorithm>
#include <string_view>

namespace trainyard {
namespace {

constexpr std::size_t kMostForms = 8;
constexpr std::size_t kMostNodes = 2'000;
constexpr std::size_t kMostText = 64 * 1024;

bool is_small(const Tree& tree) {
  std::size_t size = 0;
  for (NodeId id = 0; id < tree.size(); ++id) size += tree[id].text.size() + tree[id].key.size();
  return size <= kMostText;
}

}  // namespace

std::optional<Unfinished> ManifestForms::check(const Tree& tree, SchemaSources schemas,
                                               const Surroundings& surroundings, Sink& sink) {
  const View root(tree, tree.root());
  if (tree.size() > kMostNodes || !root->is_map() || is_list(root)) return std::nullopt;
  Form* form = find(tree);
  if (form == nullptr) {
    if (!is_worth_keeping(tree)) return std::nullopt;
    return learn(tree, schemas, surroundings, sink);
  }
  const View api_version = root["apiVersion"];
  const View kind = root["kind"];
  if (form->kind == nullptr || !api_version || !kind || open_.has(api_version.id()) ||
      open_.has(kind.id()) || form->inventory != surroundings.inventory ||
      form->cluster != surroundings.cluster || form->severities != surroundings.severities) {
    return std::nullopt;
  }
  if (!checker(*form->pack)
           .is_still_sound(*form->kind, tree, tree.root(), open_, form->as_schema_has_it) ||
      !form->questions.find_due(tree, open_, due_)) {
    return std::nullopt;
  }
  const Asked due{nullptr, &form->questions, &due_, &form->quiet, &open_};
  return Unfinished{run_checks_alone(root, surroundings, due, sink), {}};
}

ManifestForms::Form* ManifestForms::find(const Tree& tree) {
  const auto found =
      std::ranges::find_if(forms_, [&](const auto& each) { return each->nodes.fits(tree, open_); });
  if (found == forms_.end()) return nullptr;
  std::rotate(forms_.begin(), found, found + 1);
  return forms_.front().get();
}

/// A form that comes once costs nothing: it is learnt when it comes again.
bool ManifestForms::is_worth_keeping(const Tree& tree) {
  return seen_.again(TreeForm::look_of(tree)) && is_small(tree);
}

std::optional<Unfinished> ManifestForms::learn(const Tree& tree, SchemaSources schemas,
                                               const Surroundings& surroundings, Sink& sink) {
  const View root(tree, tree.root());
  if (forms_.size() == kMostForms) forms_.pop_back();
  forms_.insert(forms_.begin(), std::make_unique<Form>(tree));
  Form& form = *forms_.front();
  const FoundKind found =
      find_kind(schemas, root["apiVersion"].text(), root["kind"].text(), surroundings.versions);
  if (found.kind == nullptr ||
      !checker(found.source->pack)
           .is_sound(*found.kind, tree, tree.root(), form.as_schema_has_it)) {
    return std::nullopt;
  }
  form.kind = found.kind;
  form.pack = &found.source->pack;
  form.inventory = surroundings.inventory;
  form.cluster = surroundings.cluster;
  form.severities = surroundings.severities;
  Asked with_notes;
  with_notes.note = &form.questions;
  return Unfinished{run_checks_alone(root, surroundings, with_notes, sink), {}};
}

FormChecker& ManifestForms::checker(const SchemaPack& pack) {
  for (const auto& each : checkers_) {
    if (&each->pack() == &pack) return *each;
  }
  return *checkers_.emplace_back(std::make_unique<FormChecker>(pack));
}

}  // namespace trainyard
