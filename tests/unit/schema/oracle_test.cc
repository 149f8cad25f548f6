// valijson's opinion on the same values. What only Kubernetes knows is left out of the comparison:
// - patterns and formats (valijson uses std::regex, another language that can crash on long texts),
//   among them the quantity syntax and the 32 bits of int32;
// - list map keys, and the head of embedded resources;
// - null entries of maps, which the server drops before it looks;
// - numbers such as `1.0`, which are integers to Kubernetes.
#include <catch2/catch_test_macros.hpp>

#ifndef TRAINYARD_VALIJSON

TEST_CASE("valijson agrees about random values of random schemas") {
  SKIP("the headers of valijson are not installed");
}

#else

#include <algorithm>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "random_json.h"
#include "schema/editor_schema.h"
#include "unit/schema/built_pack.h"

using namespace trainyard;
using nlohmann::json;
using trainyard::testing::add_json;
using trainyard::testing::BuiltPack;
using trainyard::testing::Dice;

namespace {

/// Makes values that fit a schema most of the time.
class Values {
 public:
  Values(const SchemaPack& pack, Dice& dice) : pack_(pack), dice_(dice) {}

  json of(SchemaId id, int depth) {
    const SchemaNode& node = pack_[id];
    if (id == kAnySchema) return scalar();
    if (node.enum_values.count != 0) {
      const auto values = pack_.texts(node.enum_values);
      return json::parse(pack_.text(values[dice_.index(values.size())]));
    }
    if (node.flags & kQuantity) return "2Gi";
    if (node.flags & kIntOrString) return dice_.one_in(2) ? json(dice_.upto(9)) : json("5%");
    if (node.types & kObject) return object(node, depth);
    if (node.types & kArray) return list(node, depth);
    if (node.types & kString) return word();
    if (node.types & kBoolean) return dice_.one_in(2);
    if (node.types & (kInteger | kNumber)) return dice_.upto(12);
    return node.properties.count != 0 ? object(node, depth) : scalar();
  }

  json scalar() {
    switch (dice_.upto(4)) {
      case 0:
        return word();
      case 1:
        return dice_.upto(20) - 5;
      case 2:
        return 0.5 + dice_.upto(3);
      case 3:
        return dice_.one_in(2) ? json::array() : json::object();
      default:
        return true;
    }
  }

  /// Changes one place.
  void mutate(json& value) {
    json* at = &value;
    while (at->is_structured() && !at->empty() && !dice_.one_in(3)) {
      auto next = at->begin();
      std::advance(next, dice_.index(at->size()));
      at = &*next;
    }
    if (at->is_object() && !at->empty() && dice_.one_in(2)) {
      auto gone = at->begin();
      std::advance(gone, dice_.index(at->size()));
      at->erase(gone);
    } else if (at->is_object() && dice_.one_in(2)) {
      (*at)[word()] = scalar();
    } else if (at->is_array() && !at->empty() && dice_.one_in(2)) {
      at->push_back(dice_.one_in(3) ? json() : at->front());
    } else if (at != &value) {
      *at = scalar();
    }
  }

 private:
  std::string word() {
    return std::string(static_cast<std::size_t>(dice_.upto(4)),
                       'a' + static_cast<char>(dice_.upto(3)));
  }

  json object(const SchemaNode& node, int depth) {
    json result = json::object();
    for (const SchemaProperty& each : pack_.properties(node)) {
      const std::string name(pack_.text(each.name));
      const auto needed = pack_.texts(node.required);
      const bool is_needed =
          std::ranges::any_of(needed, [&](PackText text) { return pack_.text(text) == name; });
      const bool wanted =
          is_needed ? !dice_.one_in(30) : depth > 0 && dice_.one_in(depth > 3 ? 2 : 4);
      if (wanted) result[name] = of(each.schema, depth - 1);
    }
    if (node.additional != kNoLimit && depth > 0) {
      for (int i = dice_.upto(2); i > 0; --i) result[word() + "k"] = of(node.additional, depth - 1);
    }
    return result;
  }

