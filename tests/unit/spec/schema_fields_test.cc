#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <vector>

#include "file_text.h"
#include "spec/cluster.h"
#include "spec/config_document.h"
#include "spec/fabric.h"
#include "spec/field_table.h"
#include "spec/fleet_document.h"
#include "spec/machine.h"
#include "spec/training_job.h"
#include "spec/transfer.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// Compares a schema with the table of the struct that is decoded from it.
class Comparison {
 public:
  explicit Comparison(const Document& schema)
      : schema_(schema), top_(schema.tree(), schema.root()) {}

  void compare(const FieldTable& table) { group(table, top_, ""); }
  const std::vector<std::string>& differences() const { return differences_; }
  std::size_t fields() const { return fields_; }

 private:
  View resolve(View node) const {
    while (node["$ref"]) {
      constexpr std::string_view prefix = "#/$defs/";
      const std::string_view target = node["$ref"].text();
      REQUIRE(target.substr(0, prefix.size()) == prefix);
      node = top_["$defs"][target.substr(prefix.size())];
      REQUIRE(node);
    }
    return node;
  }

  void expect(bool holds, const std::string& path, const std::string& what) {
    if (!holds) differences_.push_back(path + ": " + what);
  }

  void group(const FieldTable& table, View schema, const std::string& path) {
    schema = resolve(schema);
    if (!visited_.insert({&table, schema.id()}).second) return;
    std::set<std::string_view> decoded;
    for (const FieldRow& row : table.fields) {
      ++fields_;
      const std::string at = path + "." + std::string(row.name);
      expect(decoded.insert(row.name).second, at, "is decoded twice");
      const View property = schema["properties"][row.name];
      expect(static_cast<bool>(property), at, "is decoded but not in the schema");
      if (property) field(row, resolve(property), at);
    }
    const View properties = schema["properties"];
    for (NodeId child : schema_.tree().children(properties.id())) {
      const std::string_view name = schema_.tree()[child].key;
      // What a spec is put together of is gone before it is decoded: `driver/build/variants.h`.
      const bool expanded = path.empty() && (name == "extends" || name == "matrix");
      if (expanded) continue;
      expect(decoded.contains(name), path + "." + std::string(name),
             "is in the schema but not decoded");
    }
  }

  void field(const FieldRow& row, View schema, const std::string& at) {
    const std::string_view type = schema["type"].text();
    const bool int_or_string = schema["x-kubernetes-int-or-string"].text() == "true" ||
                               schema["format"].text() == "quantity";
    switch (row.type) {
      case FieldType::String:
        return expect((type == "string" && !schema["enum"]) || type == "number" || int_or_string ||
                          at == ".apiVersion" || at == ".kind",
                      at, "a string");
      case FieldType::Number:
        return expect(type == "integer", at, "an integer");
      case FieldType::Boolean:
        return expect(type == "boolean", at, "a boolean");
      case FieldType::Time:
        return expect(int_or_string &&
                          schema["pattern"].text().find("|[0-9]+m([0-9]+s)?|") != std::string::npos,
                      at, "a duration");
      case FieldType::Choice:
        return words_of(row, schema, at);
      case FieldType::Kubernetes:
        return expect(kubernetes(schema) || kubernetes(schema["items"]), at,
                      "a shape of Kubernetes");
      case FieldType::Struct:
        expect(type == "object", at, "an object");
        return group(row.group(), schema, at);
      case FieldType::StringList:
        return list(at, schema, text_as_written);
      case FieldType::NumberList:
        return list(at, schema, [](View item) { return item["type"].text() == "integer"; });
      case FieldType::ChoiceList:
        expect(type == "array", at, "a list");
        return words_of(row, resolve(schema["items"]), at);
      case FieldType::StructList:
        expect(type == "array", at, "a list");
        return group(row.group(), schema["items"], at + "[]");
      case FieldType::StringMap:
        return string_map(schema, at);
      case FieldType::NumberMap:
        return expect(resolve(schema["additionalProperties"])["type"].text() == "integer", at,
                      "a map of integers");
      case FieldType::StructMap:
        return struct_map(row, schema, at);
    }
  }

  /// Text, or text and numbers that are taken as they are written.
  static bool text_as_written(View schema) {
    const View type = schema["type"];
    if (schema["x-kubernetes-int-or-string"] || schema["format"].text() == "quantity") return true;
    if (!type || !type->is_seq()) return type.text() == "string";
    const auto words = type.tree().children(type.id());
    return View(type.tree(), *words.begin()).text() == "string";
  }

  bool kubernetes(View schema) const {
    return schema["x-trainyard-ref"] ||
           schema["x-kubernetes-preserve-unknown-fields"].text() == "true";
  }

  template <class Test>
  void list(const std::string& at, View schema, Test item_is_good) {
    expect(schema["type"].text() == "array", at, "a list");
    expect(item_is_good(resolve(schema["items"])), at, "items of the right type");
  }

