// Names outside of pods that are one letter off from those of objects among the inputs.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/launch/account_rights.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void variables_of_flux(View object, CheckContext& context) {
  for (View source : items_at(get(get(object, "spec"), "postBuild"), "substituteFrom")) {
    const View name = get(source, "name");
    const std::string_view kind = string_at(source, "kind");
    if (string_of(name).empty() || (kind != "ConfigMap" && kind != "Secret")) continue;
    report_similar_name({"", kind, kind, metadata_namespace(context.object()), name}, context);
  }
}

void parameters_of_network(View object, CheckContext& context) {
  const View reference = get(get(object, "spec"), "parametersRef");
  const View name = get(reference, "name");
  if (string_at(reference, "kind") != "GKENetworkParamSet" || string_of(name).empty()) return;
  report_similar_name({"networking.gke.io", "GKENetworkParamSet", "GKENetworkParamSet", "", name},
                      context);
  const View type = get(get(object, "spec"), "type");
  const Inventory* inventory = context.inventory();
  if (string_of(type) != "L3" || inventory == nullptr) return;
  const View set = inventory->find("networking.gke.io", "GKENetworkParamSet", "", name->text);
  const View mode = get(get(set, "spec"), "deviceMode");
  if (!mode) return;
  context.lint(type, "the parameters are of a network of devices, and this is one of type `L3`")
      .also(context.place(mode), "the devices");
}

/// `pvc://claim/path`: kserve/kserve pkg/webhook/admission/pod/storage_initializer_injector.go
void claim_of_model(View object, CheckContext& context) {
  constexpr std::string_view kScheme = "pvc://";
  const View place = get(get(get(get(object, "spec"), "predictor"), "model"), "storageUri");
  const std::string_view text = string_of(place);
  if (!text.starts_with(kScheme)) return;
  const std::string_view claim =
      text.substr(kScheme.size(), text.find('/', kScheme.size()) - kScheme.size());
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View near = find_similarly_named(*inventory, "", "PersistentVolumeClaim",
                                         metadata_namespace(context.object()), claim);
  if (!near) return;
  const View name = get(get(near, "metadata"), "name");
  context
      .lint(place,
            "no claim " + shown(claim) + " is among the inputs, but " + shown(name->text) + " is")
      .also(context.place(name), "this one");
}

/// The Secret of a file system of JuiceFS: juicedata/juicefs-csi-driver pkg/config/setting.go
void secret_of_volume(View object, CheckContext& context) {
  const View csi = get(get(object, "spec"), "csi");
  const View reference = get(csi, "nodePublishSecretRef");
  if (string_at(csi, "driver") != "csi.juicefs.com" || !reference) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View secret = inventory->find("", "Secret", string_at(reference, "namespace"),
                                      string_at(reference, "name"));
  if (!secret) return;
  const auto has = [&](std::string_view key) {
    return get(get(secret, "data"), key) || get(get(secret, "stringData"), key);
  };
  if (has("metaurl") || has("token") || !has("name")) return;
  context
      .lint(reference, "Secret " + shown(string_at(reference, "name")) +
                           " has no `metaurl`, the address of the metadata")
      .also(context.place(get(get(secret, "metadata"), "name")), "the Secret");
}

/// A claim that selects volumes by a label, where those of the inputs have others.
void volumes_of_selector(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View labels = get(get(spec, "selector"), "matchLabels");
  const View storage = get(spec, "storageClassName");
  const bool is_static = storage && storage.kind() == Kind::String && storage->text.empty();
  const Inventory* inventory =
      has_items(labels) && is_static && labels->size == 1 ? context.inventory() : nullptr;
  if (inventory == nullptr) return;
  const View wanted = labels.first();
  View other;
  for (View volume : inventory->all("", "PersistentVolume")) {
    const View label = get(get(get(volume, "metadata"), "labels"), wanted.key());
    if (!label) continue;
    if (label->text == wanted->text) return;
    other = label;
  }
  if (!other) return;
  context
      .lint(wanted, "no volume among the inputs has the label " +
                        shown(std::string(wanted.key()) + "=" + std::string(wanted->text)))
      .also(context.place(other), "one that exists");
}