  json list(const SchemaNode& node, int depth) {
    json result = json::array();
    if (depth <= -4) return result;
    for (int i = dice_.upto(3); i > 0; --i) {
      result.push_back(node.items == kNoLimit ? scalar() : of(node.items, depth - 1));
    }
    return result;
  }

  const SchemaPack& pack_;
  Dice& dice_;
};

/// Takes out what valijson must not see.
void make_safe(json& schema) {
  if (!schema.is_structured()) return;
  if (schema.is_object()) {
    for (const char* key : {"pattern", "format", "default", "description"}) {
      // A field of that name is a schema, an object; the keyword never is, but for a default.
      if (schema.contains(key) && !schema[key].is_object()) schema.erase(key);
    }
  }
  for (json& each : schema) make_safe(each);
}

class Opinion {
 public:
  explicit Opinion(json document) : document_(std::move(document)) {
    make_safe(document_);
    valijson::adapters::NlohmannJsonAdapter adapter(document_);
    valijson::SchemaParser parser;
    parser.populateSchema(adapter, schema_);
  }
  bool accepts(const json& value) const {
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), nullptr);
  }

 private:
  json document_;
  valijson::Schema schema_;
};

bool only_kubernetes_knows(const Violation& violation) {
  switch (violation.kind) {
    case DiagnosticKind::PatternMismatch:
    case DiagnosticKind::BadFormat:
    case DiagnosticKind::BadQuantity:
    case DiagnosticKind::BadMetadata:
    case DiagnosticKind::CelRule:
      return true;
    case DiagnosticKind::DuplicateItem:
      return violation.message.starts_with("a second item");
    case DiagnosticKind::MissingField:
      return violation.message.ends_with("of its own");
    default:
      return violation.severity != Severity::Error;
  }
}

struct Tally {
  int agreed = 0;
  int valid = 0;
};

void compare(Checker& checker, SchemaId id, const Opinion& opinion, const json& value,
             Tally& tally) {
  Tree tree;
  tree.set_root(add_json(tree, value));
  std::vector<Violation> violations = checker.check(id, tree, tree.root());
  std::erase_if(violations, only_kubernetes_knows);
  const bool accepted = opinion.accepts(value);
  if (accepted == violations.empty()) {
    ++tally.agreed;
    tally.valid += accepted ? 1 : 0;
    return;
  }
  INFO("value: " << value.dump());
  for (const Violation& each : violations) UNSCOPED_INFO(each.path << ": " << each.message);
  FAIL_CHECK("valijson " << (accepted ? "accepts" : "refuses") << " it");
}

