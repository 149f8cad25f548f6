#include "schema/combination_walk.h"

#include "schema/type_words.h"

namespace trainyard {
namespace {

/// An alternative that asks for nothing but fields to be there.
bool only_requires(const SchemaNode& node) {
  return node.required.count != 0 && node.properties.count == 0 && node.enum_values.count == 0 &&
         (node.all_of.count | node.any_of.count | node.one_of.count) == 0 &&
         node.negated == kNoLimit && node.additional == kNoLimit && node.items == kNoLimit &&
         node.pattern.size == 0;
}

std::string joined(const std::vector<std::string>& parts, std::string_view conjunction) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) result += i + 1 == parts.size() ? " " + std::string(conjunction) + " " : ", ";
    result += parts[i];
  }
  return result;
}

}  // namespace

void CombinationWalk::check(const SchemaNode& schema, const Frame& at, Mode mode) {
  mode.structural = false;
  mode.twin = kNoNode;  // of the whole schema, and not of an alternative
  mode.ratchets = subject_.is_own_metadata(at);
  for (SchemaId each : subject_.pack.ids(schema.all_of)) shape_.value(each, at, mode);
  // Nothing is required there, and that is what alternatives are about.
  if (mode.partial) return;
  if (schema.any_of.count != 0) any_of(schema, at, mode);
  if (schema.one_of.count != 0) one_of(schema, at, mode);
  if (schema.negated == kNoLimit || !shape_.matches(schema.negated, at, mode)) return;
  Violation* found = subject_.fail(DiagnosticKind::SchemaCombination, at);
  if (found == nullptr) return;
  const SchemaNode& negated = subject_.pack[schema.negated];
  found->message = only_requires(negated)
                       ? alternative(schema.negated) + " must not be set here"
                       : shown(subject_.tree[at.node]) + " is what the schema excludes";
}

std::string CombinationWalk::first_fault(SchemaId id, const Frame& at, Mode mode) {
  const std::size_t before = subject_.findings.violations.size();
  shape_.value(id, at, mode);
  std::string result;
  if (subject_.findings.violations.size() > before) {
    const Violation& first = subject_.findings.violations[before];
    const std::string here = path_of(subject_.tree, at);
    result = first.message;
    if (first.path != here) result = "at `" + first.path + "` " + result;
  }
  subject_.findings.violations.resize(before);
  return result;
}

std::string CombinationWalk::all_faults(std::span<const SchemaId> ids, const Frame& at, Mode mode) {
  std::string result = "none of the alternatives of the schema fits: ";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    result += (i > 0 ? "; or " : "") + first_fault(ids[i], at, mode);
  }
  return result;
}

/// "`a`", "`a` and `b`": what the alternative requires; empty when it is about something else.
std::string CombinationWalk::alternative(SchemaId id) const {
  const SchemaNode& node = subject_.pack[id];
  std::vector<std::string> names;
  for (PackText name : subject_.pack.texts(node.required))
    names.emplace_back(subject_.pack.text(name));
  return listed(names, "and");
}

std::vector<std::string> CombinationWalk::alternatives(std::span<const SchemaId> ids) const {
  std::vector<std::string> result;
  for (SchemaId each : ids) {
    if (!only_requires(subject_.pack[each])) return {};
    result.push_back(alternative(each));
  }
  return result;
}

void CombinationWalk::any_of(const SchemaNode& schema, const Frame& at, Mode mode) {
  const auto ids = subject_.pack.ids(schema.any_of);
  for (SchemaId each : ids) {
    if (shape_.matches(each, at, mode)) return;
  }
  Violation* found = subject_.fail(DiagnosticKind::SchemaCombination, at);
  if (found == nullptr) return;
  const std::vector<std::string> names = alternatives(ids);
  if (!names.empty()) {
    found->message = "found none of " + joined(names, "and") + ", wanted at least one";
    return;
  }
  std::string message = all_faults(ids, at, mode);
  subject_.findings.violations.back().message = std::move(message);
}

void CombinationWalk::one_of(const SchemaNode& schema, const Frame& at, Mode mode) {
  const auto ids = subject_.pack.ids(schema.one_of);
  std::size_t fitting = 0;
  for (SchemaId each : ids) {
    if (shape_.matches(each, at, mode)) ++fitting;
  }
  if (fitting == 1) return;
  Violation* found = subject_.fail(DiagnosticKind::SchemaCombination, at);
  if (found == nullptr) return;
  const std::vector<std::string> names = alternatives(ids);
  if (!names.empty()) {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (shape_.matches(ids[i], at, mode)) set.push_back(names[i]);
    }
    found->message = set.empty() ? "found none of " + joined(names, "and") + ", wanted exactly one"
                                 : "found " + joined(set, "and") +
                                       " together, wanted only one of " + joined(names, "and");
    return;
  }
  std::string message =
      fitting > 1
          ? std::to_string(fitting) + " of the alternatives of the schema fit, wanted exactly one"
          : all_faults(ids, at, mode);
  subject_.findings.violations.back().message = std::move(message);
}

}  // namespace trainyard
