// Settings of a network fabric against what the pods have of it.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "manifest/node_pools.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/characters.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Those that people write most, as the documentation has them.
constexpr auto kVariables = std::to_array<std::string_view>(
    {"NCCL_ALGO",          "NCCL_BUFFSIZE",        "NCCL_CROSS_NIC",     "NCCL_DEBUG",
     "NCCL_DEBUG_FILE",    "NCCL_DEBUG_SUBSYS",    "NCCL_IB_DISABLE",    "NCCL_IB_GID_INDEX",
     "NCCL_IB_HCA",        "NCCL_IB_TIMEOUT",      "NCCL_MAX_NCHANNELS", "NCCL_MIN_NCHANNELS",
     "NCCL_NET_GDR_LEVEL", "NCCL_NET_PLUGIN",      "NCCL_NVLS_ENABLE",   "NCCL_P2P_DISABLE",
     "NCCL_P2P_LEVEL",     "NCCL_PROTO",           "NCCL_SHM_DISABLE",   "NCCL_SOCKET_FAMILY",
     "NCCL_SOCKET_IFNAME", "NCCL_SOCKET_NTHREADS", "NCCL_TOPO_FILE"});

/// Read by `strtoll`, which stops at the first character that is no digit, and says nothing.
constexpr auto kNumbers = std::to_array<std::string_view>(
    {"NCCL_BUFFSIZE",          "NCCL_CROSS_NIC",     "NCCL_CUMEM_ENABLE",
     "NCCL_IB_DISABLE",        "NCCL_IB_GID_INDEX",  "NCCL_IB_QPS_PER_CONNECTION",
     "NCCL_IB_RETRY_CNT",      "NCCL_IB_SL",         "NCCL_IB_TC",
     "NCCL_IB_TIMEOUT",        "NCCL_LL_BUFFSIZE",   "NCCL_LL128_BUFFSIZE",
     "NCCL_MAX_NCHANNELS",     "NCCL_MIN_NCHANNELS", "NCCL_NSOCKS_PERTHREAD",
     "NCCL_NTHREADS",          "NCCL_NVLS_ENABLE",   "NCCL_P2P_DISABLE",
     "NCCL_P2P_NET_CHUNKSIZE", "NCCL_PXN_DISABLE",   "NCCL_SHM_DISABLE",
     "NCCL_SOCKET_NTHREADS"});

constexpr auto kLogLevels =
    std::to_array<std::string_view>({"VERSION", "WARN", "INFO", "ABORT", "TRACE"});
/// Those that RCCL, which reads the same variables, has besides.
constexpr auto kLogLevelsOfRccl = std::to_array<std::string_view>({"ERROR"});
/// What NCCL does not know either, and then does: it logs nothing.
constexpr auto kNoLog = std::to_array<std::string_view>({"NONE", "OFF"});

