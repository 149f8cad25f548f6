#include "editor/known_names.h"

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

template <class List>
void add_names(const List& list, std::string_view about, std::vector<KnownName>& names) {
  for (const auto& each : *list) {
    if (each->name) names.push_back({std::string(*each->name), std::string(about)});
  }
}

void add_pools(const ClusterSpec& cluster, std::vector<KnownName>& names) {
  for (const auto& pool : *cluster.pools) {
    if (!pool->name) continue;
    std::string about = "pool of the Cluster";
    if (pool->machine) about += ", " + std::string(*pool->machine);
    if (pool->count) about += ", " + std::to_string(*pool->count) + " nodes";
    names.push_back({std::string(*pool->name), about});
  }
}

void add_machines(Session& session, const ClusterSpec* cluster, std::vector<KnownName>& names) {
  if (cluster != nullptr) {
    for (const auto& pool : *cluster->pools) {
      if (pool->machine) names.push_back({std::string(*pool->machine), "machine of the Cluster"});
    }
  }
  for (std::string& each : session.machines.names()) {
    names.push_back({std::move(each), "machine of the catalogue"});
  }
}

/// Values of `image` in what is open, and keys of roles in the document itself.
void add_written(const Outline& outline, NameSort sort, std::string_view about,
                 std::vector<KnownName>& names) {
  for (std::uint32_t node = 0; node < outline.nodes().size(); ++node) {
    for (const bool on_key : {false, true}) {
      const auto found = name_at(outline, node, on_key);
      if (found && found->sort == sort && !found->name.empty()) {
        names.push_back({std::string(found->name), std::string(about)});
      }
    }
  }
}

void add_of_cluster(const ClusterSpec& cluster, NameSort sort, std::vector<KnownName>& names) {
  switch (sort) {
    case NameSort::Pool:
      return add_pools(cluster, names);
    case NameSort::Queue:
      return add_names(cluster.queues, "queue of the Cluster", names);
    case NameSort::PriorityClass:
      return add_names(cluster.priority_classes, "priority class of the Cluster", names);
    case NameSort::Claim:
      return add_names(cluster.claims, "claim of the Cluster", names);
    case NameSort::StorageClass:
      return add_names(cluster.storage_classes, "storage class of the Cluster", names);
    case NameSort::Runtime:
      return add_names(cluster.runtimes, "runtime of the Cluster", names);
    case NameSort::Namespace:
      return add_names(cluster.namespaces, "namespace of the Cluster", names);
    default:
      return;
  }
}

void add_of_program(Session& session, NameSort sort, std::vector<KnownName>& names) {
  if (sort == NameSort::Fabric) {
    names.push_back({"auto", "the fabric of the machine"});
    names.push_back({"none", "no fabric"});
    for (std::string& each : session.fabrics.names()) names.push_back({std::move(each), "fabric"});
  } else if (sort == NameSort::Target) {
    for (const TargetFacts* facts : session.all_targets()) {
      if (facts->available)
        names.push_back({std::string(facts->name), std::string(facts->summary)});
    }
  }
}

}  // namespace

std::vector<KnownName> known_names(Workspace& workspace, EditorRun& run, const Outline& outline,
                                   NameSort sort) {
  std::vector<KnownName> names;
  std::unique_ptr<ClusterDocument> cluster;
  if (!run.request.cluster.empty()) cluster = read_cluster(run.session, run.request.cluster);
  const ClusterSpec* const spec = cluster == nullptr ? nullptr : &*cluster->cluster.spec;
  if (sort == NameSort::Machine) add_machines(run.session, spec, names);
  if (spec != nullptr) add_of_cluster(*spec, sort, names);
  add_of_program(run.session, sort, names);
  if (sort == NameSort::Image) {
    for (const auto& [uri, document] : workspace.documents.all()) {
      add_written(Outline(document.text), sort, "image in use", names);
    }
  } else if (sort != NameSort::File) {
    add_written(outline, sort, "in this file", names);
  }
  std::set<std::string, std::less<>> seen;
  std::erase_if(names, [&](const KnownName& each) { return !seen.insert(each.name).second; });
  return names;
}

}  // namespace trainyard
