#include "live/runai/runai_plan.h"

#include <algorithm>
#include <utility>

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "live/runai/runai_jobs.h"
#include "tree/json.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr Milliseconds kPause{1'000};
constexpr Milliseconds kLongestEnd = WriteOptions().gone;

struct Project {
  std::string id;
  std::string name;
  std::string name_space;
  std::string cluster;
};

class RunaiPlanner {
 public:
  RunaiPlanner(Transport& transport, std::string project)
      : transport_(transport), project_(std::move(project)) {}

  PlannedWorkloads make(const std::vector<WantedSet>& sets) {
    std::size_t all = 0;
    for (const WantedSet& set : sets) all += set.objects.size();
    for (const WantedSet& set : sets) {
      for (const WantedObject& object : set.objects) {
        transport_.report_progress(made_.plan.objects.size(), all, "objects");
        take(set, object);
      }
    }
    transport_.report_progress(all, all, "objects");
    return std::move(made_);
  }

 private:
  void take(const WantedSet& set, const WantedObject& object) {
    PlannedObject planned;
    planned.set = &set;
    planned.wanted = &object;
    planned.kind = object.kind;
    planned.name = object.name;
    planned.name_space = object.name_space.empty() ? project_ : object.name_space;
    std::optional<RunaiOrder> order;
    if (made_.error) return;
    if (is_runai_workload(object.api_version, object.kind)) {
      order = workload(planned);
    } else {
      refuse(planned, "the API of Run:ai takes TrainingWorkloads and DistributedWorkloads alone",
             "put it on the cluster by `kubectl apply` or `trainyard apply` without `--runai`");
    }
    for (const ValueChange& change : planned.changes) {
      planned.places.push_back(change.path.empty() ? "" : place_of_change(planned, change.path));
    }
    made_.plan.objects.push_back(std::move(planned));
    made_.orders.push_back(std::move(order));
  }

  static void refuse(PlannedObject& planned, std::string because, std::string help = {}) {
    planned.action = Action::Refused;
    planned.because = std::move(because);
    planned.help = std::move(help);
  }

  std::optional<RunaiOrder> workload(PlannedObject& planned) {
    SourceMap sources;
    Sink sink;
    const FileId file = sources.add("", planned.wanted->body);
    const std::vector<Tree> trees = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
    if (trees.empty()) {
      refuse(planned, "it cannot be read");
      return std::nullopt;
    }
    submission_ = runai_submission(View(trees.front(), trees.front().root()));
    planned.name = submission_.name;
    planned.is_job = true;
    if (!submission_.problems.empty()) {
      refuse_fields(planned);
      return std::nullopt;
    }
    const Project* project = project_of(planned);
    if (project == nullptr) return std::nullopt;
    compare(planned, *project);
    return RunaiOrder{submission_.sort, submission_.text(project->id, project->cluster)};
  }

  /// All of them, each with its line in the spec.
  void refuse_fields(PlannedObject& planned) const {
    std::string because;
    for (const RunaiProblem& each : submission_.problems) {
      std::string place = spec_place(*planned.set, *planned.wanted, each.field);
      if (place.empty()) place = spec_place(*planned.set, *planned.wanted, each.field + ".value");
      because += (because.empty() ? "" : "; ") + each.field +
                 (place.empty() ? "" : " (" + place + ")") + ": " + each.why;
    }
    refuse(planned, std::move(because),
           "leave it out of the spec, or apply the object to the cluster without `--runai`");
  }

  const Project* project_of(PlannedObject& planned) {
    if (!has_projects_ && !read_projects()) return nullptr;
    const std::string& wanted = planned.name_space;
    for (const Project& each : projects_) {
      if (wanted == each.name_space || wanted == each.name) return &each;
    }
    std::vector<std::string> names;
    for (const Project& each : projects_) names.push_back(foreign_text(each.name));
    refuse(planned,
           wanted.empty() ? "it names no project"
                          : "there is no project with the namespace or name " + shown(wanted) +
                                ", or this user may not see it",
           (names.empty() ? "" : "there is " + listed(names, "and") + "; ") +
               "`spec.scheduling.queue` names the project of a job");
    planned.code = kNoSuchJob;
    return nullptr;
  }

  bool read_projects() {
    for (std::size_t offset = 0;; offset += kRunaiPage) {
      const Answer answer = transport_.send(runai_projects_call(offset));
      made_.error = runai_error_of(answer);
      if (made_.error) return false;
      const JsonAnswer document = JsonDocument::read(answer.body);
      const View items = document == nullptr ? View() : get(document->root(), "projects");
      if (!items || !items->is_seq()) {
        made_.error = unreadable_runai_answer();
        return false;
      }
      for (const View item : Items(items)) add_project(item);
      has_projects_ = true;
      if (items->size < kRunaiPage) return true;
    }
  }

  void add_project(View item) {
    std::string_view name_space = string_at(get(item, "status"), "namespace");
    if (name_space.empty()) name_space = string_at(item, "requestedNamespace");
    projects_.push_back({std::string(string_at(item, "id")), std::string(string_at(item, "name")),
                         std::string(name_space), std::string(string_at(item, "clusterId"))});
  }

