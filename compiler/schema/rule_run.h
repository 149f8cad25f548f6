#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "schema/old_values.h"
#include "schema/rule_values.h"
#include "schema/rules.h"

namespace trainyard {

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
