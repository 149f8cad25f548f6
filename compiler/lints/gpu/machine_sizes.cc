// Pods against the CPUs and the memory of the machine that they select.

#include "lints/gpu/machine_sizes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "diag/words.h"
#include "manifest/fabric_features.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct MachineSize {
  std::string_view machine;
  std::int64_t cpus;
  std::int64_t gib;
};
// aws/karpenter-provider-aws website, reference of instance types
constexpr MachineSize kSizes[] = {
    {"p3.2xlarge", 8, 61},           {"p3.8xlarge", 32, 244},
    {"p3.16xlarge", 64, 488},        {"p3dn.24xlarge", 96, 768},
    {"p4d.24xlarge", 96, 1152},      {"p4de.24xlarge", 96, 1152},
    {"p5.4xlarge", 16, 256},         {"p5.48xlarge", 192, 2048},
    {"p5e.48xlarge", 192, 2048},     {"p5en.48xlarge", 192, 2048},
    {"p6-b200.48xlarge", 192, 2048}, {"p6-b300.48xlarge", 192, 4096},
    {"g4dn.xlarge", 4, 16},          {"g4dn.2xlarge", 8, 32},
    {"g4dn.4xlarge", 16, 64},        {"g4dn.8xlarge", 32, 128},
    {"g4dn.12xlarge", 48, 192},      {"g4dn.16xlarge", 64, 256},
    {"g4dn.metal", 96, 384},         {"g5.xlarge", 4, 16},
    {"g5.2xlarge", 8, 32},           {"g5.4xlarge", 16, 64},
    {"g5.8xlarge", 32, 128},         {"g5.12xlarge", 48, 192},
    {"g5.16xlarge", 64, 256},        {"g5.24xlarge", 96, 384},
    {"g5.48xlarge", 192, 768},       {"g6.xlarge", 4, 16},
    {"g6.2xlarge", 8, 32},           {"g6.4xlarge", 16, 64},
    {"g6.8xlarge", 32, 128},         {"g6.12xlarge", 48, 192},
    {"g6.16xlarge", 64, 256},        {"g6.24xlarge", 96, 384},
    {"g6.48xlarge", 192, 768},       {"g6e.xlarge", 4, 32},
    {"g6e.2xlarge", 8, 64},          {"g6e.4xlarge", 16, 128},
    {"g6e.8xlarge", 32, 256},        {"g6e.12xlarge", 48, 384},
    {"g6e.16xlarge", 64, 512},       {"g6e.24xlarge", 96, 768},
    {"g6e.48xlarge", 192, 1536},
};

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

/// What the containers of a pod ask for, and where the last one does.
struct Asked {
  double amount = 0;
  View at;
};

Asked asked_for(const Pod& pod, std::string_view resource) {
  Asked all;
  for (const PodContainer& each : pod.containers) {
    if (each.role != ContainerRole::Regular) continue;
    const View resources = get(each.node, "resources");
    const View request = get(get(resources, "requests"), resource);
    const View value = request ? request : get(get(resources, "limits"), resource);
    const auto amount = value ? Quantity::parse(value->text) : std::nullopt;
    if (!amount) continue;
    all.amount += amount->approximate();
    all.at = value;
  }
  return all;
}

/// The machines that a pod may run on; none where others may do, or one is not known.
struct Machines {
  std::vector<const MachineSize*> sizes;
  View at;

  bool add(View name) {
    std::string_view text = string_of(name);
    if (text.starts_with("ml.")) text.remove_prefix(3);
    const auto* const size = std::ranges::find(kSizes, text, &MachineSize::machine);
    if (size == std::end(kSizes)) return false;
    sizes.push_back(size);
    at = name;
    return true;
  }
};

Machines selected_machines(const Pod& pod) {
  Machines found;
  for (View label : entries_at(pod.spec, "nodeSelector")) {
    if (!is_machine_label(label.key())) continue;
    if (found.add(label)) return found;
  }
  const View required = get(get(get(pod.spec, "affinity"), "nodeAffinity"),
                            "requiredDuringSchedulingIgnoredDuringExecution");
  for (View term : items_at(required, "nodeSelectorTerms")) {
    const std::size_t before = found.sizes.size();
    for (View each : items_at(term, "matchExpressions")) {
      if (!is_machine_label(string_at(each, "key")) || string_at(each, "operator") != "In")
        continue;
      for (View value : items_at(each, "values")) {
        if (!found.add(value)) return {};
      }
    }
    if (found.sizes.size() == before) return {};
  }
  return found;
}

}  // namespace

void check_machine_size(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers)) return;
  const Machines machines = selected_machines(pod);
  if (machines.sizes.empty()) return;
  for (std::string_view resource : {"cpu", "memory"}) {
    const bool is_cpu = resource == "cpu";
    const auto* const largest = *std::ranges::max_element(
        machines.sizes, {},
        [&](const MachineSize* each) { return is_cpu ? each->cpus : each->gib; });
    const double there =
        is_cpu ? static_cast<double>(largest->cpus) : static_cast<double>(largest->gib) * kGib;
    const Asked asked = asked_for(pod, resource);
    if (!asked.at || asked.amount <= there) continue;
    context
        .lint(asked.at, "a node of " + shown(largest->machine) + " has " +
                            std::to_string(is_cpu ? largest->cpus : largest->gib) +
                            (is_cpu ? " CPUs" : " GiB of memory") + ", and the pod asks for more")
        .also(context.place(machines.at), "the machine");
    return;
  }
}

}  // namespace trainyard
