#include "rules/fabric_sidecar.h"

#include <string>

#include "rules/fabric_command.h"
#include "spec/enum_words.h"

namespace trainyard {
namespace {

/// Builds the container of a daemon.
class SidecarBuilder {
 public:
  SidecarBuilder(RuleContext& context, Role& role, const FabricUse& use)
      : context_(context), tree_(context.tree()), role_(role), use_(use), profile_(*use.profile) {}

  void add() {
    const FabricSidecar& daemon = *profile_.sidecar;
    const bool native = !has_plain_sidecar(use_);
    const OriginId origin = native ? context_.because({context_.from(profile_.sidecar)})
                                   : because(use_.settings->sidecar);
    const NodeId container = tree_.add_map(origin);
    tree_.append(container, "name", string(*daemon.name, because(daemon.name)));
    tree_.append(container, "image", image());
    if (daemon.image_pull_policy) {
      tree_.append(container, "imagePullPolicy",
                   string(spelling(*daemon.image_pull_policy), because(daemon.image_pull_policy)));
    }
    if (native) tree_.append(container, "restartPolicy", string("Always", origin));
    daemon_command(container, native);
    if (daemon.env) tree_.append(container, "env", daemon_env(daemon));
    tree_.append(container, "securityContext", daemon_security(daemon, origin));
    tree_.append(container, "volumeMounts", daemon_mounts(daemon, native));
    if (native) {
      role_.init_containers.push_back({container, origin, true});
    } else {
      role_.sidecars.push_back({container, origin, true});
      mark_end(origin);
    }
    devices(daemon);
  }

 private:
  template <class T>
  OriginId because(const Located<T>& field) const {
    return context_.because({context_.from(field)});
  }
  NodeId string(std::string_view value, OriginId origin) { return tree_.add_string(value, origin); }
  NodeId strings(const TextList& list) {
    const NodeId result = tree_.add_seq(because(list));
    for (const Text& item : *list) tree_.append(result, string(*item, because(item)));
    return result;
  }

  NodeId image() {
    const FabricSidecar& daemon = *profile_.sidecar;
    const FabricVersion* version = fabric_version(use_);
    if (version == nullptr || !version->sidecar_tag) {
      return string(*daemon.image, because(daemon.image));
    }
    return string(
        context_.text(*daemon.image, ":", *version->sidecar_tag),
        context_.because({context_.from(daemon.image), context_.from(version->sidecar_tag),
                          context_.from(use_.settings->version)}));
  }

  void daemon_command(NodeId container, bool native) {
    const FabricSidecar& daemon = *profile_.sidecar;
    const FabricVersion* version = fabric_version(use_);
    const TextList& args =
        version != nullptr && version->sidecar_args ? version->sidecar_args : daemon.args;
    if (daemon.command) {
      const NodeId command = strings(daemon.command);
      tree_.append(container, "command",
                   native ? command : until_the_program_ends(command, daemon.command));
    }
    if (args) tree_.append(container, "args", strings(args));
  }

  /// The daemon's command in a shell that ends it, and with it the pod, after the program.
  NodeId until_the_program_ends(NodeId command, const TextList& words) {
    const OriginId origin = because(words);
    const NodeId wrapped = tree_.add_seq(origin);
    for (const std::string& word : daemon_wrapper()) {
      tree_.append(wrapped, string(context_.text(word), origin));
    }
    for (NodeId word : tree_.children(command)) {
      tree_.append(wrapped, string(tree_[word].text, tree_[word].origin));
    }
    return wrapped;
  }

  NodeId daemon_env(const FabricSidecar& daemon) {
    const NodeId list = tree_.add_seq(because(daemon.env));
    for (const auto& entry : *daemon.env) {
      const OriginId origin = because(entry.value);
      const NodeId item = tree_.add_map(origin);
      tree_.append(item, "name", string(entry.key, origin));
      tree_.append(item, "value", string(*entry.value, origin));
      tree_.append(list, item);
    }
    return list;
  }

  /// A daemon is root whatever the pod's default is: capabilities are for root only, where nothing
  /// makes them ambient.
  NodeId daemon_security(const FabricSidecar& daemon, OriginId origin) {
    const NodeId security = tree_.add_map(origin);
    tree_.append(security, "runAsUser", tree_.add_int(0, origin));
    tree_.append(security, "runAsNonRoot", tree_.add_bool(false, origin));
    if (daemon.privileged.value_or(false)) {
      tree_.append(security, "privileged", tree_.add_bool(true, because(daemon.privileged)));
    }
    if (daemon.capabilities) {
      const NodeId capabilities = tree_.add_map(because(daemon.capabilities));
      tree_.append(capabilities, "add", strings(daemon.capabilities));
      tree_.append(security, "capabilities", capabilities);
    }
    return security;
  }

  NodeId daemon_mounts(const FabricSidecar& daemon, bool native) {
    const OriginId origin = because(daemon.name);
    const NodeId list = daemon.mounts ? context_.shape(daemon.mounts) : tree_.add_seq(origin);
    if (!native) {
      const NodeId mount = tree_.add_map(origin);
      tree_.append(mount, "name", string(kEndVolume, origin));
      tree_.append(mount, "mountPath", string(kEndFolder, origin));
      tree_.append(list, mount);
    }
    return list;
  }

  /// Where the program leaves word that it has ended.
  void mark_end(OriginId origin) {
    context_.add_volume(role_, kEndVolume, "emptyDir", tree_.add_map(origin), origin);
    VolumeMount mount;
    mount.volume = kEndVolume;
    mount.path = kEndFolder;
    mount.origin = origin;
    context_.add_mount(role_, mount);
  }

  void devices(const FabricSidecar& daemon) {
    const FabricDevices& devices = *daemon.devices;
    if (!daemon.devices) return;
    std::string list;
    for (const Text& path : *devices.paths) list += "- path: " + std::string(*path) + "\n";
    context_.add(role_.pod_annotations, context_.text(*devices.annotation, ".", *daemon.name),
                 context_.text(list), because(devices.paths));
  }

  RuleContext& context_;
  Tree& tree_;
  Role& role_;
  const FabricUse& use_;
  const FabricProfile& profile_;
};

}  // namespace

void add_fabric_sidecar(RuleContext& context, Role& role, const FabricUse& use) {
  SidecarBuilder(context, role, use).add();
}

}  // namespace trainyard
