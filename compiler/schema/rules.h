#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "cel/evaluation_context.h"
#include "cel/program.h"
#include "schema/pack.h"
#include "schema/rule_defaults.h"

namespace trainyard {

/// A rule, ready to be evaluated over `self` and `oldSelf`.
struct CompiledRule {
  std::optional<cel::Program> rule;  // nothing when it does not compile
  std::optional<cel::Program> message;
  bool compares = false;  // it mentions oldSelf: it is about a change
};

/// What is wrong with a rule or a messageExpression; nothing when it compiles.
std::optional<std::string> rule_fault(std::string_view expression);
/// Compiles one rule; a `messageExpression` that does not compile is left out.
CompiledRule compile_rule(const SchemaPack& pack, const SchemaRule& rule);

/// The rules of a pack, each compiled when it is first needed, and what evaluating them shares.
/// Not for two threads at once.
class Rules {
 public:
  explicit Rules(const SchemaPack& pack);

  const CompiledRule& get(const SchemaRule& rule);
  cel::Context& context() { return context_; }
  RuleDefaults& defaults() { return defaults_; }

 private:
  const SchemaPack& pack_;
  cel::Context context_;
  RuleDefaults defaults_;
  std::unordered_map<const SchemaRule*, std::unique_ptr<CompiledRule>> compiled_;
};

}  // namespace trainyard
