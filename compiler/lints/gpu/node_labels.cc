// Labels of nodes that a pod asks for, against what their makers write.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Chips of `4x4` or `2x2x4`; nothing for other texts.
std::optional<std::int64_t> chips_of(std::string_view topology) {
  std::int64_t chips = 1;
  while (!topology.empty()) {
    const auto side = take_number(topology);
    constexpr std::int64_t kMost = 1000;
    if (!side || *side == 0 || *side > kMost) return std::nullopt;
    chips *= *side;
    if (topology.empty()) break;
    if (topology.front() != 'x' || topology.size() == 1) return std::nullopt;
    topology.remove_prefix(1);
  }
  return chips;
}

std::int64_t tpus_of(const WorkloadRole& role) {
  std::int64_t chips = 0;
  for (View container : role.containers) {
    const View resources = get(container, "resources");
    const View limit = get(get(resources, "limits"), "google.com/tpu");
    const View own = limit ? limit : get(get(resources, "requests"), "google.com/tpu");
    if (own) chips += plain_number(own->text).value_or(0);
  }
  return chips;
}

/// Pods of one slice: those of one Job, where the workload has several.
std::int64_t pods_of_slice(const Workload& workload, const WorkloadRole& role) {
  if (workload.kind != "JobSet") return role.pods;
  const View job = get(get(role.holder, "template"), "spec");
  return count_of(get(job, "parallelism"), get(job, "completions"));
}

void tpu_topology(const Workload& workload, CheckContext& context) {
  constexpr std::int64_t kOfHost = 4;  // in a slice of several hosts
  if (!workload.is("batch", "Job") && workload.kind != "JobSet") return;
  for (const WorkloadRole& role : workload.roles) {
    const View label = get(get(role.pod.spec, "nodeSelector"), "cloud.google.com/gke-tpu-topology");
    const auto chips = chips_of(string_of(label));
    const std::int64_t each = tpus_of(role);
    // Up to so many, one host may have all chips: in two dimensions there are hosts of eight.
    const std::int64_t of_one_host = std::ranges::count(string_of(label), 'x') == 2 ? kOfHost : 8;
    if (!label || !chips || *chips <= of_one_host || each < 1) continue;
    if (each > kOfHost) {
      context.lint(label, "hosts of topology " + shown(label->text) + " have " +
                              std::to_string(kOfHost) + " chips each, and a pod asks for " +
                              std::to_string(each));
      continue;
    }
    const std::int64_t pods = pods_of_slice(workload, role);
    if (pods * each == *chips) continue;
    Diagnostic& told = context.lint(
        label, "a slice of topology " + shown(label->text) + " has " + std::to_string(*chips) +
                   " chips, and " + std::to_string(pods) +
                   (pods == 1 ? " pod takes " : " pods take ") + std::to_string(pods * each));
    told.also(context.place(role.count), "how many pods");
    if (*chips % each != 0) continue;
    told.note(std::to_string(*chips / each) + " pods of " + std::to_string(each) +
              (each == 1 ? " chip" : " chips") + " take all of it");
  }
}

constexpr Check kChecks[] = {
    {.name = "tpu-topology",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The pods of a job take all chips of the TPU slice that they ask for.",
     .source = "AI-Hypercomputer/xpk src/xpk/core/system_characteristics.py; "
               "GoogleCloudPlatform/kubernetes-engine-samples ai-ml/gke-tpu",
     .workload = tpu_topology,
     .severity = Severity::Warning,
     .because = "All hosts of a slice start together: with fewer pods the TPU runtime waits, and "
                "with more chips a pod stays pending.",
     .fix = "let `parallelism` and `completions` be the chips of the topology by those of a pod"},
};

}  // namespace

const std::span<const Check> node_label_lints = kChecks;

}  // namespace trainyard
