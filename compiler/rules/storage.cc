#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/claims.h"
#include "rules/mounts.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

struct ShapedSource {
  Shape StorageMount::* field;
  std::string_view key;
};
constexpr ShapedSource kShapedSources[] = {
    {&StorageMount::ephemeral, "ephemeral"},
    {&StorageMount::empty_dir, "emptyDir"},
    {&StorageMount::host_path, "hostPath"},
    {&StorageMount::nfs, "nfs"},
    {&StorageMount::csi, "csi"},
    {&StorageMount::config_map, "configMap"},
    {&StorageMount::secret, "secret"},
};

bool several_writers(const RuleContext& context, const StorageMount& mount) {
  return on_several_nodes(context) && !mount.read_only.value_or(false);
}

bool fits(const std::vector<Located<AccessMode>>& modes, bool writers) {
  for (const auto& mode : modes) {
    if (*mode == AccessMode::ReadWriteMany) return true;
    if (*mode == AccessMode::ReadOnlyMany && !writers) return true;
  }
  return false;
}

std::string_view name_of_created(RuleContext& context, std::string_view mount,
                                 const CreatedClaim& claim) {
  return claim.name ? *claim.name : context.text(*context.plan.job, "-", mount);
}

/// The claim that a mount is of; "" for a mount of something else.
std::string_view claim_of(RuleContext& context, const Entry<StorageMount>& entry) {
  const StorageMount& mount = *entry.value;
  if (mount.create) return name_of_created(context, entry.key, *mount.create);
  return mount.claim ? *mount.claim : std::string_view{};
}

/// A pod with nothing but mpirun has no use for the job's storage, and may be on another node.
const Located<Map<StorageMount>>& wanted_storage(const RuleContext& context,
                                                 const RoleInput& input) {
  return runs_mpirun_only(context, input) ? context.of_training(input, &RoleFields::storage)
                                          : context.of(input, &RoleFields::storage);
}

/// The pods that mount a claim: those of all roles that name it.
std::int64_t pods_with(RuleContext& context, std::string_view claim) {
  std::int64_t pods = 0;
  for (const RoleInput& input : context.roles) {
    const bool mounts = std::ranges::any_of(
        *wanted_storage(context, input),
        [&](const Entry<StorageMount>& each) { return claim_of(context, each) == claim; });
    if (mounts) pods += *input.role->replicas;
  }
  return pods;
}

void check_access(RuleContext& context, const Entry<StorageMount>& entry, Span asked,
                  const Located<std::vector<Located<AccessMode>>>& modes) {
  const StorageMount& mount = *entry.value;
  const bool only_read = !modes->empty() && std::ranges::all_of(*modes, [](const auto& mode) {
    return *mode == AccessMode::ReadOnlyMany;
  });
  if (only_read && !mount.read_only.value_or(false)) {
    context.report(DiagnosticKind::ClaimAccess, asked, "this claim can only be read")
        .also(modes.span, "its access modes")
        .note(
            "say `readOnly: true` beside `mountPath`; what writes needs `ReadWriteOnce`, and on "
            "several nodes `ReadWriteMany`");
    return;
  }
  const bool writers = several_writers(context, mount);
  if (!on_several_nodes(context) || fits(*modes, writers)) return;
  const std::int64_t pods = pods_with(context, claim_of(context, entry));
  if (pods == 1) return;  // such as rank 0, which alone writes
  context
      .report(DiagnosticKind::ClaimAccess, asked,
              "this claim can be mounted on one node only, the job mounts it on " +
                  std::to_string(pods))
      .also(modes.span, "its access modes")
      .note(writers ? "several nodes that write need `ReadWriteMany`"
                    : "several nodes that read need `ReadOnlyMany` or `ReadWriteMany`");
}

/// The volume by which a pod mounts a claim.
struct ClaimVolume {
  std::string_view name;
  bool read_only;
};

/// All mounts of a claim share the volume of the first: before Kubernetes 1.35 a pod with two
/// volumes of one claim never starts, for the kubelet waits for a volume that it knows by the other
/// name (kubernetes/kubernetes pkg/kubelet/volumemanager/cache/desired_state_of_world.go). Where
/// the target makes the volumes itself, each mount stays by itself.
ClaimVolume volume_of_claim(RuleContext& context, const Map<StorageMount>& entries,
                            const Entry<StorageMount>& entry) {
  ClaimVolume result{entry.key, entry.value->claim && entry.value->read_only.value_or(false)};
  const TargetFacts& target = *context.in.target;
  if (!target.pod_template || target.workspace) return result;
  const std::string_view claim = claim_of(context, entry);
  bool is_first = true;
  for (const Entry<StorageMount>& other : entries) {
    if (claim_of(context, other) != claim) continue;
    if (std::exchange(is_first, false)) result.name = other.key;
    result.read_only = result.read_only && other.value->read_only.value_or(false);
  }
  return result;
}

