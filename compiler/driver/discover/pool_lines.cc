#include "driver/discover/pool_lines.h"

#include <algorithm>

#include "capacity/topology_levels.h"
#include "diag/words.h"
#include "driver/discover/fabric_lines.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// `gpu-1, gpu-2 and 14 more`
std::string names_of(const std::vector<const RealNode*>& nodes) {
  constexpr std::size_t kShown = 3;
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (std::size_t i = 0; i < std::min(nodes.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + std::string(nodes[i]->name);
  }
  if (nodes.size() > kShown) text += " and " + std::to_string(nodes.size() - kShown) + " more";
  return text;
}

/// `topology-block` of a label cloud.example.com/topology-block.
std::string level_name(std::string_view label) {
  return std::string(label.substr(label.rfind('/') + 1)).substr(0, 63);
}

class PoolWriter {
 public:
  PoolWriter(const Survey& survey, DocumentLines& lines) : survey_(survey), lines_(lines) {}

  void write(const DiscoveredPool& pool, const std::string& network) {
    pool_ = &pool;
    machine_ = pool.machine.machine;
    lines_.line(2, "- name: " + yaml_text(pool.name), pool.name_by);
    lines_.line(3, "machine: " + yaml_text(*machine_->name), pool.machine_by);
    lines_.line(3, "count: " + std::to_string(pool.nodes.size()), names_of(pool.nodes));
    labels();
    taints();
    if (!pool.zone.empty()) {
      lines_.line(3, "zone: " + yaml_text(pool.zone), "label topology.kubernetes.io/zone");
    }
    topology();
    capacity();
    gpu();
    allocatable();
    if (!network.empty()) {
      lines_.line(3, "network: " + network, "guessed: by the devices that the nodes offer");
    }
    for (const std::string& note : pool.notes) lines_.comment(3, note);
  }

 private:
  void labels() {
    Fields fields;
    for (const auto& [key, value] : pool_->labels) fields.emplace_back(key, yaml_text(value));
    lines_.line(3, "labels: " + flow_map(fields), "labels of these nodes alone");
  }

  void taints() {
    if (pool_->taints.empty()) return;
    lines_.line(3, "taints:");
    for (const NodeTaint& taint : pool_->taints) {
      Fields fields = {{"key", yaml_text(taint.key)}};
      if (!taint.value.empty()) fields.emplace_back("value", yaml_text(taint.value));
      fields.emplace_back("effect", yaml_text(taint.effect));
      const auto having = std::ranges::count_if(pool_->nodes, [&taint](const RealNode* each) {
        return std::ranges::any_of(each->taints, [&taint](const NodeTaint& has) {
          return has.key == taint.key && has.value == taint.value && has.effect == taint.effect;
        });
      });
      lines_.entry(4, fields,
                   "on " + std::to_string(having) + " of " +
                       counted(static_cast<std::uint32_t>(pool_->nodes.size()), "node"));
    }
  }

  bool all_have(std::string_view label) const {
    return std::ranges::none_of(
        pool_->nodes, [label](const RealNode* each) { return each->label(label).empty(); });
  }

  static std::string level(std::string_view name, std::string_view label) {
    return flow_map({{"name", yaml_text(name)}, {"nodeLabel", yaml_text(label)}});
  }

  /// The levels of the machine's cloud, as far as the nodes have their labels; else those of a
  /// Topology of Kueue.
  void topology() {
    const auto usual = topology_levels(nullptr, machine_, pool_->machine.cloud);
    std::vector<std::string> there;
    for (const auto& each : usual) {
      if (all_have(*each->node_label)) there.push_back(level(*each->name, *each->node_label));
    }
    if (!there.empty()) {
      return lines_.line(3, "topology: " + flow_list(there), "labels of all these nodes");
    }
    for (const View each : survey_.kind("Topology.kueue.x-k8s.io").items) {
      std::vector<std::string> levels;
      for (const View entry : items_at(get(each, "spec"), "levels")) {
        const std::string_view label = string_at(entry, "nodeLabel");
        if (label == kHostNameLevel || !all_have(label)) continue;
        levels.push_back(level(level_name(label), label));
      }
      if (levels.empty()) continue;
      return lines_.line(3, "topology: " + flow_list(levels),
                         "Topology " + std::string(string_at(get(each, "metadata"), "name")));
    }
    if (!usual.empty()) {
      lines_.line(3, "topology: []", "the nodes have none of the labels of their cloud");
    }
  }

  void capacity() {
    if (pool_->capacity.empty()) return;
    lines_.line(3, "capacity: " + pool_->capacity, "label " + pool_->capacity_by);
    if (pool_->reservation.empty()) return;
    lines_.line(3, "reservation: " + yaml_text(pool_->reservation), "label " + pool_->capacity_by);
  }

  void gpu() {
    const RealGpus& gpus = pool_->gpus;
    Fields fields;
    const bool is_other =
        machine_->gpu->product && *machine_->gpu->product != gpus.product && !gpus.product.empty();
    if (is_other) fields.emplace_back("product", yaml_text(gpus.product));
    if (gpus.count > 0 && gpus.count != *machine_->gpu->count) {
      fields.emplace_back("count", std::to_string(gpus.count));
    }
    if (is_other) memory(fields);
    Fields slices;
    for (const auto& [profile, count] : gpus.mig) {
      slices.emplace_back(profile_name(profile), std::to_string(count));
    }
    if (!slices.empty()) {
      fields.emplace_back("migStrategy", gpus.is_mixed ? "mixed" : "single");
      fields.emplace_back("mig", flow_map(slices));
    }
    if (!gpus.sharing.empty()) fields.emplace_back("sharing", sharing(gpus));
    if (!fields.empty()) {
      lines_.line(3, "gpu: " + flow_map(fields),
                  "labels of GPU Feature Discovery, and what the nodes offer");
    }
  }

  /// In MiB, by GPU Feature Discovery.
  void memory(Fields& fields) const {
    const std::string_view amount = pool_->nodes.front()->label("nvidia.com/gpu.memory");
    const auto parsed = Quantity::parse(std::string(amount) + "Mi");
    if (!amount.empty() && parsed) fields.emplace_back("memory", yaml_text(parsed->text()));
  }

  /// Labels and resources have `.me` for `+me`.
  static std::string profile_name(std::string profile) {
    if (profile.ends_with(".me")) profile.replace(profile.size() - 3, 1, "+");
    return profile;
  }

  static std::string sharing(const RealGpus& gpus) {
    Fields fields = {{"mode", gpus.sharing}, {"replicas", std::to_string(gpus.replicas)}};
    if (gpus.is_renamed) fields.emplace_back("renameByDefault", "true");
    return flow_map(fields);
  }

  void allocatable() {
    const std::string less =
        pool_->daemons > 0
            ? "less what " + counted(static_cast<std::uint32_t>(pool_->daemons), "DaemonSet") +
                  " request" + (pool_->daemons == 1 ? "s" : "")
        : survey_.kind("DaemonSet.apps").is_read ? "no DaemonSet requests any"
                                                 : "DaemonSets are not known";
    lines_.line(3,
                "allocatable: " + flow_map({{"cpu", yaml_text(pool_->cpu.text())},
                                            {"memory", yaml_text(pool_->memory.text())}}),
                "the least of its nodes, " + less);
  }

  const Survey& survey_;
  DocumentLines& lines_;
  const DiscoveredPool* pool_ = nullptr;
  const Machine* machine_ = nullptr;
};

}  // namespace

