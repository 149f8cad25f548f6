#include "live/discover/pool_lines.h"

#include <algorithm>

#include "capacity/topology_levels.h"
#include "diag/words.h"

namespace trainyard {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// How a fabric hands out its devices, as far as the resources of the nodes show.
struct FabricGuess {
  std::string resource;
  std::string count;  // per-nic, per-gpu, flag
};

bool is_of_a_fabric(std::string_view resource) {
  return resource.starts_with("rdma/") || resource.find("rdma") != std::string_view::npos ||
         resource.find("hostdev") != std::string_view::npos;
}

class PoolWriter {
 public:
  explicit PoolWriter(DocumentLines& lines) : lines_(lines) {}

  void write(const DiscoveredPool& pool) {
    pool_ = &pool;
    machine_ = pool.machine.machine;
    lines_.line(2, "- name: " + yaml_text(pool.name));
    lines_.line(3, "machine: " + yaml_text(*machine_->name), pool.guess);
    lines_.line(3, "count: " + std::to_string(pool.nodes.size()));
    labels();
    taints();
    if (!pool.zone.empty()) lines_.line(3, "zone: " + yaml_text(pool.zone));
    topology();
    gpu();
    lines_.line(3,
                "allocatable: " + flow_map({{"cpu", yaml_text(pool.cpu.text())},
                                            {"memory", yaml_text(pool.memory.text())}}),
                "the least of its nodes");
    network();
    for (const std::string& note : pool.notes) lines_.comment(3, note);
  }

  /// By fabric; one setting holds for all pools.
  const std::map<std::string, FabricGuess>& fabrics() const { return fabrics_; }

 private:
  void labels() {
    Fields fields;
    for (const auto& [key, value] : pool_->labels) fields.emplace_back(key, yaml_text(value));
    lines_.line(3, "labels: " + flow_map(fields));
  }

  void taints() {
    if (pool_->taints.empty()) return;
    lines_.line(3, "taints:");
    for (const NodeTaint& taint : pool_->taints) {
      Fields fields = {{"key", yaml_text(taint.key)}};
      if (!taint.value.empty()) fields.emplace_back("value", yaml_text(taint.value));
      fields.emplace_back("effect", yaml_text(taint.effect));
      lines_.line(4, "- " + flow_map(fields));
    }
  }

  bool all_have(std::string_view label) const {
    return std::ranges::none_of(
        pool_->nodes, [label](const RealNode* each) { return each->label(label).empty(); });
  }

  /// The levels of the machine's cloud, as far as the nodes have their labels.
  void topology() {
    const auto usual = topology_levels(nullptr, machine_, pool_->machine.cloud);
    if (usual.empty()) return;
    std::vector<std::string> there;
    for (const auto& level : usual) {
      if (!all_have(*level->node_label)) continue;
      there.push_back(flow_map(
          {{"name", yaml_text(*level->name)}, {"nodeLabel", yaml_text(*level->node_label)}}));
    }
    if (there.size() == usual.size()) return;
    lines_.line(3, "topology: " + flow_list(there),
                there.empty() ? "the nodes have none of the labels of their cloud" : "");
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
    if (!fields.empty()) lines_.line(3, "gpu: " + flow_map(fields));
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

  void network() {
    if (machine_->resources) return known_devices();
    const std::string fabric = machine_->fabric ? std::string(*machine_->fabric) : "";
    for (const auto& [resource, amount] : pool_->devices) {
      if (!is_of_a_fabric(resource) || fabric.empty() || fabric == "none") continue;
      return settings(fabric, resource, amount.whole_units().value_or(0));
    }
    if (pool_->is_stand_in) {
      lines_.line(3, "network: {fabric: tcp}", "guessed: no device of a fabric is offered");
    } else if (!fabric.empty() && fabric != "none") {
      lines_.comment(3, "no resource of fabric " + fabric +
                            " is offered: state it under `network.fabrics` once it is");
    }
  }

  /// What the catalogue says of such machines, where the nodes offer something else.
  void known_devices() {
    Fields there;
    bool is_as_known = true;
    for (const auto& entry : *machine_->resources) {
      const auto found = pool_->devices.find(entry.key);
      const bool is_there = found != pool_->devices.end();
      const std::int64_t count = is_there ? found->second.whole_units().value_or(0) : 0;
      is_as_known = is_as_known && count >= *entry.value;
      if (count > 0) there.emplace_back(entry.key, std::to_string(std::min(count, *entry.value)));
    }
    if (is_as_known) return;
    const std::string fabric = there.empty() ? "fabric: tcp, " : "";
    lines_.line(3, "network: {" + fabric + "resources: " + flow_map(there) + "}",
                "the nodes do not offer all devices of this machine");
  }

  void settings(const std::string& fabric, const std::string& resource, std::int64_t offered) {
    const std::int64_t gpus = std::max<std::int64_t>(pool_->gpus.count, 1);
    const std::string count = machine_->nics && *machine_->nics == offered ? "per-nic"
                              : offered == gpus                            ? "per-gpu"
                                                                           : "flag";
    const FabricGuess guess{resource, count};
    const auto [place, is_new] = fabrics_.emplace(fabric, guess);
    const bool is_same = place->second.resource == resource && place->second.count == count;
    if (is_same && (count != "flag" || offered >= gpus)) return;
    if (is_new) fabrics_.erase(place);
    lines_.line(3, "network: {resources: " + flow_map({{resource, std::to_string(offered)}}) + "}",
                "guessed: the devices of fabric " + fabric);
  }

  DocumentLines& lines_;
  const DiscoveredPool* pool_ = nullptr;
  const Machine* machine_ = nullptr;
  std::map<std::string, FabricGuess> fabrics_;
};

}  // namespace

void pool_lines(const std::vector<RealNode>& nodes, const std::vector<DiscoveredPool>& pools,
                DocumentLines& lines) {
  DocumentLines list;
  PoolWriter writer(list);
  std::size_t in_pools = 0;
  std::vector<std::string> unknown;
  for (const DiscoveredPool& pool : pools) {
    in_pools += pool.nodes.size();
    if (pool.machine.machine != nullptr) {
      writer.write(pool);
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
    lines.comment(1, "Left to you: no label tells the machine of " + listed(unknown, "and") +
                         ". GPU Feature Discovery sets nvidia.com/gpu.product.");
  }
  if (!list.is_empty()) {
    lines.line(1, "pools:");
    lines.append(list);
  }
  if (writer.fabrics().empty()) return;
  lines.line(1, "network:");
  lines.line(2, "fabrics:");
  for (const auto& [fabric, guess] : writer.fabrics()) {
    lines.line(3,
               yaml_text(fabric) + ": " +
                   flow_map({{"resource", yaml_text(guess.resource)}, {"count", guess.count}}),
               "guessed: by what the nodes offer");
  }
}

}  // namespace trainyard
