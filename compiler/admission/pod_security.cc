#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "admission/tables.h"
#include "admission/volume_paths.h"
#include "check/check.h"
#include "diag/words.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateSecurityContext";

/// Calls `check` with the security context of the pod and of each container that has one.
template <class Each>
void each_context(const Pod& pod, Each check) {
  if (const View own = get(pod.spec, "securityContext")) check(own);
  for (const PodContainer& container : pod.containers) {
    if (const View own = get(container.node, "securityContext")) check(own);
  }
}

void id(View value, CheckContext& context) {
  const auto number = integer_of(value);
  if (!number || (*number >= 0 && *number <= 2147483647)) return;
  context.refuse(value,
                 "user and group ids are between 0 and 2147483647, not " + std::to_string(*number));
}

void user_ids(const Pod& pod, CheckContext& context) {
  each_context(pod, [&](View own) {
    for (std::string_view key : {"runAsUser", "runAsGroup", "fsGroup"}) id(get(own, key), context);
    for (View group : items_at(own, "supplementalGroups")) id(group, context);
  });
}

void privileges(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    const View own = get(container.node, "securityContext");
    const View escalation = get(own, "allowPrivilegeEscalation");
    if (!is_false(escalation)) continue;
    const View privileged = get(own, "privileged");
    if (is_true(privileged)) {
      context
          .refuse(escalation,
                  "a privileged container has all privileges already: leave "
                  "`allowPrivilegeEscalation: false` or `privileged: true` out")
          .also(context.place(privileged), "privileged here");
    }
    for (View capability : items_at(get(own, "capabilities"), "add")) {
      if (string_of(capability) != "CAP_SYS_ADMIN") continue;
      context
          .refuse(capability,
                  "`CAP_SYS_ADMIN` lets a container raise its privileges, which "
                  "`allowPrivilegeEscalation: false` rules out")
          .also(context.place(escalation), "ruled out here");
    }
  }
}

void profile(View own, std::string_view key, CheckContext& context) {
  constexpr auto types =
      std::to_array<std::string_view>({"Localhost", "RuntimeDefault", "Unconfined"});
  const View found = get(own, key);
  if (!found || !found->is_map()) return;
  const View type = get(found, "type");
  require_text(found, "type", context);
  context.allow(type, "type of profile", types);
  const View file = get(found, "localhostProfile");
  const bool local = string_of(type) == "Localhost";
  if (local && string_of(file).empty()) {
    context.refuse(found,
                   "a profile of type `Localhost` needs `localhostProfile`, its file on the "
                   "node");
  } else if (!local && file && !string_of(type).empty()) {
    context.refuse_key(file, "`localhostProfile` goes with `type: Localhost` only");
  } else if (key == "appArmorProfile" && local) {
    constexpr std::size_t longest = 4095;
    const std::string_view name = string_of(file);
    if (name.front() == ' ' || name.back() == ' ' || name.size() > longest) {
      context.refuse(file,
                     "the name of a profile has no blanks around it, and 4095 characters at "
                     "most");
    }
  } else if (key == "seccompProfile" && local) {
    if (const auto fault = why_not_below(file->text)) {
      context.refuse(file, "path " + shown(file->text) + " " + *fault);
    }
  }
}

void profiles(const Pod& pod, CheckContext& context) {
  each_context(pod, [&](View own) {
    profile(own, "seccompProfile", context);
    profile(own, "appArmorProfile", context);
  });
}

bool is_sysctl_name(std::string_view name) {
  if (name.size() > 253) return false;
  const auto plain = [](char c) { return is_lower(c) || is_digit(c); };
  char before = '.';
  for (char c : name) {
    const bool dot = c == '.' || c == '/';
    if (!dot && !plain(c) && c != '-' && c != '_') return false;
    if ((before == '.' || before == '/') && !plain(c)) return false;
    if (dot && !plain(before)) return false;
    before = c;
  }
  return plain(before);
}

bool of_network(std::string_view name) {
  return name.starts_with("net.") || name.starts_with("net/");
}
bool of_ipc(std::string_view name) {
  return name.starts_with("kernel.shm") || name.starts_with("kernel.msg") ||
         name.starts_with("fs.mqueue.") || name == "kernel.sem" || name.starts_with("kernel/shm") ||
         name.starts_with("kernel/msg") || name.starts_with("fs/mqueue/") || name == "kernel/sem";
}

