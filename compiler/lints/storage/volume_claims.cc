// Volume claims against the number of pods that mount them.

#include <algorithm>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/selectors.h"
#include "spec/cluster.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// How a claim may be mounted, as its object or the Cluster has it.
std::vector<std::string_view> access_modes(View workload, std::string_view claim,
                                           CheckContext& context) {
  std::vector<std::string_view> modes;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return modes;
  const std::string_view name_space = string_at(get(workload, "metadata"), "namespace");
  const View object = inventory->find("", "PersistentVolumeClaim", name_space, claim);
  for (View mode : items_at(get(object, "spec"), "accessModes")) modes.push_back(string_of(mode));
  if (object || context.cluster() == nullptr) return modes;
  for (const auto& each : *context.cluster()->spec->claims) {
    if (*each->name != claim) continue;
    if (each->ns && !name_space.empty() && *each->ns != name_space) continue;
    for (const auto& mode : *each->access_modes) {
      modes.push_back(words(*mode)[static_cast<std::size_t>(*mode)]);
    }
  }
  return modes;
}

bool has(const std::vector<std::string_view>& modes, std::string_view mode) {
  return std::ranges::find(modes, mode) != modes.end();
}

/// A claim that pods mount, by its name or as Volcano makes it.
struct Use {
  std::string_view claim;  // "" for one that is made for the job
  std::int64_t pods;
  View at;
  std::vector<std::string_view> modes = {};  // of one that is made for the job
};

void add_use(View name, std::int64_t pods, std::vector<Use>& uses) {
  const auto known = std::ranges::find(uses, name->text, &Use::claim);
  if (known == uses.end()) {
    uses.push_back({name->text, pods, name});
  } else {
    known->pods += pods;
  }
}

/// Volcano mounts the volumes of a job in the pods of all its tasks.
/// volcano-sh/volcano pkg/controllers/job/job_controller_util.go
void volumes_of_job(const Workload& workload, std::vector<Use>& uses) {
  if (!workload.is("batch.volcano.sh", "Job")) return;
  for (View volume : items_at(workload.spec, "volumes")) {
    const View name = get(volume, "volumeClaimName");
    const View modes = get(get(volume, "volumeClaim"), "accessModes");
    if (has_items(modes)) {
      Use use{{}, workload.pods(), modes};
      for (View mode : Items(modes)) use.modes.push_back(string_of(mode));
      uses.push_back(std::move(use));
    } else if (!string_of(name).empty()) {
      add_use(name, workload.pods(), uses);
    }
  }
}

/// Whether all pods of a role are on the same node: each wants to be beside another one, or all
/// name the node.
bool are_on_one_node(const WorkloadRole& role) {
  constexpr std::string_view host = "kubernetes.io/hostname";
  const View spec = role.pod.spec;
  if (!string_at(spec, "nodeName").empty() || get(get(spec, "nodeSelector"), host)) return true;
  const View affinity = get(get(spec, "affinity"), "podAffinity");
  const View labels = get(role.pod.metadata, "labels");
  for (View term : items_at(affinity, "requiredDuringSchedulingIgnoredDuringExecution")) {
    const bool is_elsewhere = get(term, "namespaces") || get(term, "namespaceSelector");
    if (string_at(term, "topologyKey") == host && !is_elsewhere &&
        selects(get(term, "labelSelector"), labels)) {
      return true;
    }
  }
  return false;
}

void claim_access(const Workload& workload, CheckContext& context) {
  if (workload.pods() < 2) return;
  const bool on_one_node = workload.roles.size() == 1 && are_on_one_node(workload.roles.front());
  std::vector<Use> uses;
  for (const WorkloadRole& role : workload.roles) {
    for (View volume : items_at(role.pod.spec, "volumes")) {
      const View name = get(get(volume, "persistentVolumeClaim"), "claimName");
      if (!string_of(name).empty()) add_use(name, role.pods, uses);
    }
  }
  volumes_of_job(workload, uses);
  for (const Use& use : uses) {
    if (use.pods < 2) continue;
    const std::vector<std::string_view> modes =
        use.claim.empty() ? use.modes : access_modes(workload.object, use.claim, context);
    if (modes.empty() || has(modes, "ReadWriteMany") || has(modes, "ReadOnlyMany")) continue;
    const bool one_pod = !has(modes, "ReadWriteOnce");
    if (on_one_node && !one_pod) continue;
    context.lint(use.at,
                 (use.claim.empty() ? "the claim" : "claim " + shown(use.claim)) + " is `" +
                     std::string(modes.front()) + "`, and " + std::to_string(use.pods) +
                     " pods mount it" +
                     (one_pod ? "" : ": on another node than the first they wait for it"),
                 one_pod ? Severity::Error : Severity::Warning);
  }
}

