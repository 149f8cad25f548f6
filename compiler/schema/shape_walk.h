#pragma once

#include "schema/check_tools.h"
#include "schema/subject.h"

namespace trainyard {

class RuleWalk;

/// How a value is looked at. All but `root` and `twin` hold for what is below it as well.
struct Mode {
  bool structural = true;  // false inside allOf, anyOf, oneOf, not: unknown fields are fine there
  bool partial = false;    // nothing is required
  bool root = false;       // a whole object: apiVersion, kind and metadata are understood
  bool ratchets = true;    // what was wrong before may stay; not inside allOf, anyOf, oneOf, not
  bool open = false;       // an item of a list that keeps unknown fields
  NodeId twin = kNoNode;   // a sound map under the same schema: equal entries are sound, too
};

/// Walks a value and its schema side by side: types, fields, items, alternatives.
class ShapeWalk {
 public:
  /// `rules` are asked of values whose shape is right, and settle what was wrong before; null for a
  /// question about the shape alone.
  ShapeWalk(const Subject& subject, const CheckTools& tools, RuleWalk* rules)
      : subject_(subject), tools_(tools), rules_(rules) {}

  void value(SchemaId id, const Frame& at, Mode mode);

  /// Whether a value fits a schema. Says nothing about why.
  bool matches(SchemaId id, const Frame& at, Mode mode) const;
  const Subject& subject() const { return subject_; }

 private:
  void typed_value(const SchemaNode& schema, const Frame& at, Mode mode);
  void part(SchemaId id, const Frame& at, Mode mode);
  void object(const SchemaNode& schema, const Frame& at, Mode mode);
  void entries(const SchemaNode& schema, const Frame& at, Mode mode);
  bool part_alone(SchemaId id, const Frame& at, Mode mode);
  void status(const SchemaNode& schema, const Frame& at, Mode mode);
  void restricted_defaults(const SchemaNode& restriction, const Frame& at, Mode mode);
  void list(const SchemaNode& schema, const Frame& at, Mode mode);

  const Subject subject_;
  const CheckTools tools_;
  RuleWalk* rules_;
};

}  // namespace trainyard
