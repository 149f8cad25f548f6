#pragma once

#include <vector>

#include "schema/check_tools.h"
#include "schema/old_values.h"
#include "schema/ratcheting.h"
#include "schema/rule_walk.h"
#include "schema/shape_walk.h"
#include "schema/subject.h"

namespace trainyard {

/// One check of one value: all walkers, put together. Used once.
class Walk {
 public:
  /// Of a value by itself. `old` is what the value is to replace.
  Walk(const SchemaPack& pack, const CheckTools& tools, const Tree& tree, OldDocument old = {});
  /// Of a whole object.
  Walk(const SchemaPack& pack, const CheckTools& tools, const Tree& tree, OldDocument old,
       const SchemaKind& kind, NodeId root);
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  std::vector<Violation> value(SchemaId id, const Frame& at, Mode mode = {});
  std::vector<Violation> whole_object();

 private:
  void let_duplicates_stay_as_before();

  const CheckTools tools_;
  Findings findings_;
  const Subject subject_;
  const OldValues old_;
  Ratcheting ratcheting_;
  RuleWalk rules_;
  ShapeWalk shape_;
};

}  // namespace trainyard
