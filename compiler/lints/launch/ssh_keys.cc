// Private keys that a group of the pod makes readable.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launches.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A volume of a Secret, or one that has a Secret among its parts.
bool holds_secret(View volume) {
  return get(volume, "secret") ||
         std::ranges::any_of(items_at(get(volume, "projected"), "sources"),
                             [](View part) { return static_cast<bool>(get(part, "secret")); });
}

/// A volume with keys of the job's own, as root has it.
View mounted_keys(const WorkloadRole& role, View container) {
  for (View mount : items_at(container, "volumeMounts")) {
    if (!string_at(mount, "mountPath").starts_with(kKeysOfRoot)) continue;
    for (View volume : items_at(role.pod.spec, "volumes")) {
      if (string_at(volume, "name") == string_at(mount, "name") && holds_secret(volume)) {
        return mount;
      }
    }
  }
  return {};
}

void key_of_group(const Workload& workload, CheckContext& context) {
  const bool by_operator = keys_of_operator(workload) == kKeysOfRoot;
  for (const WorkloadRole& role : workload.roles) {
    const View group = get(get(role.pod.spec, "securityContext"), "fsGroup");
    if (!group) continue;
    for (View container : role.containers) {
      if (other_user(role.pod, container)) continue;
      if (!by_operator && !mounted_keys(role, container)) continue;
      context.lint(group,
                   "`fsGroup` gives the private key in `/root/.ssh` the mode 0640, and ssh "
                   "as root takes none that a group may read");
      return;
    }
  }
}

/// What the operator starts in a worker without a command.
bool runs_sshd(const Workload& workload, const WorkloadRole& role, View container) {
  if (contains_text(container, "sshd")) return true;
  return workload.is("kubeflow.org", "MPIJob") && role.name == "Worker" &&
         string_at(workload.object, "apiVersion") == "kubeflow.org/v2beta1" &&
         !has_items(get(container, "command")) && !has_items(get(container, "args"));
}

bool lists(View capabilities, std::string_view key, std::string_view name) {
  return std::ranges::any_of(items_at(capabilities, key),
                             [name](View each) { return string_of(each) == name; });
}

void capabilities_of_sshd(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const View security = get(container, "securityContext");
      const View own = get(security, "runAsNonRoot");
      const View pods = get(get(role.pod.spec, "securityContext"), "runAsNonRoot");
      const View capabilities = get(security, "capabilities");
      if (!lists(capabilities, "drop", "ALL") || lists(capabilities, "add", "SYS_CHROOT")) continue;
      if (is_true(own ? own : pods) || other_user(role.pod, container)) continue;
      if (!runs_sshd(workload, role, container)) continue;
      context.lint(get(capabilities, "drop"),
                   "sshd of root needs `SYS_CHROOT`, `SETUID` and `SETGID`, and closes each "
                   "connection without them");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "sshd-capabilities",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "An sshd that runs as root keeps the capabilities that it needs for a login.",
     .source =
         "openssh/openssh-portable sshd.c privsep_preauth_child: chroot, setgroups, setresuid",
     .workload = capabilities_of_sshd,
     .severity = Severity::Warning,
     .because = "mpirun starts its ranks by ssh: it reaches no pod.",
     .fix = "add `SYS_CHROOT`, `SETUID`, `SETGID` and `AUDIT_WRITE`, or run sshd as another user"},
    {.name = "ssh-key-of-group",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "No `fsGroup` opens the private key by which root logs in to other pods.",
     .source = "openssh/openssh-portable authfile.c sshkey_perm_ok; kubernetes/kubernetes "
               "pkg/volume/volume_linux.go SetVolumeOwnership; kubeflow/mpi-operator issues 429 "
               "and 424; kubeflow/trainer issue 3262",
     .workload = key_of_group,
     .because = "The kubelet lets the group read all files of the volume: ssh ignores the key, "
                "and mpirun reaches no other pod.",
     .fix = "leave `fsGroup` out of these pods, or run as another user with `sshAuthMountPath` in "
            "its home: of keys that are root's the mode does not matter to it"},
};

}  // namespace

const std::span<const Check> ssh_key_lints = kChecks;

}  // namespace trainyard
