#include "schema/type_words.h"
#include "schema/walk.h"

namespace trainyard {
namespace {

/// An alternative that asks for nothing but fields to be there.
bool only_requires(const SchemaNode& node) {
  return node.required.count != 0 && node.properties.count == 0 && node.enum_values.count == 0 &&
         (node.all_of.count | node.any_of.count | node.one_of.count) == 0 &&
         node.negated == kNoLimit && node.additional == kNoLimit && node.items == kNoLimit &&
         node.pattern.size == 0;
}

}  // namespace

void Walk::combinations(const SchemaNode& schema, const Frame& at, Mode mode) {
  mode.structural = false;
  mode.ratchets = is_own_metadata(at);
  for (SchemaId each : pack_.ids(schema.all_of)) value(each, at, mode);
  // Nothing is required there, and that is what alternatives are about.
  if (mode.partial) return;
  if (schema.any_of.count != 0) any_of(schema, at, mode);
  if (schema.one_of.count != 0) one_of(schema, at, mode);
  if (schema.negated == kNoLimit || !matches(schema.negated, at, mode)) return;
  Violation* found = fail(DiagnosticKind::SchemaCombination, at);
  if (found == nullptr) return;
  const SchemaNode& negated = pack_[schema.negated];
  found->message = only_requires(negated) ? alternative(schema.negated) + " must not be set here"
                                          : shown(tree_[at.node]) + " is what the schema excludes";
}

/// A question: whether a value satisfies a schema. Says nothing about why.
bool Walk::matches(SchemaId id, const Frame& at, Mode mode) {
  const bool was_quiet = quiet_;
  const bool had_failed = failed_;
  quiet_ = true;
  failed_ = false;
  value(id, at, mode);
  const bool result = !failed_;
  quiet_ = was_quiet;
  failed_ = had_failed;
  return result;
}

std::string Walk::first_fault(SchemaId id, const Frame& at, Mode mode) {
  const std::size_t before = violations_.size();
  value(id, at, mode);
  std::string result;
  if (violations_.size() > before) {
    const Violation& first = violations_[before];
    const std::string here = path_of(tree_, at);
    result = first.message;
    if (first.path != here) result = "at `" + first.path + "` " + result;
  }
  violations_.resize(before);
  return result;
}

/// "`a`", "`a` and `b`": what the alternative requires; empty when it is about something else.
std::string Walk::alternative(SchemaId id) const {
  const SchemaNode& node = pack_[id];
  std::vector<std::string> names;
  for (PackText name : pack_.texts(node.required)) names.emplace_back(pack_.text(name));
  return listed(names, "and");
}

std::vector<std::string> Walk::alternatives(std::span<const SchemaId> ids) const {
  std::vector<std::string> result;
  for (SchemaId each : ids) {
    if (!only_requires(pack_[each])) return {};
    result.push_back(alternative(each));
  }
  return result;
}

namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view conjunction) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) result += i + 1 == parts.size() ? " " + std::string(conjunction) + " " : ", ";
    result += parts[i];
  }
  return result;
}

}  // namespace

void Walk::any_of(const SchemaNode& schema, const Frame& at, Mode mode) {
  const auto ids = pack_.ids(schema.any_of);
  for (SchemaId each : ids) {
    if (matches(each, at, mode)) return;
  }
  Violation* found = fail(DiagnosticKind::SchemaCombination, at);
  if (found == nullptr) return;
  const std::vector<std::string> names = alternatives(ids);
  if (!names.empty()) {
    found->message = "found none of " + joined(names, "and") + ", wanted at least one";
    return;
  }
  std::string message = "none of the alternatives of the schema fits: ";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    message += (i > 0 ? "; or " : "") + first_fault(ids[i], at, mode);
  }
  violations_.back().message = message;
}

void Walk::one_of(const SchemaNode& schema, const Frame& at, Mode mode) {
  const auto ids = pack_.ids(schema.one_of);
  std::size_t fitting = 0;
  for (SchemaId each : ids) {
    if (matches(each, at, mode)) ++fitting;
  }
  if (fitting == 1) return;
  Violation* found = fail(DiagnosticKind::SchemaCombination, at);
  if (found == nullptr) return;
  const std::vector<std::string> names = alternatives(ids);
  if (!names.empty()) {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (matches(ids[i], at, mode)) set.push_back(names[i]);
    }
    found->message = set.empty() ? "found none of " + joined(names, "and") + ", wanted exactly one"
                                 : "found " + joined(set, "and") +
                                       " together, wanted only one of " + joined(names, "and");
    return;
  }
  std::string message;
  if (fitting > 1) {
    message =
        std::to_string(fitting) + " of the alternatives of the schema fit, wanted exactly one";
  } else {
    message = "none of the alternatives of the schema fits: ";
    for (std::size_t i = 0; i < ids.size(); ++i) {
      message += (i > 0 ? "; or " : "") + first_fault(ids[i], at, mode);
    }
  }
  violations_.back().message = message;
}

}  // namespace trainyard
