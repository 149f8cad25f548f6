#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "schema/rule_values.h"
#include "schema/rules.h"

namespace trainyard {

/// A document as it was before, for the rules about changes.
struct OldDocument {
  const Tree* tree = nullptr;  // null when there is none: the object is new
  NodeId root = kNoNode;
  bool ratchets = false;  // what is wrong in it may stay as it is
};

/// What became of a rule.
struct RuleResult {
  enum class Kind : std::uint8_t { Holds, Broken, Failed, TooLong };
  Kind kind = Kind::Holds;
  std::string message;  // of a broken rule its own; of a failed one what went wrong
};

/// Evaluates the rules over one document.
class RuleRun {
 public:
  /// With `has_status` the `status` of a new object does not count: creating one drops it.
  RuleRun(const SchemaPack& pack, Rules& rules, const Tree& tree, NodeId object, OldDocument before,
          bool has_status = false);

  /// `before` is the value that the node had; kNoNode when there was none.
  RuleResult evaluate(const SchemaRule& rule, SchemaId schema, NodeId node, NodeId before);

 private:
  cel::Value run(const cel::Program& program, const std::array<cel::Value, 2>& variables);
  std::array<cel::Value, 2> variables(const SchemaRule& rule, SchemaId schema, NodeId node,
                                      NodeId before);
  std::string message(const SchemaRule& rule, const CompiledRule& compiled,
                      const std::array<cel::Value, 2>& variables);

  const SchemaPack& pack_;
  Rules& rules_;
  RuleValues values_;
  std::optional<RuleValues> old_values_;
  std::uint64_t budget_;
};

}  // namespace trainyard
