#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "check/check.h"
#include "check/object_checks.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Calls `found` with each group and kind of `on`: `core Pod; apps Deployment StatefulSet`. The
/// core group is written `core`.
template <class Found>
void each_kind(std::string_view on, Found found) {
  while (!on.empty()) {
    const std::size_t end = std::min(on.find("; "), on.size());
    std::string_view part = on.substr(0, end);
    on.remove_prefix(std::min(end + 2, on.size()));
    const std::size_t space = std::min(part.find(' '), part.size());
    const std::string_view group = part.substr(0, space);
    for (part.remove_prefix(space); !part.empty();) {
      part.remove_prefix(1);
      const std::size_t next = std::min(part.find(' '), part.size());
      found(group, part.substr(0, next));
      part.remove_prefix(next);
    }
  }
}

/// Whether `on` names this kind.
bool names(std::string_view on, std::string_view group, std::string_view kind) {
  if (on == "any") return true;
  if (on.find(kind) == std::string_view::npos) return false;  // seen without a look at each
  if (group.empty()) group = "core";
  bool found = false;
  each_kind(on, [&](std::string_view each_group, std::string_view each) {
    found = found || (each == kind && each_group == group);
  });
  return found;
}

bool holds_for(const Check& check, const Versions& versions) {
  if (!check.since.empty()) {
    const auto since = kubernetes_version(check.since);
    if (since && versions.kubernetes < *since) return false;
  }
  return versions.within(check.operators);
}

/// Operators say for themselves what they want; the kinds of Kubernetes want a pod.
bool needs_template(const PodPlace& place) {
  return place.group.empty() || place.group == "apps" || place.group == "batch";
}

const KindChecks& checks_of(View root, CheckSelection& selection) {
  return selection.of(group_of(string_at(root, "apiVersion")), string_at(root, "kind"));
}

/// The checks of one object, asked one after the other.
class CheckRunner {
 public:
  CheckRunner(View root, CheckContext& context) : root_(root), context_(context) {}

  /// Only these are asked.
  void ask_only(std::span<const Check* const> wanted) { wanted_ = wanted; }

  /// Findings of a check that asks for other objects count only where these are known. The context
  /// reports to `found`; what counts goes on to `sink`.
  void leave_out_what_asks_for_others(Sink& found, Sink& sink) {
    found_ = &found;
    sink_ = &sink;
  }

  /// What is asked, in the order of subjects.
  void run(const KindChecks& checks) {
    pods(checks);
    jobs(checks);
    workload(checks);
    object(checks);
    if (found_ != nullptr) hand_on(found_->all().size());
  }

 private:
  bool is_wanted(const Check& check) const {
    return wanted_.empty() || std::ranges::find(wanted_, &check) != wanted_.end();
  }
  bool any_wanted(const std::vector<const Check*>& checks) const {
    return std::ranges::any_of(checks, [&](const Check* each) { return is_wanted(*each); });
  }

  template <class How>
  void ask(const Check& check, How how) {
    if (!is_wanted(check) || !context_.use(check)) return;
    const std::size_t before = found_ == nullptr ? 0 : found_->all().size();
    how();
    if (found_ != nullptr && context_.take_inventory_wish()) hand_on(before);
  }

  /// What was found first counts.
  void hand_on(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sink_->report(found_->all()[i]);
    found_->clear();
  }

  static bool is_equal(View a, View b) { return a && equal(a.tree(), a.id(), b.tree(), b.id()); }

  void pod(View holder, const PodPlace& place, const KindChecks& checks) {
    const Pod pod = read_pod(root_, holder, place);
    const bool is_large = is_too_large(pod.containers.size(), pod.spec, "containers of a pod");
    for (const Check* check : checks.on_pods) {
      if (is_large && check->is_lint()) continue;
      ask(*check, [&] { check->pod(pod, context_); });
    }
  }

  /// Lints compare each part of a job with each other one. No cluster runs as many as these.
  bool is_too_large(std::size_t parts, View at, std::string_view what) {
    constexpr std::size_t kMostParts = 256;
    if (parts <= kMostParts) return false;
    context_.left_out(at, std::to_string(parts) + " " + std::string(what) + ": what may go wrong " +
                              "with more than " + std::to_string(kMostParts) + " is not checked");
    return true;
  }

  /// The roles of a job often have the same template. What a check says of a pod depends on that
  /// and on the object, so where it says nothing of one it says nothing of those that are equal to
  /// it.
  void pods(const KindChecks& checks) {
    if (!any_wanted(checks.on_pods)) return;
    for (const PodPlace* place : checks.pods) {
      bool any = false;
      View good;
      each_at(root_, place->path, [&](View holder) {
        any = any || holder.kind() != Kind::Null;
        if (!holder->is_map()) return;
        if (is_equal(good, holder)) return;
        const std::size_t before = context_.findings();
        pod(holder, *place, checks);
        if (context_.findings() == before) good = holder;
      });
      if (!any && needs_template(*place) && !context_.has_flags() && wanted_.empty()) {
        context_.use(*find_check(context_.checks(), "some-container"));
        context_
            .refuse(root_, "there is no pod in this: `" + std::string(place->path) + "` is missing")
            .kind = DiagnosticKind::MissingField;
      }
    }
  }

  void jobs(const KindChecks& checks) {
    for (const JobPlace* place : checks.jobs) {
      each_at(root_, place->path, [&](View spec) {
        if (spec->is_map()) job(spec, *place, checks);
      });
    }
  }

  void job(View spec, const JobPlace& place, const KindChecks& checks) {
    const Job job{place.is_job ? root_ : View(), spec, &place};
    for (const Check* check : checks.on_jobs) {
      ask(*check, [&] { check->job(job, context_); });
    }
  }

