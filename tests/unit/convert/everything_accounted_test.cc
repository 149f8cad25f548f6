// Every value of a manifest has an effect on the spec or on what is reported, or it is one that a
// build, a controller or the server makes again: those are listed here with the reason.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "golden_cases.h"
#include "unit/convert/converted.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace fs = std::filesystem;

namespace {

/// Examples of others, below the directory that the environment names.
void add_examples(std::vector<fs::path>& found) {
  const char* directory = std::getenv("TRAINYARD_CONVERT_EXAMPLES");
  if (directory == nullptr) return;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string end = entry.path().extension().string();
    if (end == ".yaml" || end == ".yml") found.push_back(entry.path());
  }
}

/// The manifests of the golden cases of `convert` and `explain pod`, and what builds print.
std::vector<fs::path> manifests() {
  std::vector<fs::path> found;
  for (const GoldenCase& each : golden_cases(repository() / "golden")) {
    const std::string& name = each.name;
    const bool ours = name.starts_with("convert/") || name.starts_with("explain/pod/");
    if (ours) {
      for (const auto& file : fs::directory_iterator(each.path)) {
        if (file.path().extension() == ".yaml") found.push_back(file.path());
      }
    } else if (name.starts_with("data/storage") || name.starts_with("examples/") ||
               name.starts_with("target/") || name.starts_with("security/isolation")) {
      if (fs::exists(each.path / "stdout")) found.push_back(each.path / "stdout");
    }
  }
  add_examples(found);
  std::sort(found.begin(), found.end());
  return found;
}

/// The documents of a text that are one object each.
std::vector<Tree> read_documents(SourceMap& sources, const std::string& text) {
  Sink sink;
  const FileId file = sources.add("case.yaml", text);
  return read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
}

/// All that comes out of a conversion, as one text.
std::string outcome(const std::vector<View>& objects, View object) {
  Tree tree;
  Origins origins;
  Sink sink;
  const Versions versions;
  const ConvertedJob job =
      convert_object({objects, versions, SchemaPack::builtin()}, object, tree, origins, sink);
  std::string text;
  if (job.root != kNoNode) write_json(tree, job.root, text, 0);
  for (const NotCarried& each : job.lost) {
    text += "\n" + each.path + ": " + each.reason;
    if (each.at) write_json(each.at.tree(), each.at.id(), text, 0);
  }
  return text;
}

/// Items of `env` are known by their names, others are all the same.
std::string step_to(const Tree& tree, NodeId parent, NodeId child) {
  if (!tree[parent].is_seq()) return "." + std::string(tree[child].key);
  const bool named = tree[parent].key == "env";
  return "[" + (named ? std::string(string_at(View(tree, child), "name")) : "") + "]";
}

void collect_leaves(const Tree& tree, NodeId id, const std::string& path,
                    std::vector<std::pair<NodeId, std::string>>& out) {
  if (tree[id].is_scalar()) {
    if (tree[id].kind != Kind::Null) out.emplace_back(id, path);
    return;
  }
  for (NodeId child : tree.children(id)) {
    const std::string step = step_to(tree, id, child);
    collect_leaves(tree, child, path + step, out);
  }
}

void collect_maps(const Tree& tree, NodeId id, const std::string& path,
                  std::vector<std::pair<NodeId, std::string>>& out) {
  if (tree[id].is_map()) out.emplace_back(id, path);
  for (NodeId child : tree.children(id)) {
    const std::string step = step_to(tree, id, child);
    collect_maps(tree, child, path + step, out);
  }
}

struct MadeAgain {
  std::string_view kind;  // "" for any
  std::string_view end;   // of the path
  std::string_view because;
};

