#include <algorithm>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "operators/tables.h"
#include "operators/volcano_tasks.h"
#include "tree/typed_fields.h"

// The plugins of a Volcano Job, and the arguments that they take.

namespace trainyard {
namespace {

using namespace volcano;

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

/// The finding about an argument, and its place; arguments are read as Go's package `flag` does.
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

/// The workers in the arguments of a plugin are a task of the job, unless the leader works alone.
void plugin_workers(const Plugin& plugin, const std::vector<Argument>& arguments,
                    const std::vector<Task>& all, CheckContext& context) {
  if (plugin.leader.empty() || all.size() < 2) return;
  for (const Argument& argument : arguments) {
    if (argument.name != "worker" || argument.value.empty()) continue;
    const bool found =
        std::ranges::any_of(all, [&](const Task& task) { return task.name == argument.value; });
    if (found) continue;
    context
        .warn(argument.at, "plugin " + shown(plugin.name) + " expects the task " +
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

constexpr Check kChecks[] = {
    {.name = "volcano-plugin-arguments",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = kKinds,
     .sentence = "A plugin is given flags that it has, and the task that it needs is there.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins",
     .object = plugin_arguments,
     .operators = kVolcano},
};

}  // namespace

constinit const std::span<const Check> volcano_plugin_checks = kChecks;

}  // namespace trainyard
