// Levels of topologies that jobs name, trees of HyperNodes, and ranks by the index in a task.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "operators/graph.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// kai-scheduler/KAI-Scheduler pkg/podgrouper/podgrouper/plugins/constants: annotations of the
/// object that owns the pods.
void kai_level(const Workload& workload, CheckContext& context) {
  const View notes = get(get(workload.object, "metadata"), "annotations");
  const View name = get(notes, "kai.scheduler/topology");
  const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const View topology = inventory->find("kai.scheduler", "Topology", "", name->text);
  const View levels = get(get(topology, "spec"), "levels");
  if (!has_items(levels)) return;
  for (std::string_view key : {"kai.scheduler/topology-required-placement",
                               "kai.scheduler/topology-preferred-placement"}) {
    const View wanted = get(notes, key);
    if (string_of(wanted).empty()) continue;
    const bool is_there = std::ranges::any_of(Items(levels), [&](View each) {
      return string_at(each, "nodeLabel") == wanted->text ||
             string_at(each, "alias") == wanted->text;
    });
    if (is_there) continue;
    context.lint(wanted, "topology " + shown(name->text) + " has no level " + shown(wanted->text))
        .also(context.place(levels), "its levels");
  }
}

std::vector<std::string_view> members_of(View node) {
  std::vector<std::string_view> names;
  for (View each : items_at(get(node, "spec"), "members")) {
    if (string_at(each, "type") != "HyperNode") continue;
    const std::string_view name = string_at(get(get(each, "selector"), "exactMatch"), "name");
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

/// volcano-sh/volcano pkg/scheduler/api/hyper_node_info.go: a member has one parent, and there is
/// no circle; else no HyperNode is ready.
void hyper_node_tree(View object, CheckContext& context) {
  constexpr std::size_t kMostNodes = 1000;  // each is compared with all
  const View own = get(get(object, "metadata"), "name");
  const std::vector<std::string_view> members = members_of(object);
  const Inventory* inventory =
      members.empty() || string_of(own).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const std::vector<View> all = inventory->all("topology.volcano.sh", "HyperNode");
  if (all.size() > kMostNodes) return;
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    numbers.emplace(string_at(get(all[i], "metadata"), "name"), i);
  }
  const std::set<std::string_view> own_members(members.begin(), members.end());
  WaitsFor graph(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = string_at(get(all[i], "metadata"), "name");
    for (std::string_view member : members_of(all[i])) {
      if (const auto found = numbers.find(member); found != numbers.end()) {
        graph[i].push_back(found->second);
      }
      if (name >= own->text || !own_members.contains(member)) continue;
      context
          .lint(own,
                "HyperNode " + shown(member) + " is a member of this one and of " + shown(name))
          .also(context.place(get(get(all[i], "metadata"), "name")), "the other one");
    }
  }
  const std::vector<std::size_t> circle = find_cycle(graph);
  const auto name_of = [&](std::size_t node) {
    return string_at(get(all[node], "metadata"), "name");
  };
  if (circle.empty() || name_of(circle.front()) != own->text) return;
  std::string text = shown(own->text);
  for (std::size_t i = 1; i < circle.size(); ++i) {
    text += ", which has " + shown(name_of(circle[i]));
  }
  context.lint(own, "HyperNodes are members of each other in a circle: " + text + ", which has " +
                        shown(own->text));
}

/// The index counts within a task: several tasks then have a rank 0.
void rank_of_task(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch.volcano.sh", "Job")) return;
  OptionValue first;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      const OptionValue rank = call ? call->option("node-rank") : OptionValue();
      const bool is_index = rank.text == "$VC_TASK_INDEX" || rank.text == "${VC_TASK_INDEX}" ||
                            rank.text == "$VK_TASK_INDEX" || rank.text == "${VK_TASK_INDEX}";
      if (!is_index) continue;
      if (!first) {
        first = rank;
        continue;
      }
      context
          .lint(rank.at, "the index counts within a task: pods of several tasks are node 0 by " +
                             shown(rank.text))
          .also(context.place(first.at), "the other task");
      return;
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "kai-topology-level",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The level at which KAI places a job is one of its topology.",
     .source = "kai-scheduler/KAI-Scheduler pkg/scheduler/plugins/topology/job_filtering.go",
     .workload = kai_level,
     .severity = Severity::Warning,
     .because = "KAI finds no domain for the job, and its pods stay pending.",
     .fix = "write the label of a level"},
    {.name = "hyper-node-tree",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "topology.volcano.sh HyperNode",
     .sentence = "HyperNodes are a tree: each is a member of one at most, and not of itself.",
     .source = "volcano-sh/volcano pkg/scheduler/api/hyper_node_info.go",
     .object = hyper_node_tree,
     .severity = Severity::Warning,
     .because = "Volcano takes no notice of the topology, and jobs with a hard one stay pending.",
     .fix = "let each HyperNode be a member of one"},
    {.name = "rank-of-task",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods of several tasks of a Volcano Job have ranks of their own.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins/env/env.go",
     .workload = rank_of_task,
     .severity = Severity::Warning,
     .because = "Two pods say that they are node 0, and the others are waited for in vain.",
     .fix =
         "take the rank from the plugin `pytorch`, or add the number of pods of the tasks before"},
};

}  // namespace

const std::span<const Check> placement_reference_lints = kChecks;

}  // namespace trainyard
