#include "schema/compact.h"

#include "schema/keywords.h"

namespace trainyard {
namespace {

class Compactor {
 public:
  Compactor(Tree& to, const Substitute& substitute) : to_(to), substitute_(substitute) {}

  NodeId schema(View from) {
    if (!from->is_map()) return to_.copy(from.tree(), from.id());  // `additionalProperties: true`
    if (substitute_) {
      if (const NodeId other = substitute_(from, to_); other != kNoNode) return other;
    }
    const NodeId out = to_.add_map();
    for (const KeywordInfo& keyword : compact_keywords()) {
      const View value = from[keyword.name];
      if (value && !says_nothing(from, value)) to_.append(out, keyword.name, held(value, keyword));
    }
    return out;
  }

 private:
  NodeId held(View value, const KeywordInfo& keyword) {
    switch (keyword.holds) {
      case Holds::Value:
        return to_.copy(value.tree(), value.id());
      case Holds::Schema:
        return schema(value);
      case Holds::SchemaList:
        return list(value);
      case Holds::SchemaMap:
        return map(value);
    }
    return kNoNode;
  }

  NodeId list(View from) {
    const NodeId out = to_.add_seq();
    for (const NodeId id : from.tree().children(from.id())) {
      to_.append(out, schema(View(from.tree(), id)));
    }
    return out;
  }

  NodeId map(View from) {
    const NodeId out = to_.add_map();
    for (const NodeId id : from.tree().children(from.id())) {
      const View value(from.tree(), id);
      to_.append(out, to_.intern(value->key), schema(value));
    }
    return out;
  }

  static bool only_type(View schema, std::string_view type) {
    return schema && schema->size == 1 && schema["type"].text() == type;
  }

  static bool says_nothing(View schema, View value) {
    if (value->kind == Kind::Bool && value.text() == "false") {
      return value->key != "additionalProperties" && value->key != "default";
    }
    if (value->key != "anyOf" || schema["x-kubernetes-int-or-string"].text() != "true")
      return false;
    if (!value->is_seq() || value->size != 2) return false;
    const View first(schema.tree(), value->first);
    const View second(schema.tree(), value->last);
    return (only_type(first, "integer") && only_type(second, "string")) ||
           (only_type(first, "string") && only_type(second, "integer"));
  }

  Tree& to_;
  const Substitute& substitute_;
};

}  // namespace

NodeId compact_schema(View schema, Tree& to, const Substitute& substitute) {
  return Compactor(to, substitute).schema(schema);
}

}  // namespace trainyard
