#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/durations.h"
#include "operators/graph.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kKinds =
    "batch.volcano.sh Job CronJob; flow.volcano.sh JobTemplate";  // all make Jobs
constexpr std::string_view kSource =
    "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go";
constexpr std::string_view kPolicySource =
    "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/util.go";
constexpr OperatorSpan kVolcano{.name = "volcano"};

/// The spec of the Job that an object is, or will make.
View job_spec(View object) {
  const View spec = get(object, "spec");
  return string_at(object, "kind") == "CronJob" ? get(get(spec, "jobTemplate"), "spec") : spec;
}

struct Task {
  View node;
  std::string name;  // the one that the mutating webhook gives where there is none
};

std::vector<Task> tasks_of(View object) {
  std::vector<Task> tasks;
  for (View task : items_at(job_spec(object), "tasks")) {
    const std::string_view name = string_at(task, "name");
    tasks.push_back(
        {task, name.empty() ? "default" + std::to_string(tasks.size()) : std::string(name)});
  }
  return tasks;
}

View place_of_name(const Task& task) {
  const View name = get(task.node, "name");
  return name ? name : task.node;
}

void tasks(View object, CheckContext& context) {
  const View spec = job_spec(object);
  if (spec && spec->is_map() && !get(spec, "tasks")) {
    context.refuse(spec, "there is no task: `tasks` is missing");
  }
  std::map<std::string_view, View> seen;
  const std::vector<Task> all = tasks_of(object);
  for (const Task& task : all) {
    const auto [first, is_new] = seen.emplace(task.name, place_of_name(task));
    if (is_new) continue;
    context.refuse(place_of_name(task), "two tasks are called " + shown(task.name))
        .also(context.place(first->second), "the first one");
  }
}

void min_available(View object, CheckContext& context) {
  std::int64_t total = 0;
  for (const Task& task : tasks_of(object)) {
    const std::int64_t replicas = integer_at(task.node, "replicas").value_or(0);
    total += replicas;
    const View least = get(task.node, "minAvailable");
    if (integer_of(least).value_or(replicas) <= replicas) continue;
    context.refuse(least,
                   "task " + shown(task.name) + " wants " + std::string(least->text) +
                       " pods at least, and has " + std::to_string(replicas) +
                       (get(task.node, "replicas") ? " `replicas`" : ": `replicas` is not set"));
  }
  const View least = get(job_spec(object), "minAvailable");
  if (integer_of(least).value_or(total) > total) {
    context.refuse(least, "the job wants " + std::string(least->text) +
                              " pods at least, and its tasks have " + std::to_string(total) +
                              " together");
  }
}

constexpr auto kEvents =
    std::to_array<std::string_view>({"*", "PodFailed", "PodEvicted", "PodPending", "Unknown",
                                     "TaskCompleted", "TaskFailed", "JobUpdated"});
constexpr auto kActions = std::to_array<std::string_view>(
    {"AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition", "TerminateJob",
     "CompleteJob", "ResumeJob"});

std::vector<View> events_of(View policy) {
  std::vector<View> events;
  const auto add = [&](View event) {
    if (string_of(event).empty()) return;
    const bool known =
        std::ranges::any_of(events, [&](View other) { return other->text == event->text; });
    if (!known) events.push_back(event);
  };
  for (View event : items_at(policy, "events")) add(event);
  add(get(policy, "event"));
  return events;
}

void one_policy(View policy, std::vector<View>& events, std::vector<View>& codes,
                CheckContext& context) {
  check_duration(get(policy, "timeout"), context);
  const std::vector<View> own = events_of(policy);
  const View code = get(policy, "exitCode");
  if (!own.empty() && code) {
    context.refuse(code, "a policy has `event` or `exitCode`, not both");
    return;
  }
  if (own.empty() && !code) {
    context.refuse(policy, "a policy needs `event`, `events` or `exitCode`");
    return;
  }
  const auto again = [&](View at, std::vector<View>& seen, std::string_view what) {
    for (View first : seen) {
      if (first->text != at->text) continue;
      context.refuse(at, std::string(what) + " " + shown(at->text) + " has a policy already")
          .also(context.place(first), "the first one");
      return;
    }
    seen.push_back(at);
  };
  for (View event : own) {
    context.allow(event, "event of a policy", kEvents);
    again(event, events, "event");
  }
  if (!own.empty()) {
    const View action = get(policy, "action");
    context.allow(action, "action of a policy", kActions);
    if (string_of(action).empty()) context.refuse(policy, "the policy of an event needs `action`");
  }
  if (!code) return;
  if (integer_of(code) == 0) {
    context.refuse(code, "0 is no exit code of a failure");
  } else {
    again(code, codes, "exit code");
  }
}