/// Whether a claim asks for an interface of a network, as far as it is among the inputs. Its driver
/// moves one into the pod, and no container names the claim: kubernetes-sigs/dranet pkg/driver.
bool is_of_network(View claim, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return false;
  const bool is_template = !string_at(claim, "resourceClaimTemplateName").empty();
  const std::string_view name =
      string_at(claim, is_template ? "resourceClaimTemplateName" : "resourceClaimName");
  const std::string_view kind = is_template ? "ResourceClaimTemplate" : "ResourceClaim";
  for (View each : inventory->named("resource.k8s.io", kind, name)) {
    const View spec = is_template ? get(get(each, "spec"), "spec") : get(each, "spec");
    for (View request : items_at(get(spec, "devices"), "requests")) {
      const View exactly = get(request, "exactly");
      const std::string_view device = string_at(exactly ? exactly : request, "deviceClassName");
      constexpr auto kDevices =
          std::to_array<std::string_view>({"compute-domain", "gpu", "mig", "neuron", "tpu"});
      const bool is_known = std::ranges::any_of(
          kDevices, [&](std::string_view known) { return device.find(known) != device.npos; });
      if (!device.empty() && !is_known) return true;
    }
  }
  return false;
}

/// Of the claims of a pod, those that its containers name.
void unused_claims(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers) || pod.has(kAddsClaims)) return;
  for (View claim : items_at(pod.spec, "resourceClaims")) {
    const View name = get(claim, "name");
    if (string_of(name).empty()) continue;
    const bool used = std::ranges::any_of(pod.containers, [&](const PodContainer& each) {
      for (View use : items_at(get(each.node, "resources"), "claims")) {
        if (string_at(use, "name") == name->text) return true;
      }
      return false;
    });
    if (used || is_of_network(claim, context)) continue;
    context.lint(name, "no container takes the resource claim " + shown(name->text));
  }
}

/// GoogleCloudPlatform/gcs-fuse-csi-driver pkg/webhook: without the annotation no container is
/// added that serves the mount.
void bucket_sidecar(const Pod& pod, CheckContext& context) {
  constexpr std::string_view kAnnotation = "gke-gcsfuse/volumes";
  if (pod.has(kAddsContainers) || pod.has(kAddsVolumes)) return;
  const View asked = get(get(pod.metadata, "annotations"), kAnnotation);
  if (string_of(asked) == "true") return;
  const bool is_there = std::ranges::any_of(pod.containers, [](const PodContainer& each) {
    return string_at(each.node, "name") == "gke-gcsfuse-sidecar";
  });
  if (is_there) return;
  for (View volume : items_at(pod.spec, "volumes")) {
    const View driver = get(get(volume, "csi"), "driver");
    if (string_of(driver) != "gcsfuse.csi.storage.gke.io") continue;
    context.lint(driver, "volume " + shown(string_at(volume, "name")) +
                             " mounts a bucket, and the pods do not ask for the container that "
                             "serves it");
    return;
  }
}

/// Drivers whose CSIDriver names no `volumeLifecycleModes`, which makes them `Persistent` alone.
/// awslabs/mountpoint-s3-csi-driver charts/aws-mountpoint-s3-csi-driver/templates/csidriver.yaml;
/// kubernetes-sigs/aws-efs-csi-driver charts/aws-efs-csi-driver/templates/csidriver.yaml;
/// kubernetes-sigs/aws-ebs-csi-driver deploy/kubernetes/base/csidriver.yaml;
/// kubernetes-sigs/gcp-compute-persistent-disk-csi-driver deploy/kubernetes/base/controller
constexpr std::string_view kDriversOfClaims[] = {"s3.csi.aws.com", "efs.csi.aws.com",
                                                 "ebs.csi.aws.com", "pd.csi.storage.gke.io"};

