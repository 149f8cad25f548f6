#include "live/apply/cluster_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cluster/api/calls.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/plan/keeper.h"
#include "kind/job_kind.h"

namespace trainyard {
namespace {

/// A field path of the server, `.spec.template.spec.containers[name="main"].image`, in our words.
std::string plain_path(std::string_view field) {
  std::string path;
  std::string_view rest = field.starts_with('.') ? field.substr(1) : field;
  while (!rest.empty()) {
    // Keys of list items are written as `[name="main"]`, or as JSON where there are several.
    const std::size_t equals = rest.find("=\"");
    const std::size_t open = rest.substr(0, equals).rfind('[');
    if (equals == std::string_view::npos || open == std::string_view::npos) break;
    const std::size_t end = rest.find('"', equals + 2);
    if (end == std::string_view::npos) break;
    path += std::string(rest.substr(0, open)) + "[" +
            std::string(rest.substr(equals + 2, end - equals - 2));
    rest.remove_prefix(end + 1);
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) break;
    path += "]";
    rest.remove_prefix(close + 1);
  }
  return path + std::string(rest);
}

/// `conflict with "kubectl" using batch/v1` names the manager.
std::string manager_in(std::string_view message) {
  const std::size_t begin = message.find('"');
  const std::size_t end = begin == std::string_view::npos ? begin : message.find('"', begin + 1);
  if (end == std::string_view::npos) return "another manager";
  return foreign_text(message.substr(begin + 1, end - begin - 1));
}

std::string theirs_at(const std::vector<ValueChange>& differences, std::string_view path) {
  const auto found = std::ranges::find_if(differences, [path](const ValueChange& change) {
    return change.path == path || change.path.starts_with(std::string(path) + ".");
  });
  return found == differences.end() ? std::string() : found->before;
}

class Judge {
 public:
  Judge(const JobKinds& kinds, const WantedSet& set, const WantedObject& wanted,
        const Observed& observed, const std::vector<std::string>& created)
      : kinds_(kinds), set_(set), wanted_(wanted), observed_(observed), created_(created) {
    planned_.set = &set;
    planned_.wanted = &wanted;
    planned_.kind = wanted.kind;
    planned_.name = wanted.name;
    planned_.name_space = observed.name_space;
    planned_.resource = observed.resource;
  }

  PlannedObject judge() {
    if (observed_.resource == nullptr) {
      refuse("the cluster has no kind `" + wanted_.kind + "` of `" + wanted_.api_version +
             "`: install its operator, or choose another target");
    } else if (observed_.live == nullptr) {
      absent();
    } else {
      present(observed_.live->root());
    }
    for (const ValueChange& change : planned_.changes) {
      planned_.places.push_back(spec_place(set_, wanted_, change.path));
    }
    return std::move(planned_);
  }

 private:
  void act(Action action, std::string because = {}) {
    planned_.action = action;
    planned_.because = std::move(because);
  }
  void refuse(std::string because) { act(Action::Refused, std::move(because)); }
  void refuse(const ApiError& refusal) {
    planned_.help = help_for(refusal);
    planned_.code = exit_code_of(refusal);
    refuse(sentence(refusal));
  }

  void absent() {
    if (!observed_.refusal || waits_for_another()) {
      return act(Action::Create,
                 observed_.refusal ? "the server can check it once what it needs is there" : "");
    }
    refuse(*observed_.refusal);
  }

  /// A dry run makes nothing that the next one could find.
  bool waits_for_another() const {
    const std::string& message = observed_.refusal->message;
    return std::ranges::any_of(created_, [&](const std::string& name) {
      // A refusal names the object that it is about, and a Service often has the same name.
      return name != wanted_.name && message.find(name) != std::string::npos;
    });
  }

