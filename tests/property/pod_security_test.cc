// What we find that pods break of the Pod Security Standards, against the admission plugin's own
// code.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "admission/security_standards.h"
#include "check/check.h"
#include "manifest/pod.h"
#include "property/oracle.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

using nlohmann::json;

/// The newest version whose rules the plugin knows and we know.
constexpr int kNewest = 37;

class Random {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }
  bool one_in(std::uint64_t many) { return below(many) == 0; }
  const json& one_of(const json& choices) { return choices[below(choices.size())]; }

 private:
  std::uint64_t state_ = 20260912;
};

const json kGoodContext = {{"allowPrivilegeEscalation", false},
                           {"capabilities", {{"drop", {"ALL"}}}}};

json good_pod(Random& random) {
  json spec = {{"securityContext",
                {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
  constexpr const char* lists[] = {"containers", "initContainers", "ephemeralContainers"};
  for (const char* list : lists) {
    const std::uint64_t count =
        std::string(list) == "containers" ? 1 + random.below(2) : random.below(2);
    for (std::uint64_t i = 0; i < count; ++i) {
      spec[list].push_back({{"name", std::string(1, list[0]) + std::to_string(i)},
                            {"securityContext", kGoodContext}});
    }
  }
  return {{"metadata", {{"name", "p"}}}, {"spec", spec}};
}

json& a_container(json& pod, Random& random) {
  std::vector<json*> all;
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    if (!pod["spec"].contains(list)) continue;
    for (json& each : pod["spec"][list]) all.push_back(&each);
  }
  return *all[random.below(all.size())];
}

/// The context of the pod or of a container.
json& a_context(json& pod, Random& random) {
  json& holder = random.one_in(3) ? pod["spec"] : a_container(pod, random);
  return holder["securityContext"];
}

using Change = std::function<void(json& pod, Random& random)>;

const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      [](json& pod, Random& random) {
        pod["spec"][random.one_of({"hostNetwork", "hostPID", "hostIPC"})] =
            random.one_of({true, false, nullptr});
      },
      [](json& pod, Random& random) { pod["spec"]["hostUsers"] = random.one_of({true, false}); },
      [](json& pod, Random& random) {
        pod["spec"]["os"] = {{"name", random.one_of({"windows", "linux"})}};
      },
      [](json& pod, Random& random) { a_container(pod, random).erase("securityContext"); },
      [](json& pod, Random& random) { pod["spec"].erase("securityContext"), random.below(2); },
      [](json& pod, Random& random) {
        a_container(pod, random)["securityContext"]["privileged"] =
            random.one_of({true, false, nullptr});
      },
      [](json& pod, Random& random) {
        a_container(pod, random)["securityContext"]["allowPrivilegeEscalation"] =
            random.one_of({true, false, nullptr});
      },
      [](json& pod, Random& random) {
        a_container(pod, random)["securityContext"]["capabilities"] = random.one_of(
            {json({{"add", {"IPC_LOCK"}}}), json({{"add", {"CHOWN"}}, {"drop", {"ALL"}}}),
             json({{"add", {"NET_BIND_SERVICE"}}, {"drop", {"ALL"}}}),
             json({{"drop", {"NET_RAW", "ALL"}}}), json({{"drop", {"all"}}}), json(nullptr),
             json::object(), json({{"add", {"SYS_CHROOT", "NET_RAW"}}}),
             json({{"add", {"CAP_CHOWN"}}, {"drop", {"ALL"}}})});
      },
      [](json& pod, Random& random) {
        a_container(pod, random)["securityContext"]["procMount"] =
            random.one_of({"Default", "Unmasked", nullptr});
      },
      [](json& pod, Random& random) {
        a_context(pod, random)["runAsNonRoot"] = random.one_of({true, false, nullptr});
      },
      [](json& pod, Random& random) {
        a_context(pod, random)["runAsUser"] = random.one_of({0, 1, 1000, nullptr});
      },
      [](json& pod, Random& random) {
        a_context(pod, random)["seccompProfile"] = random.one_of(
            {json(nullptr), json({{"type", "Unconfined"}}), json({{"type", "RuntimeDefault"}}),
             json({{"type", "Localhost"}, {"localhostProfile", "a"}}), json::object()});
      },
      [](json& pod, Random& random) {
        a_context(pod, random)["appArmorProfile"] = random.one_of(
            {json(nullptr), json({{"type", "Unconfined"}}), json({{"type", "RuntimeDefault"}}),
             json({{"type", "Localhost"}, {"localhostProfile", "a"}})});
      },
      [](json& pod, Random& random) {
        a_context(pod, random)["seLinuxOptions"] = random.one_of(
            {json({{"type", "container_t"}}), json({{"type", "container_engine_t"}}),
             json({{"type", "spc_t"}}), json({{"user", "u"}}), json({{"role", "r"}}),
             json({{"level", "s0"}}), json({{"type", ""}, {"user", ""}}), json(nullptr)});
      },
      [](json& pod, Random& random) {
        a_context(pod, random)["windowsOptions"] =
            random.one_of({json({{"hostProcess", true}}), json({{"hostProcess", false}}),
                           json({{"runAsUserName", "a"}})});
      },
      [](json& pod, Random& random) {
        static const json names = {"kernel.shm_rmid_forced",
                                   "net.ipv4.ip_local_port_range",
                                   "net.ipv4.tcp_syncookies",
                                   "net.ipv4.ping_group_range",
                                   "net.ipv4.ip_unprivileged_port_start",
                                   "net.ipv4.ip_local_reserved_ports",
                                   "net.ipv4.tcp_keepalive_time",
                                   "net.ipv4.tcp_fin_timeout",
                                   "net.ipv4.tcp_keepalive_intvl",
                                   "net.ipv4.tcp_keepalive_probes",
                                   "net.ipv4.tcp_rmem",
                                   "net.ipv4.tcp_wmem",
                                   "net.ipv4.tcp_slow_start_after_idle",
                                   "net.ipv4.tcp_notsent_lowat",
                                   "net.core.somaxconn",
                                   "net/ipv4/tcp_rmem"};
        pod["spec"]["securityContext"]["sysctls"].push_back(
            {{"name", random.one_of(names)}, {"value", "1"}});
      },
      [](json& pod, Random& random) {
        static const json sources = {"configMap",
                                     "csi",
                                     "downwardAPI",
                                     "emptyDir",
                                     "ephemeral",
                                     "image",
                                     "projected",
                                     "persistentVolumeClaim",
                                     "secret",
                                     "hostPath",
                                     "nfs",
                                     "iscsi",
                                     "gcePersistentDisk",
                                     "gitRepo",
                                     "cephfs",
                                     "fc",
                                     "azureFile",
                                     "awsElasticBlockStore",
                                     "vsphereVolume",
                                     "rbd",
                                     "flocker",
                                     "flexVolume",
                                     "glusterfs",
                                     "portworxVolume",
                                     "cinder",
                                     "azureDisk",
                                     "quobyte",
                                     "scaleIO",
                                     "storageos",
                                     "photonPersistentDisk"};
        json volume = {{"name", "v" + std::to_string(random.below(9))}};
        volume[random.one_of(sources)] = json::object();
        // Without any source the API server takes it for an emptyDir.
        if (random.one_in(5) && !volume.contains("hostPath"))
          volume["hostPath"] = random.one_of({json(nullptr), json::object()});
        pod["spec"]["volumes"].push_back(volume);
      },
      [](json& pod, Random& random) {
        a_container(pod, random)["ports"].push_back(
            {{"containerPort", 80}, {"hostPort", random.one_of({0, 80, nullptr})}});
      },
      [](json& pod, Random& random) {
        json handler = random.one_of({json({{"httpGet", {{"port", 80}, {"host", "127.0.0.1"}}}}),
                                      json({{"httpGet", {{"port", 80}, {"host", ""}}}}),
                                      json({{"tcpSocket", {{"port", 80}, {"host", "h"}}}}),
                                      json({{"tcpSocket", {{"port", 80}}}})});
        json& container = a_container(pod, random);
        if (random.one_in(2)) {
          container["lifecycle"][random.one_of({"postStart", "preStop"})] = handler;
        } else {
          container[random.one_of({"livenessProbe", "readinessProbe", "startupProbe"})] = handler;
        }
      },
      [](json& pod, Random& random) {
        static const json keys = {"container.apparmor.security.beta.kubernetes.io/c0",
                                  "container.apparmor.security.beta.kubernetes.io/other",
                                  "seccomp.security.alpha.kubernetes.io/pod",
                                  "container.seccomp.security.alpha.kubernetes.io/c0",
                                  "container.seccomp.security.alpha.kubernetes.io/other"};
        static const json values = {"runtime/default", "docker/default", "localhost/a",
                                    "localhost",       "unconfined",     ""};
        pod["metadata"]["annotations"][random.one_of(keys)] = random.one_of(values);
      },
  };
  return all;
}

