#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "admission/schedule.h"
#include "admission/time_zones.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/graph.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "schema/patterns.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr OperatorSpan kVolcano{.name = "volcano"};

void time_zone(View zone, CheckContext& context) {
  if (!zone || zone.kind() != Kind::String) return;
  if (zone->text.empty()) {
    context.refuse(zone, "the time zone is empty; leave it out, or name one such as `Etc/UTC`");
    return;
  }
  if (!is_time_zone(zone->text)) {
    context.refuse(zone, shown(zone->text) +
                             " is no time zone; expected one such as `Etc/UTC` or "
                             "`Europe/Berlin`");
  }
}

void cron_job(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View schedule = get(spec, "schedule");
  if (schedule && schedule.kind() == Kind::String) {
    const bool zone = schedule->text.find("TZ") != std::string_view::npos;
    const Fault fault = schedule->text.empty() ? Fault("is empty; expected one such as `0 * * * *`")
                        : zone ? Fault("holds a time zone; that belongs into `timeZone`")
                               : why_no_schedule(schedule->text);
    if (fault) context.refuse(schedule, "schedule " + shown(schedule->text) + " " + *fault);
  }
  time_zone(get(spec, "timeZone"), context);
  constexpr std::size_t most = 52;  // a time is added to make the names of Jobs
  const View name = metadata_name(object);
  if (string_of(name).size() > most) {
    context.refuse(name, "the name of a CronJob has at most 52 characters, not " +
                             std::to_string(name->text.size()) +
                             ": a time is added to make the names of its Jobs");
  }
}

void job_flow(View object, CheckContext& context) {
  std::vector<View> flows;
  for (View flow : items_at(get(object, "spec"), "flows")) {
    // Of several flows of one name the last one counts.
    const std::string_view name = string_at(flow, "name");
    const auto same =
        std::ranges::find_if(flows, [&](View other) { return string_at(other, "name") == name; });
    if (same == flows.end()) {
      flows.push_back(flow);
    } else {
      *same = flow;
    }
  }
  WaitsFor graph(flows.size());
  bool sound = true;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const View targets = get(get(flows[i], "dependsOn"), "targets");
    for (View target : targets && targets->is_seq() ? Items(targets) : Items()) {
      const auto at = std::ranges::find_if(
          flows, [&](View flow) { return string_at(flow, "name") == string_of(target); });
      if (at != flows.end()) {
        graph[i].push_back(static_cast<std::size_t>(at - flows.begin()));
        continue;
      }
      sound = false;
      context.refuse(target, "flow " + shown(string_at(flows[i], "name")) + " waits for " +
                                 shown(string_of(target)) + ", and there is no such flow");
    }
  }
  const auto cycle = sound ? find_cycle(graph) : std::vector<std::size_t>();
  if (cycle.empty()) return;
  std::string path;
  for (std::size_t flow : cycle) path += shown(string_at(flows[flow], "name")) + " waits for ";
  context.refuse(get(flows[cycle.front()], "dependsOn"),
                 "flows wait for each other in a circle: " + path +
                     shown(string_at(flows[cycle.front()], "name")));
}

void hyper_node(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  if (spec && spec->is_map() && !get(spec, "members")) {
    context.refuse(spec, "a HyperNode has one member at least: `members` is missing");
  }
  for (View member : items_at(spec, "members")) {
    const View selector = get(member, "selector");
    const View pattern = get(get(selector, "regexMatch"), "pattern");
    if (!string_of(pattern).empty()) {
      const std::string fault = pattern_fault(pattern->text);
      if (!fault.empty()) {
        context.refuse(pattern, shown(pattern->text) + " is no regular expression: " + fault);
      }
    }
    check_selector(get(selector, "labelMatch"), context);
  }
}

/// volcano.sh/apis pkg/apis/scheduling/v1beta1: how much of a job may be disrupted.
constexpr auto kBudgets = std::to_array<std::string_view>(
    {"volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"});

void budgets(const Pod& pod, CheckContext& context) {
  if (string_at(pod.spec, "schedulerName") != "volcano") return;
  const View all = get(pod.metadata, "annotations");
  View first;
  for (std::string_view key : kBudgets) {
    const View value = get(all, key);
    if (!value || value.kind() != Kind::String) continue;
    if (first) {
      context
          .refuse_key(value,
                      shown(kBudgets[0]) + " and " + shown(kBudgets[1]) + " do not go together")
          .also(context.place(first), "the other one");
    }
    first = value;
    std::string_view text = value->text;
    const bool percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    const auto number = go_integer(text);
    if (number && *number > 0 && (!percent || *number < 100)) continue;
    context.refuse(value, shown(key) + " is " + shown(value->text) +
                              "; expected a number above 0, or `1%` to `99%`");
  }
}

constexpr Check kChecks[] = {
    {.name = "volcano-cron-job",
     .group = CheckGroup::Training,
     .on = "batch.volcano.sh CronJob",
     .sentence = "A CronJob of Volcano has a schedule and a time zone that can be read, and a name "
                 "to which a time can be added.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/cronjobs/validate/admit_cronjob.go",
     .object = cron_job,
     .operators = {.name = "volcano", .since = "1.14"}},
    {.name = "volcano-job-flow",
     .group = CheckGroup::Training,
     .on = "flow.volcano.sh JobFlow",
     .sentence = "Flows wait for flows that exist, and not for each other in a circle.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/jobflows/validate/validate_jobflow.go",
     .object = job_flow,
     .operators = kVolcano},
    {.name = "volcano-hyper-node",
     .group = CheckGroup::Queue,
     .on = "topology.volcano.sh HyperNode",
     .sentence = "A HyperNode has members, and what selects them can be read.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/hypernodes/validate/admit_hypernode.go",
     .object = hyper_node,
     .operators = kVolcano},
    {.name = "volcano-disruption-budget",
     .group = CheckGroup::Gang,
     .sentence = "A job says once how much of it may be disrupted, as a number or a percentage.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/pods/validate/admit_pod.go",
     .pod = budgets,
     .operators = kVolcano},
};

}  // namespace

constinit const std::span<const Check> volcano_checks = kChecks;

}  // namespace trainyard
