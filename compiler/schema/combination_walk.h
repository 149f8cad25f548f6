#pragma once

#include <span>
#include <string>
#include <vector>

#include "schema/shape_walk.h"

namespace trainyard {

inline bool has_combinations(const SchemaNode& schema) {
  return (schema.all_of.count | schema.any_of.count | schema.one_of.count) != 0 ||
         schema.negated != kNoLimit;
}

/// The allOf, anyOf, oneOf and not of a schema, over the walk that asks for them.
class CombinationWalk {
 public:
  explicit CombinationWalk(ShapeWalk& shape) : shape_(shape), subject_(shape.subject()) {}

  void check(const SchemaNode& schema, const Frame& at, Mode mode);

 private:
  void any_of(const SchemaNode& schema, const Frame& at, Mode mode);
  void one_of(const SchemaNode& schema, const Frame& at, Mode mode);
  std::string all_faults(std::span<const SchemaId> ids, const Frame& at, Mode mode);
  std::string first_fault(SchemaId id, const Frame& at, Mode mode);
  std::string alternative(SchemaId id) const;
  std::vector<std::string> alternatives(std::span<const SchemaId> ids) const;

  ShapeWalk& shape_;
  const Subject& subject_;
};

}  // namespace trainyard
