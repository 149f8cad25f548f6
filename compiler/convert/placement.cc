#include <algorithm>
#include <array>
#include <string>

#include "convert/job_programs.h"
#include "convert/pod_template_reader.h"
#include "manifest/program_jobs.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kProduct = "nvidia.com/gpu.product";
constexpr std::string_view kHostName = "kubernetes.io/hostname";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

// Labels by which controllers mark the pods of one job with its name.
constexpr auto kJobLabels = std::to_array<std::string_view>(
    {"batch.kubernetes.io/job-name", "job-name", "jobset.sigs.k8s.io/jobset-name",
     "training.kubeflow.org/job-name", "volcano.sh/job-name", "leaderworkerset.sigs.k8s.io/name",
     "ray.io/cluster", "app.kubernetes.io/instance"});

// As a build calls them.
constexpr auto kRoles = std::to_array<std::string_view>(
    {"worker", "master", "chief", "ps", "evaluator", "launcher", "head", "node", "store"});

class PlacementReader {
 public:
  explicit PlacementReader(PodParts& parts) : parts_(parts), job_(parts.job) {}

  void read() {
    node_selector();
    affinity();
    copy("tolerations");
    copy("topologySpreadConstraints");
    topology();
    drop_if_empty();
  }

 private:
  NodeId fields() { return job_.map_at(parts_.fields(), "placement"); }

  void drop_if_empty() {
    const View placement = job_.maker.view(parts_.fields())["placement"];
    if (placement && placement->size == 0) {
      job_.maker.tree.remove(parts_.fields(), placement.id());
    }
  }

  void copy(std::string_view key) {
    const View value = get(parts_.spec, key);
    if (has_items(value)) job_.carry(fields(), key, value);
  }

  void node_selector() {
    for (View each : entries_at(parts_.spec, "nodeSelector")) {
      const bool plain_gpus = parts_.role.gpus > 0 && !job_.maker.view(parts_.fields())["gpu"];
      if (each->key == kZone) {
        job_.carry(fields(), "zone", each);
      } else if (each->key == kProduct && plain_gpus) {
        job_.carry(job_.map_at(parts_.fields(), "gpu"), "product", each);
      } else {
        job_.carry(job_.map_at(fields(), "nodeSelector"), each);
      }
    }
  }

  /// Whether a term of anti-affinity keeps pods of this job apart and no others.
  bool keeps_own_apart(View term) const {
    const View selector = get(term, "labelSelector");
    const View labels = get(selector, "matchLabels");
    if (string_at(term, "topologyKey") != kHostName || term->size != 2) return false;
    const View roles = get(selector, "matchExpressions");
    if (!labels || selector->size != (roles ? 2U : 1U)) return false;
    if (roles && !names_roles(roles)) return false;
    bool own = false;
    for (View label : Items(labels)) {
      const bool names_job =
          std::ranges::find(kJobLabels, label->key) != kJobLabels.end() && label->text == job_.name;
      const bool maker =
          label->key == "app.kubernetes.io/managed-by" && job_.ours && label->text == "trainyard";
      if (!names_job && !maker) return false;
      own = own || names_job;
    }
    return own;
  }

  /// Of a job in which only some roles are kept apart.
  bool names_roles(View expressions) const {
    if (!job_.ours || expressions->size != 1) return false;
    const View only = *Items(expressions).begin();
    const View values = get(only, "values");
    return only->size == 3 && string_at(only, "key") == "trainyard/role" &&
           string_at(only, "operator") == "In" && has_items(values) &&
           std::ranges::all_of(Items(values), [this](View each) {
             const bool known = std::ranges::find(kRoles, each->text) != kRoles.end();
             return job_.has_programs ? is_program(each->text) : known || is_group(each->text);
           });
  }

  /// A RayJob has the names of its groups of workers.
  bool is_group(std::string_view name) const {
    return std::ranges::count(names_of_groups(job_.job), name) > 0;
  }

  /// The runtime of a TrainJob has the names of its programs; each Job has that of one.
  bool is_program(std::string_view name) const {
    std::vector<std::string_view> names = names_of_groups(job_.job);
    for (View each : jobs_of_programs(job_.objects, job_.job)) {
      names.push_back(program_of(each)->role);
    }
    return names.empty() || std::ranges::find(names, name) != names.end();
  }

  void affinity() {
    const View affinity = get(parts_.spec, "affinity");
    View own;
    const View anti = get(affinity, "podAntiAffinity");
    for (View term : items_at(anti, kRequired)) {
      if (!own && term->is_map() && keeps_own_apart(term)) own = term;
    }
    // On the network of the node two pods would share ports.
    const bool apart = parts_.role.gpus > 0 || is_true(get(parts_.spec, "hostNetwork"));
    const bool by_default = job_.several_pods() && apart;
    if (static_cast<bool>(own) != by_default) {
      job_.maker.put(fields(), "onePodPerNode", job_.truth(static_cast<bool>(own)));
    }
    if (!affinity) return;
    const NodeId copy = job_.maker.copy(affinity);
    job_.ledger.carried(affinity);
    if (own) take_out(copy, own);
    if (job_.maker.tree[copy].size != 0) job_.maker.put(fields(), "affinity", copy);
  }

  /// Takes the term out of a copy, and what is empty then.
  void take_out(NodeId affinity, View term) {
    Tree& tree = job_.maker.tree;
    const NodeId anti = tree.find(affinity, "podAntiAffinity");
    const NodeId terms = tree.find(anti, kRequired);
    for (NodeId each : tree.children(terms)) {
      if (!equal(tree, each, term.tree(), term.id())) continue;
      tree.remove(terms, each);
      break;
    }
    if (tree[terms].size == 0) tree.remove(anti, terms);
    if (tree[anti].size == 0) tree.remove(affinity, anti);
  }

  // kubernetes-sigs/kueue apis/kueue/v1beta1/topology_types.go
  void topology() {
    const View annotations = get(parts_.metadata, "annotations");
    for (std::string_view mode : {"required", "preferred"}) {
      const View level =
          get(annotations, "kueue.x-k8s.io/podset-" + std::string(mode) + "-topology");
      if (!level) continue;
      const NodeId topology = job_.map_at(fields(), "topology");
      job_.carry(topology, "level", level);
      job_.maker.put(topology, "mode", job_.text(mode));
    }
  }

  PodParts& parts_;
  Conversion& job_;
};

}  // namespace

void read_placement(PodParts& parts) {
  PlacementReader(parts).read();
}

}  // namespace trainyard
