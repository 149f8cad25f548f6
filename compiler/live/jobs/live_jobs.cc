#include "live/jobs/live_jobs.h"

#include <algorithm>
#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"
#include "cluster/api/object_list.h"
#include "diag/words.h"
#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "effective/status.h"
#include "live/jobs/looked_kinds.h"
#include "plan/plan.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

class JobFinder {
 public:
  JobFinder(Transport& transport, const Discovery& discovery, const JobKinds& kinds,
            std::string name_space)
      : transport_(transport),
        discovery_(discovery),
        kinds_(kinds),
        name_space_(std::move(name_space)) {
    found_.dump = ClusterDump(kinds);
  }

  LiveJobs find(const JobName& name, Around around) {
    LookedKinds kinds = job_kinds(kinds_, discovery_, name);
    if (name.name.empty()) {
      list(kinds, true);
    } else {
      get_jobs(kinds, name);
      // Its runs have names of their own.
      const bool can_be_label = !why_not_label_value(name.name);
      // Of a job with a Job for each program, these have the label of all its objects.
      for (std::string_view label : {kJobLabel, std::string_view("app.kubernetes.io/instance")}) {
        if (!can_be_label || !found_.dump.jobs().empty() || found_.error) break;
        list(kinds, true, std::string(label) + "=" + name.name);
      }
      kinds.clear();  // other jobs of these kinds may be what this one has made
    }
    if (around == Around::Everything && !found_.error) list_around(kinds);
    if (around == Around::Everything && !name.name.empty()) {
      ask_positions();
      ask_queues();
    }
    found_.jobs = jobs_named(found_.dump, discovery_, name);
    return std::move(found_);
  }

 private:
  void get_jobs(const LookedKinds& kinds, const JobName& name) {
    std::vector<Request> requests;
    for (const ApiResource* resource : kinds) {
      requests.push_back(get_call(*resource, name_space_, name.name));
    }
    for (Answer& answer : transport_.send_all(std::move(requests))) {
      if (auto error = error_of(answer)) {
        if (!error->is_not_found()) note(*error, "", true);
        continue;
      }
      const JsonAnswer object = JsonDocument::read(std::move(answer.body));
      if (object == nullptr) continue;
      found_.answers.push_back(object);
      found_.dump.add(object->root());
    }
  }

  void list_around(const LookedKinds& known) {
    if (list(kinds_around(kinds_, discovery_, found_.dump.jobs(), known), false)) {
      list(claim_kind(discovery_), false);
    }
  }

  /// Where a job stands in its queue: Kueue has a server of its own that tells it, if an
  /// administrator turned that on. Nothing else depends on it, so no failure is reported.
  void ask_positions() {
    const ApiResource* queues = discovery_.find_any("visibility.kueue.x-k8s.io", "LocalQueue");
    if (queues == nullptr) return;
    std::vector<Request> requests;
    for (const View job : found_.dump.jobs()) {
      const View workload = found_.dump.workload_of(job);
      const std::string_view queue = string_at(get(workload, "spec"), "queueName");
      if (queue.empty() || get(get(workload, "status"), "admission")) continue;
      requests.push_back(
          {.path = object_path(*queues, name_space_, queue, {}, "pendingworkloads")});
    }
    for (Answer& answer : transport_.send_all(std::move(requests))) {
      const JsonAnswer list = answer.ok() ? JsonDocument::read(std::move(answer.body)) : nullptr;
      if (list == nullptr) continue;
      found_.answers.push_back(list);
      found_.dump.add(list->root());
    }
  }