json question(Random& random) {
  json pod = good_pod(random);
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    changes()[random.below(changes().size())](pod, random);
  }
  pod["level"] = random.one_of({"baseline", "restricted", "restricted"});
  pod["minor"] = random.one_in(3) ? -1 : static_cast<int>(random.below(kNewest + 1));
  return pod;
}

std::string ours(const json& asked) {
  SourceMap sources;
  Sink sink;
  const FileId id = sources.add("pod", asked.dump());
  const std::vector<Tree> trees = read_yaml(sources, id, sink, {}, Ambiguity::Kubernetes);
  REQUIRE(trees.size() == 1);
  const View root(trees.front(), trees.front().root());
  const Pod pod = read_pod(root, root, {"", "Pod", "", kIsPod});
  const int minor = asked["minor"].get<int>();
  const auto level = security_level(asked["level"].get<std::string>());
  REQUIRE(level);
  std::set<std::string> rules;
  for (const SecurityBreach& each : security_breaches(pod, *level, minor < 0 ? kNewest : minor)) {
    CHECK(each.at);
    rules.insert(each.rules.begin(), each.rules.end());
  }
  std::string line;
  for (const std::string& each : rules) line += (line.empty() ? "" : " ") + each;
  return line.empty() ? "allowed" : line;
}

}  // namespace

