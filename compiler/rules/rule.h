#pragma once

#include <span>
#include <string_view>

namespace trainyard {

class RuleContext;

/// A topology rule: one file, one row in the table of `registry.cc`.
struct Rule {
  enum class Phase {
    Infer,  ///< may set fields of the plan
    Check,  ///< may only report
  };
  /// In a job of several programs, what the rule sees as the job.
  enum class Unit {
    Job,      ///< all of it
    Program,  ///< each program for itself, as a job of one role
  };
  std::string_view name;  // kebab-case, as users see it
  Phase phase = Phase::Infer;
  std::string_view sentence;  // what it makes sure of
  std::string_view because;   // why that is needed, with the source of the fact
  std::string_view reads;     // fields, one space between: `spec.nodes cluster.pools plan.name`
  std::string_view writes;    // fields of the plan, likewise
  void (*run)(RuleContext&) = nullptr;
  Unit unit = Unit::Job;
};

/// All rules in the order in which they run. No rule reads what a later one writes.
std::span<const Rule* const> all_rules();
const Rule* find_rule(std::string_view name);

/// Runs one rule: once, or once for each program.
void run_rule(const Rule& rule, RuleContext& context);
/// Runs every rule. Afterwards the plan is finished, or the context's sink has errors.
void run_rules(RuleContext& context);

}  // namespace trainyard