NodeId claim_source(RuleContext& context, std::string_view name, bool read_only, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId source = tree.add_map(origin);
  tree.append(source, "claimName", tree.add_string(name, origin));
  if (read_only) tree.append(source, "readOnly", tree.add_bool(true, origin));
  return source;
}

void existing_claim(RuleContext& context, Role& role, const ClaimVolume& volume,
                    const Entry<StorageMount>& entry) {
  const StorageMount& mount = *entry.value;
  const auto* modes = known_access_modes(context, *mount.claim);
  if (modes != nullptr) check_access(context, entry, mount.claim.span, *modes);
  if (volume.name != entry.key) return;
  const OriginId origin = context.from(mount.claim);
  context.add_volume(role, volume.name, "persistentVolumeClaim",
                     claim_source(context, *mount.claim, volume.read_only, origin), origin);
}

NodeId access_modes(RuleContext& context, const StorageMount& mount, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId list = tree.add_seq(origin);
  for (const auto& mode : *mount.create->access_modes) {
    tree.append(list, tree.add_string(spelling(*mode), context.from(mode)));
  }
  if (mount.create->access_modes) return list;
  const OriginId why = context.because({context.plan.multi_node.origin});
  tree.append(list, tree.add_string(spelling(usual_access_mode(context)), why));
  return list;
}

bool has(const std::vector<NamedValue>& list, std::string_view name) {
  return std::ranges::find(list, name, &NamedValue::name) != list.end();
}

/// What keeps a tool from deleting a claim that left its repository, or whose Application or
/// Kustomization goes, and from making it anew for a field that cannot change. IgnoreExtraneous:
/// else a claim that is kept leaves its Application OutOfSync for good
/// (argoproj/argo-cd docs/user-guide/sync-options.md, docs/user-guide/compare-options.md;
/// fluxcd/kustomize-controller docs/spec/v1/kustomizations.md "Controlling the apply behavior of
/// resources").
constexpr auto kArgoCdMarks = std::to_array<NamedValue>({
    {"argocd.argoproj.io/compare-options", "IgnoreExtraneous"},
    {"argocd.argoproj.io/sync-options", "Prune=false,Delete=false"},
});
constexpr auto kFluxMarks = std::to_array<NamedValue>({
    {"kustomize.toolkit.fluxcd.io/prune", "disabled"},
    {"kustomize.toolkit.fluxcd.io/ssa", "IfNotPresent"},
});

std::span<const NamedValue> kept_by(GitOpsTool tool) {
  if (tool == GitOpsTool::ArgoCd) return kArgoCdMarks;
  return kFluxMarks;
}

/// Who deletes the job's objects sees by the annotations of a claim whether it goes as well.
std::vector<NamedValue> claim_annotations(RuleContext& context, const CreatedClaim& claim) {
  std::vector<NamedValue> result = context.plan.annotations;
  if (!claim.keep.value_or(true)) {
    context.add(result, "trainyard/keep", "false", context.from(claim.keep));
    return result;
  }
  if (context.in.cluster == nullptr) return result;
  const Located<GitOps>& gitops = context.in.cluster->spec->gitops;
  if (!gitops) return result;
  for (NamedValue mark : kept_by(*gitops->tool)) {
    if (has(result, mark.name)) continue;  // the job says otherwise
    mark.origin = context.because({context.from(gitops->tool), context.from(claim.keep)});
    result.push_back(mark);
  }
  return result;
}

void created_claim(RuleContext& context, Role& role, const ClaimVolume& volume,
                   const Entry<StorageMount>& entry) {
  const StorageMount& mount = *entry.value;
  const CreatedClaim& claim = *mount.create;
  if (claim.access_modes) {
    check_access(context, entry, mount.create.span, claim.access_modes);
  }
  const OriginId origin = context.from(mount.create);
  const std::string_view name = name_of_created(context, entry.key, claim);
  Tree& tree = context.tree();
  const NodeId spec = tree.add_map(origin);
  tree.append(spec, "accessModes", access_modes(context, mount, origin));
  if (const Text& name_of_class = storage_class_of(context, claim.storage_class_name)) {
    tree.append(spec, "storageClassName",
                tree.add_string(*name_of_class, context.from(name_of_class)));
  }
  const NodeId requests = tree.add_map(origin);
  tree.append(requests, "storage", tree.add_string(*claim.size, context.from(claim.size)));
  const NodeId resources = tree.add_map(origin);
  tree.append(resources, "requests", requests);
  tree.append(spec, "resources", resources);

  bool known = false;  // roles that share a mount share its claim
  for (const ClaimPlan& other : context.plan.claims) known = known || other.name == name;
  if (!known) {
    context.plan.claims.push_back(
        {name, {spec, origin, true}, claim_annotations(context, claim), origin});
  }
  if (volume.name != entry.key) return;
  context.add_volume(role, volume.name, "persistentVolumeClaim",
                     claim_source(context, name, false, origin), origin);
}