/// NVIDIA/nccl src/graph/topo.cc topoPathTypeStr, of all releases; `XGMI` is RCCL's.
constexpr auto kPathTypes = std::to_array<std::string_view>(
    {"LOC", "NVL", "XGMI", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"});

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

void log_level(View value, View container, CheckContext& context) {
  const std::string word = upper_case(value->text);
  const bool nvidia =
      std::ranges::any_of(entries_at(get(container, "resources"), "limits"),
                          [](View each) { return each.key().starts_with("nvidia.com/"); });
  if (is_among(kLogLevels, word) || is_among(kNoLog, word) ||
      (!nvidia && is_among(kLogLevelsOfRccl, word)))
    return;
  context.lint(value, shown(value->text) +
                          " is not a log level of NCCL; expected `VERSION`, `WARN`, `INFO`, "
                          "`ABORT` or `TRACE`");
}

/// Compared letter by letter; an older number starts with a digit.
void distance(View value, CheckContext& context) {
  const std::string_view text = value->text;
  if (is_among(kPathTypes, text) || (text[0] >= '0' && text[0] <= '9')) return;
  const std::string upper = upper_case(text);
  std::string expected = "`LOC`, `NVL`, `PIX`, `PXB`, `PHB` or `SYS`";
  if (is_among(kPathTypes, upper)) expected = "capitals, " + shown(upper);
  context.lint(value, shown(text) + " is no distance that NCCL knows; expected " + expected);
}

void value_of(View value, std::string_view name, View container, CheckContext& context) {
  const std::string_view text = string_of(value);
  if (text.empty() || text.find('$') != text.npos) return;
  if (name == "NCCL_DEBUG") log_level(value, container, context);
  if (name == "NCCL_P2P_LEVEL" || name == "NCCL_NET_GDR_LEVEL") distance(value, context);
  if (is_among(kNumbers, name) && !text.starts_with("0x") && !text.starts_with("0X")) {
    check_digits(value, "NCCL", context);
  }
  if (name != "NCCL_IB_HCA" && name != "NCCL_SOCKET_IFNAME") return;
  if (const std::size_t other = text.find_first_of("; "); other != text.npos) {
    context.lint(value, "NCCL takes " + shown(text.substr(other, 1)) + " in " + shown(text) +
                            " for a part of a name: a list has commas alone");
  }
}

/// Variables for NCCL that it never asks for, and values that it reads as something else or not at
/// all. NVIDIA/nccl src/misc/param.cc ncclLoadParam, src/graph/paths.cc ncclGetLevel
void check_nccl_variables(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (View each : items_at(container.node, "env")) {
      const View name = get(each, "name");
      if (!string_of(name).starts_with("NCCL_")) continue;
      if (const std::string_view near = closest_known_value(name->text, kVariables);
          !near.empty()) {
        context.lint(name, "NCCL has no variable " + shown(name->text) + "; did you mean " +
                               shown(near) + "?");
        continue;
      }
      value_of(get(each, "value"), name->text, container.node, context);
    }
  }
}

bool has_tcpxo(const FabricFeatures& signs) {
  return signs.tcpxo || (signs.gke_networks && !signs.tcpx);
}
bool has_tcpx(const FabricFeatures& signs) {
  return signs.tcpx || (signs.gke_networks && !signs.tcpxo);
}
bool has_gke_rdma(const FabricFeatures& signs) {
  return signs.gke_networks && !signs.tcpx && !signs.tcpxo;
}
bool has_efa(const FabricFeatures& signs) {
  return signs.efa;
}

/// NCCL's own verbs, and the plugin of Google that is made from them.
bool has_verbs(const FabricFeatures& signs) {
  return signs.rdma || has_gke_rdma(signs);
}

/// A setting that only one fabric knows, and what a pod has where it means something.
struct Setting {
  std::string_view name;   // of a variable; ends with `*` for a beginning
  std::string_view value;  // "" for any; else all of it, or with `*` on both sides a part
  NodeFabric fabric;
  bool (*belongs)(const FabricFeatures&);
  bool may_stand_alone = false;  // nodes may have that fabric for pods that ask for nothing
};

constexpr Setting kSettings[] = {
    {"NCCL_FASTRAK_*", "", NodeFabric::TcpXo, has_tcpxo},
    {"NCCL_GPUDIRECTTCPX_*", "", NodeFabric::TcpX, has_tcpx},
    {"FI_EFA_*", "", NodeFabric::Efa, has_efa},
    {"NCCL_IB_HCA", "", NodeFabric::InfiniBand, has_verbs, true},
    // Names of networks, as NCCL logs them.
    {"NCCL_NET", "FasTrak", NodeFabric::TcpXo, has_tcpxo},
    {"NCCL_NET", "gIB", NodeFabric::GkeRdma, has_gke_rdma},
    {"NCCL_NET", "AWS Libfabric", NodeFabric::Efa, has_efa},
    {"NCCL_NET", "IB", NodeFabric::InfiniBand, has_verbs},
    {"FI_PROVIDER", "efa", NodeFabric::Efa, has_efa},
    // Files and folders that plugins come in.
    {"NCCL_TUNER_CONFIG_PATH", "*/a3plus_tuner_config*", NodeFabric::TcpXo, has_tcpxo},
    {"NCCL_TUNER_CONFIG_PATH", "*/gib/*", NodeFabric::GkeRdma, has_gke_rdma},
    {"LD_LIBRARY_PATH", "*/tcpxo/lib64*", NodeFabric::TcpXo, has_tcpxo},
    {"LD_LIBRARY_PATH", "*/fastrak/lib64*", NodeFabric::TcpXo, has_tcpxo},
    {"LD_LIBRARY_PATH", "*/tcpx/lib64*", NodeFabric::TcpX, has_tcpx},
    {"LD_LIBRARY_PATH", "*/gib/lib64*", NodeFabric::GkeRdma, has_gke_rdma},
};

/// Scripts of a node that set variables, and whose they are.
struct Script {
  std::string_view name;
  NodeFabric fabric;
};
constexpr Script kScripts[] = {
    {"nccl-env-profile", NodeFabric::TcpXo},
    {"gib/scripts/set_nccl_env.sh", NodeFabric::GkeRdma},
};

bool is_about(const Setting& setting, std::string_view name) {
  std::string_view known = setting.name;
  if (!known.ends_with('*')) return known == name;
  known.remove_suffix(1);
  return name.starts_with(known);
}

/// Whether a variable of this name is the setting; one whose value comes from elsewhere may be
/// anything.
bool is_set(const Setting& setting, View variable, std::string_view name) {
  if (!is_about(setting, name)) return false;
  if (setting.value.empty()) return true;
  const std::string_view value = string_at(variable, "value");
  if (!setting.value.starts_with('*')) return value == setting.value;
  return contains(value, setting.value.substr(1, setting.value.size() - 2));
}

/// A container without GPUs that starts mpirun, or Ray, which has the same variables in all pods of
/// a cluster: they are for the ranks of others.
bool hands_on(View container, CheckContext& context) {
  if (devices_of(get(container, "resources")).whole > 0) return false;
  if (string_at(context.object(), "apiVersion").starts_with("ray.io/")) return true;
  return std::ranges::any_of(command_words(container), [](const ShellWord& word) {
    const std::string_view text = word.text;
    const std::string_view program = program_name(text);
    return program == "mpirun" || program == "mpiexec";
  });
}

std::string phrase(const Setting& setting, View variable) {
  const std::string name = shown(string_at(variable, "name"));
  if (setting.value.empty()) return name + " is a variable of ";
  return name + " of " + shown(string_at(variable, "value")) + " is a setting of ";
}

/// Variables of one fabric in a pod that surely has another, or that say nothing without theirs.
void foreign_variables(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsVolumes)) return;
  std::optional<FabricFeatures> known;  // once there is such a variable
  for (const PodContainer& each : pod.containers) {
    for (View variable : items_at(each.node, "env")) {
      const std::string_view name = string_at(variable, "name");
      for (const Setting& setting : kSettings) {
        if (!is_set(setting, variable, name)) continue;
        if (!known) known = fabric_features_of(pod);
        const FabricFeatures& signs = *known;
        if (signs.may_be_hidden() || setting.belongs(signs)) continue;
        const bool other = signs.efa || signs.rdma || signs.gke();
        if (!other &&
            (setting.may_stand_alone || !setting.value.empty() || hands_on(each.node, context))) {
          continue;
        }
        context.lint(
            get(variable, setting.value.empty() ? "name" : "value"),
            phrase(setting, variable) + std::string(words_of(setting.fabric).name) +
                (other ? ", and the pod has another fabric" : ", and the pod has nothing of it"));
        break;
      }
    }
  }
}

