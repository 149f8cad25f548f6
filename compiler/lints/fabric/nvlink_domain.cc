// Jobs against the size of a domain of multi-node NVLink.

#include <algorithm>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "manifest/metadata.h"
#include "manifest/node_pools.h"
#include "manifest/pod_security.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// 18 trays of four GPUs: GB200 NVL72 and GB300 NVL72.
constexpr std::int64_t kNodes = 18;

/// Whether a label has the same value on the nodes of one domain. A sub-block of Google Cloud is
/// one on machines with NVLink between nodes only.
bool is_domain(const Pod& pod, std::string_view label) {
  if (label == "nvidia.com/gpu.clique" || label == "ds.coreweave.com/nvlink.domain") return true;
  if (label != "cloud.google.com/gce-topology-subblock") return false;
  const ChosenMachine chosen = chosen_machine(pod.spec);
  return chosen.machine != nullptr && chosen.machine->arm;
}

/// What says that all pods are to be in one domain.
View wanted_domain(const Pod& pod) {
  const View near = get(get(get(pod.spec, "affinity"), "podAffinity"),
                        "requiredDuringSchedulingIgnoredDuringExecution");
  for (View term : Items(near)) {
    const View key = get(term, "topologyKey");
    if (is_domain(pod, string_of(key))) return key;
  }
  const View level =
      get(get(pod.metadata, "annotations"), "kueue.x-k8s.io/podset-required-topology");
  return is_domain(pod, string_of(level)) ? level : View();
}

void one_domain(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec || role.pods <= kNodes || role.devices.whole < 4) continue;
    const View wanted = wanted_domain(role.pod);
    if (!wanted) continue;
    Diagnostic& report =
        context.lint(wanted, std::to_string(role.pods) + " pods in one NVLink domain, which has " +
                                 std::to_string(kNodes) + " nodes of four GPUs at most");
    if (role.count) report.also(context.place(role.count), "how many pods");
  }
}

/// A domain of the same file: beside it may be other examples.
View domain_beside(CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  const std::string_view own = metadata_namespace(context.object());
  for (View each : inventory->all("resource.nvidia.com", "ComputeDomain")) {
    if (!each || each->span.file != context.object()->span.file) continue;
    const std::string_view theirs = metadata_namespace(each);
    if (own.empty() || theirs.empty() || own == theirs) return each;
  }
  return {};
}

/// Whether the node gives a container a channel without a claim, or NCCL is to do without NVLink
/// between nodes.
bool needs_no_claim(View container) {
  if (is_privileged(container)) return true;
  if (variable(container, "NVIDIA_IMEX_CHANNELS")) return true;
  const View enabled = variable_value(container, "NCCL_MNNVL_ENABLE");
  return enabled && enabled->text == "0";
}

void domain_without_claim(const Workload& workload, CheckContext& context) {
  if (workload.gpu_pods < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    const Devices devices = role.devices;
    if (role.is_launcher || !role.pod.spec || devices.whole < 4) continue;
    if (role.pod.has(kAddsClaims) || has_items(get(role.pod.spec, "resourceClaims"))) continue;
    const ChosenMachine chosen = machine_of(role.pod.spec, context.cluster());
    if (chosen.machine == nullptr || !chosen.machine->arm) continue;
    if (std::ranges::any_of(role.containers, needs_no_claim)) continue;
    const View domain = domain_beside(context);
    if (!domain) return;
    const View name = get(get(domain, "metadata"), "name");
    if (!name) continue;
    context
        .lint(devices.at, "pods on " + shown(chosen.name()) +
                              " take no channel of the ComputeDomain " + shown(name->text) +
                              ", which is made for them")
        .also(context.place(name), "the ComputeDomain");
  }
}

constexpr Check kChecks[] = {
    {.name = "nvlink-domain-claim",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "Pods on GB200 and GB300 beside a ComputeDomain claim a channel of it.",
     .source = "NVIDIA/aicr gb200/gke/runtime-nvls.yaml: NCCL ends with CUDA error 800; "
               "NVIDIA/k8s-dra-driver-gpu demo specs",
     .workload = domain_without_claim,
     .severity = Severity::Warning,
     .because =
         "NCCL finds NVLink between the nodes and may not use it: `operation not permitted`.",
     .fix = "name the template of its `channel.resourceClaimTemplate` in `resourceClaims` of the "
            "pod, and that claim in `resources.claims` of the container; a job that is to do "
            "without sets `NCCL_MNNVL_ENABLE` to `0`"},
    {.name = "nvlink-domain-size",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "Pods that are to share an NVLink domain are no more than its nodes.",
     .source = "awslabs/awsome-distributed-ai nccl-tests-gb200.yaml; coreweave/nccl-tests; "
               "GoogleCloudPlatform/cluster-toolkit examples of A4X",
     .workload = one_domain,
     .severity = Severity::Warning,
     .because = "A rack has 18 nodes: the other pods stay Pending for ever.",
     .fix = "ask for fewer pods, or keep together as many as a rack holds: by slices of a "
            "topology, or a preferred term"},
};

}  // namespace

const std::span<const Check> nvlink_domain_lints = kChecks;

}  // namespace trainyard
