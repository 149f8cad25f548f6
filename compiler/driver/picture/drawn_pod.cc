#include "driver/picture/drawn_pod.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "manifest/devices.h"
#include "manifest/launch.h"
#include "picture/picture.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Variables that hold the rank of a node, of the launchers and frameworks that read them. A pod
/// has one `RANK`, which is that of its node where it has several processes.
constexpr auto kNodeRanks = std::to_array<std::string_view>(
    {"PET_NODE_RANK", "NODE_RANK", "GROUP_RANK", "JAX_PROCESS_ID", "PADDLE_TRAINER_ID", "RANK"});

/// Host and port at which ranks meet, in two variables or in one.
struct Meeting {
  std::string_view host;
  std::string_view port;  // "" where the host has it
};
constexpr Meeting kMeetings[] = {
    {"PET_RDZV_ENDPOINT", ""},      {"PET_MASTER_ADDR", "PET_MASTER_PORT"},
    {"MASTER_ADDR", "MASTER_PORT"}, {"JAX_COORDINATOR_ADDRESS", ""},
    {"COORDINATOR_ADDRESS", ""},    {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT"},
    {"PADDLE_MASTER", ""},          {"RAY_ADDRESS", ""},
};

/// `metadata.labels['a']`, where the pod has it.
std::string_view field_of(View pod, std::string_view path) {
  for (std::string_view map : {"labels", "annotations"}) {
    const std::string start = "metadata." + std::string(map) + "['";
    if (!path.starts_with(start) || !path.ends_with("']")) continue;
    path.remove_prefix(start.size());
    path.remove_suffix(2);
    return string_at(get(get(pod, "metadata"), map), path);
  }
  return {};
}

bool is_sidecar(View container) {
  return string_at(container, "restartPolicy") == "Always";
}

/// Resources other than those that every container has, and GPUs.
void add_devices(View container, std::vector<std::string>& lines) {
  for (View each : Items(get(get(container, "resources"), "limits"))) {
    const std::string_view name = each.key();
    const bool is_own = name.find('/') != name.npos;
    if (!is_own || is_gpu_resource(name) || is_mig_resource(name)) continue;
    lines.push_back(std::string(each.text()) + " " + std::string(name));
  }
}

std::string source_of(View volume) {
  const auto named = [&](std::string_view kind, std::string_view key, std::string_view word) {
    const std::string_view name = string_at(get(volume, kind), key);
    return name.empty() ? std::string() : std::string(word) + " " + std::string(name);
  };
  for (const auto& [kind, key, word] : {
           std::tuple("persistentVolumeClaim", "claimName", "claim"),
           std::tuple("configMap", "name", "ConfigMap"),
           std::tuple("secret", "secretName", "Secret"),
           std::tuple("csi", "driver", "CSI driver"),
           std::tuple("nfs", "server", "NFS server"),
           std::tuple("image", "reference", "image"),
       }) {
    if (std::string text = named(kind, key, word); !text.empty()) return text;
  }
  if (const View own = get(volume, "emptyDir")) {
    const std::string_view size = string_at(own, "sizeLimit");
    const bool memory = string_at(own, "medium") == "Memory";
    return std::string(memory ? "memory" : "disk") + " of the node" +
           (size.empty() ? "" : ", at most " + std::string(size));
  }
  if (get(volume, "ephemeral")) return "a claim of each pod's own";
  if (get(volume, "projected")) return "several sources";
  for (View each : Items(volume)) {
    if (each.key() != "name") return std::string(each.key());
  }
  return "nothing that the manifest names";
}

void add_name(std::string& names, std::string_view name) {
  names += (names.empty() ? "" : ", ") + std::string(name);
}

/// Every container of a pod, with whether it ends before the others start.
template <class Use>
void each_container(View pod, Use use) {
  const View spec = get(pod, "spec");
  for (View each : items_at(spec, "containers")) use(each, false);
  for (View each : items_at(spec, "initContainers")) use(each, !is_sidecar(each));
}

/// Where containers see a volume, and which init containers may write to it.
struct Mounts {
  std::string paths;
  std::string filled_by;
};

/// By the names of volumes.
std::map<std::string_view, Mounts> mounts_of(View pod) {
  std::map<std::string_view, Mounts> mounts;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  each_container(pod, [&](View container, bool is_init) {
    for (View mount : items_at(container, "volumeMounts")) {
      const std::string_view volume = string_at(mount, "name");
      const std::string_view path = string_at(mount, "mountPath");
      Mounts& own = mounts[volume];
      if (seen.emplace(volume, path).second) add_name(own.paths, path);
      const bool writes = is_init && !is_true(get(mount, "readOnly"));
      if (writes) add_name(own.filled_by, string_at(container, "name"));
    }
  });
  return mounts;
}

}  // namespace

