// kubernetes/apiextensions-apiserver pkg/apiserver/schema/defaulting/validation.go,
// pkg/apis/apiextensions/validation/validation.go

#include "admission/crd_defaults.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/words.h"
#include "schema/compact.h"
#include "schema/pack_builder.h"
#include "schema/schema_check.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";

bool is_head_field(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

/// A schema by itself, ready to check a value.
class LoneSchema {
 public:
  /// Of a schema in a compact form.
  explicit LoneSchema(Tree schema) {
    PackBuilder builder;
    builder.add_kind(facts(), std::move(schema));
    Sink unheard;  // what is wrong with the schema is said of the schema
    image_ = builder.build(unheard);
    if (const auto pack = SchemaPack::open(image_)) pack_ = *pack;
  }

  /// What is wrong with a value, of a new object and of one in which it is as before: the rules
  /// about changes are asked, too.
  std::vector<Violation> faults(View value) const {
    if (pack_.kinds().empty()) return {};
    Checker checker(pack_);
    const SchemaId schema = pack_.kinds().front().schema;
    std::vector<Violation> found = checker.check(schema, value.tree(), value.id());
    if (found.empty()) found = checker.check_again(schema, value.tree(), value.id());
    for (Violation& each : found) each.suggestion = {};  // which is in the pack
    return found;
  }

 private:
  /// Of the kind that it is taken for.
  static SchemaFacts facts() {
    SchemaFacts facts;
    facts.group = "default";
    facts.version = "v1";
    facts.kind = "Default";
    return facts;
  }

  std::string image_;
  SchemaPack pack_;
};

/// Takes the defaults out of a compact schema: that of a field is not filled into the one of an
/// object before it is checked.
void drop_defaults(Tree& tree, NodeId schema) {
  if (schema == kNoNode || !tree[schema].is_map()) return;
  const NodeId own = tree.find(schema, "default");
  if (own != kNoNode) tree.remove(schema, own);
  for (std::string_view key : {"items", "additionalProperties"}) {
    drop_defaults(tree, tree.find(schema, key));
  }
  std::vector<NodeId> fields;
  for (NodeId field : tree.children(tree.find(schema, "properties"))) fields.push_back(field);
  for (NodeId field : fields) drop_defaults(tree, field);
}

LoneSchema schema_of_default(View schema, bool is_object) {
  Tree tree;
  const NodeId root = compact_schema(schema, tree);
  tree[root].key = {};
  drop_defaults(tree, root);
  if (is_object && tree.find(root, kEmbedded) == kNoNode) {
    tree.append(root, kEmbedded, tree.add_bool(true));
  }
  tree.set_root(root);
  return LoneSchema(std::move(tree));
}

/// Knows nothing but that an object of its own has a head.
LoneSchema schema_of_head() {
  Tree tree;
  const NodeId root = tree.add_map();
  tree.append(root, "type", tree.add_string("object"));
  tree.append(root, kEmbedded, tree.add_bool(true));
  tree.append(root, "x-kubernetes-preserve-unknown-fields", tree.add_bool(true));
  tree.set_root(root);
  return LoneSchema(std::move(tree));
}

/// Whether the server refuses this of a default. It looks at a default before it drops nulls, and
/// does not look for items that are there twice.
bool is_refused(const Violation& each) {
  // The schema says nothing of the type there.
  const bool any_type = each.message.starts_with("`null` where a value is wanted");
  if (each.kind == DiagnosticKind::NullNotAllowed) return !any_type;
  return each.severity == Severity::Error && each.kind != DiagnosticKind::DuplicateItem;
}

/// Goes through a schema as the server does.
class SchemaDefaults {
 public:
  /// What is wrong with a default, and the place where.
  struct Fault {
    View at;
    bool at_key = false;
    Violation violation;
  };

  /// All faults of the defaults in the schema of a version.
  static std::vector<Fault> in(View root) {
    SchemaDefaults defaults;
    if (root && root->is_map()) defaults.schema(root, true, {});
    return std::move(defaults.faults_);
  }

 private:
  /// The way from the object that a head belongs to: names of fields, and "" for items.
  using Way = std::vector<std::string_view>;

  /// `head` is set inside `apiVersion`, `kind` or `metadata` of an object.
  void schema(View schema, bool is_root, const std::optional<Way>& head) {
    if (!schema->is_map()) return;
    const bool is_object = is_root || is_true(get(schema, kEmbedded));
    const View value = get(schema, "default");
    if (value && head && !is_object) {
      in_head(schema, value, *head);
    } else if (value) {
      alone(schema, value, is_object);
    }
    // The server ignores those in `additionalProperties`.
    const auto below = [&](View part, std::string_view step, bool opens) {
      std::optional<Way> way;
      if (opens) way.emplace();
      if (!opens && head && !is_object) way = head;
      if (way) way->push_back(step);
      this->schema(part, false, way);
    };
    if (const View items = get(schema, "items")) below(items, "", false);
    for (View each : entries_at(schema, "properties")) {
      const bool is_head = is_object && is_head_field(each.key());
      if (is_root && is_head) continue;  // where there are none
      if (each->is_map()) below(each, each.key(), is_head);
    }
  }

  void alone(View schema, View value, bool is_object) {
    for (Violation& each : schema_of_default(schema, is_object).faults(value)) {
      // What the metadata of an object does not know is dropped before.
      const bool dropped = each.firm && each.kind == DiagnosticKind::UnknownField;
      if (is_refused(each) && !dropped) add(value, std::move(each));
    }
  }

  /// A part of the head of an object: what comes of it must be one. Nothing is pruned there.
  void in_head(View schema, View value, const Way& way) {
    Tree tree;
    NodeId at = tree.copy(value.tree(), value.id());
    tree[at].key = {};
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
      const NodeId around = step->empty() ? tree.add_seq() : tree.add_map();
      if (step->empty()) {
        tree.append(around, at);
      } else {
        tree.append(around, *step, at);
      }
      at = around;
    }
    const NodeId value_copy = at;
    for (std::string_view key : {"apiVersion", "kind"}) {
      if (tree.find(at, key) != kNoNode) continue;
      tree.append(at, key, tree.add_string(key == "kind" ? "Validation" : "validation/v1"));
    }
    tree.set_root(value_copy);
    bool good = true;
    for (Violation& each : schema_of_head().faults(View(tree, value_copy))) {
      if (!is_refused(each) || each.kind == DiagnosticKind::UnknownField) continue;
      good = false;
      faults_.push_back({value, false, std::move(each)});
    }
    if (!good) return;
    for (Violation& each : schema_of_default(schema, false).faults(value)) {
      if (is_refused(each) && each.kind != DiagnosticKind::UnknownField) {
        add(value, std::move(each));
      }
    }
  }

  void add(View value, Violation&& violation) {
    const View at(value.tree(), violation.node);
    faults_.push_back({at, violation.at_key, std::move(violation)});
  }

  std::vector<Fault> faults_;
};

