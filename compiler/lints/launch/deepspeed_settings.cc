// Files that DeepSpeed reads: its settings, and its hosts.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/launch/file_text.h"
#include "lints/tables.h"
#include "manifest/devices.h"
#include "manifest/embedded_yaml.h"
#include "manifest/launches.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// DeepSpeed refuses two number formats at once, and a stage of ZeRO that does not exist.
void check_settings(View entry, CheckContext& context) {
  const std::string_view text = string_of(entry);
  if (text.find("\"zero_optimization\"") == text.npos && text.find("\"fp16\"") == text.npos) return;
  const TextYaml file(entry);
  const View root = file.root();
  if (!root || !root->is_map()) return;
  const View fp16 = get(root, "fp16");
  const View bf16 = get(root, "bf16") ? get(root, "bf16") : get(root, "bfloat16");
  if (is_true(get(fp16, "enabled")) && is_true(get(bf16, "enabled"))) {
    context.lint(file.place(get(bf16, "enabled")), "`fp16` and `bf16` are both enabled")
        .also(context.place(file.place(get(fp16, "enabled"))), "the other one");
  }
  const View stage = get(get(root, "zero_optimization"), "stage");
  if (const auto number = integer_of(stage); number && (*number < 0 || *number > 3)) {
    context.lint(file.place(stage),
                 "there is no stage " + std::to_string(*number) + " of ZeRO; expected 0 to 3");
  }
  // deepspeed/runtime/zero/offload_config.py OffloadDeviceEnum
  for (std::string_view what : {"offload_optimizer", "offload_param"}) {
    const View device = get(get(get(root, "zero_optimization"), what), "device");
    const std::string_view word = string_of(device);
    if (word.empty() || word == "cpu" || word == "nvme" || word == "none" || word == "auto") {
      continue;
    }
    context.lint(file.place(device), "ZeRO has no device " + shown(word) +
                                         " to offload to; expected `cpu`, `nvme` or `none`");
  }
}

void deepspeed_settings(View config_map, CheckContext& context) {
  for (View entry : entries_at(config_map, "data")) {
    if (entry.key().ends_with(".json")) check_settings(entry, context);
  }
}

/// A pod of a StatefulSet among the inputs, by `SET-N.SERVICE`.
struct SetPod {
  View set;
  std::int64_t number = 0;
  bool has_domain = false;

  std::int64_t first() const {
    return integer_at(get(get(set, "spec"), "ordinals"), "start").value_or(0);
  }
  std::int64_t pods() const { return integer_at(get(set, "spec"), "replicas").value_or(1); }
  bool is_there() const { return number >= first() && number < first() + pods(); }
};

std::optional<SetPod> set_pod(std::string_view host, std::string_view name_space,
                              const Inventory& inventory) {
  const std::size_t dot = host.find('.');
  const std::string_view pod = host.substr(0, dot);
  const std::size_t dash = pod.rfind('-');
  if (dash == pod.npos) return std::nullopt;
  const auto number = plain_number(pod.substr(dash + 1));
  const View set = inventory.find("apps", "StatefulSet", name_space, pod.substr(0, dash));
  if (!set || !number) return std::nullopt;
  if (dot != host.npos) {
    const std::string_view domain = host.substr(dot + 1);
    const std::string_view service = string_at(get(set, "spec"), "serviceName");
    if (domain.substr(0, domain.find('.')) != service) return std::nullopt;
  }
  return SetPod{set, *number, dot != host.npos};
}

std::string pods_of(const SetPod& pod) {
  const std::string name(string_at(get(pod.set, "metadata"), "name"));
  const std::int64_t last = pod.first() + pod.pods() - 1;
  return name + "-" + std::to_string(pod.first()) +
         (pod.pods() > 1 ? " to " + name + "-" + std::to_string(last) : "");
}