void policies_at(View holder, CheckContext& context) {
  std::vector<View> events;
  std::vector<View> codes;
  for (View policy : items_at(holder, "policies")) {
    if (policy->is_map()) one_policy(policy, events, codes, context);
  }
  if (events.size() < 2) return;
  for (View event : events) {
    if (event->text != "*") continue;
    context.refuse(event,
                   "`*` stands for every event, so no other policy of an event goes with it");
  }
}

void policies(View object, CheckContext& context) {
  policies_at(job_spec(object), context);
  for (const Task& task : tasks_of(object)) policies_at(task.node, context);
}

struct Flag {
  std::string_view name;
  char type;  // s text, i number, b yes or no, t the name of a task
  std::string_view otherwise = {};
};
struct Plugin {
  std::string_view name;
  std::vector<Flag> flags;
  std::string_view leader = {};  // the flag with the task that the others need
};

/// volcano-sh/volcano pkg/controllers/job/plugins: the flags of each.
const std::vector<Plugin>& plugin_table() {
  static const std::vector<Plugin> all = {
      {"ssh",
       {{"ssh-key-file-path", 's'},
        {"ssh-private-key", 's'},
        {"ssh-public-key", 's'},
        {"ssh-port", 'i'}}},
      {"env", {}},
      {"svc", {{"publish-not-ready-addresses", 'b'}, {"disable-network-policy", 'b'}}},
      {"tensorflow",
       {{"ps", 's'}, {"worker", 's'}, {"chief", 's'}, {"evaluator", 's'}, {"port", 'i'}}},
      {"mpi", {{"master", 't', "master"}, {"worker", 's'}, {"port", 'i'}}, "master"},
      {"pytorch",
       {{"master", 't', "master"},
        {"worker", 's'},
        {"port", 'i'},
        {"wait-master-enabled", 'b'},
        {"wait-master-timeout", 'i'},
        {"wait-master-image", 's'}},
       "master"},
      {"hcclrank", {{"master", 's'}, {"worker", 's'}}},
      {"ray",
       {{"head", 't', "head"},
        {"headContainer", 's'},
        {"worker", 's'},
        {"workerContainer", 's'},
        {"port", 'i'},
        {"dashboardPort", 'i'},
        {"clientPort", 'i'}},
       "head"},
  };
  return all;
}

const Plugin* find_plugin(std::string_view name) {
  const auto at = std::ranges::find(plugin_table(), name, &Plugin::name);
  return at == plugin_table().end() ? nullptr : &*at;
}

void plugins(View object, CheckContext& context) {
  std::vector<std::string_view> names;
  for (const Plugin& plugin : plugin_table()) names.push_back(plugin.name);
  const std::vector<std::string> listed_names(names.begin(), names.end());
  for (View entry : entries_at(job_spec(object), "plugins")) {
    if (find_plugin(entry.key()) != nullptr) continue;
    Diagnostic& report =
        context.refuse_key(entry, "there is no plugin " + shown(entry.key()) + "; known are " +
                                      listed(listed_names, "and"));
    if (const auto near = suggest(entry.key(), names)) {
      report.note("did you mean " + shown(*near) + "?");
    }
  }
}

/// What is said about an argument, and where; arguments are read as Go's package `flag` does.
struct Argument {
  View at;
  std::string_view name;
  std::string_view value;
  bool has_value = false;
};

