#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "effective/pod_builder.h"

namespace trainyard {

// What controllers do to the parts of a pod. A list that is missing is made.

std::vector<NodeId> containers(PodBuilder& maker, NodeId pod_spec);
std::vector<NodeId> init_containers(PodBuilder& maker, NodeId pod_spec);
/// The container of a name; kNoNode when there is none.
NodeId container_named(PodBuilder& maker, NodeId pod_spec, std::string_view name);

/// A variable, without putting it anywhere.
NodeId variable(PodBuilder& maker, std::string_view name, std::string_view value, OriginId mark);
/// One whose value is a field of the pod.
NodeId field_variable(PodBuilder& maker, std::string_view name, std::string_view field,
                      OriginId mark);

/// Puts a variable behind the others, as most controllers do: the last one of a name counts.
void append_env(PodBuilder& maker, NodeId container, NodeId variable);
inline void append_env(PodBuilder& maker, NodeId container, std::string_view name,
                       std::string_view value, OriginId mark) {
  append_env(maker, container, variable(maker, name, value, mark));
}

NodeId port(PodBuilder& maker, std::string_view name, std::int64_t number, OriginId mark);
NodeId mount(PodBuilder& maker, std::string_view volume, std::string_view path, OriginId mark);
/// An item of a volume of keys; without a mode when it is negative.
NodeId key_to_path(PodBuilder& maker, std::string_view key, std::string_view path,
                   std::int64_t mode, OriginId mark);

/// Puts `item` behind those of the list `key` of `owner`.
void append_to(PodBuilder& maker, NodeId owner, std::string_view key, NodeId item);

/// When an item of a list is the same as another, and is replaced by it.
using Sameness = bool (*)(View, View);
bool same_name(View a, View b);
bool same_mount_path(View a, View b);
/// Of ports: the number, or the name; two without a name have the same.
bool same_port(View a, View b);

/// Replaces the first item that is the same as `item`, else puts it behind all.
void upsert(PodBuilder& maker, NodeId owner, std::string_view key, NodeId item, Sameness same);
/// Upserts each item of a list into the list itself: of several that are the same the first gets
/// the value of the last.
void upsert_into_itself(PodBuilder& maker, NodeId owner, std::string_view key, Sameness same);

/// By which the pods with one value of a label share a topology domain with each other, and with
/// none that have another.
struct ExclusiveTerms {
  NodeId together = kNoNode;  // of the affinity
  NodeId apart = kNoNode;     // of the anti-affinity
};
ExclusiveTerms add_exclusive_terms(PodBuilder& maker, NodeId pod_spec, std::string_view label,
                                   std::string_view value, std::string_view topology,
                                   OriginId mark);
/// An entry of `matchExpressions` of a term; without values for `Exists`.
void add_expression(PodBuilder& maker, NodeId term, std::string_view key,
                    std::string_view operation, std::string_view value, OriginId mark);

/// Sets entries of labels or annotations to copies of those of `from`.
void put_all(PodBuilder& maker, NodeId map, View from);

/// A pod from a template, with its labels and annotations, and a `spec` whatever the template has.
struct PodDraft {
  NodeId pod = kNoNode;
  NodeId metadata = kNoNode;
  NodeId spec = kNoNode;

  NodeId labels(PodBuilder& maker, OriginId mark) const {
    return maker.map_at(metadata, "labels", mark);
  }
  NodeId annotations(PodBuilder& maker, OriginId mark) const {
    return maker.map_at(metadata, "annotations", mark);
  }
};
PodDraft draft_pod(PodBuilder& maker, View pod_template);

/// Names the pod; the namespace is that of its job.
void name_pod(PodBuilder& maker, const PodDraft& draft, std::string_view name, View namespace_,
              OriginId mark);

}  // namespace trainyard