constexpr MadeAgain kMadeAgain[] = {
    {"", ".containers[].name", "the target names the training container"},
    {"Job", ".onExitCodes.containerName", "that name again"},
    {"", ".trainyard/digest", "a build works it out"},
    {"", ".kubectl.kubernetes.io/last-applied-configuration", "kubectl writes it when it applies"},
    {"", ".labels.app.kubernetes.io/managed-by", "a build labels its pods itself"},
    {"", ".labels.app.kubernetes.io/instance", "the same"},
    {"", ".labels.app.kubernetes.io/name", "the same"},
    {"", ".labels.app.kubernetes.io/part-of", "the same"},
    {"DistributedWorkload", ".labels.items.app.kubernetes.io/managed-by.value", "the same"},
    {"DistributedWorkload", ".labels.items.app.kubernetes.io/instance.value", "the same"},
    {"DistributedWorkload", ".labels.items.app.kubernetes.io/name.value", "the same"},
    {"DistributedWorkload", ".labels.items.app.kubernetes.io/part-of.value", "the same"},
    {"TrainingWorkload", ".labels.items.app.kubernetes.io/managed-by.value", "the same"},
    {"TrainingWorkload", ".labels.items.app.kubernetes.io/instance.value", "the same"},
    {"TrainingWorkload", ".labels.items.app.kubernetes.io/name.value", "the same"},
    {"TrainingWorkload", ".labels.items.app.kubernetes.io/part-of.value", "the same"},
    {"Job", ".labels.torchx.pytorch.org/replica-id", "a task for each pod, which has a number"},
    {"Job", ".env[TORCHX_RANK0_HOST].value", "the address of rank 0, which a build computes"},
    {"Job", ".spec.maxRetry", "no policy starts the job again"},
    {"HyperPodPyTorchJob", ".replicaSpecs[].name", "the only one needs no name"},
    {"HyperPodPyTorchJob", ".template.metadata.name", "the operator names the pods"},
    {"", ".volumeMounts[].readOnly", "the volume says the same"},
    {"", ".persistentVolumeClaim.readOnly", "the mount says the same"},
    {"Job", ".valueFrom.fieldRef.apiVersion", "the server knows `v1` alone"},
    {"Job", ".template.spec.subdomain", "a build names the Service"},
    {"Job", ".template.spec.containers[].command[]", "the devices in `--world_info`"},
    {"", ".cleanPodPolicy", "a finished job has no pods that run"},
    {"DistributedWorkload", ".cleanPodPolicy.value", "a finished job has no pods that run"},
    {"JobSet", ".coordinator.jobIndex", "the first pod is the coordinator"},
    {"JobSet", ".coordinator.podIndex", "the first pod is the coordinator"},
    {"JobSet", ".coordinator.replicatedJob", "the first pod is the coordinator"},
    {"JobSet", ".network.subdomain", "a build names the Service"},
    {"JobSet", ".spec.suspend", "Kueue suspends and resumes"},
    {"JobSet", ".spec.replicatedJobs[].name", "the only one needs no name"},
    {"XGBoostJob", ".ports[].containerPort", "the program learns the port from its controller"},
    {"Job", ".tasks[].template.spec.containers[].ports[].containerPort", "as above"},
    {"Job", ".tasks[].name", "the only one needs no name"},
    {"Job", ".spec.suspend", "Kueue suspends and resumes"},
    {"TrainJob", ".spec.suspend", "Kueue suspends and resumes"},
    {"TrainJob", ".runtimeRef.apiGroup", "there is one such group"},
    {"LeaderWorkerSet", ".rolloutStrategy.type", "a job that trains is not rolled out"},
    {"LeaderWorkerSet", ".env[LWS_GROUP_SIZE].value", "the controller sets it, whatever is there"},
    {"LeaderWorkerSet", ".env[MODE].value", "the second of one name, which the controller drops"},
    {"LeaderWorkerSet", ".rollingUpdateConfiguration.partition", "the same"},
    {"LeaderWorkerSet", ".rollingUpdateConfiguration.maxUnavailable", "the same"},
    {"LeaderWorkerSet", ".rollingUpdateConfiguration.maxSurge", "the same"},
    {"TrainJob", ".runtimePatches[].manager", "the build is its own manager"},
    {"MPIJob", ".Launcher.replicas", "there is one launcher"},
    {"MPIJob", ".env[OMPI_MCA_orte_set_default_slots].value", "the operator's comes last"},
    {"PyTorchJob", ".env[RANK].value", "the operator's comes last"},
    {"PyTorchJob", ".spec.nprocPerNode", "the deprecated field goes before it"},
    {"PyTorchJob", ".elasticPolicy.rdzvId", "the name of the job tells its ranks from others"},
    {"PyTorchJob", ".Master.restartPolicy", "with a limit, failures are retries"},
    {"PyTorchJob", ".Worker.restartPolicy", "with a limit, failures are retries"},
    {"RayJob", ".rayStartParams.dashboard-host", "a build sets it"},
    {"RayJob", ".groupName", "a build names the group"},
    {"RayJob", ".maxReplicas", "nothing scales without autoscaling"},
    {"RayJob", ".minReplicas", "nothing scales without autoscaling"},
    {"", ".labels.trainyard/role", "a build names the role"},
    {"", ".template.metadata.namespace", "pods are in the namespace of their object"},
    {"", ".ports[].name", "the controller's port, which it finds by its number as well"},
    {"", ".ports[].protocol", "of the controller's port, which a build writes"},
    {"", ".env[OMPI_MCA_orte_default_hostfile].value", "a build tells mpirun where the hosts are"},
    {"", ".env[OMPI_MCA_orte_keep_fqdn_hostnames].value", "the same"},
    {"", ".env[OMPI_MCA_orte_set_default_slots].value", "the same"},
    {"", ".env[OMPI_MCA_plm_rsh_args].value", "the same"},
    {"", ".env[PRTE_MCA_plm_ssh_args].value", "the same"},
    {"", ".env[PRTE_MCA_prte_default_hostfile].value", "the same"},
    {"", ".env[PRTE_MCA_prte_keep_fqdn_hostnames].value", "the same"},
    {"", ".env[PRTE_MCA_prte_set_default_slots].value", "the same"},
    {"MPIJob", ".spec.slotsPerWorker", "the line of mpirun says how many ranks there are"},
    {"TrainJob", ".trainer.numProcPerNode", "the same"},
    {"MPIJob", ".spec.sshAuthMountPath", "the user of the pods decides"},
    {"Job", ".spec.completionMode", "a single pod has no index to lose"},
    {"JobSet", ".failurePolicy.rules[].name", "a build names the rule"},
    {"JobSet", ".onExitCodes.containerName", "the name of the container again"},
    {"JobSet", ".template.spec.securityContext.runAsNonRoot", "the only container says it, too"},
    {"JobSet", ".dependsOn[].name", "rank 0 starts before the others anyway"},
    {"JobSet", ".startupPolicy.startupPolicyOrder", "the same"},
    {"TFJob", ".Worker.restartPolicy", "with a limit, failures are retries"},
    {"DistributedWorkload", ".items.PRTE_MCA_plm_ssh_args.value", "a build tells mpirun this"},
    {"DistributedWorkload", ".items.PRTE_MCA_prte_default_hostfile.value", "the same"},
    {"DistributedWorkload", ".items.PRTE_MCA_prte_keep_fqdn_hostnames.value", "the same"},
    {"DistributedWorkload", ".items.PRTE_MCA_prte_set_default_slots.value", "the same"},
    {"DistributedWorkload", ".items.PET_RDZV_ID.value", "the name of the job"},
    {"DistributedWorkload", ".slotsPerWorker.value", "the line of mpirun says how many ranks"},
    {"DistributedWorkload", ".sshAuthMountPath.value", "the user of the pods decides"},
    {"RayJob", ".annotations.kueue.x-k8s.io/elastic-job", "a build says so of a job that scales"},
    {"DistributedWorkload", ".metadata.name", "`spec.name` is the name of the job"},
    {"TrainingWorkload", ".metadata.name", "`spec.name` is the name of the job"},
};

}  // namespace

