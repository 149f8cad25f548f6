#pragma once

#include <cstddef>
#include <memory>

#include "schema/ratcheting.h"
#include "schema/rule_run.h"

namespace trainyard {

/// Asks the CEL rules of values, once their shape is known to be right.
class RuleWalk {
 public:
  /// All must outlive this.
  RuleWalk(const Subject& subject, Rules& rules, const OldValues& old, Ratcheting& ratcheting)
      : subject_(subject), rules_(rules), old_(old), ratcheting_(ratcheting) {}

  /// The rules of a value. Those of its parts have had their turn.
  void ask(const SchemaNode& schema, const Frame& at);
  /// Rules about changes of fields that are left out now: the default takes the place of the old
  /// value.
  void ask_of_defaults(const SchemaNode& schema, const Frame& at);
  /// After violations of a value, from `from` on: lets stay what was so before. The rules, which
  /// have waited for a value that is sound, are asked then; the server does not know that it is
  /// not.
  void settle(const SchemaNode& schema, const Frame& at, std::size_t from);

  /// Values that rules were asked of so far.
  std::size_t asked() const { return asked_; }
  /// Whether there is no old object to compare with.
  bool is_new() const { return old_.is_new(); }

 private:
  Violation* broken(const SchemaRule& rule, RuleResult&& result, const Frame& at);
  void place_at_field(const SchemaRule& rule, Violation& violation) const;
  bool lacks_generated(const SchemaNode& schema, NodeId node) const;
  RuleRun& run();

  const Subject& subject_;
  Rules& rules_;
  const OldValues& old_;
  Ratcheting& ratcheting_;
  std::unique_ptr<RuleRun> run_;  // once a rule was met
  std::size_t asked_ = 0;
};

}  // namespace trainyard