  void workload(const KindChecks& checks) {
    if (!any_wanted(checks.on_workload)) return;
    const Workload& workload = context_.workload();
    if (workload.roles.empty()) return;
    if (is_too_large(workload.roles.size(), workload.spec, "pod templates of a job")) return;
    for (const Check* check : checks.on_workload) {
      ask(*check, [&] { check->workload(workload, context_); });
    }
  }

  void object(const KindChecks& checks) {
    for (const Check* check : checks.on_object) {
      ask(*check, [&] { check->object(root_, context_); });
    }
  }

  View root_;
  CheckContext& context_;
  std::span<const Check* const> wanted_;  // none for all
  Sink* found_ = nullptr;
  Sink* sink_ = nullptr;
};

bool is_workload(const KindChecks& of) {
  return std::ranges::any_of(workload_places(), [&](const WorkloadPlace& place) {
    return place.group == of.group && place.kind == of.kind;
  });
}

template <class Place>
void pick_places(std::span<const Place> all, const KindChecks& of,
                 std::vector<const Place*>& into) {
  for (const Place& place : all) {
    if (place.group == of.group && place.kind == of.kind) into.push_back(&place);
  }
}

/// Whether it runs at all, whatever the object.
bool is_on(const Check& check, const Severities* asked) {
  if (asked == nullptr) return true;
  return check.opt_in ? asked->is_on(check.name) : !asked->is_off(check.name);
}

/// Nothing runs the pod of a PodTemplate: it is a form for others, such as a ProvisioningRequest,
/// which reads what it asks for.
bool runs_pods(const KindChecks& of) {
  return !(of.group.empty() && of.kind == "PodTemplate");
}

void pick_checks(CheckTables tables, const Versions& versions, const Severities* asked,
                 KindChecks& into) {
  const bool has_pods = !into.pods.empty();
  const bool has_running = runs_pods(into);
  const bool has_jobs = !into.jobs.empty();
  const bool is_for_workloads = is_workload(into);
  std::string_view kinds;  // that neighbours in a table are for, mostly
  bool is_among_kinds = false;
  for (const std::span<const Check>& table : tables) {
    for (const Check& check : table) {
      const bool of_pods = check.pod != nullptr && has_pods && (!check.is_lint() || has_running);
      const bool of_jobs = check.job != nullptr && has_jobs;
      const bool of_workload = check.workload != nullptr && is_for_workloads;
      if (check.object != nullptr && check.on != kinds) {
        kinds = check.on;
        is_among_kinds = names(kinds, into.group, into.kind);
      }
      const bool of_object = check.object != nullptr && is_among_kinds;
      if (!of_pods && !of_jobs && !of_workload && !of_object) continue;
      if (!holds_for(check, versions) || !is_on(check, asked)) continue;
      if (of_pods) into.on_pods.push_back(&check);
      if (of_jobs) into.on_jobs.push_back(&check);
      if (of_workload) into.on_workload.push_back(&check);
      if (of_object) into.on_object.push_back(&check);
    }
  }
}

}  // namespace

const Check* find_check(CheckTables tables, std::string_view name) {
  for (const std::span<const Check>& table : tables) {
    for (const Check& check : table) {
      if (check.name == name) return &check;
    }
  }
  return nullptr;
}

std::string subject_phrase(const Check& check) {
  std::string phrase;
  const auto add = [&](std::string_view more) {
    phrase.append(phrase.empty() ? "" : "; ").append(more);
  };
  if (check.pod != nullptr) add("every pod template");
  if (check.job != nullptr) add("every spec of a Job");
  if (check.workload != nullptr) add("pods that work together, of every kind");
  if (check.object == nullptr) return phrase;
  if (check.on == "any") add("every object");
  if (check.on == "any") return phrase;
  std::string_view last;
  each_kind(check.on, [&](std::string_view group, std::string_view kind) {
    if (group != last) {
      add(group);
      phrase += ": ";
    } else {
      phrase += ", ";
    }
    phrase += kind;
    last = group;
  });
  return phrase;
}

const KindChecks& CheckSelection::of(std::string_view group, std::string_view kind) {
  for (const KindChecks& each : kinds_) {
    if (each.kind == kind && each.group == group) return each;
  }
  KindChecks& picked = kinds_.emplace_back();
  picked.group = group;
  picked.kind = kind;
  pick_places(pod_places(), picked, picked.pods);
  pick_places(job_places(), picked, picked.jobs);
  pick_checks(tables_, versions_, asked_, picked);
  return picked;
}

void run_checks(View root, std::string name, std::vector<NodeId> flagged, CheckContext& context) {
  context.start(root, std::move(name), std::move(flagged));
  const CallsStay calls_stay;
  CheckRunner(root, context).run(checks_of(root, context.selection()));
}

void run_some_checks(View root, std::vector<NodeId> flagged, std::span<const Check* const> wanted,
                     CheckContext& context) {
  if (wanted.empty()) return;
  context.start(root, {}, std::move(flagged));
  const CallsStay calls_stay;
  CheckRunner runner(root, context);
  runner.ask_only(wanted);
  runner.run(checks_of(root, context.selection()));
}

void run_checks_alone(View root, const std::vector<NodeId>& flagged, View old,
                      const CheckInputs& surroundings, Sink& sink) {
  Sink found;
  CheckContext context(surroundings, found);
  if (old) context.replaces(old);
  context.start(root, {}, flagged);
  const CallsStay calls_stay;
  CheckRunner runner(root, context);
  runner.leave_out_what_asks_for_others(found, sink);
  runner.run(checks_of(root, context.selection()));
}

}  // namespace trainyard
