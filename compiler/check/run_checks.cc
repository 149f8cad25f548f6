#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "check/check.h"
#include "check/deferred_checks.h"
#include "check/questions.h"
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
class Asking {
 public:
  Asking(View root, CheckContext& context) : root_(root), context_(&context) {}

  /// Only these are asked.
  void ask_only(std::span<const Check* const> wanted) { wanted_ = wanted; }

  /// What is said by a check that asks for an inventory counts only when there is one: until then
  /// the check is put off.
  void put_off_with(const Surroundings& surroundings, const std::vector<NodeId>& flagged, View old,
                    Sink& sink) {
    alone_.emplace(surroundings, flagged, old, sink);
    renew();
  }

  /// What is asked, in the order of subjects. `checks` outlive the context, which may be renewed.
  void run(const KindChecks& checks, const Asked& asked, QuestionNotes* notes) {
    const std::size_t before = findings();
    notes_ = notes;
    asked_ = asked;
    if (asked.known != nullptr && asked.known->number() == checks.number) {
      return due(*asked.known, *asked.due, checks);
    }
    all(checks);
    if (notes_ != nullptr) notes_->finish(checks, findings() - before == findings_in_questions_);
  }

  /// Those that were put off.
  std::vector<const Check*> finish() {
    if (!alone_) return {};
    hand_on(alone_->found.all().size());
    return std::move(alone_->put_off);
  }

 private:
  /// An object without the others around it.
  struct Alone {
    Alone(const Surroundings& its_surroundings, const std::vector<NodeId>& its_flagged,
          View its_old, Sink& its_sink)
        : surroundings(its_surroundings), flagged(its_flagged), old(its_old), sink(its_sink) {}

    const Surroundings& surroundings;
    const std::vector<NodeId>& flagged;
    View old;
    Sink& sink;
    Sink found;
    std::optional<CheckContext> context;
    std::vector<const Check*> put_off;
  };

  /// A group of questions, for those who note them.
  class Grouping {
   public:
    Grouping(QuestionNotes* notes, const Subject& subject) : notes_(notes) {
      if (notes_ != nullptr) notes_->begin_group(subject);
    }
    ~Grouping() {
      if (notes_ != nullptr) notes_->end_group();
    }
    Grouping(const Grouping&) = delete;
    Grouping& operator=(const Grouping&) = delete;

   private:
    QuestionNotes* notes_;
  };

  bool is_wanted(const Check& check) const {
    return wanted_.empty() || std::ranges::find(wanted_, &check) != wanted_.end();
  }
  bool any_wanted(const std::vector<const Check*>& checks) const {
    return std::ranges::any_of(checks, [&](const Check* each) { return is_wanted(*each); });
  }

  template <class How>
  void ask(const Check& check, How how) {
    if (!is_wanted(check)) return;
    if (notes_ == nullptr) {
      put(check, how);
      return;
    }
    const std::size_t before = findings();
    notes_->begin_question(check);
    const bool put_off = put(check, how);
    const std::size_t found = findings() - before;
    findings_in_questions_ += found;
    notes_->end_question(put_off || found != 0);
  }

  /// The same of a question that was asked of another object. That there is nothing to say is kept
  /// with all that it looked at.
  template <class How>
  void ask_again(std::size_t question, const Check& check, How how) {
    if (asked_.quiet == nullptr || !asked_.quiet->wants(question)) return ask(check, how);
    const std::size_t before = findings();
    const CallsPause calls_pause;
    Looks& looks = asked_.quiet->looks();
    const LookNotes notes(root_.tree(), context_->cluster_tree(), looks);
    const bool put_off = put(check, how);
    if (put_off || findings() != before || !notes.are_complete()) return;
    asked_.quiet->add(question, root_.tree(), looks);
  }

  /// Whether it was put off.
  template <class How>
  bool put(const Check& check, How how) {
    if (!context_->use(check)) return false;
    if (!alone_) {
      how();
      return false;
    }
    const std::size_t before = alone_->found.all().size();
    how();
    if (!context_->wants_inventory()) return false;
    if (std::ranges::find(alone_->put_off, &check) == alone_->put_off.end()) {
      alone_->put_off.push_back(&check);
    }
    hand_on(before);
    findings_ += context_->findings();
    renew();
    return true;
  }