struct Evidence {
  View at;
  std::string what;
  NodeFabric fabric = NodeFabric::TcpX;
};

bool mentions_script(View container) {
  return std::ranges::any_of(
      kScripts, [&](const Script& each) { return contains_text(container, each.name); });
}

/// Of the variables whose value can show a fabric.
constexpr KeyBits kTelling = [] {
  KeyBits bits = 0;
  for (const Setting& setting : kSettings) {
    if (!setting.value.empty()) bits |= key_bit(setting.name);
  }
  return bits;
}();

/// What a container is made for, by its settings alone. Variables that only one fabric has are
/// reported elsewhere.
std::optional<Evidence> evidence(View container) {
  for (View variable : items_at(container, "env")) {
    const std::string_view name = string_at(variable, "name");
    if ((kTelling & key_bit(name)) == 0) continue;
    for (const Setting& setting : kSettings) {
      if (setting.value.empty() || !is_set(setting, variable, name)) continue;
      return Evidence{get(variable, "value"), phrase(setting, variable), setting.fabric};
    }
  }
  if (!mentions_script(container)) return std::nullopt;
  for (const ShellWord& word : command_words(container)) {
    for (const Script& script : kScripts) {
      if (!contains(word.text, script.name)) continue;
      return Evidence{word.at, shown(word.text) + " has the settings of ", script.fabric};
    }
  }
  return std::nullopt;
}