/// What is wrong with a host that is a pod of a set; "" for nothing.
std::string fault_of_host(std::string_view host, const SetPod& pod) {
  if (!pod.is_there()) {
    return "there is no pod " + shown(host) + ": the StatefulSet has " + pods_of(pod);
  }
  if (pod.has_domain) return {};
  return "no other pod finds " + shown(host) + " by its name alone; expected " +
         shown(std::string(host) + "." +
               std::string(string_at(get(pod.set, "spec"), "serviceName")));
}

std::int64_t gpus_of_pod(View set) {
  std::int64_t all = 0;
  const View spec = get(get(get(set, "spec"), "template"), "spec");
  for (View container : items_at(spec, "containers")) {
    all += devices_of(get(container, "resources")).whole;
  }
  return all;
}

/// deepspeedai/DeepSpeed deepspeed/launcher/runner.py _parse_hostfile: `^(\S+)\s+slots=(\d+)`
bool is_host_line(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t end = line.find_first_of(kBlanks);
  const std::size_t next = line.find_first_not_of(kBlanks, end);
  if (end == line.npos || next == line.npos) return false;
  const std::string_view rest = line.substr(next);
  constexpr std::string_view kSlots = "slots=";
  return rest.starts_with(kSlots) && rest.size() > kSlots.size() && rest[kSlots.size()] >= '0' &&
         rest[kSlots.size()] <= '9';
}

/// The first line that DeepSpeed cannot read; an empty word for none.
WordView bad_line(View text) {
  const std::string_view all = string_of(text);
  constexpr std::string_view kBlanks = " \t\r";
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view line = all.substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(kBlanks);
    const bool says = first != line.npos && line[first] != '#';
    if (says && !is_host_line(line.substr(first))) return {text, begin, end};
    begin = end + 1;
  }
  return {};
}

void check_hosts(const LaunchHosts& hosts, std::string_view own, const Inventory& inventory,
                 CheckContext& context) {
  if (const WordView line = bad_line(hosts.text)) {
    context.lint(line, "deepspeed cannot read this line; expected `HOST slots=N`");
    return;
  }
  for (const LaunchHost& host : hosts.each) {
    const auto pod = set_pod(host.name, own, inventory);
    if (!pod) continue;
    const std::size_t at = string_of(hosts.text).find(host.name);
    const WordView place(hosts.text, at, at + host.name.size());
    const std::string fault = fault_of_host(host.name, *pod);
    if (!fault.empty()) {
      context.lint(place, fault);
      return;
    }
    const std::int64_t gpus = gpus_of_pod(pod->set);
    if (gpus == 0 || !host.slots || *host.slots <= gpus) continue;
    context.lint(place, shown(host.name) + " has " + std::to_string(*host.slots) +
                            " slots, and its pod " + std::to_string(gpus) +
                            (gpus == 1 ? " GPU" : " GPUs"));
    return;
  }
}

/// The batch has to be one of all ranks that the hosts have.
void check_batch(const LaunchHosts& hosts, View container, const FileText& text_of,
                 CheckContext& context) {
  std::int64_t ranks = 0;
  for (const LaunchHost& host : hosts.each) {
    constexpr std::int64_t kMost = 1'000'000;
    if (!host.slots || *host.slots < 1 || *host.slots > kMost) return;
    ranks += *host.slots;
  }
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].text.starts_with("--deepspeed_config") &&
        !words[i].text.starts_with("--deepspeed-config")) {
      continue;
    }
    const TextYaml file(text_of(value_at(words, i).text));
    const View root = file.root();
    const View whole = get(root, "train_batch_size");
    const auto all = integer_of(whole);
    const bool is_alone = !get(root, "train_micro_batch_size_per_gpu") &&
                          !get(root, "gradient_accumulation_steps") && !get(root, "elasticity") &&
                          !get(root, "tensor_parallel") && !get(root, "pipeline") &&
                          !get(root, "sequence_parallel_size");
    if (!all || ranks == 0 || !is_alone || *all % ranks == 0) return;
    context.lint(file.place(whole), "a batch of " + std::to_string(*all) +
                                        " cannot be parted among " + std::to_string(ranks) +
                                        " ranks, which the hosts have slots for");
    return;
  }
}