/// Defaults in places that have none.
class Forbidden {
 public:
  explicit Forbidden(CheckContext& context) : context_(context) {}

  void root(View schema) {
    for (View each : entries_at(schema, "properties")) {
      if (is_head_field(each.key())) {
        all(each, shown(each.key()) + " of the whole object");
      } else {
        below(each, false);
      }
    }
  }

 private:
  /// `in_head` is set inside the metadata of an object that stands in another.
  void below(View schema, bool in_head) {
    if (!schema->is_map()) return;
    const bool is_object = is_true(get(schema, kEmbedded));
    for (View each : entries_at(schema, "properties")) {
      below(each, in_head || (is_object && is_head_field(each.key())));
    }
    if (const View items = get(schema, "items")) below(items, in_head);
    const View values = get(schema, "additionalProperties");
    if (!values || !values->is_map()) return;
    if (in_head) return all(values, "`additionalProperties` of the metadata of an object");
    below(values, in_head);
  }

  void all(View schema, const std::string& place) {
    if (!schema->is_map()) return;
    if (const View found = get(schema, "default")) {
      context_.refuse_key(found, "there is no default in " + place + "; leave it out");
    }
    for (View each : entries_at(schema, "properties")) all(each, place);
    for (std::string_view key : {"items", "additionalProperties"}) {
      if (const View part = get(schema, key)) all(part, place);
    }
  }

  CheckContext& context_;
};

std::string message_of(const Violation& violation) {
  switch (violation.kind) {
    case DiagnosticKind::UnknownField:
      return "the default has what its schema does not: " + violation.message;
    case DiagnosticKind::NullNotAllowed:
      return "the default has a `null` where its schema does not allow one";
    case DiagnosticKind::BadMetadata:
      return "the default makes no valid metadata: " + violation.message;
    case DiagnosticKind::CelRule:
      return "the default breaks a rule of its schema: " + violation.message;
    default:
      return "the default does not fit its own schema: " + violation.message;
  }
}

void report(const SchemaDefaults::Fault& fault, CheckContext& context) {
  const std::string message = message_of(fault.violation);
  Diagnostic& told =
      fault.at_key ? context.refuse_key(fault.at, message) : context.refuse(fault.at, message);
  if (fault.violation.kind == DiagnosticKind::MissingField) {
    told.note(
        "the default of an object has to be whole: those of its fields are not filled into it "
        "before it is checked");
  }
  if (!fault.violation.note.empty()) told.note(fault.violation.note);
}

/// Whether a definition has defaults already that say more than their schemas know. Then more of
/// them may come.
bool has_unknown_parts(View definition) {
  for (View version : items_at(get(definition, "spec"), "versions")) {
    const auto faults = SchemaDefaults::in(get(get(version, "schema"), "openAPIV3Schema"));
    const auto is_unknown = [](const SchemaDefaults::Fault& each) {
      return each.violation.kind == DiagnosticKind::UnknownField;
    };
    if (std::ranges::any_of(faults, is_unknown)) return true;
  }
  return false;
}

}  // namespace

void crd_defaults(View object, CheckContext& context) {
  for (View version : items_at(get(object, "spec"), "versions")) {
    const View schema = get(get(version, "schema"), "openAPIV3Schema");
    if (!schema || !schema->is_map()) continue;
    Forbidden(context).root(schema);
    for (const SchemaDefaults::Fault& fault : SchemaDefaults::in(schema)) {
      const bool unknown = fault.violation.kind == DiagnosticKind::UnknownField;
      if (unknown && context.old() && has_unknown_parts(context.old())) continue;
      report(fault, context);
    }
  }
}

}  // namespace trainyard