View main_container(View pod) {
  const View list = get(get(pod, "spec"), "containers");
  return has_items(list) ? list.first() : View();
}

std::string_view variable_in(View pod, View container, std::string_view name) {
  std::string_view value;
  for (View each : items_at(container, "env")) {
    if (string_at(each, "name") != name) continue;
    const std::string_view path = string_at(get(get(each, "valueFrom"), "fieldRef"), "fieldPath");
    value = path.empty() ? string_at(each, "value") : field_of(pod, path);
  }
  return value.find('<') == value.npos ? value : std::string_view();
}

std::optional<RankRange> ranks_of(const Workload& workload, View pod, std::int64_t index) {
  const View container = main_container(pod);
  if (!container) return std::nullopt;
  const bool is_mpi = workload.kind == "MPIJob";
  std::optional<std::int64_t> stated;
  if (const ExplicitNumber own = processes_per_pod(workload, container)) stated = own.number;
  if (is_mpi) stated = integer_at(workload.spec, "slotsPerWorker");
  const std::int64_t processes = std::max<std::int64_t>(stated.value_or(1), 1);
  std::optional<std::int64_t> node;
  for (const std::string_view name : kNodeRanks) {
    if (!node) node = read_number(variable_in(pod, container, name));
  }
  if (!node && is_mpi && stated && devices_of(get(container, "resources")).all() != 0) node = index;
  if (!node || *node < 0 || *node > 1'000'000 || processes > 1'000'000) return std::nullopt;
  return RankRange{*node * processes, (*node + 1) * processes - 1};
}

std::string meeting_of(View pod) {
  const View container = main_container(pod);
  for (const Meeting& each : kMeetings) {
    std::string host(variable_in(pod, container, each.host));
    if (host.empty() || is_local_address(host)) continue;
    const std::string_view port =
        each.port.empty() ? std::string_view() : variable_in(pod, container, each.port);
    return port.empty() ? host : host + ":" + std::string(port);
  }
  return {};
}

std::vector<std::string> equipment_of(View pod) {
  Devices devices;
  std::vector<std::string> lines;
  std::string beside;
  const View main = main_container(pod);
  each_container(pod, [&](View container, bool is_init) {
    if (is_init) return;
    devices = devices + devices_of(get(container, "resources"));
    add_devices(container, lines);
    if (container.id() != main.id()) add_name(beside, string_at(container, "name"));
  });
  if (devices.slices != 0) lines.insert(lines.begin(), plural(devices.slices, "MIG slice"));
  if (devices.whole != 0) lines.insert(lines.begin(), plural(devices.whole, "GPU"));
  if (!beside.empty()) lines.push_back("beside the program " + beside);
  return lines;
}

std::vector<DrawnVolume> volumes_of(View pod) {
  std::vector<DrawnVolume> volumes;
  DrawnVolume of_node{.name = {}, .source = "paths of the node", .lines = {}};
  const std::map<std::string_view, Mounts> mounts = mounts_of(pod);
  for (View each : items_at(get(pod, "spec"), "volumes")) {
    const auto found = mounts.find(string_at(each, "name"));
    if (found == mounts.end()) continue;
    const auto& [paths, filled_by] = found->second;
    if (const View path = get(get(each, "hostPath"), "path")) {
      of_node.lines.push_back(std::string(path.text()) + " at " + paths);
      continue;
    }
    DrawnVolume& volume = volumes.emplace_back();
    volume.name = string_at(each, "name");
    volume.source = source_of(each);
    volume.lines.push_back("at " + paths);
    if (!filled_by.empty()) volume.lines.push_back("filled by " + filled_by);
  }
  if (!of_node.lines.empty()) volumes.push_back(std::move(of_node));
  return volumes;
}

}  // namespace trainyard
