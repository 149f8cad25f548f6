#include "lints/fabric/nccl_variables.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/core/upper_case.h"
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
  const std::string word = in_capitals(value->text);
  const bool nvidia =
      std::ranges::any_of(entries_at(get(container, "resources"), "limits"),
                          [](View each) { return each.key().starts_with("nvidia.com/"); });
  if (is_among(kLogLevels, word) || is_among(kNoLog, word) ||
      (!nvidia && is_among(kLogLevelsOfRccl, word)))
    return;
  context.lint(value, shown(value->text) +
                          " is no level of NCCL's log; expected `VERSION`, `WARN`, `INFO`, "
                          "`ABORT` or `TRACE`");
}

/// Compared letter by letter; an older number starts with a digit.
void distance(View value, CheckContext& context) {
  const std::string_view text = value->text;
  if (is_among(kPathTypes, text) || (text[0] >= '0' && text[0] <= '9')) return;
  const std::string upper = in_capitals(text);
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

}  // namespace

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

}  // namespace trainyard