  /// What was found first counts.
  void hand_on(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) alone_->sink.report(alone_->found.all()[i]);
    alone_->found.clear();
  }

  /// A context that has not been asked for an inventory.
  void renew() {
    context_ = &alone_->context.emplace(alone_->surroundings, alone_->found);
    if (alone_->old) context_->replaces(alone_->old);
    context_->start(root_, {}, alone_->flagged);
  }

  std::size_t findings() const { return findings_ + context_->findings(); }

  void all(const KindChecks& checks) {
    pods(checks);
    jobs(checks);
    workload(checks);
    object(checks);
  }

  /// Those that are due.
  void due(const Questions& questions, Questions::Due& due, const KindChecks& checks) {
    const PodPlace* place = nullptr;
    View good;  // of this place, as in `pods`
    if (asked_.quiet != nullptr) {
      asked_.quiet->begin(questions, root_.tree(), *asked_.different, due);
    }
    for (std::size_t i = 0; i < questions.groups().size(); ++i) {
      const Questions::Group& group = questions.groups()[i];
      const Subject& subject = group.subject;
      const View at(root_.tree(), subject.node);
      const bool is_pod = subject.sort == Subject::Sort::Pod;
      if (is_pod && std::exchange(place, subject.pod_place) != place) good = {};
      const std::size_t before = findings();
      const bool is_open = questions.is_open(due, i);
      if (is_open || questions.any_due(due, group)) {
        if (is_pod && is_equal(good, at)) continue;
        if (is_open) {
          whole_group(subject, at, checks);
        } else {
          due_of_group(questions, due, group, at, checks);
        }
      }
      if (is_pod && findings() == before) good = at;
    }
  }

  static bool is_equal(View a, View b) { return a && equal(a.tree(), a.id(), b.tree(), b.id()); }

  void whole_group(const Subject& subject, View at, const KindChecks& checks) {
    switch (subject.sort) {
      case Subject::Sort::Pod:
        return pod(at, *subject.pod_place, checks);
      case Subject::Sort::Job:
        return job(at, *subject.job_place, checks);
      case Subject::Sort::Workload:
        return workload(checks);
      case Subject::Sort::Object:
        return object(checks);
    }
  }

  void due_of_group(const Questions& questions, const Questions::Due& due,
                    const Questions::Group& group, View at, const KindChecks& checks) {
    const auto each = [&](auto how) {
      questions.each_due(due, group, [&](std::size_t question) {
        const Check& check = questions.check(question);
        ask_again(question, check, [&] { how(check); });
      });
    };
    const Subject& subject = group.subject;
    switch (subject.sort) {
      case Subject::Sort::Pod: {
        const Pod pod = read_pod(root_, at, *subject.pod_place);
        return each([&](const Check& check) { check.pod(pod, *context_); });
      }
      case Subject::Sort::Job: {
        const Job job = read_job(at, *subject.job_place);
        return each([&](const Check& check) { check.job(job, *context_); });
      }
      case Subject::Sort::Workload: {
        const Workload workload = read_workload(root_, checks.group, checks.kind);
        return each([&](const Check& check) { check.workload(workload, *context_); });
      }
      case Subject::Sort::Object:
        return each([&](const Check& check) { check.object(root_, *context_); });
    }
  }

  void pod(View holder, const PodPlace& place, const KindChecks& checks) {
    const Grouping grouping(notes_, {Subject::Sort::Pod, holder.id(), &place});
    const Pod pod = read_pod(root_, holder, place);
    for (const Check* check : checks.on_pods) {
      ask(*check, [&] { check->pod(pod, *context_); });
    }
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
        // Who notes what is looked at wants to hear it of each: others may not be equal.
        if (notes_ == nullptr && is_equal(good, holder)) return;
        const std::size_t before = findings();
        pod(holder, *place, checks);
        if (findings() == before) good = holder;
      });
      if (!any && needs_template(*place) && !context_->has_flags() && wanted_.empty()) {
        context_->use(*find_check(context_->checks(), "some-container"));
        context_->refuse(root_,
                         "there is no pod in this: `" + std::string(place->path) + "` is missing");
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

  Job read_job(View spec, const JobPlace& place) const {
    return {place.is_job ? root_ : View(), spec, &place};
  }

  void job(View spec, const JobPlace& place, const KindChecks& checks) {
    const Grouping grouping(notes_, {Subject::Sort::Job, spec.id(), nullptr, &place});
    const Job job = read_job(spec, place);
    for (const Check* check : checks.on_jobs) {
      ask(*check, [&] { check->job(job, *context_); });
    }
  }

  void workload(const KindChecks& checks) {
    if (!any_wanted(checks.on_workload)) return;
    const Grouping grouping(notes_, {Subject::Sort::Workload, root_.id()});
    const Workload workload = read_workload(root_, checks.group, checks.kind);
    if (workload.roles.empty()) return;
    for (const Check* check : checks.on_workload) {
      ask(*check, [&] { check->workload(workload, *context_); });
    }
  }

  void object(const KindChecks& checks) {
    const Grouping grouping(notes_, {Subject::Sort::Object, root_.id()});
    for (const Check* check : checks.on_object) {
      ask(*check, [&] { check->object(root_, *context_); });
    }
  }

  View root_;
  CheckContext* context_;
  std::span<const Check* const> wanted_;  // none for all
  std::optional<Alone> alone_;
  Asked asked_;
  QuestionNotes* notes_ = nullptr;         // null when nobody wants any
  std::size_t findings_in_questions_ = 0;  // since there are notes
  std::size_t findings_ = 0;               // in contexts before this one
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

void pick_checks(CheckTables tables, const Versions& versions, KindChecks& into) {
  const bool has_pods = !into.pods.empty();
  const bool has_jobs = !into.jobs.empty();
  const bool is_for_workloads = is_workload(into);
  std::string_view kinds;  // that neighbours in a table are for, mostly
  bool is_among_kinds = false;
  for (const std::span<const Check>& table : tables) {
    for (const Check& check : table) {
      const bool of_pods = check.pod != nullptr && has_pods;
      const bool of_jobs = check.job != nullptr && has_jobs;
      const bool of_workload = check.workload != nullptr && is_for_workloads;
      if (check.object != nullptr && check.on != kinds) {
        kinds = check.on;
        is_among_kinds = names(kinds, into.group, into.kind);
      }
      const bool of_object = check.object != nullptr && is_among_kinds;
      if (!of_pods && !of_jobs && !of_workload && !of_object) continue;
      if (!holds_for(check, versions)) continue;
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
  if (check.on == "pod") return "every pod template";
  if (check.on == "job") return "every spec of a Job";
  if (check.on == "workload") return "pods that work together, of every kind";
  if (check.on == "any") return "every object";
  std::string phrase;
  std::string_view last;
  each_kind(check.on, [&](std::string_view group, std::string_view kind) {
    if (group != last) {
      phrase.append(phrase.empty() ? "" : "; ").append(group).append(": ");
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
  static std::atomic<std::uint64_t> last = 0;
  KindChecks& picked = kinds_.emplace_back();
  picked.number = ++last;
  picked.group = group;
  picked.kind = kind;
  pick_places(pod_places(), picked, picked.pods);
  pick_places(job_places(), picked, picked.jobs);
  pick_checks(tables_, versions_, picked);
  return picked;
}

namespace {

/// Without what one check finds out of a container for the next where it is noted who looks at
/// what.
class Handing {
 public:
  Handing(View root, const Tree* same_for_all, const Asked& asked) {
    if (asked.note == nullptr) {
      calls_stay_.emplace();
    } else {
      notes_.emplace(root.tree(), same_for_all, *asked.note);
    }
  }
  QuestionNotes* notes() { return notes_ ? &*notes_ : nullptr; }

 private:
  std::optional<CallsStay> calls_stay_;
  std::optional<QuestionNotes> notes_;
};

}  // namespace

void run_checks(View root, std::string name, std::vector<NodeId> flagged, const Asked& asked,
                CheckContext& context) {
  Handing handing(root, context.cluster_tree(), asked);
  context.start(root, std::move(name), std::move(flagged));
  Asking(root, context).run(checks_of(root, context.selection()), asked, handing.notes());
}

void run_checks(View root, std::string name, std::vector<NodeId> flagged, CheckContext& context) {
  run_checks(root, std::move(name), std::move(flagged), {}, context);
}

void run_some_checks(View root, std::vector<NodeId> flagged, std::span<const Check* const> wanted,
                     CheckContext& context) {
  if (wanted.empty()) return;
  context.start(root, {}, std::move(flagged));
  const CallsStay calls_stay;
  Asking asking(root, context);
  asking.ask_only(wanted);
  asking.run(checks_of(root, context.selection()), {}, nullptr);
}

namespace {

std::vector<const Check*> ask_alone(View root, const std::vector<NodeId>& flagged, View old,
                                    const Surroundings& surroundings, const Asked& asked,
                                    Sink& sink) {
  CheckContext context(surroundings, sink);
  if (old) context.replaces(old);
  if (surroundings.inventory != nullptr) {
    run_checks(root, {}, flagged, asked, context);
    return {};
  }
  Handing handing(root, surroundings.cluster_tree, asked);
  Asking asking(root, context);
  asking.put_off_with(surroundings, flagged, old, sink);
  asking.run(checks_of(root, context.selection()), asked, handing.notes());
  return asking.finish();
}

}  // namespace

std::vector<const Check*> run_checks_alone(View root, const std::vector<NodeId>& flagged, View old,
                                           const Surroundings& surroundings, Sink& sink) {
  return ask_alone(root, flagged, old, surroundings, {}, sink);
}

std::vector<const Check*> run_checks_alone(View root, const Surroundings& surroundings,
                                           const Asked& asked, Sink& sink) {
  return ask_alone(root, {}, {}, surroundings, asked, sink);
}

}  // namespace trainyard