void sysctls(const Pod& pod, CheckContext& context) {
  const View list = get(get(pod.spec, "securityContext"), "sysctls");
  const bool host_network = is_true(get(pod.spec, "hostNetwork"));
  const bool host_ipc = is_true(get(pod.spec, "hostIPC"));
  for (View sysctl : items_at(get(pod.spec, "securityContext"), "sysctls")) {
    const View name = get(sysctl, "name");
    if (string_of(name).empty()) continue;
    if (!is_sysctl_name(name->text)) {
      context.refuse(name, shown(name->text) +
                               " is no name of a sysctl; expected one such as "
                               "`net.core.somaxconn`");
    } else if (host_network && of_network(name->text)) {
      context.refuse(name,
                     "with `hostNetwork` the network's settings are those of the node, a pod "
                     "cannot set " +
                         shown(name->text));
    } else if (host_ipc && of_ipc(name->text)) {
      context.refuse(name, "with `hostIPC` shared memory is that of the node, a pod cannot set " +
                               shown(name->text));
    }
  }
  unique_names(list, "sysctl", context);
}

void host_namespaces(const Pod& pod, CheckContext& context) {
  const View shared = get(pod.spec, "shareProcessNamespace");
  if (is_true(shared) && is_true(get(pod.spec, "hostPID"))) {
    context.refuse(shared,
                   "processes are shared with the node (`hostPID`) or within the pod "
                   "(`shareProcessNamespace`), not both");
  }
  if (!is_false(get(pod.spec, "hostUsers"))) return;
  for (std::string_view key : {"hostNetwork", "hostPID", "hostIPC"}) {
    const View found = get(pod.spec, key);
    if (!is_true(found)) continue;
    context
        .refuse(found, shown(key) +
                           " needs the users of the node, which `hostUsers: false` "
                           "takes away")
        .also(context.place(get(pod.spec, "hostUsers")), "taken away here");
  }
  for (const PodContainer& container : pod.containers) {
    const View devices = get(container.node, "volumeDevices");
    if (!has_items(devices)) continue;
    context.refuse_key(devices, "block devices cannot be used with `hostUsers: false`");
  }
}

void proc_mount(const Pod& pod, CheckContext& context) {
  constexpr auto types = std::to_array<std::string_view>({"Default", "Unmasked"});
  const bool own_users = is_false(get(pod.spec, "hostUsers"));
  for (const PodContainer& container : pod.containers) {
    const View type = get(get(container.node, "securityContext"), "procMount");
    context.allow(type, "way to mount /proc", types);
    if (string_of(type) == "Unmasked" && !own_users) {
      context.refuse(type, "`Unmasked` needs `hostUsers: false` in the pod");
    }
  }
}

void group_policies(const Pod& pod, CheckContext& context) {
  constexpr auto changes = std::to_array<std::string_view>({"OnRootMismatch", "Always"});
  constexpr auto groups = std::to_array<std::string_view>({"Merge", "Strict"});
  constexpr auto labels = std::to_array<std::string_view>({"Recursive", "MountOption"});
  const View own = get(pod.spec, "securityContext");
  context.allow_written(get(own, "fsGroupChangePolicy"), "fsGroupChangePolicy", changes);
  context.allow_written(get(own, "supplementalGroupsPolicy"), "supplementalGroupsPolicy", groups);
  context.allow(get(own, "seLinuxChangePolicy"), "seLinuxChangePolicy", labels);
}

constexpr Check kChecks[] = {
    {.name = "user-ids",
     .group = CheckGroup::Security,
     .sentence = "User and group ids are between 0 and 2147483647.",
     .source = kSource,
     .pod = user_ids},
    {.name = "privileges",
     .group = CheckGroup::Security,
     .sentence = "A container that may not raise its privileges does not have them all, nor "
                 "CAP_SYS_ADMIN.",
     .source = kSource,
     .pod = privileges},
    {.name = "security-profiles",
     .group = CheckGroup::Security,
     .sentence = "A seccomp or AppArmor profile has a type, and a file exactly when it is "
                 "`Localhost`.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateSeccompProfileField",
     .pod = profiles},
    {.name = "sysctls",
     .group = CheckGroup::Security,
     .sentence = "Sysctls have names, each once, and are not those of a namespace that the pod "
                 "shares with its node.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateSysctls",
     .pod = sysctls},
    {.name = "host-namespaces",
     .group = CheckGroup::Security,
     .sentence = "A pod with users of its own shares no namespace with its node.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateHostUsers",
     .pod = host_namespaces},
    {.name = "proc-mount",
     .group = CheckGroup::Security,
     .sentence = "Only a pod with users of its own sees all of /proc.",
     .source = kSource,
     .pod = proc_mount},
    {.name = "group-policies",
     .group = CheckGroup::Security,
     .sentence = "What is done about the groups and labels of volumes is a word that exists.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validatePodSpecSecurityContext",
     .pod = group_policies},
};

}  // namespace

constinit const std::span<const Check> pod_security_checks = kChecks;

}  // namespace trainyard
