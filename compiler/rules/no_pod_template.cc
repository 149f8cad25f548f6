#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "rules/mentions.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "shell/shell_words.h"

namespace trainyard {
namespace {

/// What a workload that has fields of its own, in place of a pod template, gets from a role.
class FlatWorkload {
 public:
  FlatWorkload(RuleContext& context, RoleInput& input)
      : context_(context), input_(input), role_(*input.role) {}

  void build() {
    line(role_.command_line, role_.command);
    line(role_.argument_line, role_.args);
    groups();
    own_metadata();
    variables();
    mounts();
    identity();
    slices();
    ports();
    nothing_else();
  }

 private:
  Diagnostic& refuse(Span where, const std::string& what) {
    const Span place = where.known() ? where : context_.in.job->spec.span;
    return context_.report(DiagnosticKind::NotExpressible, place,
                           "target " + code(context_.in.target->name) + " cannot express " + what);
  }
  Diagnostic& refuse(OriginId origin, const std::string& what) {
    return refuse(context_.place(origin), what);
  }

  /// One text, which the system splits as a shell does.
  void line(Field<std::string_view>& to, const std::vector<CommandWord>& words) {
    if (words.empty()) return;
    std::string text;
    for (const CommandWord& word : words) {
      text += (text.empty() ? "" : " ") + shell_quoted(word.text);
    }
    context_.set(to, context_.text(text), context_.because({words.front().origin}));
  }

  void groups() {
    const auto& wanted = context_.spec.security->supplemental_groups;
    if (!wanted || wanted->empty()) return;
    std::string text;
    for (const Integer& group : *wanted) {
      text += (text.empty() ? "" : ";") + std::to_string(*group);
    }
    context_.set(role_.group_list, context_.text(text), context_.because({context_.from(wanted)}));
  }

  /// Labels and annotations are all of a pod template that can be carried.
  void own_metadata() {
    const Shape& pod = context_.of(input_, &RoleFields::pod);
    if (!pod) return;
    const View own(context_.tree_of(pod.span), pod.node);
    for (NodeId id : own.tree().children(own.id())) {
      const Node& part = own.tree()[id];
      if (part.key == "metadata") continue;
      refuse(part.key_span, code("pod." + std::string(part.key)))
          .note("the workload has fields of its own and no pod template");
    }
    const View metadata = own["metadata"];
    if (!metadata) return;
    for (NodeId id : own.tree().children(metadata.id())) {
      const Node& part = own.tree()[id];
      if (part.key == "labels") {
        pairs(role_.pod_labels, View(own.tree(), id));
      } else if (part.key == "annotations") {
        pairs(role_.pod_annotations, View(own.tree(), id));
      } else {
        refuse(part.key_span, code("pod.metadata." + std::string(part.key)));
      }
    }
  }
  void pairs(std::vector<NamedValue>& to, View map) {
    for (NodeId id : map.tree().children(map.id())) {
      const Node& entry = map.tree()[id];
      context_.add(to, entry.key, entry.text, context_.from(entry.span));
    }
  }

  void variables() {
    for (const EnvVar& variable : role_.env) {
      if (!variable.field_path.empty()) {
        refuse(variable.origin, "the variable " + code(variable.name) + ", a field of the pod");
      }
      if (!variable.is_literal()) continue;
      if (variable.value.starts_with("SECRET:")) {
        refuse(variable.origin, "a value that starts with `SECRET:`")
            .note("it would be read as a reference to a Secret; `secretEnv` makes one");
      }
      each_mention(variable.value, [&](std::string_view name) {
        refuse(variable.origin, code("$(" + std::string(name) + ")") + " in a variable")
            .note("the variables of a workload have no order, so none can be made from others");
      });
    }
  }

  void mounts() {
    for (const VolumeMount& mount : role_.mounts) {
      for (const Volume& volume : role_.volumes) {
        if (volume.name == mount.volume) source(mount, View(context_.tree(), volume.fragment));
      }
    }
  }