void inline_volumes(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const View driver = get(get(volume, "csi"), "driver");
    const auto known = std::ranges::find(kDriversOfClaims, string_of(driver));
    if (!driver || known == std::end(kDriversOfClaims)) continue;
    context.lint(driver, "volume " + shown(string_at(volume, "name")) +
                             " is described in the pod, and " + shown(driver->text) +
                             " serves claims only");
  }
}

/// kubernetes/kubernetes pkg/kubelet/volumemanager/cache/desired_state_of_world.go: the kubelet of
/// 1.34 knows a claim of a pod by the name of one volume, and waits for the other for ever.
void claim_of_two_volumes(const Pod& pod, CheckContext& context) {
  constexpr int kSince = 35;
  if (!context.before(kSince)) return;
  std::vector<View> claims;
  for (View volume : items_at(pod.spec, "volumes")) {
    const View claim = get(get(volume, "persistentVolumeClaim"), "claimName");
    const std::string_view name = string_of(claim);
    if (name.empty()) continue;
    const auto first = std::ranges::find(claims, name, [](View each) { return each->text; });
    if (first == claims.end()) {
      claims.push_back(claim);
      continue;
    }
    context.lint(claim, "two volumes of this pod are of claim " + shown(name))
        .also((*first)->span, "the first");
  }
}

/// A claim of a block device cannot be mounted, and one of a file system is no device.
void volume_mode(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const View name = get(get(volume, "persistentVolumeClaim"), "claimName");
    const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
    if (inventory == nullptr) continue;
    const View claim =
        inventory->find("", "PersistentVolumeClaim",
                        string_at(get(context.object(), "metadata"), "namespace"), name->text);
    if (!claim) continue;
    const View mode = get(get(claim, "spec"), "volumeMode");
    const bool block = string_of(mode) == "Block";
    for (const PodContainer& each : pod.containers) {
      for (View use : items_at(each.node, block ? "volumeMounts" : "volumeDevices")) {
        if (string_at(use, "name") != string_at(volume, "name")) continue;
        context
            .lint(get(use, "name"), "claim " + shown(name->text) +
                                        (block ? " is a block device, which cannot be mounted"
                                               : " is a file system, and no device"))
            .also(context.place(mode ? mode : get(claim, "spec")),
                  mode ? "`volumeMode`" : "`volumeMode` is `Filesystem` by default");
      }
    }
  }
}

/// The claim may be in the cluster; a name that is nearly that of one here is very likely a typo.
void claim_name(const Pod& pod, CheckContext& context) {
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  for (View volume : items_at(pod.spec, "volumes")) {
    const View name = get(get(volume, "persistentVolumeClaim"), "claimName");
    if (string_of(name).empty()) continue;
    const NamedObject claim{"", "PersistentVolumeClaim", "claim", own, name};
    if (!report_wrong_namespace(claim, context)) report_similar_name(claim, context);
  }
}

/// A driver that the Cluster does not have, for a volume that a pod describes.
void unknown_driver(const Pod& pod, CheckContext& context) {
  if (context.cluster() == nullptr || !context.cluster()->spec->csi_drivers) return;
  const auto& drivers = context.cluster()->spec->csi_drivers;
  for (View volume : items_at(pod.spec, "volumes")) {
    const View driver = get(get(volume, "csi"), "driver");
    if (string_of(driver).empty()) continue;
    const auto known = std::ranges::find_if(
        *drivers, [&](const Located<CsiDriver>& each) { return *each->name == driver->text; });
    if (known != drivers->end()) continue;
    context
        .lint(driver, "volume " + shown(string_at(volume, "name")) + " is of driver " +
                          shown(driver->text) + ", which the Cluster does not have")
        .also(drivers.span, "all that it has");
  }
}

