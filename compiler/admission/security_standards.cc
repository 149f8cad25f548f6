#include "admission/security_standards.h"

#include <algorithm>
#include <array>
#include <span>

#include "diag/words.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Words = std::span<const std::string_view>;

bool contains(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// A word, and the minor release of Kubernetes since which the standards allow it.
struct AllowedWord {
  std::string_view word;
  int since = 0;
};

bool allows(std::span<const AllowedWord> words, std::string_view word, int minor) {
  return std::ranges::any_of(
      words, [&](const AllowedWord& each) { return each.word == word && each.since <= minor; });
}

constexpr auto kCapabilities = std::to_array<std::string_view>(
    {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
     "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"});

constexpr AllowedWord kSysctls[] = {
    {"kernel.shm_rmid_forced"},
    {"net.ipv4.ip_local_port_range"},
    {"net.ipv4.tcp_syncookies"},
    {"net.ipv4.ping_group_range"},
    {"net.ipv4.ip_unprivileged_port_start"},
    {"net.ipv4.ip_local_reserved_ports", 27},
    {"net.ipv4.tcp_keepalive_time", 29},
    {"net.ipv4.tcp_fin_timeout", 29},
    {"net.ipv4.tcp_keepalive_intvl", 29},
    {"net.ipv4.tcp_keepalive_probes", 29},
    {"net.ipv4.tcp_rmem", 32},
    {"net.ipv4.tcp_wmem", 32},
    {"net.ipv4.tcp_slow_start_after_idle", 37},
    {"net.ipv4.tcp_notsent_lowat", 37},
};

constexpr AllowedWord kSeLinuxTypes[] = {
    {""}, {"container_t"}, {"container_init_t"}, {"container_kvm_t"}, {"container_engine_t", 31}};

constexpr auto kProfiles = std::to_array<std::string_view>({"RuntimeDefault", "Localhost"});

constexpr auto kVolumes =
    std::to_array<std::string_view>({"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral",
                                     "image", "persistentVolumeClaim", "projected", "secret"});

/// Releases in which something changes.
constexpr int kSeccompFields = 19;  // before, there were annotations
constexpr int kCapabilitiesToDrop = 22;
constexpr int kNoRoot = 23;
constexpr int kWindows = 25;  // pods say whether they are for Windows
constexpr int kProbeHosts = 34;
constexpr int kOwnUsers = 35;  // pods with users of their own may be root among these
constexpr int kEscalation = 8;

class Breaches {
 public:
  Breaches(const Pod& pod, int minor) : pod_(pod), minor_(minor) {
    own_users_ = minor >= kOwnUsers && is_false(get(pod.spec, "hostUsers"));
    windows_ = minor >= kWindows && string_at(get(pod.spec, "os"), "name") == "windows";
  }

  std::vector<SecurityBreach> of(SecurityLevel level) {
    if (level == SecurityLevel::Privileged) return {};
    restricted_ = level == SecurityLevel::Restricted;
    host_namespaces();
    volumes();
    sysctls();
    annotations();
    context(get(pod_.spec, "securityContext"), "the pod");
    for (const PodContainer& each : pod_.containers) container(each.node);
    return std::move(found_);
  }

 private:
  void report(std::string_view rule, View at, std::string what) {
    found_.push_back({{std::string(rule)}, at, std::move(what)});
  }

  void host_namespaces() {
    for (std::string_view key : {"hostNetwork", "hostPID", "hostIPC"}) {
      const View value = get(pod_.spec, key);
      if (is_true(value)) report("hostNamespaces", value, shown(key) + " is true");
    }
  }

  void volumes() {
    for (View volume : items_at(pod_.spec, "volumes")) {
      View source;
      bool allowed = false;
      for (View each : Items(volume)) {
        if (each.key() == "name" || each.kind() == Kind::Null) continue;
        allowed = allowed || contains(kVolumes, each.key());
        source = each;
      }
      const View path = get(volume, "hostPath");
      if (!restricted_ ? !path : allowed || !source) continue;
      const View at = path ? path : source;
      report(restricted_ ? "restrictedVolumes" : "hostPathVolumes", at,
             "volume " + shown(string_at(volume, "name")) + " is a " + shown(at.key()));
    }
  }

  void sysctls() {
    for (View each : items_at(get(pod_.spec, "securityContext"), "sysctls")) {
      const std::string_view name = string_at(each, "name");
      if (allows(kSysctls, name, minor_)) continue;
      report("sysctls", get(each, "name") ? get(each, "name") : each,
             "sysctl " + shown(name) + " is set");
    }
  }

  /// Profiles in the way of old.
  void annotations() {
    for (View entry : entries_at(pod_.metadata, "annotations")) {
      const std::string_view key = entry.key();
      const std::string_view value = string_of(entry);
      const bool known = value == "runtime/default" || value.starts_with("localhost/");
      if (key.starts_with("container.apparmor.security.beta.kubernetes.io/") && !known &&
          !value.empty()) {
        report("appArmorProfile", entry, "the AppArmor profile is " + shown(value));
      }
      if (minor_ < kSeccompFields && is_seccomp_key(key) && !known && value != "docker/default") {
        report("seccompProfile_baseline", entry, "the seccomp profile is " + shown(value));
      }
    }
  }

  bool is_seccomp_key(std::string_view key) const {
    constexpr std::string_view kContainer = "container.seccomp.security.alpha.kubernetes.io/";
    if (key == "seccomp.security.alpha.kubernetes.io/pod") return true;
    return key.starts_with(kContainer) &&
           std::ranges::any_of(pod_.containers, [&](const PodContainer& each) {
             return string_at(each.node, "name") == key.substr(kContainer.size());
           });
  }

  /// What a pod and a container have alike.
  void context(View own, std::string_view whose) {
    if (!own || !own->is_map()) return;
    const std::string of(whose);
    const View armor = get(own, "appArmorProfile");
    if (armor && !contains(kProfiles, string_at(armor, "type"))) {
      const View type = get(armor, "type");
      report("appArmorProfile", type ? type : armor,
             of + " has another AppArmor profile than " + "`RuntimeDefault` and `Localhost`");
    }
    selinux(get(own, "seLinuxOptions"), of);
    const View process = get(get(own, "windowsOptions"), "hostProcess");
    if (is_true(process)) report("windowsHostProcess", process, of + " is a process of the node");
    const View seccomp = get(own, "seccompProfile");
    const bool looked_at = minor_ >= kSeccompFields && !(restricted_ && windows_);
    if (seccomp && looked_at && !contains(kProfiles, string_at(seccomp, "type"))) {
      const View type = get(seccomp, "type");
      report(restricted_ ? "seccompProfile_restricted" : "seccompProfile_baseline",
             type ? type : seccomp,
             of + " has another seccomp profile than `RuntimeDefault` and `Localhost`");
    }
    if (!restricted_) return;
    const View root = get(own, "runAsNonRoot");
    if (is_false(root) && !own_users_) {
      report("runAsNonRoot", root, of + " may run as root: `runAsNonRoot` is false");
    }
    const View user = get(own, "runAsUser");
    if (minor_ >= kNoRoot && !own_users_ && integer_of(user) == 0) {
      report("runAsUser", user, of + " runs as root: `runAsUser` is 0");
    }
  }

  void selinux(View options, const std::string& of) {
    if (!options) return;
    const View type = get(options, "type");
    if (!allows(kSeLinuxTypes, string_of(type), minor_)) {
      report("seLinuxOptions", type, of + " has the SELinux type " + shown(type->text));
    }
    for (std::string_view key : {"user", "role"}) {
      const View value = get(options, key);
      if (string_of(value).empty()) continue;
      report("seLinuxOptions", value, of + " has an SELinux " + std::string(key) + " of its own");
    }
  }

  void container(View node) {
    const std::string name = "container " + shown(string_at(node, "name"));
    const View own = get(node, "securityContext");
    context(own, name);
    const View privileged = get(own, "privileged");
    if (is_true(privileged)) report("privileged", privileged, name + " is privileged");
    const View proc = get(own, "procMount");
    const bool relaxed = own_users_ && !restricted_;
    if (proc && string_of(proc) != "Default" && !relaxed) {
      report(restricted_ && minor_ >= kOwnUsers ? "procMount_restricted" : "procMount", proc,
             name + " sees all of /proc: `procMount` is " + shown(proc->text));
    }
    for (View port : items_at(node, "ports")) {
      const View host = get(port, "hostPort");
      if (integer_of(host).value_or(0) == 0) continue;
      report("hostPorts", host, name + " takes port " + std::string(host->text) + " of its node");
    }
    if (minor_ >= kProbeHosts) hosts(node, name);
    capabilities(get(own, "capabilities"), name);
    if (restricted_) lacking(node, own, name);
  }

  void hosts(View node, const std::string& name) {
    const auto look = [&](View handler) {
      for (std::string_view way : {"httpGet", "tcpSocket"}) {
        const View host = get(get(handler, way), "host");
        if (string_of(host).empty()) continue;
        report("hostProbesAndHostLifecycle", host,
               "a probe or hook of " + name + " names the host " + shown(host->text));
      }
    };
    for (std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      look(get(node, probe));
    }
    for (std::string_view hook : {"postStart", "preStop"}) {
      look(get(get(node, "lifecycle"), hook));
    }
  }

  /// The restricted level looks at capabilities in the place of the baseline.
  bool drops_capabilities() const { return restricted_ && minor_ >= kCapabilitiesToDrop; }

  void capabilities(View own, const std::string& name) {
    if (drops_capabilities() && windows_) return;
    for (View each : items_at(own, "add")) {
      const std::string_view added = string_of(each);
      const bool allowed =
          drops_capabilities() ? added == "NET_BIND_SERVICE" : contains(kCapabilities, added);
      if (allowed) continue;
      report(drops_capabilities() ? "capabilities_restricted" : "capabilities_baseline", each,
             name + " adds the capability " + shown(added));
    }
  }

  /// What a container has to say for itself, or the pod for it.
  void lacking(View node, View own, const std::string& name) {
    std::vector<std::string> rules;
    std::vector<std::string> wanted;
    const auto want = [&](std::string_view rule, std::string what) {
      rules.emplace_back(rule);
      wanted.push_back(std::move(what));
    };
    const View pod = get(pod_.spec, "securityContext");
    const View escalation = get(own, "allowPrivilegeEscalation");
    const bool raises = minor_ >= kEscalation && !windows_;
    if (raises && is_true(escalation)) {
      report("allowPrivilegeEscalation", escalation,
             name + " may raise its privileges: `allowPrivilegeEscalation` is true");
    } else if (raises && !is_false(escalation)) {
      want("allowPrivilegeEscalation", "allowPrivilegeEscalation: false");
    }
    if (drops_capabilities() && !windows_ && !drops_all(get(own, "capabilities"))) {
      want("capabilities_restricted", "capabilities.drop: [ALL]");
    }
    if (!own_users_ && !get(own, "runAsNonRoot") && !is_true(get(pod, "runAsNonRoot"))) {
      // Said of the pod already when it says the contrary.
      if (!is_false(get(pod, "runAsNonRoot"))) want("runAsNonRoot", "runAsNonRoot: true");
    }
    if (minor_ >= kSeccompFields && !windows_ && !get(own, "seccompProfile") &&
        !get(pod, "seccompProfile")) {
      want("seccompProfile_restricted", "seccompProfile.type: RuntimeDefault");
    }
    if (wanted.empty()) return;
    const View named = get(node, "name");
    const View at = own ? own : named ? named : node;
    found_.push_back({std::move(rules), at,
                      name + " lacks " + listed(wanted, "and") + " in its `securityContext`",
                      true});
  }

  static bool drops_all(View capabilities) {
    for (View each : items_at(capabilities, "drop")) {
      if (string_of(each) == "ALL") return true;
    }
    return false;
  }

  const Pod& pod_;
  int minor_;
  bool own_users_ = false;
  bool windows_ = false;
  bool restricted_ = false;
  std::vector<SecurityBreach> found_;
};

}  // namespace

std::optional<SecurityLevel> security_level(std::string_view text) {
  const auto names = words(SecurityLevel());
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<SecurityLevel>(found - names.begin());
}

std::optional<int> standards_version(std::string_view text, int newest) {
  if (text == "latest") return newest;
  constexpr std::string_view kPrefix = "v1.";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  const auto minor = read_number<int>(text);
  if (!minor || text.front() == '-') return std::nullopt;
  return std::min(*minor, newest);
}

std::vector<SecurityBreach> security_breaches(const Pod& pod, SecurityLevel level, int minor) {
  return Breaches(pod, minor).of(level);
}

}  // namespace trainyard