  void present(View live) {
    planned_.uid = live["metadata"]["uid"].text();
    note_job(kinds_, live, planned_);
    if (const std::string keeper = other_keeper(live); !keeper.empty()) {
      return act(Action::Foreign, keeper + " keeps it");
    }
    if (is_being_deleted(live) && may_be_made_anew(live)) return make_after_end(live);
    if (observed_.next != nullptr) {
      planned_.changes = changes_between(live, observed_.next->root());
      return act(action_of(run_of(kinds_, live), live, planned_.changes));
    }
    if (observed_.refusal->is_conflict()) return conflict(live);
    if (observed_.fresh != nullptr || is_refused_change(live)) return replace(live);
    refuse(*observed_.refusal);
  }

  /// Nothing but the object that goes stands in the way.
  bool may_be_made_anew(View live) const {
    return !observed_.refusal || observed_.fresh != nullptr || observed_.refusal->is_conflict() ||
           is_refused_change(live) || waits_for_another();
  }

  void make_after_end(View live) {
    planned_.awaits_end = true;
    planned_.runs = false;
    act(Action::Create, "the old one is being deleted since " +
                            std::string(live["metadata"]["deletionTimestamp"].text()) +
                            ": `apply` waits until it is gone");
  }

  /// Whether the server refuses fields that it refuses by the table of kinds. What a job refers to
  /// may be new, too, so that it would not be taken anew either before that is there.
  bool is_refused_change(View live) const {
    const JobKind* kind = kinds_.find(live);
    const std::vector<ApiCause>& causes = observed_.refusal->causes;
    return kind != nullptr && !causes.empty() &&
           std::ranges::all_of(causes, [&](const ApiCause& cause) {
             return effect_of(*kind, live, plain_path(cause.field)) == ChangeEffect::Refused;
           });
  }

  void replace(View live) {
    if (observed_.fresh != nullptr) {
      planned_.changes = changes_between(live, observed_.fresh->root());
    } else {
      for (const ApiCause& cause : observed_.refusal->causes) {
        planned_.changes.push_back({plain_path(cause.field), "", ""});
      }
    }
    act(Action::Replace, planned_.is_job
                             ? "a " + wanted_.kind + " cannot change in these fields once it exists"
                             : "it cannot change in these fields once it exists");
  }

  void conflict(View live) {
    const std::vector<ValueChange> differences =
        observed_.fresh == nullptr ? std::vector<ValueChange>()
                                   : changes_between(live, observed_.fresh->root());
    for (const ApiCause& cause : observed_.refusal->causes) {
      const std::string path = plain_path(cause.field);
      planned_.conflicts.push_back({path, manager_in(cause.message), theirs_at(differences, path),
                                    spec_place(set_, wanted_, path)});
    }
    act(Action::Conflict, planned_.conflicts.empty() ? sentence(*observed_.refusal) : "");
  }

  const JobKinds& kinds_;
  const WantedSet& set_;
  const WantedObject& wanted_;
  const Observed& observed_;
  const std::vector<std::string>& created_;
  PlannedObject planned_;
};

}  // namespace

bool ClusterPlan::has(Action action) const {
  return std::ranges::any_of(
      objects, [action](const PlannedObject& object) { return object.action == action; });
}

bool ClusterPlan::changes_anything() const {
  return std::ranges::any_of(
      objects, [](const PlannedObject& object) { return object.action != Action::Unchanged; });
}

bool is_being_deleted(View live) {
  return !live["metadata"]["deletionTimestamp"].text().empty();
}

ExitCode ClusterPlan::code_of_refusal() const {
  const auto first = std::ranges::find(objects, Action::Refused, &PlannedObject::action);
  return first == objects.end() ? ExitCode::Good : first->code;
}

void note_job(const JobKinds& kinds, View live, PlannedObject& planned) {
  const JobRun job = run_of(kinds, live);
  if (job.kind == nullptr) return;
  planned.is_job = true;
  planned.runs = job.runs;
  planned.since = job.since;
}

PlannedObject judge(const JobKinds& kinds, const WantedSet& set, const WantedObject& wanted,
                    const Observed& observed, const std::vector<std::string>& created) {
  return Judge(kinds, set, wanted, observed, created).judge();
}

}  // namespace trainyard