TEST_CASE("every value of a manifest is carried, made again or reported") {
  std::size_t values = 0;
  std::set<std::string> silent;
  for (const fs::path& path : manifests()) {
    SourceMap sources;
    std::vector<Tree> documents = read_documents(sources, read_file(path));
    std::vector<View> objects;
    for (const Tree& each : documents) {
      if (each.size() != 0) objects.emplace_back(each, each.root());
    }
    for (Tree& tree : documents) {
      if (tree.size() == 0) continue;
      const View object(tree, tree.root());
      if (!is_convertible(object)) continue;
      const std::string before = outcome(objects, object);
      std::vector<std::pair<NodeId, std::string>> leaves;
      collect_leaves(tree, tree.root(), "", leaves);
      const std::string kind(string_at(object, "kind"));
      for (const auto& [id, place] : leaves) {
        if (place == ".kind" || place == ".apiVersion") continue;
        ++values;
        const Node old = tree[id];
        const bool number = old.kind == Kind::Int;
        tree[id].text = number                   ? "7919"
                        : old.kind == Kind::Bool ? (old.text == "true" ? "false" : "true")
                                                 : "changed-here";
        const std::string after = outcome(objects, object);
        tree[id] = old;
        if (after != before) continue;
        const bool known = std::ranges::any_of(kMadeAgain, [&](const MadeAgain& each) {
          return (each.kind.empty() || each.kind == kind) && place.ends_with(each.end);
        });
        if (!known) silent.insert(kind + " " + place);
      }
    }
  }
  for (const std::string& each : silent) UNSCOPED_INFO(each);
  CHECK(silent.empty());
  CHECK(values > 1000);
}

TEST_CASE("an unknown field is reported or carried wherever it stands") {
  std::size_t places = 0;
  std::set<std::string> silent;
  std::uint32_t made_up = 1'000'000;
  for (const fs::path& path : manifests()) {
    SourceMap sources;
    std::vector<Tree> documents = read_documents(sources, read_file(path));
    std::vector<View> objects;
    for (const Tree& each : documents) {
      if (each.size() != 0) objects.emplace_back(each, each.root());
    }
    for (Tree& tree : documents) {
      if (tree.size() == 0 || !is_convertible(View(tree, tree.root()))) continue;
      std::vector<std::pair<NodeId, std::string>> maps;
      collect_maps(tree, tree.root(), "", maps);
      const std::string kind(string_at(View(tree, tree.root()), "kind"));
      for (const auto& [map, place] : maps) {
        const NodeId added = tree.add_string("surprise-value");
        tree[added].span = Span{tree[tree.root()].span.file, made_up, made_up + 5};
        made_up += 10;
        tree.append(map, "surpriseField", added);
        const std::string text = outcome(objects, View(tree, tree.root()));
        tree.remove(map, added);
        ++places;
        if (text.find("surprise") == text.npos) silent.insert(kind + " " + place);
      }
    }
  }
  for (const std::string& each : silent) UNSCOPED_INFO(each);
  CHECK(silent.empty());
  CHECK(places > 500);
}