/// The arguments up to the first that is none. `fault` says what is wrong with that one.
std::vector<Argument> arguments_of(View list, const Plugin& plugin, View& fault_at,
                                   std::string& fault) {
  std::vector<Argument> found;
  const Items items = list && list->is_seq() ? Items(list) : Items();
  for (auto at = items.begin(); at != items.end(); ++at) {
    std::string_view text = string_of(*at);
    if (text == "--") return found;
    if (!text.starts_with('-') || text == "-") {
      fault_at = *at;
      fault = "no flag, so that and what follows is not read; expected `--name=value`";
      return found;
    }
    text.remove_prefix(text.starts_with("--") ? 2 : 1);
    const std::size_t equals = text.find('=');
    Argument argument{*at, text.substr(0, equals), {}, equals != std::string_view::npos};
    if (argument.has_value) argument.value = text.substr(equals + 1);
    const auto flag = std::ranges::find(plugin.flags, argument.name, &Flag::name);
    if (flag == plugin.flags.end()) {
      fault_at = *at;
      fault = "no flag of plugin " + shown(plugin.name);
      if (!plugin.flags.empty()) {
        std::vector<std::string> known;
        for (const Flag& each : plugin.flags) known.push_back("--" + std::string(each.name));
        fault += "; known are " + listed(known, "and");
      }
      return found;
    }
    if (!argument.has_value && flag->type != 'b') {
      auto next = at;
      if (++next == items.end()) {
        fault_at = *at;
        fault = "a flag without its value";
        return found;
      }
      argument.value = string_of(*next);
      argument.has_value = true;
      at = next;
    }
    const bool wrong = flag->type == 'i'   ? !go_integer(argument.value)
                       : flag->type == 'b' ? argument.has_value && !go_bool(argument.value)
                                           : false;
    if (wrong) {
      fault_at = argument.at;
      fault = flag->type == 'i' ? "not a number" : "neither `true` nor `false`";
      return found;
    }
    found.push_back(argument);
  }
  return found;
}

/// The workers that a plugin is told of are a task of the job, unless the leader works alone.
void plugin_workers(const Plugin& plugin, const std::vector<Argument>& arguments,
                    const std::vector<Task>& all, CheckContext& context) {
  if (plugin.leader.empty() || all.size() < 2) return;
  for (const Argument& argument : arguments) {
    if (argument.name != "worker" || argument.value.empty()) continue;
    const bool found =
        std::ranges::any_of(all, [&](const Task& task) { return task.name == argument.value; });
    if (found) continue;
    context
        .warn(argument.at, "plugin " + shown(plugin.name) + " is told of the task " +
                               shown(argument.value) + ", and there is none")
        .note("the workers start without what the plugin should tell them");
  }
}

void plugin_arguments(View object, CheckContext& context) {
  const std::vector<Task> all = tasks_of(object);
  for (View entry : entries_at(job_spec(object), "plugins")) {
    const Plugin* plugin = find_plugin(entry.key());
    if (plugin == nullptr) continue;
    View fault_at;
    std::string fault;
    const auto arguments = arguments_of(entry, *plugin, fault_at, fault);
    if (fault_at) {
      context.warn(fault_at, "the argument " + shown(fault_at->text) + " is " + fault)
          .note("the controller logs this, and goes on with what it has read before");
    }
    plugin_workers(*plugin, arguments, all, context);
    if (plugin->leader.empty() || all.empty()) continue;
    const auto flag = std::ranges::find(plugin->flags, plugin->leader, &Flag::name);
    std::string_view leader = flag->otherwise;
    View at;
    for (const Argument& argument : arguments) {
      if (argument.name != plugin->leader) continue;
      leader = argument.value;
      at = argument.at;
    }
    const bool found = std::ranges::any_of(all, [&](const Task& t) { return t.name == leader; });
    if (found) continue;
    const std::string message = "plugin " + shown(plugin->name) + " needs the task " +
                                shown(leader) + ", and there is none";
    // Only for MPI does the webhook look; the others give the pods nothing then.
    if (plugin->name == "mpi") {
      at ? context.refuse(at, message) : context.refuse_key(entry, message);
    } else {
      context.warn(at ? at : entry, message)
          .note("the pods start without what the plugin should tell them");
    }
  }
}

