#include "schema/metadata_walk.h"

#include <algorithm>
#include <array>
#include <string>

#include "schema/metadata_shape.h"
#include "schema/names.h"
#include "schema/subject.h"
#include "schema/type_words.h"
#include "source/characters.h"

namespace trainyard {
namespace {

/// Kubernetes' own, and whatever has a domain. kubernetes/kubernetes
/// pkg/apis/core/validation/validation.go ValidateFinalizerName
bool is_standard_finalizer(std::string_view name) {
  return name == "kubernetes" || name == "orphan" || name == "foregroundDeletion" ||
         name.find('/') != std::string_view::npos;
}

void check_owner(const Subject& subject, const Frame& at) {
  constexpr std::array<std::string_view, 4> kNeeded = {"apiVersion", "kind", "name", "uid"};
  for (std::string_view key : kNeeded) {
    const NodeId child = subject.tree.find(at.node, key);
    if (child == kNoNode) continue;  // the schema of the metadata says so
    const Node& node = subject.tree[child];
    if (node.kind != Kind::String) continue;
    const bool no_version =
        key == "apiVersion" && (node.text.ends_with('/') || std::ranges::count(node.text, '/') > 1);
    if (!node.text.empty() && !no_version) continue;
    if (Violation* found =
            subject.fail(DiagnosticKind::BadMetadata, {&at, child, kNoLimit, nullptr})) {
      found->message =
          "the " + std::string(key) + " of an owner " +
          (no_version ? "is not of the form `group/version` or `version`" : "must not be empty");
    }
  }
  const View reference(subject.tree, at.node);
  if (reference["apiVersion"].text() != "v1" || reference["kind"].text() != "Event") return;
  if (Violation* found = subject.fail(DiagnosticKind::BadMetadata, at)) {
    found->message = "an `Event` can own nothing";
  }
}

void check_finalizers(const Subject& subject, const Frame& meta) {
  const NodeId list = subject.tree.find(meta.node, "finalizers");
  if (list == kNoNode || !subject.tree[list].is_seq()) return;
  const Frame at{&meta, list, kNoLimit, nullptr};
  std::uint32_t index = 0;
  bool orphans = false;
  bool deletes = false;
  for (NodeId item : subject.tree.children(list)) {
    const Frame below{&at, item, index++, nullptr};
    const Node& node = subject.tree[item];
    if (node.kind != Kind::String) continue;
    orphans = orphans || node.text == "orphan";
    deletes = deletes || node.text == "foregroundDeletion";
    Fault fault = why_not_label_key(node.text);
    if (!fault && subject.is_builtin && !is_standard_finalizer(node.text)) {
      fault = "has no domain in front, as in `example.com/" + std::string(node.text) + "`";
    }
    Violation* found = fault ? subject.fail(DiagnosticKind::BadMetadata, below) : nullptr;
    if (found != nullptr) found->message = "finalizer " + shown(node) + " " + *fault;
  }
  if (!orphans || !deletes) return;
  if (Violation* found = subject.fail(DiagnosticKind::BadMetadata, at)) {
    found->message = "the finalizers `orphan` and `foregroundDeletion` exclude each other";
  }
}

void check_owners(const Subject& subject, const Frame& meta) {
  const NodeId list = subject.tree.find(meta.node, "ownerReferences");
  if (list == kNoNode || !subject.tree[list].is_seq()) return;
  const Frame at{&meta, list, kNoLimit, nullptr};
  std::uint32_t index = 0;
  NodeId controller = kNoNode;
  for (NodeId item : subject.tree.children(list)) {
    const Frame below{&at, item, index++, nullptr};
    if (!subject.tree[item].is_map()) continue;
    check_owner(subject, below);
    const NodeId controls = subject.tree.find(item, "controller");
    if (controls == kNoNode || subject.tree[controls].kind != Kind::Bool) continue;
    if (subject.tree[controls].text != "true") continue;
    if (controller == kNoNode) {
      controller = item;
    } else if (Violation* found = subject.fail(DiagnosticKind::BadMetadata, below)) {
      found->other = controller;
      found->message = "a second owner with `controller: true`, only one can be the controller";
    }
  }
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

/// Kinds where the server checks the name made from generateName, not generateName: its first 58
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

bool requires_field(const SchemaPack& pack, const SchemaNode& schema, std::string_view name) {
  for (PackText field : pack.texts(schema.required)) {
    if (pack.text(field) == name) return true;
  }
  return false;
}

}  // namespace

MetadataRules MetadataRules::of(const SchemaPack& pack, const SchemaKind& kind) {
  // Kueue reads its configuration from a file, which has no name.
  const bool is_file = pack.text(kind.group) == "config.kueue.x-k8s.io";
  return {is_file, kind.namespaced != 0, name_rule(pack.text(kind.group), pack.text(kind.kind))};
}

MetadataWalk::MetadataWalk(const Subject& subject, const MetadataRules& rules)
    : subject_(rules.embedded ? subject.firmly() : subject), rules_(rules) {}

void MetadataWalk::head(const SchemaNode& schema, const Frame& at) const {
  type_word(at, "apiVersion");
  type_word(at, "kind");
  metadata(schema, at);
}

/// `apiVersion` or `kind`.
void MetadataWalk::type_word(const Frame& at, std::string_view key) const {
  const NodeId child = subject_.tree.find(at.node, key);
  if (child == kNoNode) {
    // At the root the object was recognised by these very words.
    if (!rules_.embedded) return;
    if (Violation* found = subject_.fail(DiagnosticKind::MissingField, at)) {
      found->message =
          "missing field `" + std::string(key) + "`: this is a whole object of its own";
    }
    return;
  }
  const Node& node = subject_.tree[child];
  const Frame below{&at, child, kNoLimit, nullptr};
  if (node.kind != Kind::String) {
    if (Violation* found = subject_.fail(DiagnosticKind::WrongType, below)) {
      found->message = "found " + described(node) + ", wanted a string";
    }
    return;
  }
  if (key == "apiVersion" && is_group_version(node.text)) return;
  const std::string lower = lower_case(node.text);
  Fault fault = key == "kind" ? why_not_service_name(lower)
                              : Fault("is not of the form `group/version` or `version`");
  if (!fault) return;
  if (Violation* found = subject_.fail(DiagnosticKind::BadMetadata, below)) {
    found->message = std::string(key) + " " + shown(node) + " " + *fault;
  }
}

void MetadataWalk::metadata(const SchemaNode& schema, const Frame& at) const {
  const NodeId child = subject_.tree.find(at.node, "metadata");
  if (child == kNoNode || subject_.tree[child].kind == Kind::Null) {
    if (rules_.embedded || requires_field(subject_.pack, schema, "metadata"))
      return;  // its own schema says so
    if (Violation* found = subject_.fail(DiagnosticKind::MissingField, at)) {
      found->message = "missing field `metadata`: every object needs a name";
    }
    return;
  }
  const Frame meta{&at, child, kNoLimit, nullptr};
  const auto property = subject_.pack.property(schema, "metadata");
  const bool described_there = property && subject_.pack[*property].properties.count != 0;
  if (!subject_.tree[child].is_map()) {
    if (described_there) return;  // its own schema says so
    if (Violation* found = subject_.fail(DiagnosticKind::WrongType, meta)) {
      found->message = "found " + described(subject_.tree[child]) + ", wanted a map";
    }
    return;
  }
  if (!described_there) check_metadata_shape(subject_, meta);
  const bool named =
      described_there && requires_field(subject_.pack, subject_.pack[*property], "name");
  name(meta, named);
  keys(meta, "labels", why_not_label_key);
  keys(meta, "annotations", why_not_annotation_key);
  check_finalizers(subject_, meta);
  check_owners(subject_, meta);
}

void MetadataWalk::text(const Frame& meta, std::string_view key, NameRule rule) const {
  const NodeId child = subject_.tree.find(meta.node, key);
  if (child == kNoNode) return;
  const Node& node = subject_.tree[child];
  if (node.kind != Kind::String || node.text.empty()) return;
  const Fault fault = rule(node.text);
  if (!fault) return;
  if (Violation* found =
          subject_.fail(DiagnosticKind::BadMetadata, {&meta, child, kNoLimit, nullptr})) {
    found->message = std::string(key) + " " + shown(node) + " " + *fault;
  }
}

/// Whether a text of the metadata is missing, null or "".
bool MetadataWalk::is_empty(const Frame& meta, std::string_view key) const {
  const NodeId child = subject_.tree.find(meta.node, key);
  if (child == kNoNode) return true;
  const Node& node = subject_.tree[child];
  return node.kind == Kind::Null || (node.kind == Kind::String && node.text.empty());
}

void MetadataWalk::name(const Frame& meta, bool required) const {
  const bool wanted = !rules_.embedded && !required;
  if (wanted && is_empty(meta, "name") && is_empty(meta, "generateName")) {
    if (Violation* found = subject_.fail(DiagnosticKind::MissingField, meta)) {
      found->message = "missing field `name` (or `generateName`)";
    }
  }
  text(meta, "name", rules_.why_not_name);
  generate_name(meta);
  name_space(meta);
}

void MetadataWalk::generate_name(const Frame& meta) const {
  const NodeId prefix = subject_.tree.find(meta.node, "generateName");
  if (prefix == kNoNode) return;
  const Node& node = subject_.tree[prefix];
  if (node.kind != Kind::String || node.text.empty()) return;
  const SchemaKind* kind = rules_.embedded ? nullptr : subject_.kind;
  const bool is_made_first = kind != nullptr && is_judged_when_made(subject_.pack.text(kind->group),
                                                                    subject_.pack.text(kind->kind));
  const Fault fault =
      rules_.why_not_name(is_made_first ? made_name(node.text) : generated(node.text));
  if (!fault) return;
  if (Violation* found =
          subject_.fail(DiagnosticKind::BadMetadata, {&meta, prefix, kNoLimit, nullptr})) {
    found->message = "generateName " + shown(node) + " " + *fault;
  }
}

void MetadataWalk::name_space(const Frame& meta) const {
  if (rules_.embedded || rules_.namespaced || is_empty(meta, "namespace")) {
    return text(meta, "namespace", why_not_dns_label);
  }
  const NodeId space = subject_.tree.find(meta.node, "namespace");
  if (Violation* found =
          subject_.fail(DiagnosticKind::NeedlessNamespace, {&meta, space, kNoLimit, nullptr})) {
    found->at_key = true;
    found->severity = Severity::Note;
    found->message = "an object of this kind is in no namespace: leave `namespace` out";
  }
}

/// Keys and values of `labels` or `annotations`.
void MetadataWalk::keys(const Frame& meta, std::string_view key, NameRule rule) const {
  const NodeId map = subject_.tree.find(meta.node, key);
  if (map == kNoNode || !subject_.tree[map].is_map()) return;
  const bool labels = key == "labels";
  const Frame at{&meta, map, kNoLimit, nullptr};
  std::size_t bytes = 0;
  for (NodeId entry : subject_.tree.children(map)) {
    const Node& node = subject_.tree[entry];
    const Frame below{&at, entry, kNoLimit, nullptr};
    bytes += node.key.size() + node.text.size();
    if (const Fault fault = rule(node.key)) {
      if (Violation* found = subject_.fail(DiagnosticKind::BadMetadata, below)) {
        found->at_key = true;
        found->message =
            std::string(labels ? "label" : "annotation") + " key " + shown(node.key) + " " + *fault;
      }
    }
    if (!labels || node.kind != Kind::String) continue;
    if (const Fault fault = why_not_label_value(node.text)) {
      if (Violation* found = subject_.fail(DiagnosticKind::BadMetadata, below)) {
        found->message = "label value " + shown(node) + " " + *fault;
      }
    }
  }
  if (labels || bytes <= kAnnotationBytes) return;
  if (Violation* found = subject_.fail(DiagnosticKind::BadLength, at)) {
    found->message = "the annotations take " + std::to_string(bytes) + " bytes, at most " +
                     std::to_string(kAnnotationBytes) + " are allowed for one object";
  }
}

}  // namespace trainyard