/// A schema of up to `depth` levels.
json random_schema(Dice& dice, int depth) {
  const int kind = dice.upto(depth > 0 ? 8 : 5);
  json out;
  switch (kind) {
    case 0:
      out = {{"type", "string"}};
      if (dice.one_in(3)) out["minLength"] = dice.upto(2);
      if (dice.one_in(3)) out["maxLength"] = 1 + dice.upto(3);
      if (dice.one_in(4)) out["enum"] = {"a", "bb", "ccc"};
      return out;
    case 1:
    case 2:
      out = {{"type", kind == 1 ? "integer" : "number"}};
      if (dice.one_in(3)) out["minimum"] = dice.upto(4);
      if (dice.one_in(3)) out["maximum"] = 4 + dice.upto(8);
      if (out.contains("minimum") && dice.one_in(2)) out["exclusiveMinimum"] = true;
      if (out.contains("maximum") && dice.one_in(2)) out["exclusiveMaximum"] = true;
      if (dice.one_in(4)) out["multipleOf"] = 1 + dice.upto(3);
      return out;
    case 3:
      return {{"type", "boolean"}};
    case 4:
      return {{"x-kubernetes-int-or-string", true}};
    case 5:
      return {{"type", "object"},
              {"additionalProperties", {{"type", "integer"}}},
              {"maxProperties", 1 + dice.upto(2)}};
    case 6:
      out = {{"type", "array"}, {"items", random_schema(dice, depth - 1)}};
      if (dice.one_in(3)) out["minItems"] = dice.upto(2);
      if (dice.one_in(3)) out["maxItems"] = 1 + dice.upto(3);
      if (dice.one_in(3)) out["uniqueItems"] = true;
      return out;
    default:
      break;
  }
  out = {{"type", "object"}, {"properties", json::object()}};
  const std::vector<std::string> names = {"a", "b", "c", "aa", "x"};
  for (const std::string& name : names) {
    if (dice.one_in(2)) out["properties"][name] = random_schema(dice, depth - 1);
    if (dice.one_in(6)) out["required"].push_back(name);
  }
  if (dice.one_in(6)) out["x-kubernetes-preserve-unknown-fields"] = true;
  if (dice.one_in(5)) out["minProperties"] = dice.upto(2);
  const auto alternatives = [&] {
    json result = json::array();
    for (int i = 1 + dice.upto(2); i >= 0; --i) {
      const std::string& name = names[dice.index(names.size())];
      if (dice.one_in(2)) {
        result.push_back({{"required", {name}}});
      } else {
        result.push_back({{"properties", {{name, {{"minimum", dice.upto(6)}}}}}});
      }
    }
    return result;
  };
  for (const char* each : {"anyOf", "oneOf", "allOf"}) {
    if (dice.one_in(5)) out[each] = alternatives();
  }
  if (dice.one_in(6)) out["not"] = {{"required", {names[dice.index(names.size())]}}};
  return out;
}

}  // namespace

TEST_CASE("valijson agrees about random values of random schemas") {
  Dice dice(7);
  Tally tally;
  for (int round = 0; round < 150; ++round) {
    json schema = {{"type", "object"}, {"properties", {{"f", random_schema(dice, 3)}}}};
    INFO("schema: " << schema.dump());
    const BuiltPack pack(schema.dump());
    Checker checker(pack.pack());
    const Opinion opinion(json::parse(editor_schema(pack.pack(), pack.kind())));
    const SchemaId field = *pack.pack().property(pack.pack()[pack.id()], "f");
    Values values(pack.pack(), dice);
    for (int i = 0; i < 20; ++i) {
      json value = {{"f", values.of(field, 3)}};
      for (int changes = dice.upto(2); changes > 0; --changes) values.mutate(value["f"]);
      compare(checker, pack.id(), opinion, value, tally);
    }
  }
  CHECK(tally.agreed == 3000);
  CHECK(tally.valid > 600);
  CHECK(tally.valid < 2700);
}

TEST_CASE("valijson agrees about random values of real schemas") {
  const SchemaPack& pack = SchemaPack::builtin();
  Checker checker(pack);
  Dice dice(11);
  Tally tally;
  int compared = 0;
  for (const auto& [api, kind] : {std::pair{"batch/v1", "Job"},
                                  {"v1", "Pod"},
                                  {"v1", "ConfigMap"},
                                  {"v1", "Service"},
                                  {"jobset.x-k8s.io/v1alpha2", "JobSet"},
                                  {"kubeflow.org/v1", "PyTorchJob"},
                                  {"trainer.kubeflow.org/v1alpha1", "TrainJob"},
                                  {"kueue.x-k8s.io/v1beta1", "ClusterQueue"},
                                  {"batch.volcano.sh/v1alpha1", "Job"}}) {
    INFO(api << " " << kind);
    const SchemaKind* found = pack.find(api, kind);
    REQUIRE(found != nullptr);
    const Opinion opinion(json::parse(editor_schema(pack, *found)));
    Values values(pack, dice);
    for (int i = 0; i < 25; ++i) {
      json value = values.of(found->schema, 6);
      for (int changes = dice.upto(2); changes > 0; --changes) values.mutate(value);
      value["apiVersion"] = api;
      value["kind"] = kind;
      compare(checker, found->schema, opinion, value, tally);
      ++compared;
    }
  }
  CHECK(tally.agreed == compared);
  CHECK(tally.valid > 20);
}

#endif