  /// Which queues there are, for a job whose own is missing. As above, no failure is reported.
  void ask_queues() {
    const ApiResource* queues = discovery_.find_any("kueue.x-k8s.io", "LocalQueue");
    const bool is_asked = std::ranges::any_of(found_.dump.jobs(), [this](View job) {
      const View status = get(found_.dump.workload_of(job), "status");
      const View reserved = condition_of(status, "QuotaReserved");
      return reserved && string_at(reserved, "reason") == "Inadmissible";
    });
    if (queues == nullptr || !is_asked) return;
    const Listed names = list_objects(transport_, {*queues, name_space_, "", ""});
    found_.answers.insert(found_.answers.end(), names.pages.begin(), names.pages.end());
    for (const View each : names.items) found_.dump.add(each);
  }

  /// True when a pod waits.
  bool list(const LookedKinds& resources, bool are_jobs, const std::string& selector = {}) {
    std::vector<Selection> selections;
    for (const ApiResource* resource : resources) {
      selections.push_back({*resource, resource->namespaced ? name_space_ : "", selector, ""});
    }
    bool waits = false;
    const std::vector<Listed> lists = list_all(transport_, selections);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists[i].error) {
        note(*lists[i].error, resources[i]->plural, are_jobs);
        continue;
      }
      found_.answers.insert(found_.answers.end(), lists[i].pages.begin(), lists[i].pages.end());
      for (const View each : lists[i].items) {
        found_.dump.add(each);
        waits = waits || (string_at(each, "kind") == "Pod" &&
                          string_at(get(each, "status"), "phase") == "Pending");
      }
    }
    return waits;
  }

  /// What a user may not read is left out, and told; a lost connection ends everything.
  void note(const ApiError& error, const std::string& what, bool is_job) {
    if (error.status == 403) {
      if (is_job) found_.refused = error;
      found_.notes.push_back((what.empty() ? "some kinds of jobs" : what) +
                             " may not be read: " + sentence(error));
    } else if (!error.is_not_found() && !found_.error) {
      found_.error = error;
    }
  }

  Transport& transport_;
  const Discovery& discovery_;
  const JobKinds& kinds_;
  std::string name_space_;
  LiveJobs found_;
};

std::optional<JobName> name_in_file(const std::string& path, const JobKinds& kinds, Env& env,
                                    std::string& problem) {
  Session session(env);
  std::vector<JobName> names;
  for_each_document({path}, env, session.sources, session.sink, session.limits,
                    Ambiguity::Kubernetes, [&](Document& document) {
                      const View metadata = get(document.root(), "metadata");
                      const bool is_spec = document.kind == "TrainingJob";
                      const JobKind* kind = kinds.find(document.root());
                      if (!is_spec && (kind == nullptr || !kind->is_job())) return;
                      names.push_back({is_spec ? "" : std::string(document.kind),
                                       std::string(string_at(metadata, "name")),
                                       std::string(string_at(metadata, "namespace"))});
                    });
  if (names.size() == 1) return names.front();
  problem = names.empty() ? shown(path) + " holds no job"
                          : shown(path) + " holds more than one job: name one of them";
  return std::nullopt;
}

}  // namespace

bool names_a_file(const std::string& word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
}

std::optional<JobName> read_job_name(const std::string& word, const JobKinds& kinds, Env& env,
                                     std::string& problem) {
  if (names_a_file(word)) return name_in_file(word, kinds, env, problem);
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos) return JobName{"", word, ""};
  return JobName{word.substr(0, slash), word.substr(slash + 1), ""};
}

std::string_view LiveJob::name() const {
  return string_at(get(object, "metadata"), "name");
}

std::string_view LiveJob::name_space() const {
  return string_at(get(object, "metadata"), "namespace");
}

std::string_view LiveJob::uid() const {
  return string_at(get(object, "metadata"), "uid");
}

std::string LiveJob::heading() const {
  return std::string(kind->kind) + "/" + std::string(name());
}

LiveJobs look_for_jobs(Transport& transport, const Discovery& discovery, const JobKinds& kinds,
                       const std::string& name_space, const JobName& name, Around around) {
  const std::string& where = name.name_space.empty() ? name_space : name.name_space;
  return JobFinder(transport, discovery, kinds, where).find(name, around);
}

}  // namespace trainyard