  void source(const VolumeMount& mount, View volume) {
    if (is_true(volume["nfs"]["readOnly"]) && !mount.read_only) {
      refuse(volume["nfs"]["readOnly"]->origin, "`readOnly` of the NFS export")
          .note("write `readOnly: true` beside `mountPath`");
    }
    if (const View files = volume["configMap"]) whole_files(files, "ConfigMap", mount);
    if (const View several = volume["projected"]) {
      refuse(several->origin, "files in several ConfigMaps")
          .note("one holds 1 MiB; put large files into the image, or on a volume");
    }
    if (const View files = volume["secret"]) whole_files(files, "Secret", mount);
    if (const View directory = volume["emptyDir"]) scratch(directory, mount);
    if (const View directory = volume["hostPath"]) {
      if (const View type = directory["type"]) refuse(type->origin, "the type of a `hostPath`");
    }
  }

  /// All keys of a ConfigMap or Secret, each as the file of its name.
  void whole_files(View files, std::string_view kind, const VolumeMount& mount) {
    for (std::string_view key : {"defaultMode", "optional"}) {
      if (const View part = files[key])
        refuse(part->origin, code(key) + " of a " + std::string(kind));
    }
    const View items = files["items"];
    if (!items) return;
    for (NodeId id : items.tree().children(items.id())) {
      const View item(items.tree(), id);
      if (item["key"].text() == item["path"].text() && !item["mode"]) continue;
      refuse(item->origin == kNoOrigin ? mount.origin : item->origin,
             "the file " + code(item["path"].text()) + " of a " + std::string(kind))
          .note("the files of a mounted " + std::string(kind) +
                " lie in one directory, have the names of its keys and are not executable");
    }
  }

  void scratch(View directory, const VolumeMount& mount) {
    const bool memory = directory["medium"].text() == "Memory";
    const View size = directory["sizeLimit"];
    if (memory && mount.path != "/dev/shm") {
      refuse(mount.origin, "memory mounted elsewhere than at `/dev/shm`");
    }
    if (!size) return;
    // Half of the memory limit is only what is taken where the spec says nothing.
    const auto& asked = context_.of(input_, &RoleFields::resources)->shared_memory;
    if (memory && !asked && mount.volume == "shared-memory") return;
    refuse(size->origin, "a size of " + code(size.text()) + (memory ? " of `/dev/shm`" : ""))
        .note(memory
                  ? "shared memory is there or not; without `sharedMemory` it is there, as large "
                    "as the memory of the pod"
                  : "scratch space has no limit of its own");
  }

  void identity() {
    const Security& security = *context_.spec.security;
    if (security.run_as_group && !security.run_as_user) {
      refuse(security.run_as_group.span, "`runAsGroup` without `runAsUser`")
          .note("the user would be the one that the organisation knows, and no longer the image's");
    }
    constexpr auto of_pod = std::to_array<std::string_view>(
        {"runAsUser", "runAsGroup", "runAsNonRoot", "supplementalGroups", "seccompProfile"});
    constexpr auto of_container =
        std::to_array<std::string_view>({"allowPrivilegeEscalation", "capabilities"});
    if (role_.pod_security) {
      const View pod(context_.tree(), *role_.pod_security);
      only(pod, of_pod);
      if (const View local = pod["seccompProfile"]["localhostProfile"]) {
        refuse(local->origin, "a seccomp profile of the node");
      }
    }
    if (!role_.container_security) return;
    const View container(context_.tree(), *role_.container_security);
    only(container, of_container);
    const View dropped = container["capabilities"]["drop"];
    if (security.capabilities && dropped) {
      refuse(dropped->origin, "capabilities that are dropped").note("a workload can only add some");
    }
  }

  /// What the spec says of other fields is refused by the target's own list.
  void only(View security, std::span<const std::string_view> known) {
    for (NodeId id : security.tree().children(security.id())) {
      const Node& part = security.tree()[id];
      if (std::ranges::find(known, part.key) != known.end() || is_in_spec(part.origin)) continue;
      refuse(part.origin, code("securityContext." + std::string(part.key)));
    }
  }