void depends_on(View object, CheckContext& context) {
  const std::vector<Task> all = tasks_of(object);
  WaitsFor graph(all.size());
  bool sound = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const View names = get(get(all[i].node, "dependsOn"), "name");
    std::vector<std::string_view> seen;
    for (View name : names && names->is_seq() ? Items(names) : Items()) {
      if (name.kind() != Kind::String) continue;
      const auto target = std::ranges::find(all, name->text, &Task::name);
      if (target == all.end()) {
        sound = false;
        context.refuse(name, "task " + shown(all[i].name) + " waits for " + shown(name->text) +
                                 ", and there is no such task");
        continue;
      }
      if (std::ranges::find(seen, name->text) != seen.end()) {
        sound = false;
        context.refuse(name, "task " + shown(all[i].name) + " names " + shown(name->text) +
                                 " twice, which counts as a circle");
      }
      seen.push_back(name->text);
      graph[i].push_back(static_cast<std::size_t>(target - all.begin()));
    }
  }
  const std::vector<std::size_t> cycle = sound ? find_cycle(graph) : std::vector<std::size_t>();
  if (cycle.empty()) return;
  std::string path;
  for (std::size_t task : cycle) path += shown(all[task].name) + " waits for ";
  context.refuse(get(all[cycle.front()].node, "dependsOn"),
                 "tasks wait for each other in a circle: " + path + shown(all[cycle.front()].name));
}

void partitions(View object, CheckContext& context) {
  for (const Task& task : tasks_of(object)) {
    const View policy = get(task.node, "partitionPolicy");
    const auto count = integer_at(policy, "totalPartitions");
    const auto size = integer_at(policy, "partitionSize");
    if (!count || !size || *count <= 0 || *size <= 0) continue;  // the schema wants both
    const std::int64_t replicas = integer_at(task.node, "replicas").value_or(0);
    if (*count * *size != replicas) {
      context.refuse(policy, "task " + shown(task.name) + " has " + std::to_string(*count) +
                                 " partitions of " + std::to_string(*size) + " pods, together " +
                                 std::to_string(*count * *size) + ", and " +
                                 std::to_string(replicas) + " `replicas`");
      continue;
    }
    const std::int64_t least = integer_at(policy, "minPartitions").value_or(0);
    const View available = get(task.node, "minAvailable");
    if (least > 0 && integer_of(available).value_or(least * *size) != least * *size) {
      context.refuse(available, "task " + shown(task.name) + " wants " + std::to_string(least) +
                                    " partitions of " + std::to_string(*size) +
                                    " pods at least: `minAvailable` must be " +
                                    std::to_string(least * *size) + ", or left out");
    }
  }
}

void one_topology(View topology, CheckContext& context) {
  const View tier = get(topology, "highestTierAllowed");
  const View name = get(topology, "highestTierName");
  if (tier && !string_of(name).empty()) {
    context
        .refuse(name, "`highestTierAllowed` and `highestTierName` say the same: only one of them")
        .also(context.place(tier), "the other one");
  }
}

void network_topology(View object, CheckContext& context) {
  if (string_at(object, "kind") == "PodGroup") {
    const View spec = get(object, "spec");
    one_topology(get(spec, "networkTopology"), context);
    for (View group : items_at(spec, "subGroupPolicy")) {
      one_topology(get(group, "networkTopology"), context);
    }
    return;
  }
  one_topology(get(job_spec(object), "networkTopology"), context);
  for (const Task& task : tasks_of(object)) {
    one_topology(get(get(task.node, "partitionPolicy"), "networkTopology"), context);
  }
}

void volumes(View object, CheckContext& context) {
  std::map<std::string_view, View> seen;
  for (View volume : items_at(job_spec(object), "volumes")) {
    if (!volume->is_map()) continue;
    const View path = get(volume, "mountPath");
    if (!string_of(path).empty()) {
      const auto [first, is_new] = seen.emplace(path->text, path);
      if (!is_new) {
        context.refuse(path, "two volumes are mounted at " + shown(path->text))
            .also(context.place(first->second), "the first one");
      }
    }
    const View claim = get(volume, "volumeClaim");
    const View name = get(volume, "volumeClaimName");
    if (!claim && string_of(name).empty()) {
      context.refuse(volume,
                     "a volume needs `volumeClaimName`, of a claim that there is, or "
                     "`volumeClaim`, of one to make");
    } else if (claim && !string_of(name).empty()) {
      context.refuse(name,
                     "`volumeClaimName` names a claim that there is, `volumeClaim` makes one: "
                     "only one of them");
    }
    context.name(name, "claim", why_not_subdomain);
  }
}