  void compare(PlannedObject& planned, const Project& project) {
    planned.action = Action::Create;
    if (submission_.is_prefix) return;
    const RunaiList list = list_runai_workloads(transport_, {submission_.name, project.name, ""});
    made_.error = list.error;
    if (list.error || list.workloads.empty()) return;
    const RunaiWorkload& live = list.workloads.front();
    const View object = live.object->root();
    planned.uid = live.id;
    planned.name_space = object["metadata"]["namespace"].text();
    note_job(*made_.plan.kinds, object, planned);
    if (is_being_deleted(object)) {
      planned.awaits_end = true;
      planned.runs = false;
      planned.because = "the old one is being deleted: `apply` waits until it is gone";
      return;
    }
    if (object["kind"].text() != planned.kind) {
      planned.action = Action::Replace;
      planned.because = "a " + std::string(object["kind"].text()) + " has this name";
      return;
    }
    Answer answer = transport_.send(runai_get_call(live.sort(), live.id));
    made_.error = runai_error_of(answer);
    if (!made_.error) find_changes(planned, JsonDocument::read(std::move(answer.body)));
  }

  /// Fields that the spec does not set are the control plane's: defaults and policies fill them.
  void find_changes(PlannedObject& planned, const JsonAnswer& live) {
    if (live == nullptr) {
      made_.error = unreadable_runai_answer();
      return;
    }
    const View ours(submission_.body, submission_.body.root());
    for (const std::string_view part : {"spec", "masterSpec"}) {
      if (!get(ours, part)) continue;
      std::vector<Difference> differences;
      append_differences(get(live->root(), part), get(ours, part), std::string(part), differences);
      for (const Difference& each : differences) {
        if (each.after) planned.changes.push_back(shown_change(each, false));
      }
    }
    planned.action = planned.changes.empty() ? Action::Unchanged : Action::Replace;
    if (!planned.changes.empty()) {
      planned.because = "the API of Run:ai cannot change a workload that exists";
    }
  }

  std::string place_of_change(const PlannedObject& planned, std::string_view path) const {
    const std::string field = submission_.source_of(path);
    if (field.empty()) return {};
    const std::string place = spec_place(*planned.set, *planned.wanted, field + ".value");
    return place.empty() ? spec_place(*planned.set, *planned.wanted, field) : place;
  }

  Transport& transport_;
  std::string project_;
  bool has_projects_ = false;
  std::vector<Project> projects_;
  RunaiSubmission submission_;  // of the object that is taken now
  PlannedWorkloads made_;
};

class RunaiWriter {
 public:
  explicit RunaiWriter(Transport& transport) : transport_(transport) {}

  Written write(ClusterPlan& plan, const RunaiOrders& orders,
                const std::function<void(const std::string&)>& tell) {
    for (std::size_t i = 0; i < plan.objects.size() && !written_.error; ++i) {
      transport_.report_progress(i, plan.objects.size(), "objects");
      PlannedObject& object = plan.objects[i];
      if (!orders[i]) continue;
      written_.at = object.kind + "/" + object.name;
      if (object.action == Action::Unchanged) {
        tell("unchanged " + written_.at);
        continue;
      }
      const bool replaces = object.action == Action::Replace;
      if (replaces) remove(object);
      if (replaces || object.awaits_end) wait_until_gone(object);
      if (written_.error || written_.timed_out) return std::move(written_);
      submit(object, *orders[i], tell);
    }
    transport_.report_progress(plan.objects.size(), plan.objects.size(), "objects");
    return std::move(written_);
  }

 private:
  void remove(const PlannedObject& object) {
    const RunaiList list = list_runai_workloads(transport_, {object.name, object.name_space, ""});
    written_.error = list.error;
    const auto found = std::ranges::find(list.workloads, object.uid, &RunaiWorkload::id);
    if (written_.error || found == list.workloads.end()) return;
    const auto error = runai_error_of(transport_.send(runai_delete_call(found->sort(), found->id)));
    if (error && !error->is_not_found()) written_.error = error;
  }

  void wait_until_gone(const PlannedObject& object) {
    const ClockTime until = Clock::now() + kLongestEnd;
    while (!written_.error) {
      const RunaiList list = list_runai_workloads(transport_, {object.name, object.name_space, ""});
      written_.error = list.error;
      const auto found = std::ranges::find(list.workloads, object.uid, &RunaiWorkload::id);
      if (written_.error || found == list.workloads.end()) return;
      if (Clock::now() >= until) {
        written_.timed_out = true;
        return;
      }
      pause();
    }
  }

  void pause() {
    bool is_over = false;
    const Transport::Ticket timer = transport_.after(kPause, [&is_over] { is_over = true; });
    while (!is_over && !transport_.interrupted() && transport_.turn()) {
    }
    transport_.cancel(timer);
  }

  void submit(PlannedObject& object, const RunaiOrder& order,
              const std::function<void(const std::string&)>& tell) {
    Answer answer = transport_.send(runai_submit_call(order.sort, order.body));
    written_.error = runai_error_of(answer);
    if (written_.error) return;
    const JsonAnswer made = JsonDocument::read(std::move(answer.body));
    if (made == nullptr || string_at(made->root(), "workloadId").empty()) {
      written_.error = unreadable_runai_answer();
      return;
    }
    object.uid = string_at(made->root(), "workloadId");
    object.name = string_at(made->root(), "name");  // a prefix has grown
    tell((object.action == Action::Replace ? "made again " : "submitted ") + object.kind + "/" +
         object.name);
  }

  Transport& transport_;
  Written written_;
};

}  // namespace

PlannedWorkloads make_runai_plan(Transport& transport, const std::vector<WantedSet>& sets,
                                 const std::string& project) {
  return RunaiPlanner(transport, project).make(sets);
}

Written write_runai_plan(Transport& transport, ClusterPlan& plan, const RunaiOrders& orders,
                         const std::function<void(const std::string& line)>& tell) {
  return RunaiWriter(transport).write(plan, orders, tell);
}

}  // namespace trainyard
