#include <algorithm>
#include <array>

#include "diag/suggest.h"
#include "schema/format_parsers.h"
#include "schema/formats.h"
#include "schema/names.h"
#include "schema/type_words.h"
#include "schema/walk.h"

namespace trainyard {
namespace {

/// The fields of ObjectMeta, for schemas that leave `metadata` open as those of CRDs do.
/// kubernetes/apimachinery pkg/apis/meta/v1/types.go
using Shape = MetadataShape;
struct MetadataField {
  std::string_view name;
  Shape shape;
};
constexpr auto kMetadataFields = std::to_array<MetadataField>({
    {"annotations", Shape::Labels},
    {"creationTimestamp", Shape::Time},
    {"deletionGracePeriodSeconds", Shape::Whole},
    {"deletionTimestamp", Shape::Time},
    {"finalizers", Shape::Texts},
    {"generateName", Shape::Text},
    {"generation", Shape::Whole},
    {"labels", Shape::Labels},
    {"managedFields", Shape::Maps},
    {"name", Shape::Text},
    {"namespace", Shape::Text},
    {"ownerReferences", Shape::Maps},
    {"resourceVersion", Shape::Text},
    {"selfLink", Shape::Text},
    {"uid", Shape::Text},
});

/// Of the items of its lists.
struct PartField {
  std::string_view list;
  MetadataField field;
  bool required = false;
};
constexpr auto kPartFields = std::to_array<PartField>({
    {"managedFields", {"apiVersion", Shape::Text}},
    {"managedFields", {"fieldsType", Shape::Text}},
    {"managedFields", {"fieldsV1", Shape::Any}},
    {"managedFields", {"manager", Shape::Text}},
    {"managedFields", {"operation", Shape::Text}},
    {"managedFields", {"subresource", Shape::Text}},
    {"managedFields", {"time", Shape::Time}},
    {"ownerReferences", {"apiVersion", Shape::Text}, true},
    {"ownerReferences", {"blockOwnerDeletion", Shape::Truth}},
    {"ownerReferences", {"controller", Shape::Truth}},
    {"ownerReferences", {"kind", Shape::Text}, true},
    {"ownerReferences", {"name", Shape::Text}, true},
    {"ownerReferences", {"uid", Shape::Text}, true},
});

bool shape_fits(Shape shape, const Node& node) {
  switch (shape) {
    case Shape::Text:
    case Shape::Time:
      return node.kind == Kind::String;
    case Shape::Truth:
      return node.kind == Kind::Bool;
    case Shape::Any:
      return true;
    case Shape::Whole:
      return node.kind == Kind::Int;
    case Shape::Texts:
    case Shape::Maps:
      return node.is_seq();
    case Shape::Labels:
      return node.is_map();
  }
  return false;
}

std::string_view shape_word(Shape shape) {
  switch (shape) {
    case Shape::Text:
    case Shape::Time:
      return "a string";
    case Shape::Truth:
      return "a boolean";
    case Shape::Whole:
      return "an integer";
    case Shape::Texts:
    case Shape::Maps:
      return "a list";
    case Shape::Labels:
      return "a map";
    case Shape::Any:
      break;
  }
  return "a value";
}

using NameRule = Fault (*)(std::string_view);

/// kubernetes/kubernetes pkg/apis/core/validation/validation.go, pkg/apis/rbac/validation
NameRule name_rule(std::string_view group, std::string_view kind) {
  // Our own documents are never objects; a rule makes valid names of theirs, and says so.
  if (group == "trainyard") return [](std::string_view) { return Fault(); };
  if (group == "rbac.authorization.k8s.io") return why_not_path_segment;
  // Named after a signer (`example.org:a:b`), and after an address.
  if (kind == "ClusterTrustBundle" || kind == "IPAddress") return why_not_path_segment;
  if (group == "policy" && kind == "PodDisruptionBudget") return why_not_path_segment;
  if (!group.empty()) return why_not_subdomain;
  // A Service before Kubernetes 1.36 has a narrower rule, which a check knows.
  if (kind == "Service" || kind == "Namespace") return why_not_dns_label;
  return why_not_subdomain;
}

/// A generateName is a name to which characters will be added: it may end in `-`.
/// kubernetes/apimachinery pkg/api/validation/generic.go
std::string generated(std::string_view prefix) {
  std::string result(prefix);
  if (result.size() > 1 && result.ends_with('-')) result.back() = 'a';
  return result;
}

/// Kinds of which not the generateName is judged but the name that is made of it: of its first 58
/// characters and five others. kubernetes/kubernetes pkg/apis/core/validation/validation.go
/// ValidateReplicationController and pkg/apis/resource/validation/validation.go
/// ValidateDeviceClass; kubernetes/apiserver pkg/storage/names/generate.go
bool is_judged_when_made(std::string_view group, std::string_view kind) {
  return (group.empty() && kind == "ReplicationController") ||
         (group == "resource.k8s.io" && kind == "DeviceClass");
}

std::string made_name(std::string_view prefix) {
  return std::string(prefix.substr(0, 58)) + "aaaaa";
}

bool is_group_version(std::string_view text) {
  return !text.empty() && std::ranges::count(text, '/') <= 1;
}

}  // namespace

void Walk::whole_object(const SchemaKind& kind, NodeId root) {
  const SchemaNode& schema = pack_[kind.schema];
  const Frame at{nullptr, root, kNoLimit, &schema};
  object_ = root;
  kind_ = &kind;
  has_status_ = kind.has_status != 0;
  is_builtin_ = is_of_kubernetes(kind);
  // Kinds of Kubernetes are decoded into Go types, and each has its own rules for updates.
  old_.ratchets = old_.ratchets && old_.tree != nullptr && !is_builtin_;
  const NameRule rule = name_rule(pack_.text(kind.group), pack_.text(kind.kind));
  const MetadataRules rules{false, kind.namespaced != 0, rule};
  const bool has_head = tree_[root].is_map() && !(schema.flags & kEmbeddedResource);
  if (has_head) object_head(schema, at, rules);
  value(kind.schema, at, {true, false, true});
  if (kind.replicas_path.size != 0) replicas(pack_.text(kind.replicas_path), root);
  if (old_.tree != nullptr) let_duplicates_be();
}

void Walk::object_head(const SchemaNode& schema, const Frame& at, const MetadataRules& rules) {
  type_word(at, "apiVersion", rules.embedded);
  type_word(at, "kind", rules.embedded);
  metadata(schema, at, rules);
}

/// `apiVersion` or `kind`.
void Walk::type_word(const Frame& at, std::string_view key, bool embedded) {
  const NodeId child = tree_.find(at.node, key);
  if (child == kNoNode) {
    // At the root the object was recognised by these very words.
    if (!embedded) return;
    if (Violation* found = fail(DiagnosticKind::MissingField, at)) {
      found->message =
          "missing field `" + std::string(key) + "`: this is a whole object of its own";
    }
    return;
  }
  const Node& node = tree_[child];
  const Frame below{&at, child, kNoLimit, nullptr};
  if (node.kind != Kind::String) {
    if (Violation* found = fail(DiagnosticKind::WrongType, below)) {
      found->message = "found " + described(node) + ", wanted a string";
    }
    return;
  }
  if (key == "apiVersion" && is_group_version(node.text)) return;
  std::string lower(node.text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  Fault fault = key == "kind" ? why_not_service_name(lower)
                              : Fault("is not of the form `group/version` or `version`");
  if (!fault) return;
  if (Violation* found = fail(DiagnosticKind::BadMetadata, below)) {
    found->message = std::string(key) + " " + shown(node) + " " + *fault;
  }
}

void Walk::metadata(const SchemaNode& schema, const Frame& at, const MetadataRules& rules) {
  const NodeId child = tree_.find(at.node, "metadata");
  if (child == kNoNode || tree_[child].kind == Kind::Null) {
    if (rules.embedded || requires_field(schema, "metadata")) return;  // its own schema says so
    if (Violation* found = fail(DiagnosticKind::MissingField, at)) {
      found->message = "missing field `metadata`: every object needs a name";
    }
    return;
  }
  const Frame meta{&at, child, kNoLimit, nullptr};
  const auto property = pack_.property(schema, "metadata");
  const bool described_there = property && pack_[*property].properties.count != 0;
  if (!tree_[child].is_map()) {
    if (described_there) return;  // its own schema says so
    if (Violation* found = fail(DiagnosticKind::WrongType, meta)) {
      found->message = "found " + described(tree_[child]) + ", wanted a map";
    }
    return;
  }
  if (!described_there) metadata_structure(meta);
  const bool named = described_there && requires_field(pack_[*property], "name");
  metadata_name(meta, rules, named);
  metadata_keys(meta, "labels", why_not_label_key);
  metadata_keys(meta, "annotations", why_not_annotation_key);
  finalizers(meta);
  owners(meta);
}

void Walk::metadata_structure(const Frame& meta) {
  for (NodeId child : tree_.children(meta.node)) {
    const Node& node = tree_[child];
    const Frame at{&meta, child, kNoLimit, nullptr};
    const auto field = std::ranges::find(kMetadataFields, node.key, &MetadataField::name);
    if (field == kMetadataFields.end()) {
      std::vector<std::string_view> names;
      for (const MetadataField& each : kMetadataFields) names.push_back(each.name);
      unknown_metadata(at, names);
      continue;
    }
    if (node.kind == Kind::Null || !metadata_shape(at, field->shape)) continue;
    if (field->shape == Shape::Maps) metadata_parts(at);
    if (field->shape != Shape::Labels && field->shape != Shape::Texts) continue;
    std::uint32_t index = 0;
    for (NodeId entry : tree_.children(child)) {
      const std::uint32_t place = node.is_seq() ? index++ : kNoLimit;
      const Node& value = tree_[entry];
      if (value.kind == Kind::String || (value.kind == Kind::Null && node.is_map())) continue;
      if (Violation* found = fail(DiagnosticKind::WrongType, {&at, entry, place, nullptr})) {
        found->message = "found " + described(value) + ", wanted a string";
        if (value.is_scalar() && value.kind != Kind::Null) {
          found->replacement = quoted(value.text);
          found->message += ": write `" + found->replacement + "`";
        }
      }
    }
  }
}

/// The items of a list of the metadata, such as its owners.
void Walk::metadata_parts(const Frame& at) {
  const std::string_view list = tree_[at.node].key;
  std::vector<std::string_view> names;
  for (const PartField& each : kPartFields) {
    if (each.list == list) names.push_back(each.field.name);
  }
  std::uint32_t index = 0;
  for (NodeId item : tree_.children(at.node)) {
    const Frame part{&at, item, index++, nullptr};
    if (!metadata_shape(part, MetadataShape::Labels)) continue;
    for (NodeId child : tree_.children(item)) {
      const Frame below{&part, child, kNoLimit, nullptr};
      const auto field = std::ranges::find_if(kPartFields, [&](const PartField& each) {
        return each.list == list && each.field.name == tree_[child].key;
      });
      if (field == kPartFields.end()) {
        unknown_metadata(below, names);
      } else if (tree_[child].kind != Kind::Null) {
        (void)metadata_shape(below, field->field.shape);
      }
    }
    for (const PartField& each : kPartFields) {
      if (each.list != list || !each.required) continue;
      const NodeId child = tree_.find(item, each.field.name);
      if (child != kNoNode && tree_[child].kind != Kind::Null) continue;
      if (Violation* found = fail(DiagnosticKind::MissingField, part)) {
        found->message = "missing field " + shown(each.field.name);
      }
    }
  }
}

void Walk::unknown_metadata(const Frame& at, std::span<const std::string_view> names) {
  Violation* found = fail(DiagnosticKind::UnknownField, at);
  if (found == nullptr) return;
  const std::string_view key = tree_[at.node].key;
  found->at_key = true;
  found->suggestion = suggest(key, names).value_or("");
  found->message = "unknown field " + shown(key);
  if (!found->suggestion.empty()) {
    found->message += ": did you mean " + shown(found->suggestion) + "?";
  }
}

/// False when the value has another shape, which is then reported.
bool Walk::metadata_shape(const Frame& at, MetadataShape shape) {
  const Node& node = tree_[at.node];
  if (!shape_fits(shape, node)) {
    if (Violation* found = fail(DiagnosticKind::WrongType, at)) {
      found->message = "found " + described(node) + ", wanted " + std::string(shape_word(shape));
      const bool scalar = node.is_scalar() && shape == Shape::Text;
      if (scalar) found->replacement = quoted(node.text);
      if (scalar) found->message += ": write `" + found->replacement + "`";
    }
    return false;
  }
  if (shape != Shape::Time || is_date_time(node.text)) return true;
  if (Violation* found = fail(DiagnosticKind::BadFormat, at)) {
    found->message =
        shown(node) + " is no time, wanted " + std::string(example_of(Format::DateTime));
  }
  return false;
}

void Walk::metadata_text(const Frame& meta, std::string_view key, NameRule rule) {
  const NodeId child = tree_.find(meta.node, key);
  if (child == kNoNode || tree_[child].kind != Kind::String || tree_[child].text.empty()) return;
  const Fault fault = rule(tree_[child].text);
  if (!fault) return;
  if (Violation* found = fail(DiagnosticKind::BadMetadata, {&meta, child, kNoLimit, nullptr})) {
    found->message = std::string(key) + " " + shown(tree_[child]) + " " + *fault;
  }
}

bool Walk::requires_field(const SchemaNode& schema, std::string_view name) const {
  for (PackText field : pack_.texts(schema.required)) {
    if (pack_.text(field) == name) return true;
  }
  return false;
}

void Walk::metadata_name(const Frame& meta, const MetadataRules& rules, bool required) {
  const auto is_empty = [&](std::string_view key) {
    const NodeId child = tree_.find(meta.node, key);
    return child == kNoNode || tree_[child].kind == Kind::Null ||
           (tree_[child].kind == Kind::String && tree_[child].text.empty());
  };
  if (!rules.embedded && !required && is_empty("name") && is_empty("generateName")) {
    if (Violation* found = fail(DiagnosticKind::MissingField, meta)) {
      found->message = "missing field `name` (or `generateName`)";
    }
  }
  metadata_text(meta, "name", rules.why_not_name);
  const NodeId prefix = tree_.find(meta.node, "generateName");
  if (prefix != kNoNode && tree_[prefix].kind == Kind::String && !tree_[prefix].text.empty()) {
    const bool is_made_first =
        !rules.embedded && kind_ != nullptr &&
        is_judged_when_made(pack_.text(kind_->group), pack_.text(kind_->kind));
    const std::string_view text = tree_[prefix].text;
    const Fault fault = rules.why_not_name(is_made_first ? made_name(text) : generated(text));
    Violation* found =
        fault ? fail(DiagnosticKind::BadMetadata, {&meta, prefix, kNoLimit, nullptr}) : nullptr;
    if (found != nullptr) found->message = "generateName " + shown(tree_[prefix]) + " " + *fault;
  }
  const NodeId space = tree_.find(meta.node, "namespace");
  if (!rules.embedded && !rules.namespaced && !is_empty("namespace")) {
    if (Violation* found = fail(DiagnosticKind::BadMetadata, {&meta, space, kNoLimit, nullptr})) {
      found->at_key = true;
      found->severity = Severity::Warning;  // the API server clears it
      found->message = "an object of this kind is in no namespace: leave `namespace` out";
    }
    return;
  }
  metadata_text(meta, "namespace", why_not_dns_label);
}

/// Keys and values of `labels` or `annotations`.
void Walk::metadata_keys(const Frame& meta, std::string_view key, NameRule rule) {
  const NodeId map = tree_.find(meta.node, key);
  if (map == kNoNode || !tree_[map].is_map()) return;
  const bool labels = key == "labels";
  const Frame at{&meta, map, kNoLimit, nullptr};
  std::size_t bytes = 0;
  for (NodeId entry : tree_.children(map)) {
    const Node& node = tree_[entry];
    const Frame below{&at, entry, kNoLimit, nullptr};
    bytes += node.key.size() + node.text.size();
    if (const Fault fault = rule(node.key)) {
      if (Violation* found = fail(DiagnosticKind::BadMetadata, below)) {
        found->at_key = true;
        found->message =
            std::string(labels ? "label" : "annotation") + " key " + shown(node.key) + " " + *fault;
      }
    }
    if (!labels || node.kind != Kind::String) continue;
    if (const Fault fault = why_not_label_value(node.text)) {
      if (Violation* found = fail(DiagnosticKind::BadMetadata, below)) {
        found->message = "label value " + shown(node) + " " + *fault;
      }
    }
  }
  if (labels || bytes <= kAnnotationBytes) return;
  if (Violation* found = fail(DiagnosticKind::BadLength, at)) {
    found->message = "the annotations take " + std::to_string(bytes) + " bytes, at most " +
                     std::to_string(kAnnotationBytes) + " are allowed for one object";
  }
}

}  // namespace trainyard