/// The volume that a claim names, where both are among the inputs, against what the claim asks
/// for. kubernetes/kubernetes pkg/controller/volume/persistentvolume/pv_controller.go
/// checkVolumeSatisfyClaim and syncUnboundClaim
void named_volume(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View name = get(spec, "volumeName");
  const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const View volume = inventory->find("", "PersistentVolume", "", name->text);
  if (!volume) return;
  const View offer = get(volume, "spec");
  const std::string what = "volume " + shown(name->text);
  const auto say = [&](View at, std::string message, View other) {
    context.lint(at, std::move(message)).also(context.place(other), "the volume");
  };
  const View metadata = get(object, "metadata");
  const View holder = get(offer, "claimRef");
  const std::string_view space = string_at(metadata, "namespace");
  const bool other_name = !string_at(metadata, "name").empty() &&
                          string_at(holder, "name") != string_at(metadata, "name");
  const bool other_space = !space.empty() && string_at(holder, "namespace") != space;
  if (!string_at(holder, "name").empty() && (other_name || other_space)) {
    say(name,
        what + " is kept for claim " + shown(string_at(holder, "name")) + " in namespace " +
            shown(string_at(holder, "namespace")),
        holder);
    return;
  }
  if (!string_at(holder, "name").empty()) return;  // they are bound as they are
  const View own_class = get(spec, "storageClassName");
  const View its_class = get(offer, "storageClassName");
  if (own_class && own_class.kind() == Kind::String && own_class->text != string_of(its_class)) {
    say(own_class,
        what + " is of " +
            (string_of(its_class).empty() ? "no storage class"
                                          : "storage class " + shown(string_of(its_class))) +
            ", not of " + (own_class->text.empty() ? "none" : shown(own_class->text)),
        its_class ? its_class : offer);
  }
  const View wanted = get(get(get(spec, "resources"), "requests"), "storage");
  const View offered = get(get(offer, "capacity"), "storage");
  const auto least = wanted ? Quantity::parse(wanted->text) : std::nullopt;
  const auto size = offered ? Quantity::parse(offered->text) : std::nullopt;
  if (least && size && *size < *least) {
    say(wanted, what + " has " + shown(offered->text) + ", less than the claim asks for", offered);
  }
  for (View mode : items_at(spec, "accessModes")) {
    const bool is_offered = std::ranges::any_of(
        items_at(offer, "accessModes"), [&](View each) { return each->text == mode->text; });
    if (is_offered || !has_items(get(offer, "accessModes"))) continue;
    say(mode, what + " cannot be mounted as " + shown(mode->text), get(offer, "accessModes"));
    break;
  }
}

/// Provisioners of disks, which one node at a time mounts as a file system.
/// kubernetes-sigs/aws-ebs-csi-driver pkg/driver/controller.go;
/// kubernetes-sigs/gcp-compute-persistent-disk-csi-driver pkg/gce-pd-csi-driver/utils.go
/// validateVolumeCapability; kubernetes-sigs/azuredisk-csi-driver
/// pkg/azureutils/azure_disk_utils.go IsValidVolumeCapabilities
constexpr std::string_view kDiskProvisioners[] = {
    "ebs.csi.aws.com",      "kubernetes.io/aws-ebs", "pd.csi.storage.gke.io",
    "kubernetes.io/gce-pd", "disk.csi.azure.com",    "kubernetes.io/azure-disk"};

