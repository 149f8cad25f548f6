#include <algorithm>
#include <array>

#include "check/read.h"
#include "convert/pod_parts.h"

namespace trainyard {
namespace {

// kubernetes/pod-security-admission policy/check_capabilities_baseline.go
constexpr auto kBaselineCapabilities = std::to_array<std::string_view>(
    {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
     "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"});

constexpr std::string_view kPodFields[] = {"runAsUser", "runAsGroup",         "runAsNonRoot",
                                           "fsGroup",   "supplementalGroups", "seccompProfile"};
constexpr std::string_view kContainerFields[] = {"capabilities", "allowPrivilegeEscalation",
                                                 "readOnlyRootFilesystem"};

bool is_default_seccomp(View profile) {
  return string_at(profile, "type") == "RuntimeDefault" && profile->size == 1;
}
bool drops_all(View capabilities) {
  const View drop = get(capabilities, "drop");
  if (!drop || capabilities->size != 1 || drop->size != 1) return false;
  return (*Items(drop).begin())->text == "ALL";
}

/// The two security contexts, as the level that comes closest and what differs from it.
class SecurityReader {
 public:
  explicit SecurityReader(PodParts& parts)
      : parts_(parts),
        job_(parts.job),
        pod_(get(parts.spec, "securityContext")),
        container_(get(parts.main, "securityContext")) {}

  void read() {
    for (std::string_view key : kPodFields) find(key);
    for (std::string_view key : kContainerFields) {
      if (const View value = get(container_, key)) set(key, value);
    }
    level();
    for (const Given& each : given_) {
      if (is_default(each)) {
        job_.ledger.derived(each.value);
      } else {
        job_.share_copy({"security", each.key}, each.value);
      }
    }
  }

 private:
  struct Given {
    std::string_view key;
    View value;
  };

  /// What the container says goes before what the pod says; both are one here where there is only
  /// one container that it could matter to.
  void find(std::string_view key) {
    const View own = get(container_, key);
    const View of_pod = get(pod_, key);
    if (own && is_alone()) {
      set(key, own);
      job_.ledger.derived(of_pod);
    } else if (of_pod) {
      set(key, of_pod);
    }
  }

  bool is_alone() const {
    const View containers = get(parts_.spec, "containers");
    return containers && containers->size == 1 && !has_items(get(parts_.spec, "initContainers"));
  }

  void set(std::string_view key, View value) { given_.push_back({key, value}); }

  View value(std::string_view key) const {
    const auto found = std::ranges::find(given_, key, &Given::key);
    return found == given_.end() ? View() : found->value;
  }

  void level() {
    if (job_.is_partial && given_.empty()) return;
    const View seccomp = value("seccompProfile");
    const View capabilities = value("capabilities");
    // What the level drops can be said in a pod template only.
    const bool limited = job_.has_template ? static_cast<bool>(capabilities) : !capabilities;
    const bool like_restricted =
        value("runAsNonRoot") && seccomp && limited && value("allowPrivilegeEscalation");
    if (like_restricted) {
      level_ = "restricted";
    } else if (needs_privileges() || (!seccomp && job_.ours)) {
      level_ = "privileged";
    } else {
      level_ = "baseline";
    }
    if (level_ != "restricted") job_.share({"security", "level"}, job_.text(level_), {});
  }

  bool needs_privileges() const {
    for (std::string_view key : {"hostNetwork", "hostPID", "hostIPC"}) {
      if (is_true(get(parts_.whole, key))) return true;
    }
    for (View volume : items_at(parts_.whole, "volumes")) {
      if (get(volume, "hostPath")) return true;
    }
    for (std::string_view list : {"containers", "initContainers"}) {
      for (View each : items_at(parts_.whole, list)) {
        const View context = get(each, "securityContext");
        if (is_true(get(context, "privileged"))) return true;
        for (View added : items_at(get(context, "capabilities"), "add")) {
          if (std::ranges::find(kBaselineCapabilities, added->text) ==
              kBaselineCapabilities.end()) {
            return true;
          }
        }
      }
    }
    return string_at(value("seccompProfile"), "type") == "Unconfined";
  }

  /// sshd listens below 1024.
  bool is_for_sshd(View capabilities) const {
    const View added = get(capabilities, "add");
    const View dropped = get(capabilities, "drop");
    return (job_.by_mpirun || job_.framework == "mpi") && parts_.role.name == "worker" &&
           capabilities->size == 2 && has_items(added) && added->size == 1 && has_items(dropped) &&
           dropped->size == 1 && (*Items(added).begin())->text == "NET_BIND_SERVICE" &&
           (*Items(dropped).begin())->text == "ALL";
  }

  bool is_default(const Given& each) const {
    const bool restricted = level_ == "restricted";
    if (each.key == "runAsNonRoot") return restricted && is_true(each.value);
    if (each.key == "allowPrivilegeEscalation") return restricted && is_false(each.value);
    if (each.key == "capabilities") {
      return restricted && (drops_all(each.value) || is_for_sshd(each.value));
    }
    if (each.key == "seccompProfile") {
      return level_ != "privileged" && is_default_seccomp(each.value);
    }
    return each.key == "readOnlyRootFilesystem" && is_false(each.value);
  }

  PodParts& parts_;
  Conversion& job_;
  View pod_;
  View container_;
  std::vector<Given> given_;
  std::string_view level_;
};

}  // namespace

void read_security(PodParts& parts) {
  SecurityReader(parts).read();
}

}  // namespace trainyard
