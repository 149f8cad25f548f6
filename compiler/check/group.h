#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace trainyard {

/// What a check is about. Each group has a page: docs/checks/<group>.md.
enum class CheckGroup : std::uint8_t {
  Core,      // objects, names, containers, volumes: what every manifest has
  Training,  // the kinds that run training jobs
  Launch,    // how ranks start and find each other
  Gang,      // pods that start together
  Queue,     // quota, queues, topology of queues
  Fabric,    // networks for collectives
  Gpu,       // devices, their partitions, nodes that have them
  Memory,    // memory and shared memory
  Storage,   // claims and volumes for data
  Images,
  Secrets,
  Security,
  GitOps,
  Serving,
  Platform,  // what platform teams write: roles, webhooks, classes
};

/// The words for groups, in that order.
inline constexpr auto kGroupWords = std::to_array<std::string_view>(
    {"core", "training", "launch", "gang", "queue", "fabric", "gpu", "memory", "storage", "images",
     "secrets", "security", "gitops", "serving", "platform"});

inline std::string_view word(CheckGroup group) {
  return kGroupWords[static_cast<std::size_t>(group)];
}

/// Whether a check has been seen to be right often enough.
enum class Stage : std::uint8_t {
  Stable,
  Preview,  // a warning at most, and no reason to fail, unless the user asks for a severity
};

inline constexpr auto kStageWords = std::to_array<std::string_view>({"stable", "preview"});

inline std::string_view word(Stage stage) {
  return kStageWords[static_cast<std::size_t>(stage)];
}

}  // namespace trainyard