void pod_names(View object, CheckContext& context) {
  const View name = metadata_name(object);
  if (string_of(name).empty()) return;
  const std::vector<Task> all = tasks_of(object);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string pod = std::string(name->text) + "-" + all[i].name + "-" + std::to_string(i);
    if (pod.size() <= kLabelSize) continue;
    context.refuse(name, "a pod of task " + shown(all[i].name) + " would be called " + shown(pod) +
                             ", which has " + std::to_string(pod.size()) +
                             " characters, at most 63 are allowed");
    return;
  }
}

/// The processors that a container asks for, as the webhook takes limits for requests.
bool asks_for_whole_processors(View container) {
  const View resources = get(container, "resources");
  const View requests = get(resources, "requests");
  const View amounts = has_items(requests) ? requests : get(resources, "limits");
  const View cpu = get(amounts, "cpu");
  const auto amount = cpu && cpu->is_scalar() ? Quantity::parse(cpu->text) : std::nullopt;
  const auto whole = amount ? amount->whole_units() : std::nullopt;
  return whole && *whole > 0 && Quantity::of(*whole) == *amount;
}

void topology_policy(View object, CheckContext& context) {
  for (const Task& task : tasks_of(object)) {
    const View policy = get(task.node, "topologyPolicy");
    if (string_of(policy).empty() || policy->text == "none") continue;
    const View pod = get(get(task.node, "template"), "spec");
    for (std::string_view list : {"containers", "initContainers"}) {
      for (View container : items_at(pod, list)) {
        if (asks_for_whole_processors(container)) continue;
        context
            .refuse(container, "container " + shown(string_at(container, "name")) +
                                   " asks for no whole number of processors")
            .also(context.place(policy), "which this policy needs");
      }
    }
  }
}

/// Names that Kubernetes takes since 1.32. One with `=` is refused by it as well.
void strict_env_name(View name, CheckContext& context) {
  const std::string_view text = string_of(name);
  if (text.empty() || text.find('=') != std::string_view::npos || context.before(32)) return;
  if (const Fault fault = why_not_env_name(text)) {
    context.refuse(name, "Volcano takes no variable " + shown(text) + ": the name " + *fault);
  }
}

/// Kubernetes takes them since 1.35, and before that `Always` of an init container.
void strict_restart_policy(View container, bool init, CheckContext& context) {
  const View policy = get(container, "restartPolicy");
  if (!policy || policy.kind() != Kind::String || context.before(35)) return;
  if (init && (policy->text.empty() || policy->text == "Always")) return;
  context.refuse_key(policy, init ? "Volcano takes no init container with another "
                                    "`restartPolicy` than `Always`"
                                  : "Volcano takes no container with a `restartPolicy` of its own");
}

/// Kubernetes takes a pause of no length since 1.33.
void strict_hooks(View container, CheckContext& context) {
  for (std::string_view hook : {"postStart", "preStop"}) {
    const View seconds = get(get(get(get(container, "lifecycle"), hook), "sleep"), "seconds");
    if (integer_of(seconds) != 0 || context.before(33)) continue;
    context.refuse(seconds, "Volcano takes no pause of 0 seconds");
  }
}

void strict_container(View container, bool init, CheckContext& context) {
  for (View variable : items_at(container, "env")) {
    strict_env_name(get(variable, "name"), context);
  }
  for (View source : items_at(container, "envFrom")) {
    strict_env_name(get(source, "prefix"), context);
  }
  strict_restart_policy(container, init, context);
  strict_hooks(container, context);
  const View sizes = get(container, "resizePolicy");
  if (init && has_items(sizes)) {
    context.refuse_key(sizes, "Volcano takes no init container with a `resizePolicy`");
  }
}