void pool_lines(const Survey& survey, const std::vector<RealNode>& nodes,
                const std::vector<DiscoveredPool>& pools, DocumentLines& lines) {
  DocumentLines list;
  PoolWriter writer(survey, list);
  FabricGuesses fabrics(survey);
  for (const DiscoveredPool& pool : pools) {
    if (pool.machine.machine != nullptr) fabrics.take(pool);  // one pool decides for others
  }
  std::size_t in_pools = 0;
  std::vector<std::string> unknown;
  for (const DiscoveredPool& pool : pools) {
    in_pools += pool.nodes.size();
    if (pool.machine.machine != nullptr) {
      writer.write(pool, fabrics.take(pool));
      for (const std::string& note : fabrics.notes_of_pool()) list.comment(3, note);
    } else {
      for (const RealNode* node : pool.nodes) unknown.emplace_back(node->name);
    }
  }
  const std::size_t rest = nodes.size() - in_pools;
  if (rest > 0) {
    lines.comment(1, counted(static_cast<std::uint32_t>(rest), "node") +
                         " without GPUs: in no pool, since jobs do not name them");
  }
  if (!unknown.empty()) {
    lines.comment(1, "Left to you: no label shows the machine of " + listed(unknown, "and") +
                         ". GPU Feature Discovery sets nvidia.com/gpu.product.");
  }
  if (!list.is_empty()) {
    lines.line(1, "pools:");
    lines.append(list);
  }
  fabrics.write(lines);
}

}  // namespace trainyard
