#pragma once

#include <set>
#include <string>

#include "diag/sink.h"
#include "schema/pack_tables.h"
#include "schema/patterns.h"
#include "tree/tree.h"

namespace trainyard {

/// What a schema node is part of.
enum class SchemaRole : std::uint8_t {
  Structure,    // says which fields there are
  Restriction,  // below allOf, anyOf, oneOf or not: only restricts what the structure allows
};

/// How a SchemaReader gets at the schemas below a node.
class SchemaResolver {
 public:
  virtual ~SchemaResolver() = default;
  virtual SchemaId schema(View node, SchemaRole role) = 0;
};

/// Reads the keywords of one schema node.
class SchemaReader {
 public:
  SchemaReader(PackTables& tables, SchemaResolver& resolver, Sink& sink)
      : tables_(tables), resolver_(resolver), sink_(sink) {}

  /// Adds what the keywords of `node` say to `out`, which may be a copy of the schema that the
  /// node refers to. `$ref` and `x-trainyard-ref` themselves are not looked at.
  void read(View node, SchemaRole role, SchemaNode& out);

  void bad(View at, std::string message);

 private:
  struct Keyword;
  static const Keyword* find(std::string_view name);
  void unknown_keyword(View value);

  // One per keyword that is more than a number or a flag.
  void type(View value);
  void format(View value);
  void list_type(View value);
  void map_type(View value);
  void properties(View value);
  void items(View value);
  void additional(View value);
  void negated(View value);
  void exclusive(View value, SchemaFlag has, SchemaFlag exclusive, double SchemaNode::* limit);
  void enumeration(View value);
  void constant(View value);
  void pattern(View value);
  void rules(View value);
  SchemaRule rule(View value);
  void compiles(View expression);

  void flag(View value, SchemaFlag bit);
  void count(View value, std::uint32_t SchemaNode::* field);
  void number(View value, double SchemaNode::* field);
  void bound(View value, double SchemaNode::* field, SchemaFlag bit);
  void string(View value, PackText SchemaNode::* field);
  void json(View value, PackText SchemaNode::* field);
  void names(View value, PackRange SchemaNode::* field);
  void schemas(View value, PackRange SchemaNode::* field);
  void set_flag(SchemaFlag bit, bool on);
  void close();

  PackTables& tables_;
  SchemaResolver& resolver_;
  Sink& sink_;
  SchemaRole role_ = SchemaRole::Structure;
  SchemaNode* out_ = nullptr;
  std::set<std::uint32_t> patterns_;  // those seen, by place: each is compiled once
  PatternBudget budget_;
};

}  // namespace trainyard
