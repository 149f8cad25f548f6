#include "schema/rule_run.h"

#include <algorithm>

#include "cel/evaluate.h"

namespace trainyard {
namespace {

// The API server has the same figures for a call and for an object; its units are a little larger
// than our steps. kubernetes/apiserver pkg/apis/cel/config.go
constexpr std::uint64_t kStepsOfRule = 1'000'000;
constexpr std::uint64_t kStepsOfObject = 10'000'000;
constexpr std::size_t kLongestMessage = 5 * 1024;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(space), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(space) + 1);
}

}  // namespace

RuleRun::RuleRun(const SchemaPack& pack, Rules& rules, const Tree& tree, NodeId object,
                 OldDocument before, bool has_status)
    : pack_(pack),
      rules_(rules),
      values_(pack, rules.defaults(), tree, object, rules.context().heap,
              has_status && before.tree == nullptr),
      budget_(kStepsOfObject) {
  rules.context().heap.clear();
  if (before.tree == nullptr) return;
  old_values_.emplace(pack, rules.defaults(), *before.tree,
                      object == kNoNode ? kNoNode : before.root, rules.context().heap);
}

cel::Value RuleRun::run(const cel::Program& program, const std::array<cel::Value, 2>& variables) {
  cel::Context& context = rules_.context();
  const std::uint64_t steps = std::min(budget_, kStepsOfRule);
  context.set_budget(steps);
  const cel::Value value = cel::evaluate(program, variables, context);
  budget_ -= steps - context.budget();
  return value;
}

std::array<cel::Value, 2> RuleRun::variables(const SchemaRule& rule, SchemaId schema, NodeId node,
                                             NodeId before) {
  std::array<cel::Value, 2> result = {values_.value(schema, node), cel::Value::null()};
  if (before != kNoNode) result[1] = old_values_->value(schema, before);
  if (rule.optional_old_self != 0) {
    result[1] =
        before == kNoNode ? cel::Value::optional(nullptr) : rules_.context().heap.some(result[1]);
  }
  return result;
}

RuleResult RuleRun::evaluate(const SchemaRule& rule, SchemaId schema, NodeId node, NodeId before) {
  const CompiledRule& compiled = rules_.get(rule);
  if (!compiled.rule) return {};  // said when the schema was read
  const bool is_new = before == kNoNode;
  if (compiled.compares && is_new && rule.optional_old_self == 0) return {};
  const auto known = variables(rule, schema, node, before);
  const cel::Value value = run(*compiled.rule, known);
  if (value.is_true()) return {};
  if (rules_.context().exhausted()) return {RuleResult::Kind::TooLong, ""};
  if (value.is_error()) return {RuleResult::Kind::Failed, std::string(value.text())};
  return {RuleResult::Kind::Broken, message(rule, compiled, known)};
}

/// The message that the rule computes, if it is fit to be shown; else the one it has.
std::string RuleRun::message(const SchemaRule& rule, const CompiledRule& compiled,
                             const std::array<cel::Value, 2>& variables) {
  if (compiled.message) {
    const cel::Value value = run(*compiled.message, variables);
    const std::string_view text =
        value.is(cel::Type::String) ? trimmed(value.text()) : std::string_view();
    const bool fit =
        !text.empty() && text.size() <= kLongestMessage && text.find_first_of("\r\n") == text.npos;
    if (fit) return std::string(text);
  }
  const std::string_view own = trimmed(pack_.text(rule.message));
  if (!own.empty()) return std::string(own);
  return "failed rule: " + std::string(trimmed(pack_.text(rule.rule)));
}

}  // namespace trainyard