  void words_of(const FieldRow& row, View schema, const std::string& at) {
    std::set<std::string_view> in_schema;
    for (NodeId child : schema_.tree().children(schema["enum"].id())) {
      in_schema.insert(schema_.tree()[child].text);
    }
    const auto decoded = row.words();
    expect(in_schema == std::set<std::string_view>(decoded.begin(), decoded.end()), at,
           "the same words");
    const View fallback = schema["default"];
    expect(!fallback || fallback.text() == decoded.front() || at == ".spec.gpu.migStrategy", at,
           "the default as the first word");
  }

  /// A map by names of the user's choice, or by names that the schema lists.
  void string_map(View schema, const std::string& at) {
    if (schema["properties"]) return names_are(schema, words(Operator{}), at);
    const View value = resolve(schema["additionalProperties"]);
    expect(text_as_written(value), at, "a map of strings");
  }

  void struct_map(const FieldRow& row, View schema, const std::string& at) {
    if (!schema["properties"]) return group(row.group(), schema["additionalProperties"], at + ".*");
    names_are(schema, words(RoleKind{}), at);
    for (NodeId child : schema_.tree().children(schema["properties"].id())) {
      group(row.group(), View(schema_.tree(), child), at + ".*");
    }
  }

  void names_are(View schema, std::span<const std::string_view> names, const std::string& at) {
    std::set<std::string_view> in_schema;
    for (NodeId child : schema_.tree().children(schema["properties"].id())) {
      in_schema.insert(schema_.tree()[child].key);
    }
    expect(in_schema == std::set<std::string_view>(names.begin(), names.end()), at,
           "the same names");
  }

  const Document& schema_;
  View top_;
  std::set<std::pair<const FieldTable*, NodeId>> visited_;
  std::vector<std::string> differences_;
  std::size_t fields_ = 0;
};

void require_same(const std::string& kind, const FieldTable& table, std::size_t at_least) {
  const Document schema(read_file(repository() / "schemas/trainyard/v1alpha1" / (kind + ".yaml")));
  Comparison comparison(schema);
  comparison.compare(table);
  for (const std::string& difference : comparison.differences()) UNSCOPED_INFO(difference);
  CHECK(comparison.differences().empty());
  CHECK(comparison.fields() >= at_least);
}

/// Every property has a sentence, its own or that of the shape it refers to.
void require_descriptions(const Document& schema, NodeId node, std::size_t& count) {
  const Tree& tree = schema.tree();
  const View top(tree, schema.root());
  const View properties = View(tree, node)["properties"];
  for (NodeId child : tree.children(properties.id())) {
    const View property(tree, child);
    std::string_view text = property["description"].text();
    if (text.empty() && property["$ref"]) {
      text = top["$defs"][property["$ref"].text().substr(8)]["description"].text();
    }
    INFO(tree[child].key << " at line " << schema.sources.position(0, tree[child].span.begin).line);
    CHECK(text.size() >= 10);
    CHECK(text.ends_with("."));
    ++count;
  }
  if (tree[node].is_map()) {
    for (NodeId child : tree.children(node)) require_descriptions(schema, child, count);
  }
}

}  // namespace

TEST_CASE("the fields of a TrainingJob are those of its schema, both ways") {
  require_same("TrainingJob", training_job_fields(), 170);
}

TEST_CASE("the fields of a Cluster are those of its schema, both ways") {
  require_same("Cluster", cluster_fields(), 120);
}

TEST_CASE("the fields of a machine catalogue are those of its schema, both ways") {
  require_same("MachineCatalogue", machine_catalogue_fields(), 35);
}

TEST_CASE("the fields of a fabric are those of its schema, both ways") {
  require_same("Fabric", fabric_fields(), 70);
}

TEST_CASE("the fields of a transfer are those of its schema, both ways") {
  require_same("Transfer", transfer_fields(), 20);
}

TEST_CASE("the fields of a config file are those of its schema, both ways") {
  require_same("Config", config_fields(), 10);
}

TEST_CASE("the fields of a Fleet are those of its schema, both ways") {
  require_same("Fleet", fleet_fields(), 18);
}

TEST_CASE("every field of our documents is described") {
  for (const char* kind : {"TrainingJob", "Cluster", "MachineCatalogue", "Fabric", "Transfer",
                           "ImageCatalogue", "Config", "Lock", "Fleet"}) {
    const Document schema(
        read_file(repository() / "schemas/trainyard/v1alpha1" / (std::string(kind) + ".yaml")));
    std::size_t count = 0;
    require_descriptions(schema, schema.root(), count);
    const std::string_view name(kind);
    CHECK(count >= (name == "Lock"             ? 3U
                    : name == "ImageCatalogue" ? 8U
                    : name == "Config"         ? 10U
                    : name == "Fleet"          ? 14U
                    : name == "Transfer"       ? 19U
                                               : 31U));
  }
}