void disk_for_many(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View name = get(spec, "storageClassName");
  if (string_of(name).empty() || string_at(spec, "volumeMode") == "Block") return;
  if (!string_at(spec, "volumeName").empty()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View its = inventory->find("storage.k8s.io", "StorageClass", "", name->text);
  const View provisioner = get(its, "provisioner");
  const auto known = std::ranges::find(kDiskProvisioners, string_of(provisioner));
  if (known == std::end(kDiskProvisioners)) return;
  for (View mode : items_at(spec, "accessModes")) {
    if (string_of(mode) != "ReadWriteMany") continue;
    context
        .lint(mode, "storage class " + shown(name->text) +
                        " makes disks, and no disk is a file system for several nodes to write")
        .also(context.place(provisioner), "who makes them");
  }
}

void class_of_claim(View claim, CheckContext& context) {
  disk_for_many(claim, context);
  const View name = get(get(claim, "spec"), "storageClassName");
  if (string_of(name).empty()) return;
  report_similar_name({"storage.k8s.io", "StorageClass", "storage class", "", name}, context,
                      Severity::Warning);
}

void claim_source(View object, CheckContext& context) {
  if (string_at(object, "kind") == "StatefulSet") {
    for (View claim : items_at(get(object, "spec"), "volumeClaimTemplates")) {
      class_of_claim(claim, context);
    }
    return;
  }
  named_volume(object, context);
  class_of_claim(object, context);
}

constexpr Check kChecks[] = {
    {.name = "claim-source",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .on = "core PersistentVolumeClaim; apps StatefulSet",
     .sentence = "The volume or the storage class that a claim names can give what it asks for.",
     .source = "kubernetes/kubernetes pkg/controller/volume/persistentvolume/pv_controller.go "
               "checkVolumeSatisfyClaim; kubernetes-sigs/aws-ebs-csi-driver "
               "pkg/driver/controller.go",
     .object = claim_source,
     .because = "The claim is never bound, and pods that mount it stay Pending.",
     .fix = "let the claim ask for what the volume has, or name a class of shared file systems"},
    {.name = "claim-of-two-volumes",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "A pod has one volume for each claim, before Kubernetes 1.35.",
     .source = "kubernetes/kubernetes pkg/kubelet/volumemanager/cache/desired_state_of_world.go",
     .pod = claim_of_two_volumes,
     .severity = Severity::Warning,
     .because = "Before Kubernetes 1.35 the kubelet mounts the claim by one of the names and waits "
                "for the other: the pod stays in ContainerCreating.",
     .fix = "keep one of the volumes, and mount it in both places, with a `subPath` each"},
    {.name = "claim-name",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A claim that pods name is not one letter off from one among the inputs, nor one "
                 "in another namespace.",
     .source = "kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding: pods wait "
               "for their claims",
     .pod = claim_name,
     .severity = Severity::Warning,
     .because = "Pods whose claim does not exist stay Pending.",
     .fix = "write the name of a claim in the namespace of the pods"},
    {.name = "claim-volume-mode",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "A claim is taken as what it is: a file system is mounted, a device is not.",
     .source = "kubernetes/kubernetes pkg/kubelet/volumemanager/populator/"
               "desired_state_of_world_populator.go createVolumeSpec",
     .pod = volume_mode,
     .because = "The kubelet refuses the volume, and the pods stay in ContainerCreating.",
     .fix = "use `volumeDevices` for a claim with `volumeMode: Block`, else `volumeMounts`"},
    {.name = "unknown-driver",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "Volumes that a pod describes itself are of a driver that the Cluster lists.",
     .source = "kubernetes/kubernetes pkg/volume/csi/csi_plugin.go",
     .pod = unknown_driver,
     .because = "Nothing mounts the volume, and the pods stay in ContainerCreating.",
     .fix = "install the driver, or name an existing one",
     .rule = "cluster-names-check"},
    {.name = "inline-volume-driver",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "Volumes that a pod describes itself are of a driver that serves such volumes.",
     .source = "kubernetes/kubernetes pkg/volume/csi/csi_plugin.go supportsVolumeLifecycleMode",
     .pod = inline_volumes,
     .because = "The kubelet refuses to mount it, and the pods stay in ContainerCreating.",
     .fix = "make a PersistentVolume with this driver and a claim for it, and mount the claim",
     .rule = "storage"},
    {.name = "bucket-sidecar",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "Pods that mount a bucket by Cloud Storage FUSE of GKE ask for its sidecar.",
     .source = "GoogleCloudPlatform/gcs-fuse-csi-driver pkg/webhook/mutatingwebhook.go",
     .pod = bucket_sidecar,
     .because = "The mount fails without it, and the pods stay in ContainerCreating.",
     .fix = "annotate the pod template with `gke-gcsfuse/volumes: \"true\"`"},
    {.name = "unused-claim",
     .group = CheckGroup::Gpu,
     .effect = Effect::RunsWrong,
     .sentence = "A pod's resource claims are taken by its containers.",
     .source = "kubernetes/kubernetes pkg/kubelet/cm/dra/manager.go: devices go to containers "
               "that name the claim; NVIDIA/aicr issue 2277: `resourcesPerNode` of a TrainJob "
               "replaces the claims of its runtime",
     .pod = unused_claims,
     .severity = Severity::Warning,
     .because = "The devices are reserved, and no container sees them: an NVLink domain is lost "
                "without a word.",
     .fix = "name the claim in `resources.claims` of the container; with a TrainJob leave out "
            "`resourcesPerNode`, which takes away the claims of the runtime"},
    {.name = "claim-access",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "A volume claim that several pods mount can be mounted by several nodes.",
     .source = "kubernetes/kubernetes pkg/controller/volume/attachdetach; kubeflow/trainer issue "
               "1159",
     .workload = claim_access,
     .severity = Severity::Warning,
     .because = "A ReadWriteOnce volume is attached to one node: pods on others stay in "
                "ContainerCreating.",
     .fix = "use a claim that is `ReadWriteMany`, or `ReadOnlyMany` for data",
     .rule = "storage"},
};

}  // namespace

const std::span<const Check> claim_lints = kChecks;

}  // namespace trainyard
