#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/frame.h"
#include "schema/violation.h"

namespace trainyard {

/// What a check finds: violations in order or, for a verdict alone, only whether there are any.
struct Findings {
  enum class Wanted : std::uint8_t { Violations, Verdict };
  Wanted wanted = Wanted::Violations;
  std::vector<Violation> violations;  // empty for a verdict
  bool failed = false;

  std::size_t size() const { return violations.size(); }
  /// Whether nothing but warnings and broken rules was found since: a rule about a value that is
  /// wrong in itself says nothing new.
  bool is_sound_since(std::size_t size) const;
};

/// What all walkers of one check share: what they look at, and where they report.
struct Subject {
  const SchemaPack& pack;
  const Tree& tree;
  Findings& findings;
  const SchemaKind* kind = nullptr;  // of a whole object; null for a value by itself
  NodeId object = kNoNode;           // the root of the whole object
  bool is_builtin = false;           // it is a kind of Kubernetes, which Go types hold
  bool firm = false;                 // see Violation::firm

  static Subject value(const SchemaPack& pack, const Tree& tree, Findings& findings) {
    return {pack, tree, findings};
  }
  static Subject whole(const SchemaPack& pack, const Tree& tree, Findings& findings,
                       const SchemaKind& kind, NodeId root) {
    const bool builtin = pack.text(kind.source).starts_with("kubernetes ");
    return {pack, tree, findings, &kind, root, builtin};
  }
  /// The same with other findings.
  Subject with(Findings& others) const {
    return {pack, tree, others, kind, object, is_builtin, firm};
  }

  /// The same, for what is wrong even if the value is unchanged.
  Subject firmly() const { return {pack, tree, findings, kind, object, is_builtin, true}; }

  /// The API group of the whole object; "" for the core group.
  std::string_view group() const {
    return kind == nullptr ? std::string_view() : pack.text(kind->group);
  }
  /// Whether its `status` is set through a subresource alone.
  bool has_status() const { return kind != nullptr && kind->has_status != 0; }
  bool is_own_metadata(const Frame& at) const {
    return object != kNoNode && at.in_map() && at.up->node == object &&
           tree[at.node].key == "metadata";
  }
  SchemaId id_of(const SchemaNode& schema) const {
    return static_cast<SchemaId>(&schema - &pack[0]);
  }

  /// Notes that something is wrong at a place. The violation to fill in; null for a verdict.
  [[gnu::cold]] Violation* fail(DiagnosticKind what, const Frame& at) const;
  /// As `fail`, for something that the API server would let through.
  [[gnu::cold]] Violation* warn(DiagnosticKind what, const Frame& at) const;
};

}  // namespace trainyard