/// Rank 0 runs on the first host, and the others ask for it there.
void check_master(const Launch& launch, const LaunchHosts& hosts, std::string_view own,
                  const Inventory& inventory, CheckContext& context) {
  const OptionValue& master = launch.call->option("master-addr");
  if (!master || hosts.each.empty() || master.text.find_first_of("$`") != master.text.npos) return;
  const bool is_host = std::ranges::any_of(
      hosts.each, [&](const LaunchHost& each) { return each.name == master.text; });
  const bool is_address = master.text.find_first_not_of("0123456789.:") == master.text.npos;
  const std::string_view service = std::string_view(master.text).substr(0, master.text.find('.'));
  if (is_host || is_address || inventory.find("", "Service", own, service)) return;
  const bool is_own = service == string_at(get(context.object(), "metadata"), "name");
  if (!is_own) return;
  context.lint(master.at, shown(master.text) + " is the name of this " +
                              std::string(string_at(context.object(), "kind")) +
                              ", and of no pod: rank 0 runs on " + shown(hosts.each.front().name));
}

/// `ssh HOST`: the hosts that a script waits for.
void check_ssh_hosts(View container, std::string_view own, const Inventory& inventory,
                     CheckContext& context) {
  if (!contains_text(container, "ssh ")) return;
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text != "ssh") continue;
    for (std::size_t k = i + 1; k < words.size() && words[k].text != "\n"; ++k) {
      const std::string_view host = words[k].text;
      if (host.starts_with('-')) {
        const bool has_value = host == "-o" || host == "-p" || host == "-i" || host == "-l";
        k += has_value ? 1U : 0U;
        continue;
      }
      const auto pod = set_pod(host.substr(host.find('@') + 1), own, inventory);
      const std::string fault = pod ? fault_of_host(host, *pod) : std::string();
      if (!fault.empty()) context.lint(words[k].at, fault);
      break;
    }
  }
}

void deepspeed_hosts(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (!contains_text(container, "deepspeed")) continue;
      const Inventory* inventory = context.inventory();
      if (inventory == nullptr) return;
      const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
      check_ssh_hosts(container, own, *inventory, context);
      const FileText text_of = file_text(role, container, context);
      for (const Launch& launch : launches_in(container, text_of)) {
        if (launch.program != "deepspeed") continue;
        for (const LaunchHosts& hosts : launch.hosts) {
          if (!hosts.text) continue;
          const std::size_t before = context.findings();
          check_hosts(hosts, own, *inventory, context);
          if (context.findings() != before) continue;
          check_batch(hosts, container, text_of, context);
          check_master(launch, hosts, own, *inventory, context);
        }
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "deepspeed-settings",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core ConfigMap",
     .sentence = "Settings of DeepSpeed in a ConfigMap choose one number format, and a stage of "
                 "ZeRO that exists.",
     .source =
         "deepspeedai/DeepSpeed deepspeed/runtime/config.py, deepspeed/runtime/zero/config.py",
     .object = deepspeed_settings,
     .severity = Severity::Warning,
     .because = "DeepSpeed ends with an error before the first step.",
     .fix = "enable `fp16` or `bf16`, and write a `stage` from 0 to 3"},
    {.name = "deepspeed-hosts",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The hosts of deepspeed are pods, with as many slots as they have GPUs.",
     .source = "deepspeedai/DeepSpeed deepspeed/launcher/runner.py _parse_hostfile, "
               "deepspeed/runtime/config.py",
     .workload = deepspeed_hosts,
     .severity = Severity::Warning,
     .because = "deepspeed ends with an error, or waits for a host that does not exist.",
     .fix = "write a line `SET-N.SERVICE slots=GPUS` for each pod"},
};

}  // namespace

const std::span<const Check> deepspeed_setting_lints = kChecks;

}  // namespace trainyard