/// Pods of several nodes that are set up for a fabric by words, and have nothing of any.
void settings_alone(const Workload& workload, CheckContext& context) {
  if (workload.gpu_pods < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || !role.pod.spec || role.pod.has(kAddsVolumes)) continue;
    for (View container : role.containers) {
      const auto found = evidence(container);
      if (!found) continue;
      if (role.devices.whole == 0 || fabric_features_of(role.pod).any()) break;
      // Then it is known which fabric they lack, and said.
      if (machine_of(role.pod.spec, context.cluster()).machine != nullptr) break;
      const FabricWords& fabric = words_of(found->fabric);
      context.lint(found->at, found->what + std::string(fabric.name) +
                                  ", and the pods have nothing of it: one that uses it has " +
                                  std::string(fabric.needs));
      break;
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "nccl-variable",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "NCCL knows the variables that are for it, and their values.",
     .source = "NVIDIA/nccl src/debug.cc, src/misc/param.cc, src/graph/paths.cc and user guide, "
               "environment variables; ROCm/rccl documentation, environment variables",
     .pod = check_nccl_variables,
     .severity = Severity::Warning,
     .because = "NCCL does not complain of a name that it does not know, nor of a value that it "
                "cannot read, and goes on as without the setting: over another interface, or "
                "without a log.",
     .fix = "write names and values as in the documentation of NCCL"},
    {.name = "foreign-fabric-variable",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "Variables of a network fabric stand in pods that have it.",
     .source = "AI-Hypercomputer/gpu-recipes training; aws/aws-ofi-nccl README.md; NVIDIA/aicr "
               "docs/user",
     .pod = foreign_variables,
     .severity = Severity::Warning,
     .because = "They were copied from a job on other machines: the plugin that reads them is not "
                "there, and settings meant for this fabric are missing.",
     .fix = "leave them out, or ask for the devices of that fabric",
     .rule = "fabric-check"},
    {.name = "fabric-settings-alone",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "Pods that are set up for a network fabric ask for it.",
     .source = "NVIDIA/nccl src/plugin/net.cc; GoogleCloudPlatform/container-engine-accelerators "
               "gpudirect-tcpxo and gpudirect-rdma; aws/aws-ofi-nccl README.md",
     .workload = settings_alone,
     .severity = Severity::Warning,
     .because = "Settings do not bring devices: NCCL falls back to TCP without a word, or ends "
                "where `NCCL_NET` names a network that is not there.",
     .fix = "add what that fabric needs, or leave the settings out; where an admission webhook "
            "adds it, turn this check off",
     .rule = "fabric-check"},
};

}  // namespace

const std::span<const Check> fabric_setting_lints = kChecks;

}  // namespace trainyard