/// The driver asks for buckets from a container in the pod, which a webhook adds to pods with this
/// annotation (GoogleCloudPlatform/gcs-fuse-csi-driver pkg/webhook/mutatingwebhook.go).
void ask_for_sidecar(RuleContext& context, Role& role, const Shape& csi) {
  const View driver = View(context.tree_of(csi.span), csi.node)["driver"];
  if (driver.text() != "gcsfuse.csi.storage.gke.io") return;
  context.add(role.pod_annotations, "gke-gcsfuse/volumes", "true", context.from(driver->span));
}

void mount_volume(RuleContext& context, Role& role, const Map<StorageMount>& entries,
                  const Entry<StorageMount>& entry) {
  const StorageMount& mount = *entry.value;
  ClaimVolume volume{entry.key, false};
  if (mount.claim || mount.create) volume = volume_of_claim(context, entries, entry);
  if (mount.claim) existing_claim(context, role, volume, entry);
  if (mount.create) created_claim(context, role, volume, entry);
  if (mount.csi) ask_for_sidecar(context, role, mount.csi);
  for (const ShapedSource& source : kShapedSources) {
    const Shape& shape = mount.*source.field;
    if (!shape) continue;
    context.add_volume(role, entry.key, source.key, context.shape(shape), context.from(shape));
  }
  VolumeMount place;
  place.volume = volume.name;
  place.path = *mount.mount_path;
  place.sub_path = *mount.sub_path;
  place.read_only = mount.read_only.value_or(false);
  place.origin = context.from(mount.mount_path);
  context.add_mount(role, place);
}

template <class Visit>
void each_item(View list, const Visit& visit) {
  if (!list || list.kind() != Kind::Seq) return;
  for (NodeId id : list.tree().children(list.id())) visit(View(list.tree(), id));
}

/// A container of `pod` that mounts the job's storage, in a pod that has none of it.
void check_pod_of_mpirun(RuleContext& context, const RoleInput& input) {
  const Shape& pod = context.of(input, &RoleFields::pod);
  if (!pod || !runs_mpirun_only(context, input)) return;
  const auto has = [](const Map<StorageMount>& entries, std::string_view name) {
    return std::ranges::any_of(entries, [&](const auto& each) { return each.key == name; });
  };
  const View spec = View(context.tree_of(pod.span), pod.node)["spec"];
  std::vector<std::string_view> own;
  each_item(spec["volumes"], [&](View volume) { own.push_back(volume["name"].text()); });
  const auto check = [&](View mount) {
    const View name = mount["name"];
    if (!has(*context.of(input, &RoleFields::storage), name.text())) return;
    if (has(*wanted_storage(context, input), name.text())) return;
    if (std::ranges::find(own, name.text()) != own.end()) return;
    const std::string workers = code("roles." + std::string(runs_on(context, *input.role).name));
    context
        .report(DiagnosticKind::RefusedPod, name->span,
                "the pod that runs mpirun has no volume " + code(name.text()) +
                    ": the job's storage is mounted where the ranks are")
        .note("write the container in `pod` of " + workers + ", whose pods have the volume");
  };
  for (std::string_view list : {"initContainers", "containers"}) {
    each_item(spec[list], [&](View container) { each_item(container["volumeMounts"], check); });
  }
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    check_pod_of_mpirun(context, input);
    const Map<StorageMount>& entries = *wanted_storage(context, input);
    for (const Entry<StorageMount>& entry : entries) {
      mount_volume(context, *input.role, entries, entry);
    }
  }
}

}  // namespace

extern const Rule storage_rule{
    "storage",
    Rule::Phase::Infer,
    "Every mount of the spec becomes a volume and a mount, and claims fit the number of nodes.",
    "A ReadWriteOnce claim attaches to one node; the pods on all others wait for it for ever.",
    "spec.storage spec.pod cluster.claims cluster.defaults.storageClassName cluster.gitops.tool "
    "plan.multiNode "
    "plan.job plan.namespace plan.annotations "
    "role.replicas role.trains target.mpirun target.roles",
    "role.volumes role.mounts role.podAnnotations plan.claims",
    run};

}  // namespace trainyard
