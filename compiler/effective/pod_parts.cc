#include "effective/pod_parts.h"

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::vector<NodeId> items(PodBuilder& maker, NodeId pod_spec, std::string_view key) {
  std::vector<NodeId> found;
  for (View each : items_at(maker.view(pod_spec), key)) {
    if (each->is_map()) found.push_back(each.id());
  }
  return found;
}

}  // namespace

std::vector<NodeId> containers(PodBuilder& maker, NodeId pod_spec) {
  return items(maker, pod_spec, "containers");
}

std::vector<NodeId> init_containers(PodBuilder& maker, NodeId pod_spec) {
  return items(maker, pod_spec, "initContainers");
}

NodeId container_named(PodBuilder& maker, NodeId pod_spec, std::string_view name) {
  for (NodeId each : containers(maker, pod_spec)) {
    if (string_at(maker.view(each), "name") == name) return each;
  }
  return kNoNode;
}

NodeId variable(PodBuilder& maker, std::string_view name, std::string_view value, OriginId mark) {
  const NodeId made = maker.map(mark);
  maker.put(made, "name", name, mark);
  maker.put(made, "value", value, mark);
  return made;
}

NodeId field_variable(PodBuilder& maker, std::string_view name, std::string_view field,
                      OriginId mark) {
  const NodeId made = maker.map(mark);
  maker.put(made, "name", name, mark);
  const NodeId reference = maker.map_at(maker.map_at(made, "valueFrom", mark), "fieldRef", mark);
  maker.put(reference, "fieldPath", field, mark);
  return made;
}

void append_env(PodBuilder& maker, NodeId container, NodeId variable) {
  append_to(maker, container, "env", variable);
}

NodeId port(PodBuilder& maker, std::string_view name, std::int64_t number, OriginId mark) {
  const NodeId made = maker.map(mark);
  if (!name.empty()) maker.put(made, "name", name, mark);
  maker.put(made, "containerPort", maker.number(number, mark));
  return made;
}

NodeId mount(PodBuilder& maker, std::string_view volume, std::string_view path, OriginId mark) {
  const NodeId made = maker.map(mark);
  maker.put(made, "name", volume, mark);
  maker.put(made, "mountPath", path, mark);
  return made;
}

NodeId key_to_path(PodBuilder& maker, std::string_view key, std::string_view path,
                   std::int64_t mode, OriginId mark) {
  const NodeId made = maker.map(mark);
  maker.put(made, "key", key, mark);
  maker.put(made, "path", path, mark);
  if (mode >= 0) maker.put(made, "mode", maker.number(mode, mark));
  return made;
}

void append_to(PodBuilder& maker, NodeId owner, std::string_view key, NodeId item) {
  maker.tree.append(maker.list_at(owner, key, maker.tree[item].origin), item);
}

bool same_name(View a, View b) {
  return string_at(a, "name") == string_at(b, "name");
}

bool same_mount_path(View a, View b) {
  return string_at(a, "mountPath") == string_at(b, "mountPath");
}

bool same_port(View a, View b) {
  return integer_at(a, "containerPort") == integer_at(b, "containerPort") || same_name(a, b);
}

void upsert(PodBuilder& maker, NodeId owner, std::string_view key, NodeId item, Sameness same) {
  const NodeId list = maker.list_at(owner, key, maker.tree[item].origin);
  for (NodeId old : maker.tree.children(list)) {
    if (!same(maker.view(old), maker.view(item))) continue;
    maker.tree.replace(list, old, item);
    return;
  }
  maker.tree.append(list, item);
}

void upsert_into_itself(PodBuilder& maker, NodeId owner, std::string_view key, Sameness same) {
  const View list = get(maker.view(owner), key);
  if (!list || !list->is_seq()) return;
  std::vector<NodeId> all;
  for (View each : Items(list)) all.push_back(each.id());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same(maker.view(all[j]), maker.view(all[i]))) continue;
      const NodeId repeated = maker.copy(maker.view(all[i]));
      maker.tree.replace(list.id(), all[j], repeated);
      all[j] = repeated;
      break;
    }
  }
}

void add_expression(PodBuilder& maker, NodeId term, std::string_view key,
                    std::string_view operation, std::string_view value, OriginId mark) {
  const NodeId expression = maker.map(mark);
  maker.put(expression, "key", key, mark);
  maker.put(expression, "operator", operation, mark);
  if (operation != "Exists") append_to(maker, expression, "values", maker.text(value, mark));
  append_to(maker, maker.map_at(term, "labelSelector", mark), "matchExpressions", expression);
}

ExclusiveTerms add_exclusive_terms(PodBuilder& maker, NodeId pod_spec, std::string_view label,
                                   std::string_view value, std::string_view topology,
                                   OriginId mark) {
  const NodeId affinity = maker.map_at(pod_spec, "affinity", mark);
  const auto add = [&](std::string_view kind) {
    const NodeId term = maker.map(mark);
    append_to(maker, maker.map_at(affinity, kind, mark),
              "requiredDuringSchedulingIgnoredDuringExecution", term);
    return term;
  };
  const ExclusiveTerms terms = {add("podAffinity"), add("podAntiAffinity")};
  add_expression(maker, terms.together, label, "In", value, mark);
  add_expression(maker, terms.apart, label, "Exists", {}, mark);
  add_expression(maker, terms.apart, label, "NotIn", value, mark);
  for (NodeId term : {terms.together, terms.apart}) {
    maker.put(term, "topologyKey", topology, mark);
  }
  return terms;
}

void put_all(PodBuilder& maker, NodeId map, View from) {
  if (!from || !from->is_map()) return;
  for (View each : Items(from)) {
    const std::string_view key = each->key;  // before the tree grows, which may be this one
    maker.put(map, key, maker.copy(each));
  }
}

PodDraft draft_pod(PodBuilder& maker, View pod_template) {
  PodDraft draft;
  draft.pod = maker.map(kNoOrigin);
  maker.put(draft.pod, "apiVersion", "v1", kNoOrigin);
  maker.put(draft.pod, "kind", "Pod", kNoOrigin);
  draft.metadata = maker.map_at(draft.pod, "metadata", kNoOrigin);
  const View metadata = get(pod_template, "metadata");
  for (std::string_view key : {"labels", "annotations"}) {
    maker.put_copy(draft.metadata, key, get(metadata, key));
  }
  maker.put_copy(draft.pod, "spec", get(pod_template, "spec"));
  draft.spec = maker.map_at(draft.pod, "spec", kNoOrigin);
  return draft;
}

void name_pod(PodBuilder& maker, const PodDraft& draft, std::string_view name, View namespace_,
              OriginId mark) {
  maker.put(draft.metadata, "name", name, mark);
  maker.put_copy(draft.metadata, "namespace", namespace_);
}

}  // namespace trainyard
