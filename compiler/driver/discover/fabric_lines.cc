#include "driver/discover/fabric_lines.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "diag/words.h"
#include "driver/survey/discovery_signs.h"
#include "driver/survey/real_operators.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string_view name_at(View object) {
  return string_at(get(object, "metadata"), "name");
}

bool is_of_a_fabric(std::string_view resource) {
  return std::ranges::any_of(discovery_signs().fabrics, [resource](std::string_view part) {
    return resource.find(part) != std::string_view::npos;
  });
}

/// `vpc10` after `vpc9`.
bool comes_before(std::string_view one, std::string_view other) {
  const auto key = [](std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::string_view number = name.substr(digits);
    return std::tuple(name.substr(0, digits), number.size(), number);
  };
  return key(one) < key(other);
}

/// A secondary network of GKE, with the VPC behind it.
struct SecondaryNetwork {
  std::string_view name;
  std::string_view vpc;
  std::string_view subnet;
  std::string_view mode;
};

std::vector<SecondaryNetwork> gke_networks(const Survey& survey) {
  std::vector<SecondaryNetwork> networks;
  for (const View each : survey.kind("Network.networking.gke.io").items) {
    const View reference = get(get(each, "spec"), "parametersRef");
    const View set =
        survey.kind("GKENetworkParamSet.networking.gke.io").find(string_at(reference, "name"));
    const View spec = get(set, "spec");
    const std::string_view mode = string_at(spec, "deviceMode");
    if (mode.empty()) continue;
    networks.push_back({name_at(each), string_at(spec, "vpc"), string_at(spec, "vpcSubnet"), mode});
  }
  std::ranges::sort(networks, comes_before, &SecondaryNetwork::name);
  return networks;
}

bool takes_mode(std::string_view fabric, std::string_view mode) {
  return std::ranges::any_of(discovery_signs().device_modes, [&](const DeviceModeSign& each) {
    return each.mode == mode && std::ranges::find(each.fabrics, fabric) != each.fabrics.end();
  });
}

}  // namespace

std::string FabricGuesses::take(const DiscoveredPool& pool) {
  notes_.clear();
  const Machine& machine = *pool.machine.machine;
  const std::string fabric = machine.fabric ? std::string(*machine.fabric) : "";
  const bool has_fabric = !fabric.empty() && fabric != "none";
  if (machine.resources) return known_devices(machine, pool);
  for (const auto& [resource, amount] : pool.devices) {
    if (!has_fabric || !is_of_a_fabric(resource)) continue;
    return settings(fabric, resource, amount.whole_units().value_or(0), pool);
  }
  if (pool.is_stand_in) return "{fabric: tcp}";
  if (!has_fabric) return {};
  if (note_networks(fabric, "")) return {};
  const auto setting = fabrics_.find(fabric);
  if (setting != fabrics_.end() && !setting->second.count.empty()) return "{fabric: tcp}";
  notes_.push_back("Left to you: nothing shows the resource or the networks of fabric " + fabric +
                   "; state them under `network.fabrics`");
  return {};
}

bool FabricGuesses::note_networks(const std::string& fabric, const std::string& resource) {
  std::string by;
  if (networks_of(fabric, resource).empty() && release_of(fabric, by).empty()) return false;
  fabrics_.emplace(fabric, Guess{resource, ""});
  return true;
}

/// What the catalogue says of such machines, where the nodes offer something else.
std::string FabricGuesses::known_devices(const Machine& machine, const DiscoveredPool& pool) {
  Fields there;
  bool is_as_known = true;
  for (const auto& entry : *machine.resources) {
    const auto found = pool.devices.find(entry.key);
    const bool is_there = found != pool.devices.end();
    const std::int64_t count = is_there ? found->second.whole_units().value_or(0) : 0;
    is_as_known = is_as_known && count >= *entry.value;
    if (count > 0) there.emplace_back(entry.key, std::to_string(std::min(count, *entry.value)));
  }
  const std::string fabric(*machine.fabric);
  const std::string resource(machine.resources->front().key);
  if (is_as_known) {
    note_networks(fabric, resource);
    notes_.push_back("fabric " + fabric + ": the nodes offer the `" + resource +
                     "` that the catalogue says");
    return {};
  }
  if (there.empty()) {
    notes_.push_back("Left to you: the nodes offer no `" + resource + "` of fabric " + fabric +
                     ". If pods use the network of the node, write `network.fabrics." + fabric +
                     ".hostNetwork: true` instead of tcp.");
    return "{fabric: tcp, resources: {}}";
  }
  return "{resources: " + flow_map(there) + "}";
}