/// The cluster to which a RayJob goes: ray-project/kuberay ray-operator/controllers/ray/
/// rayjob_controller.go, `ray.io/cluster`.
void cluster_of_job(View object, CheckContext& context) {
  const View name = get(get(get(object, "spec"), "clusterSelector"), "ray.io/cluster");
  if (string_of(name).empty()) return;
  report_similar_name({"ray.io", "RayCluster", "RayCluster", metadata_namespace(object), name},
                      context);
}

constexpr Check kChecks[] = {
    {.name = "workflow-rights",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "argoproj.io Workflow WorkflowTemplate",
     .sentence = "What a step of Argo makes, a role of the workflow's ServiceAccount allows.",
     .source = "argoproj/argo-workflows workflow/executor/resource.go ExecResource; issue 1408",
     .object = check_workflow_rights,
     .severity = Severity::Warning,
     .because = "The API server answers `Forbidden`, and the step fails.",
     .fix = "add the verb, the resource and its group to a role that is bound to the account"},
    {.name = "ray-cluster-of-job",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "ray.io RayJob",
     .sentence = "The cluster to which a RayJob goes is there.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/rayjob_controller.go",
     .object = cluster_of_job,
     .severity = Severity::Warning,
     .because = "The job waits for a cluster that never comes.",
     .fix = "write the name of the RayCluster"},
    {.name = "variables-exist",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "kustomize.toolkit.fluxcd.io Kustomization",
     .sentence = "What a Kustomization takes its variables from is there.",
     .source = "fluxcd/kustomize-controller api/v1/kustomization_types.go SubstituteReference",
     .object = variables_of_flux,
     .severity = Severity::Warning,
     .because = "Flux applies nothing of it.",
     .fix = "name a ConfigMap or a Secret of the namespace"},
    {.name = "gke-network-parameters",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "networking.gke.io Network",
     .sentence = "The parameters of a network of GKE are there, and of its type.",
     .source = "documentation of GKE, multi-network support for pods",
     .object = parameters_of_network,
     .severity = Severity::Warning,
     .because = "The network is never ready, and pods on it do not start.",
     .fix = "name the GKENetworkParamSet; for GPUs `type: Device` with `deviceMode`"},
    {.name = "kserve-claim",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "serving.kserve.io InferenceService",
     .sentence = "The claim from which a service reads its model is there.",
     .source = "kserve/kserve pkg/webhook/admission/pod/storage_initializer_injector.go",
     .object = claim_of_model,
     .severity = Severity::Warning,
     .because = "The pods wait for the claim.",
     .fix = "write `pvc://CLAIM/PATH`"},
    {.name = "juicefs-secret",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core PersistentVolume",
     .sentence = "The Secret of a file system of JuiceFS says where its metadata are.",
     .source = "juicedata/juicefs-csi-driver pkg/juicefs/juicefs.go",
     .object = secret_of_volume,
     .severity = Severity::Warning,
     .because = "The driver mounts nothing, and the pods stay in `ContainerCreating`.",
     .fix = "add `metaurl`, or `token` for the edition of a cloud"},
    {.name = "volume-of-selector",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core PersistentVolumeClaim",
     .sentence = "A claim without a class selects an existing volume.",
     .source = "kubernetes/kubernetes pkg/controller/volume/persistentvolume/index.go",
     .object = volumes_of_selector,
     .severity = Severity::Warning,
     .because = "No volume is bound to the claim, and its pods wait.",
     .fix = "select a label of the volume"},
};

}  // namespace

const std::span<const Check> near_name_lints = kChecks;

}  // namespace trainyard
