#include <algorithm>
#include <array>
#include <utility>

#include "convert/pod_template_reader.h"
#include "convert/role_values.h"
#include "spec/known_images.h"
#include "tree/typed_fields.h"

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

bool is_of_container(std::string_view key) {
  return std::ranges::find(kContainerFields, key) != std::end(kContainerFields);
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
    for (const Given& each : given_) job_.ledger.carried(each.value);
    const auto image = known_image(string_at(parts_.main, "image"));
    const bool names_user = std::ranges::find(given_, "runAsUser", &Given::key) != given_.end();
    const bool is_lowered = image && !image->starts_without_root() && !names_user;
    job_.securities.push_back(
        {parts_.role.fields, parts_.role.name, level_, is_lowered, std::move(given_)});
  }

 private:
  using Given = Conversion::SecurityOfRole::Given;

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

  /// On a runtime that is not there, a build says no more of rights than the spec; the releases
  /// before 2.2 cannot say it in a TrainJob at all.
  bool is_left_to_runtime() const {
    if (!given_.empty() || !job_.shared_at({"runtime"})) return false;
    const auto release = job_.input.versions.of("trainer");
    return job_.ours || (release && release->major == 2 && release->minor < 2);
  }

  void level() {
    if (is_left_to_runtime()) return;
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

  PodParts& parts_;
  Conversion& job_;
  View pod_;
  View container_;
  std::vector<Given> given_;
  std::string_view level_;
};

/// What of the security of a role a build makes anyway, at the level of the job.
class Usual {
 public:
  Usual(const Conversion& job, std::string_view level) : job_(job), level_(level) {}

  bool has(std::string_view role, std::string_view key, View value) const {
    const bool restricted = level_ == "restricted";
    if (key == "runAsNonRoot") return restricted && is_true(value);
    if (key == "allowPrivilegeEscalation") return restricted && is_false(value);
    if (key == "capabilities") {
      return restricted && (drops_all(value) || is_for_sshd(role, value));
    }
    if (key == "seccompProfile") return level_ != "privileged" && is_default_seccomp(value);
    return key == "readOnlyRootFilesystem" && is_false(value);
  }

 private:
  /// sshd listens below 1024.
  bool is_for_sshd(std::string_view role, View capabilities) const {
    const View added = get(capabilities, "add");
    const View dropped = get(capabilities, "drop");
    return (job_.by_mpirun || job_.framework == "mpi") && role == "worker" &&
           capabilities->size == 2 && has_items(added) && added->size == 1 && has_items(dropped) &&
           dropped->size == 1 && (*Items(added).begin())->text == "NET_BIND_SERVICE" &&
           (*Items(dropped).begin())->text == "ALL";
  }

  const Conversion& job_;
  std::string_view level_;
};

}  // namespace

void read_security(PodParts& parts) {
  SecurityReader(parts).read();
}

void settle_security(Conversion& job) {
  std::string_view level;
  for (std::string_view each : {"restricted", "baseline", "privileged"}) {
    const bool needed =
        std::ranges::find(job.securities, each, &Conversion::SecurityOfRole::level) !=
        job.securities.end();
    if (needed) level = each;
  }
  const bool is_default =
      std::ranges::none_of(job.securities, &Conversion::SecurityOfRole::builds_at_baseline);
  if (!level.empty() && (level != "restricted" || !is_default)) {
    job.share({"security", "level"}, job.text(level), {});
  }
  const Usual usual(job, level);
  for (const Conversion::SecurityOfRole& of : std::exchange(job.securities, {})) {
    for (const auto& [key, value] : of.given) {
      if (usual.has(of.role_name, key, value)) continue;
      say_of_role(job, of.role, {"security", key}, job.maker.copy(value), value,
                  [&job, key, value](NodeId fields) {
                    const NodeId owner = is_of_container(key) ? own_container_of(job, fields)
                                                              : own_spec_of(job, fields);
                    job.carry(job.map_at(owner, "securityContext"), key, value);
                  });
    }
  }
}

}  // namespace trainyard