  void slices() {
    if (!role_.gpu_profile || *role_.gpus == 1) return;
    refuse(role_.gpus.origin, std::to_string(*role_.gpus) + " MIG slices for a pod")
        .note("`migProfile` stands for one");
  }

  void ports() {
    if (!role_.ports) return;
    const Tree& tree = context_.tree();
    for (NodeId id : tree.children(*role_.ports)) {
      for (std::string_view key : {"hostPort", "hostIP"}) {
        if (const View part = View(tree, id)[key]) refuse(part->origin, code(key) + " of a port");
      }
      const View protocol = View(tree, id)["protocol"];
      if (protocol && protocol.text() != "TCP") {
        refuse(protocol->origin, "a port of " + std::string(protocol.text()));
      }
    }
  }

  static bool is_true(View value) { return value && value.text() == "true"; }

  /// What the spec itself says of these is refused by the target's own list.
  bool is_in_spec(OriginId origin) const { return context_.in.is_spec(context_.place(origin)); }

  /// What the Cluster has for all its jobs.
  void without_effect(OriginId origin, const std::string& what, const std::string& why) {
    if (is_in_spec(origin)) return;
    context_
        .report(DiagnosticKind::NoEffect, context_.place(origin),
                what + " has no effect on target " + code(context_.in.target->name))
        .note(why);
  }

  /// What other rules add to pods and a workload has no field for.
  void nothing_else() {
    for (const Fragment* part : {&role_.affinity, &role_.spread}) {
      if (part->is_set && !is_in_spec(part->origin)) {
        refuse(part->origin, part == &role_.spread ? "topology spread constraints" : "affinity");
      }
    }
    for (const auto* containers : {&role_.init_containers, &role_.sidecars}) {
      for (const Fragment& container : *containers) {
        refuse(container.origin, "containers beside the one that trains");
      }
    }
    for (const Fragment& claim : role_.resource_claims) {
      refuse(claim.origin, "claims of pods for devices");
    }
    if (role_.runtime_class) {
      without_effect(role_.runtime_class.origin, "the runtime class",
                     "Run:ai takes the one that its nodes have by default");
    }
    if (!role_.image_pull_secrets.empty()) {
      without_effect(role_.image_pull_secrets.front().origin, "`imagePullSecrets`",
                     "Run:ai takes the credentials of the project");
    }
    if (role_.service_account) {
      without_effect(role_.service_account.origin, "`serviceAccount`",
                     "the pods have the one that Run:ai gives them");
    }
  }

  RuleContext& context_;
  RoleInput& input_;
  Role& role_;
};

void run(RuleContext& context) {
  // One that says which parts it lacks has places for all others.
  if (context.in.target->pod_template || !context.in.target->lacking.empty()) return;
  for (RoleInput& input : context.roles) FlatWorkload(context, input).build();
}

}  // namespace

extern const Rule no_pod_template_rule{
    "no-pod-template",
    Rule::Phase::Infer,
    "A workload with fields of its own gets its command in one text that is split as a shell does, "
    "and whatever it has no field for is an error.",
    "A Run:ai workload holds no pod template; a value that begins with `SECRET:` is a reference "
    "(run-ai/runai-cli charts/runai/templates).",
    "spec.pod spec.security spec.resources.sharedMemory role.command role.args role.env "
    "role.mounts "
    "role.volumes role.ports role.gpus role.gpuProfile role.affinity role.spread "
    "role.runtimeClass role.imagePullSecrets role.serviceAccount role.initContainers "
    "role.sidecars role.resourceClaims role.podSecurity role.containerSecurity target.pod "
    "target.lacking",
    "role.commandLine role.argumentLine role.groupList role.podLabels role.podAnnotations",
    run};

}  // namespace trainyard
