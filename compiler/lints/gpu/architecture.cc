// Pods for machines with Grace CPUs: what runs on them, and what attaches to them.

#include <algorithm>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "manifest/node_pools.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kLabel = "kubernetes.io/arch";

/// Whether the pod says something about architectures, if only that it tolerates one.
bool names_architecture(View spec) {
  if (get(get(spec, "nodeSelector"), kLabel)) return true;
  for (View each : items_at(spec, "tolerations")) {
    const std::string_view key = string_at(each, "key");
    if (key == kLabel || (key.empty() && string_at(each, "operator") == "Exists")) return true;
  }
  const View required = get(get(get(spec, "affinity"), "nodeAffinity"),
                            "requiredDuringSchedulingIgnoredDuringExecution");
  for (View term : items_at(required, "nodeSelectorTerms")) {
    for (View expression : items_at(term, "matchExpressions")) {
      if (string_at(expression, "key") == kLabel) return true;
    }
  }
  return false;
}

/// Images are seldom named by the architecture; where they are, it is that one only.
bool is_for_amd64(std::string_view image) {
  image = image.substr(0, image.find('@'));
  for (std::string_view word : {"amd64", "x86_64", "x86-64"}) {
    if (image.find(word) != std::string_view::npos) return true;
  }
  return false;
}

/// The architecture that a pod asks for, where it is one.
View asked_architecture(View spec) {
  if (const View asked = get(get(spec, "nodeSelector"), kLabel)) return asked;
  const View required = get(get(get(spec, "affinity"), "nodeAffinity"),
                            "requiredDuringSchedulingIgnoredDuringExecution");
  const View terms = get(required, "nodeSelectorTerms");
  if (!terms || !terms->is_seq() || terms->size != 1) return {};
  for (View expression : items_at(terms.first(), "matchExpressions")) {
    const View values = get(expression, "values");
    if (string_at(expression, "key") != kLabel || string_at(expression, "operator") != "In") {
      continue;
    }
    if (values && values->is_seq() && values->size == 1) return values.first();
  }
  return {};
}

/// Two wishes that no node has together.
void other_architecture(const Pod& pod, CheckContext& context) {
  const View asked = asked_architecture(pod.spec);
  if (string_of(asked).empty()) return;
  const ChosenMachine chosen = machine_of(pod.spec, context.cluster());
  if (chosen.machine == nullptr) return;
  const std::string_view has = chosen.machine->arm ? "arm64" : "amd64";
  if (asked->text == has) return;
  Diagnostic& report =
      context.lint(asked, "the CPUs of " + shown(chosen.name()) + " are of " + std::string(has) +
                              ": no node has this label, and the pods stay pending");
  report.also(chosen.pool != nullptr ? chosen.pool->machine.span : context.place(chosen.at),
              "the machine");
}

void arm_nodes(const Pod& pod, CheckContext& context) {
  const ChosenMachine chosen = chosen_machine(pod.spec);
  if (chosen.machine == nullptr || !chosen.machine->arm) return;
  const std::string machine = shown(chosen.at->text);
  for (const PodContainer& each : pod.containers) {
    const View image = get(each.node, "image");
    if (!is_for_amd64(string_of(image))) continue;
    context.lint(image, "the image is for amd64, and the CPUs of " + machine + " are of arm64")
        .also(context.place(chosen.at), "the machine");
  }
  if (!words_of(chosen.machine->fabric).on_gke || names_architecture(pod.spec)) return;
  context.lint(chosen.at, "the nodes of " + machine +
                              " have the taint `kubernetes.io/arch=arm64:NoSchedule`, which the "
                              "pods do not tolerate");
}

/// Classes of GKE itself that make Persistent Disks: pd-standard, pd-balanced and pd-ssd (Google
/// Cloud documentation, kubernetes-engine/docs/how-to/persistent-volumes/gce-pd-csi-driver).
bool makes_persistent_disks(std::string_view storage_class) {
  return storage_class == "standard" || storage_class == "standard-rwo" ||
         storage_class == "premium-rwo";
}

bool is_a4x(const ChosenMachine& chosen) {
  return chosen.machine != nullptr &&
         (chosen.machine->machine == "nvidia-gb200" || chosen.machine->machine == "a4x-highgpu-4g");
}

void disks(const Pod& pod, CheckContext& context) {
  const ChosenMachine chosen = chosen_machine(pod.spec);
  if (!is_a4x(chosen)) return;
  const std::string_view name_space = string_at(get(context.object(), "metadata"), "namespace");
  for (View volume : items_at(pod.spec, "volumes")) {
    View claim = get(get(volume, "ephemeral"), "volumeClaimTemplate");
    const View name = get(get(volume, "persistentVolumeClaim"), "claimName");
    if (!string_of(name).empty()) {
      const Inventory* inventory = context.inventory();
      if (inventory == nullptr) return;
      claim = inventory->find("", "PersistentVolumeClaim", name_space, name->text);
    }
    const View storage_class = get(get(claim, "spec"), "storageClassName");
    if (!makes_persistent_disks(string_of(storage_class))) continue;
    context.lint(string_of(name).empty() ? storage_class : name,
                 "a disk of class " + shown(storage_class->text) +
                     " does not attach to nodes of A4X, which take Hyperdisks only");
  }
}

constexpr Check kChecks[] = {
    {.name = "node-architecture",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .sentence = "Pods that ask for a machine and for an architecture ask for its own.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_node_status.go: the label is that of the "
               "node's own CPUs; Google Cloud accelerator-optimized machine table; "
               "GoogleCloudPlatform/container-engine-accelerators "
               "gpudirect-rdma/nccl-test-imex-a4x.yaml",
     .pod = other_architecture,
     .because = "The scheduler looks for a node with both labels.",
     .fix = "write the architecture of the machine, or leave it out"},
    {.name = "a4x-disks",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "Pods on A4X mount Hyperdisks, and no Persistent Disks.",
     .source = "NVIDIA/aicr docs of GB200 on GKE",
     .pod = disks,
     .severity = Severity::Warning,
     .because = "The disk is made, and cannot be attached: the pod stays in ContainerCreating.",
     .fix = "name a storage class of Hyperdisk, or a file system that nodes share"},
    {.name = "arm-nodes",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .sentence = "Pods for nodes with Grace CPUs have images for arm64 and are let onto them.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-rdma/"
               "nccl-test-imex-a4x.yaml; NVIDIA/aicr docs of GB200 on GKE",
     .pod = arm_nodes,
     .severity = Severity::Warning,
     .because = "GB200 and GB300 sit beside CPUs of arm64: other programs do not start there, and "
                "GKE keeps pods away that do not say that they are meant for them.",
     .fix = "take an image for arm64 or for several architectures, and tolerate the taint on GKE"},
};

}  // namespace

const std::span<const Check> architecture_lints = kChecks;

}  // namespace trainyard
