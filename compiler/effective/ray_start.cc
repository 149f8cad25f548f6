// The command that starts Ray in a pod.

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "diag/words.h"
#include "effective/ray_cluster.h"
#include "manifest/ray_objects.h"
#include "source/characters.h"
#include "source/source_map.h"
#include "tree/json_reader.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Options of `ray start`, by name.
using StartOptions = std::map<std::string, std::string>;
/// What Ray counts beside processors, memory and GPUs.
using RayResources = std::map<std::string, double>;

std::string_view without_digits(std::string_view text) {
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return text;
}

/// `nvidia.com/gpu`, or a slice such as `nvidia.com/mig-1g.5gb`.
bool is_gpu(std::string_view resource) {
  constexpr std::string_view slice = "nvidia.com/mig-";
  if (resource.ends_with("gpu")) return true;
  const std::size_t at = resource.find(slice);
  if (at == resource.npos || !resource.ends_with("gb")) return false;
  const std::string_view count = resource.substr(at + slice.size());
  const std::string_view memory = without_digits(count);
  if (memory.size() == count.size() || !memory.starts_with("g.")) return false;
  const std::string_view end = without_digits(memory.substr(2));
  return end.size() < memory.size() - 2 && end == "gb";
}

/// What Ray calls an accelerator that is no GPU; "" for anything else.
std::string_view accelerator(std::string_view resource) {
  if (resource == "aws.amazon.com/neuroncore") return "neuron_cores";
  return resource == "google.com/tpu" ? "TPU" : "";
}

/// As Go writes a number into JSON.
std::string json_number(double value) {
  char text[64];
  const double size = value < 0 ? -value : value;
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return std::string(text, end.ptr);
}

void set_resources(StartOptions& options, const RayResources& resources) {
  std::string text;
  for (const auto& [name, amount] : resources) {
    text += (text.empty() ? "" : ",") + quoted(name) + ":" + json_number(amount);
  }
  options["resources"] = "'{" + text + "}'";
}

/// Nothing when what stands there is no map of numbers.
std::optional<RayResources> stated_resources(const StartOptions& options) {
  const auto at = options.find("resources");
  if (at == options.end()) return RayResources();
  constexpr const char* around = "'\"` ";
  std::string_view text = at->second;
  text.remove_prefix(std::min(text.find_first_not_of(around), text.size()));
  text = text.substr(0, text.find_last_not_of(around) + 1);
  SourceMap sources;
  Sink sink;
  const auto tree = read_json(sources, sources.add("resources", std::string(text)), sink);
  if (!tree || !(*tree)[tree->root()].is_map()) return std::nullopt;
  RayResources found;
  for (View each : Items(View(*tree, tree->root()))) {
    if (each->kind != Kind::Int && each->kind != Kind::Float) return std::nullopt;
    double amount = 0;
    std::from_chars(each->text.data(), each->text.data() + each->text.size(), amount);
    found[std::string(each->key)] = amount;
  }
  return found;
}

std::string units(const Quantity& quantity) {
  return std::to_string(quantity.whole_units().value_or(0));
}

/// "" when there is none of it.
std::string amount_of(View amounts, std::string_view resource) {
  const View amount = get(amounts, resource);
  const auto quantity = amount ? Quantity::parse(amount->text) : std::nullopt;
  return quantity && !quantity->is_zero() ? units(*quantity) : "";
}

/// What a group says of its own wins over what its containers ask for.
void take_group_resources(StartOptions& options, View group) {
  RayResources others;
  for (View each : entries_at(group, "resources")) {
    const auto quantity = Quantity::parse(each->text);
    if (!quantity) continue;
    const std::string name = lower_case(each->key);
    const char* option = name == "cpu"      ? "num-cpus"
                         : name == "memory" ? "memory"
                         : is_gpu(name)     ? "num-gpus"
                                            : nullptr;
    if (option != nullptr) {
      options[option] = units(*quantity);
    } else {
      others[std::string(each->key)] = quantity->approximate();
    }
  }
  if (!others.empty()) set_resources(options, others);
}

void take_group_labels(StartOptions& options, View group) {
  std::map<std::string_view, std::string_view> labels;
  for (View each : entries_at(group, "labels")) labels.emplace(each->key, each->text);
  std::string text;
  for (const auto& [key, value] : labels) {
    text += (text.empty() ? "" : ",") + std::string(key) + "=" + std::string(value);
  }
  if (!text.empty()) options["labels"] = text;
}

/// GPUs, and the first accelerator that Ray knows by a name of its own.
void take_accelerators(StartOptions& options, View limits) {
  if (!has_items(limits)) return;
  auto resources = stated_resources(options);
  if (!resources) return;
  bool has_one = resources->contains("neuron_cores") || resources->contains("TPU");
  std::map<std::string_view, Quantity> by_name;
  for (View limit : Items(limits)) {
    const auto quantity = Quantity::parse(limit->text);
    if (quantity && !quantity->is_zero()) by_name.emplace(limit->key, *quantity);
  }
  for (const auto& [name, quantity] : by_name) {
    if (is_gpu(name)) options.try_emplace("num-gpus", units(quantity));
    if (has_one || accelerator(name).empty()) continue;
    (*resources)[std::string(accelerator(name))] = quantity.approximate();
    set_resources(options, *resources);
    has_one = true;
  }
}

void take_container(StartOptions& options, View container) {
  const View resources = get(container, "resources");
  const View limits = get(resources, "limits");
  std::string processors = amount_of(limits, "cpu");
  if (processors.empty()) processors = amount_of(get(resources, "requests"), "cpu");
  if (!processors.empty()) options.try_emplace("num-cpus", processors);
  const std::string memory = amount_of(limits, "memory");
  if (!memory.empty()) options.try_emplace("memory", memory);
  take_accelerators(options, limits);
}

void tell_of_redis(StartOptions& options, const RayCluster& cluster) {
  const View redis = get(cluster.spec, "gcsFaultToleranceOptions");
  if (get(redis, "redisUsername")) options["redis-username"] = "$REDIS_USERNAME";
  if (get(redis, "redisPassword")) options["redis-password"] = "$REDIS_PASSWORD";
}

std::string written(const StartOptions& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    const bool may_be_switch = name != "log-color" && name != "include-dashboard";
    const std::string word = may_be_switch ? lower_case(value) : "";
    if (word == "false") continue;
    text += " --" + name + (word == "true" ? " " : "=" + value + " ");
  }
  return text;
}

}  // namespace

std::string ray_start_command(const RayCluster& cluster, View group, View container) {
  const bool is_head = group.id() == cluster.head().id();
  StartOptions options;
  for (View each : entries_at(group, "rayStartParams")) {
    options[std::string(each->key)] = each->text;
  }
  take_group_resources(options, group);
  take_group_labels(options, group);
  if (is_head) {
    options.try_emplace("dashboard-host", "0.0.0.0");
    if (ray_scales_itself(cluster.spec)) options["no-monitor"] = "true";
    tell_of_redis(options, cluster);
  } else {
    options.try_emplace("address", cluster.address() + ":" + cluster.port());
  }
  options.try_emplace("metrics-export-port", "8080");
  options["block"] = "true";
  options.try_emplace("dashboard-agent-listen-port", "52365");
  take_container(options, container);
  return (is_head ? "ray start --head " : "ray start ") + written(options);
}

}  // namespace trainyard