std::string FabricGuesses::settings(const std::string& fabric, const std::string& resource,
                                    std::int64_t offered, const DiscoveredPool& pool) {
  const Machine& machine = *pool.machine.machine;
  const std::int64_t gpus = std::max<std::int64_t>(pool.gpus.count, 1);
  const std::string count = machine.nics && *machine.nics == offered ? "per-nic"
                            : offered == gpus                        ? "per-gpu"
                                                                     : "flag";
  const auto [place, is_new] = fabrics_.emplace(fabric, Guess{resource, count});
  const bool is_same = place->second.resource == resource && place->second.count == count;
  if (is_same && (count != "flag" || offered >= gpus)) return {};
  if (is_new) fabrics_.erase(place);
  return "{resources: " + flow_map({{resource, std::to_string(offered)}}) + "}";
}

/// Of GKE by their device mode; of Multus those that hand out the resource of the fabric.
std::vector<std::string> FabricGuesses::networks_of(std::string_view fabric,
                                                    std::string_view resource) const {
  std::vector<std::string> names;
  for (const SecondaryNetwork& each : gke_networks(survey_)) {
    if (takes_mode(fabric, each.mode)) names.push_back(yaml_text(each.name));
  }
  if (resource.empty()) return names;
  for (const View each : survey_.kind("NetworkAttachmentDefinition.k8s.cni.cncf.io").items) {
    const View metadata = get(each, "metadata");
    if (string_at(get(metadata, "annotations"), "k8s.v1.cni.cncf.io/resourceName") != resource) {
      continue;
    }
    names.push_back(yaml_text(std::string(string_at(metadata, "namespace")) + "/" +
                              std::string(name_at(each))));
  }
  std::ranges::sort(names, comes_before);
  return names;
}

std::string FabricGuesses::release_of(std::string_view fabric, std::string& by) const {
  for (const PluginSign& sign : discovery_signs().plugins) {
    if (sign.fabric != fabric) continue;
    for (const View daemon : survey_.kind("DaemonSet.apps").items) {
      const View pod = get(get(get(daemon, "spec"), "template"), "spec");
      for (const std::string_view list : {"initContainers", "containers"}) {
        for (const View container : items_at(pod, list)) {
          const std::string tag = tag_of(string_at(container, "image"), sign.image);
          if (tag.empty()) continue;
          by = "image of DaemonSet " +
               std::string(string_at(get(daemon, "metadata"), "namespace")) + "/" +
               std::string(name_at(daemon));
          return tag;
        }
      }
    }
  }
  return {};
}

void FabricGuesses::write(DocumentLines& lines) const {
  DocumentLines list;
  for (const auto& [fabric, guess] : fabrics_) write_fabric(fabric, guess, list);
  DocumentLines networks;
  write_gke_networks(networks);
  if (list.is_empty() && networks.is_empty()) return;
  lines.line(1, "network:");
  if (!list.is_empty()) {
    lines.line(2, "fabrics:");
    lines.append(list);
  }
  if (networks.is_empty()) return;
  lines.line(2, "gkeNetworks:");
  lines.append(networks);
}

void FabricGuesses::write_fabric(const std::string& fabric, const Guess& guess,
                                 DocumentLines& lines) const {
  lines.line(3, yaml_text(fabric) + ":");
  std::string by;
  const std::string release = release_of(fabric, by);
  if (!release.empty()) lines.line(4, "version: " + yaml_text(release), by);
  if (!guess.count.empty()) {
    lines.line(4, "resource: " + yaml_text(guess.resource), "allocatable of the nodes");
    lines.line(4, "count: " + guess.count, "guessed: by how many the nodes offer");
  }
  const std::vector<std::string> networks = networks_of(fabric, guess.resource);
  if (!networks.empty()) {
    lines.line(4, "networks: " + flow_list(networks),
               guess.resource.empty() ? "Networks of GKE, in the order of their names"
                                      : "NetworkAttachmentDefinitions of this resource");
  }
}

void FabricGuesses::write_gke_networks(DocumentLines& lines) const {
  for (const SecondaryNetwork& each : gke_networks(survey_)) {
    if (each.vpc.empty() || each.subnet.empty()) continue;
    lines.entry(3,
                {{"name", yaml_text(each.name)},
                 {"vpc", yaml_text(each.vpc)},
                 {"subnet", yaml_text(each.subnet)},
                 {"deviceMode", yaml_text(each.mode)},
                 {"existing", "true"}},
                "Network and its GKENetworkParamSet");
  }
}

}  // namespace trainyard