TEST_CASE("pods break the rules of pod security that the admission plugin finds, in each version",
          "[go]") {
  const Oracle oracle = module_oracle("pod-security");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  constexpr std::size_t kPods = 6000;
  Random random;
  std::vector<json> asked;
  std::string lines;
  for (std::size_t i = 0; i < kPods; ++i) {
    asked.push_back(question(random));
    lines += asked.back().dump() + "\n";
  }
  const std::vector<std::string> answers = ask(oracle, "pod-security", lines);
  INFO(answers.front());
  REQUIRE(answers.size() == kPods);
  std::size_t allowed = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < kPods; ++i) {
    INFO(asked[i].dump());
    CHECK(ours(asked[i]) == answers[i]);
    allowed += answers[i] == "allowed" ? 1u : 0u;
    seen.insert(answers[i].substr(0, answers[i].find(' ')));
  }
  // Both verdicts, and many rules.
  CHECK(allowed > kPods / 5);
  CHECK(allowed < kPods * 4 / 5);
  CHECK(seen.size() > 12);
}

TEST_CASE("labels for pod security are right when the admission plugin says so", "[go]") {
  const Oracle oracle = module_oracle("pod-security");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  const std::vector<std::string> levels = {"privileged", "baseline", "restricted",
                                           "Restricted", "",         "strict"};
  const std::vector<std::string> versions = {"latest", "v1.0",   "v1.33",  "v1.00", "v1.",
                                             "1.33",   "v2.1",   "v1.9",   "v1.99", "v1.-1",
                                             "",       "v1.3.1", "Latest", "v1.+3"};
  std::string lines;
  std::vector<bool> valid;
  for (const std::string& level : levels) {
    for (const std::string& version : versions) {
      lines += json({{"labels",
                      {{"pod-security.kubernetes.io/warn", level},
                       {"pod-security.kubernetes.io/warn-version", version}}}})
                   .dump() +
               "\n";
      valid.push_back(security_level(level) && standards_version(version, kNewest));
    }
  }
  const std::vector<std::string> answers = ask(oracle, "pod-security-labels", lines);
  REQUIRE(answers.size() == valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i) {
    INFO(levels[i / versions.size()] << " " << versions[i % versions.size()]);
    CHECK(valid[i] == (answers[i] == "valid"));
  }
}