/// The webhook asks Kubernetes' own code of 1.35 about templates, with none of the options that the
/// API server sets.
void strict_templates(View object, CheckContext& context) {
  for (const Task& task : tasks_of(object)) {
    const View pod = get(get(task.node, "template"), "spec");
    for (std::string_view list : {"initContainers", "containers"}) {
      for (View container : items_at(pod, list)) {
        strict_container(container, list == "initContainers", context);
      }
    }
    for (View domain : items_at(get(pod, "dnsConfig"), "searches")) {
      const std::string_view text = string_of(domain);
      if (text != "." && text.find('_') == std::string_view::npos) continue;
      context.refuse(domain, "Volcano takes no domain to search in that " +
                                 std::string(text == "." ? "is `.` alone" : "holds `_`"));
    }
  }
}

void job_queue(View object, CheckContext& context) {
  const View queue = get(job_spec(object), "queue");
  if (string_of(queue) == "root") {
    context.refuse(queue, "no job can be in queue `root`; expected one below it");
    return;
  }
  const Inventory* around = context.inventory();
  if (around == nullptr || string_of(queue).empty()) return;
  constexpr std::string_view group = "scheduling.volcano.sh";
  if (!around->has_any(group, "Queue")) return;
  if (queue->text != "default" && !around->has(group, "Queue", "", queue->text)) {
    context.warn(queue, "there is no queue " + shown(queue->text) + " among those that are given");
    return;
  }
  for (View other : around->all(group, "Queue")) {
    if (string_at(get(other, "spec"), "parent") != queue->text) continue;
    context.refuse(queue, "queue " + shown(queue->text) + " has queues below it, such as " +
                              shown(string_of(metadata_name(other))) +
                              "; a job can only be in one without");
    return;
  }
}

/// The priority class of a job may change, that of the pods of a task may not.
View changed_priority(View task, View before) {
  const View own = get(get(get(task, "template"), "spec"), "priorityClassName");
  const View was = get(get(get(before, "template"), "spec"), "priorityClassName");
  if (string_of(own) == string_of(was)) return {};
  return own ? own : task;
}

/// The claim that a volume names is settled; one that Volcano makes gets its name from it.
View changed_claim(View volume, View before) {
  const View own = get(volume, "volumeClaimName");
  const bool same = string_of(own) == string_at(before, "volumeClaimName");
  if (same || get(volume, "volumeClaim")) return {};
  return own ? own : volume;
}

/// The first change that `one` finds between the items of two lists.
View changed_item(View before, View now, std::string_view key, View (*one)(View, View)) {
  const Items old = items_at(before, key);
  auto was = old.begin();
  for (View item : items_at(now, key)) {
    if (was == old.end()) break;
    if (const View at = one(item, *was)) return at;
    ++was;
  }
  return {};
}

void job_changes(View object, CheckContext& context) {
  const View old = context.old();
  if (!old) return;
  constexpr auto free = std::to_array<std::string_view>(
      {"minAvailable", "replicas", "priorityClassName", "volumeClaimName"});
  constexpr auto filled = std::to_array<std::string_view>(
      {"queue", "schedulerName", "maxRetry", "name", "dnsPolicy", "svc", "ssh", "protocol"});
  const View now = get(object, "spec");
  const View before = get(old, "spec");
  const View tasks = get(now, "tasks");
  const View tasks_before = get(before, "tasks");
  if (tasks && tasks_before && tasks->is_seq() && tasks->size != tasks_before->size) {
    context.refuse_key(tasks, "a job of Volcano had " + std::to_string(tasks_before->size) +
                                  " tasks; none can be added or taken away");
    return;
  }
  View at = changed(before, now, {free, filled});
  if (!at) at = changed_item(before, now, "tasks", changed_priority);
  if (!at) at = changed_item(before, now, "volumes", changed_claim);
  if (!at) return;
  context.refuse(at, "this cannot change once a job of Volcano is there")
      .note("`minAvailable`, `priorityClassName` and the `replicas` of tasks can");
}

/// PodGroups are checked only for the queue being there; it may have others below it.
void pod_group_queue(View object, CheckContext& context) {
  const View queue = get(get(object, "spec"), "queue");
  const Inventory* around = context.inventory();
  if (around == nullptr || string_of(queue).empty() || queue->text == "default") return;
  constexpr std::string_view group = "scheduling.volcano.sh";
  if (!around->has_any(group, "Queue") || around->has(group, "Queue", "", queue->text)) return;
  context.warn(queue, "there is no queue " + shown(queue->text) + " among those that are given");
}

