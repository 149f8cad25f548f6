#include "diagnosis/pod_status.h"

#include <algorithm>
#include <array>

#include "effective/status.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

ContainerStatus container_status(View status, bool is_init) {
  ContainerStatus result;
  result.name = string_at(status, "name");
  result.is_init = is_init;
  result.restarts = integer_at(status, "restartCount").value_or(0);
  const View states = get(status, "state");
  for (std::string_view state : {"running", "waiting", "terminated"}) {
    const View at = get(states, state);
    if (!at) continue;
    result.state = state;
    result.reason = string_at(at, "reason");
    result.message = string_at(at, "message");
    result.since = string_at(at, state == "running" ? "startedAt" : "finishedAt");
    result.exit_code = integer_at(at, "exitCode");
  }
  const View before = get(get(status, "lastState"), "terminated");
  if (!result.exit_code) result.exit_code = integer_at(before, "exitCode");
  if (result.state == "waiting" && before) result.since = string_at(before, "finishedAt");
  return result;
}

bool is_sidecar(View pod, std::string_view name) {
  for (View each : items_at(get(pod, "spec"), "initContainers")) {
    if (string_at(each, "name") == name) return string_at(each, "restartPolicy") == "Always";
  }
  return false;
}

std::string ended(const ContainerStatus& container) {
  if (!container.reason.empty()) return std::string(container.reason);
  return "ExitCode:" + std::to_string(container.exit_code.value_or(0));
}

/// What init containers make of the state; "" when they are done.
std::string init_state(const PodStatus& pod) {
  std::size_t done = 0;
  std::size_t all = 0;
  for (const ContainerStatus& each : pod.containers) all += each.is_init ? 1 : 0;
  for (const ContainerStatus& each : pod.containers) {
    if (!each.is_init) continue;
    const bool is_over = each.state == "terminated" && each.exit_code == 0;
    const bool is_up = each.state == "running" && is_sidecar(pod.pod, each.name);
    if (is_over || is_up) {
      ++done;
      continue;
    }
    if (each.state == "terminated") return "Init:" + ended(each);
    const bool is_told = each.state == "waiting" && !each.reason.empty();
    if (is_told && each.reason != "PodInitializing") return "Init:" + std::string(each.reason);
    return "Init:" + std::to_string(done) + "/" + std::to_string(all);
  }
  return {};
}

/// As kubectl's printer: kubernetes/kubernetes pkg/printers/internalversion/printers.go printPod;
/// but it tells why no node was found.
std::string state_of(const PodStatus& pod) {
  const View status = get(pod.pod, "status");
  const std::string_view reason = string_at(status, "reason");
  std::string state(reason.empty() ? string_at(status, "phase") : reason);
  const View scheduled = condition_of(status, "PodScheduled");
  if (scheduled && string_at(scheduled, "status") == "False") {
    state = string_at(scheduled, "reason");
  }
  if (std::string init = init_state(pod); !init.empty()) {
    state = std::move(init);
  } else {
    for (const ContainerStatus& each : pod.containers) {
      if (each.is_init || each.state == "running" || each.state.empty()) continue;
      if (each.state == "waiting" && each.reason.empty()) continue;
      state = each.state == "waiting" ? std::string(each.reason) : ended(each);
      if (each.exit_code.value_or(1) != 0) break;  // what went wrong tells more than what went well
    }
  }
  if (!string_at(get(pod.pod, "metadata"), "deletionTimestamp").empty()) {
    state = reason == "NodeLost" ? "Unknown" : "Terminating";
  }
  return state.empty() ? "Unknown" : state;
}

/// When the pod came into its state: the newest time of its containers, else of the pod.
std::string_view since_of(const PodStatus& pod) {
  std::string_view since;
  for (const ContainerStatus& each : pod.containers) {
    if (!each.is_init && each.since > since) since = each.since;
  }
  if (!since.empty()) return since;
  const std::string_view started = string_at(get(pod.pod, "status"), "startTime");
  return started.empty() ? string_at(get(pod.pod, "metadata"), "creationTimestamp") : started;
}

}  // namespace

PodStatus pod_status(View pod, const JobKind& kind, const JobKinds& kinds) {
  PodStatus result;
  result.pod = pod;
  result.name = string_at(get(pod, "metadata"), "name");
  result.node = string_at(get(pod, "spec"), "nodeName");
  result.rank = rank_of(pod, kind, kinds);
  const View status = get(pod, "status");
  for (const bool is_init : {true, false}) {
    const std::string_view list = is_init ? "initContainerStatuses" : "containerStatuses";
    for (View each : items_at(status, list)) {
      result.containers.push_back(container_status(each, is_init));
      result.restarts += result.containers.back().restarts;
    }
  }
  const std::string_view phase = string_at(status, "phase");
  const View ready = condition_of(status, "Ready");
  const bool is_unready = ready && string_at(ready, "status") != "True";
  const bool is_deleted = !string_at(get(pod, "metadata"), "deletionTimestamp").empty();
  result.runs = phase == "Running" && !is_unready && !is_deleted;
  result.succeeded = phase == "Succeeded";
  result.failed = phase == "Failed";
  result.state = state_of(result);
  result.since = since_of(result);
  return result;
}

}  // namespace trainyard