constexpr Check kChecks[] = {
    {.name = "volcano-job-stays",
     .on = "batch.volcano.sh Job",
     .sentence = "Of a job of Volcano only numbers of pods and its priority class change.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go "
               "validateJobUpdate",
     .object = job_changes,
     .operators = kVolcano},
    {.name = "volcano-pod-group-queue",
     .on = "scheduling.volcano.sh PodGroup",
     .sentence = "The queue of a PodGroup is there.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/podgroups/validate/"
               "validate_podgroup.go checkQueueState",
     .object = pod_group_queue,
     .operators = {.name = "volcano", .since = "1.12"}},
    {.name = "volcano-tasks",
     .on = kKinds,
     .sentence = "A job of Volcano has tasks, each with a name of its own.",
     .source = kSource,
     .object = tasks,
     .operators = kVolcano},
    {.name = "volcano-min-available",
     .on = kKinds,
     .sentence = "A job of Volcano and its tasks do not wait for more pods than they have.",
     .source = kSource,
     .object = min_available,
     .operators = kVolcano},
    {.name = "volcano-policies",
     .on = kKinds,
     .sentence = "Policies react to events or exit codes that there are, each to one of its own, "
                 "with an action that there is, and after times with units.",
     .source = kPolicySource,
     .object = policies,
     .operators = kVolcano},
    {.name = "volcano-plugins",
     .on = kKinds,
     .sentence = "The plugins of a job are ones that Volcano has.",
     .source = kSource,
     .object = plugins,
     .operators = kVolcano},
    {.name = "volcano-plugin-arguments",
     .on = kKinds,
     .sentence = "A plugin is given flags that it has, and the task that it needs is there.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins",
     .object = plugin_arguments,
     .operators = kVolcano},
    {.name = "volcano-depends-on",
     .on = kKinds,
     .sentence = "Tasks wait for tasks that there are, and not for each other in a circle.",
     .source = kPolicySource,
     .object = depends_on,
     .operators = kVolcano},
    {.name = "volcano-partitions",
     .on = kKinds,
     .sentence = "The partitions of a task hold all of its pods, and as many as it waits for.",
     .source = kSource,
     .object = partitions,
     .operators = {.name = "volcano", .since = "1.14"}},
    {.name = "volcano-network-topology",
     .on = "batch.volcano.sh Job CronJob; flow.volcano.sh JobTemplate; scheduling.volcano.sh "
           "PodGroup",
     .sentence = "A tier of the network is given by its number or by its name.",
     .source = kSource,
     .object = network_topology,
     .operators = kVolcano},
    {.name = "volcano-volumes",
     .on = kKinds,
     .sentence = "Each volume of a job has a place of its own and exactly one claim.",
     .source = kPolicySource,
     .object = volumes,
     .operators = kVolcano},
    {.name = "volcano-pod-names",
     .on = "batch.volcano.sh Job",
     .sentence = "The names of the pods, `<job>-<task>-<index>`, have at most 63 characters.",
     .source = kSource,
     .object = pod_names,
     .operators = kVolcano},
    {.name = "volcano-topology-policy",
     .on = kKinds,
     .sentence = "With a NUMA policy each container asks for a whole number of processors.",
     .source = kSource,
     .object = topology_policy,
     .operators = kVolcano},
    {.name = "volcano-pod-templates",
     .on = kKinds,
     .sentence = "The pods of a job have nothing that Kubernetes takes and Volcano's webhook does "
                 "not.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go "
               "validateTaskTemplate",
     .object = strict_templates,
     .operators = {.name = "volcano", .since = "1.15"}},
    {.name = "volcano-job-queue",
     .on = kKinds,
     .sentence = "The queue of a job is there, is not `root`, and has no queues below it.",
     .source = kSource,
     .object = job_queue,
     .operators = kVolcano},
};

}  // namespace

constinit const std::span<const Check> volcano_job_checks = kChecks;

}  // namespace trainyard
