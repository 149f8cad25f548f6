#include "live/runai/runai_jobs.h"

#include <algorithm>
#include <array>

#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// The other values of WorkloadType in runai-professional-services/runapy .generator/swagger.json.
constexpr auto kOtherTypes =
    std::to_array<std::string_view>({"Workspace", "Inference", "DistributedInference"});

std::string member(std::string_view name, std::string_view text) {
  return quoted(name) + ":" + quoted(text);
}

std::string head(std::string_view version, std::string_view kind) {
  return "{" + member("apiVersion", version) + "," + member("kind", kind) + ",";
}

std::string metadata(View item, std::string_view name_space, const std::string& more = {}) {
  return "\"metadata\":{" + member("name", string_at(item, "name")) + "," +
         member("namespace", name_space) + "," + member("uid", string_at(item, "id")) + "," +
         member("creationTimestamp", string_at(item, "createdAt")) + more + "},";
}

/// A workload is distributed if it has a framework: no document says what `type` is then.
bool is_distributed(View item) {
  return string_at(item, "type") == "Distributed" ||
         !string_at(item, "distributedFramework").empty();
}

std::string workload_text(View item) {
  const std::string_view phase = string_at(item, "phase");
  const std::string deleted =
      phase == "Deleting" ? "," + member("deletionTimestamp", string_at(item, "phaseUpdatedAt"))
                          : "";
  return head("run.ai/v2alpha1",
              is_distributed(item) ? "DistributedWorkload" : "TrainingWorkload") +
         metadata(item, string_at(item, "namespace"), deleted) + "\"status\":{" +
         member("phase", phase) + "," + member("message", string_at(item, "phaseMessage")) + "," +
         member("reason", string_at(item, "phaseReason")) + "," +
         member("lastTransitionTime", string_at(item, "phaseUpdatedAt")) +
         ",\"runningPods\":" + std::to_string(integer_at(item, "runningPods").value_or(0)) + "}}";
}

std::string pod_text(View item, View workload) {
  const View of_workload = get(workload, "metadata");
  std::string containers;
  for (const View each : items_at(item, "containers")) {
    containers += (containers.empty() ? "{" : ",{") + member("name", string_at(each, "name")) +
                  "," + member("image", string_at(each, "image")) + "}";
  }
  return head("v1", "Pod") +
         metadata(item, string_at(of_workload, "namespace"),
                  ",\"labels\":{" + member("workloadName", string_at(of_workload, "name")) + "}") +
         "\"spec\":{" + member("nodeName", string_at(item, "nodeName")) + ",\"containers\":[" +
         containers + "]},\"status\":{" + member("phase", string_at(item, "k8sPhase")) + "}}";
}

std::string event_text(View item, View workload) {
  const View about = get(item, "involvedObject");
  return head("v1", "Event") + "\"metadata\":{" + member("name", string_at(item, "id")) + "," +
         member("namespace", string_at(get(workload, "metadata"), "namespace")) +
         "},\"involvedObject\":{" + member("kind", string_at(about, "kind")) + "," +
         member("name", string_at(about, "name")) + "," +
         member("namespace", string_at(about, "namespace")) + "}," +
         member("type", string_at(item, "type")) + "," +
         member("reason", string_at(item, "reason")) + "," +
         member("message", string_at(item, "message")) + "," +
         member("lastTimestamp", string_at(item, "createdAt")) + "}";
}

bool is_meant(View item, const RunaiChoice& choice) {
  const std::string_view type = string_at(item, "type");
  if (std::ranges::find(kOtherTypes, type) != kOtherTypes.end()) return false;
  if (!choice.name.empty() && string_at(item, "name") != choice.name) return false;
  if (!get(item, "deletedAt").text().empty()) return false;
  return choice.project.empty() || string_at(item, "projectName") == choice.project ||
         string_at(item, "namespace") == choice.project;
}

/// Adds what a workload has, `pods` or `events`.
void add_part(const Answer& answer, std::string_view part, View workload, LiveJobs& found) {
  const JsonAnswer document = JsonDocument::read(answer.body);
  for (const View item : items_at(document == nullptr ? View() : document->root(), part)) {
    JsonAnswer object =
        JsonDocument::read(part == "pods" ? pod_text(item, workload) : event_text(item, workload));
    if (object == nullptr) continue;
    found.dump.add(object->root());
    found.answers.push_back(std::move(object));
  }
}

void look_around(Transport& transport, LiveJobs& found) {
  std::vector<Request> requests;
  for (const LiveJob& job : found.jobs) {
    for (const std::string_view part : {"pods", "events"}) {
      requests.push_back(runai_part_call(job.uid(), part));
    }
  }
  const std::vector<Answer> answers = transport.send_all(std::move(requests));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string_view part = i % 2 == 0 ? "pods" : "events";
    if (const auto error = runai_error_of(answers[i])) {
      if (error->is_connection()) found.error = error;
      found.notes.push_back("the " + std::string(part) + " of " + found.jobs[i / 2].heading() +
                            " are not known: " + error->message);
      continue;
    }
    add_part(answers[i], part, found.jobs[i / 2].object, found);
  }
}

}  // namespace

RunaiSort RunaiWorkload::sort() const {
  return runai_sort_of(object->root());
}

RunaiSort runai_sort_of(View object) {
  return object["kind"].text() == "DistributedWorkload" ? RunaiSort::Distributed
                                                        : RunaiSort::Training;
}

RunaiList list_runai_workloads(Transport& transport, const RunaiChoice& choice) {
  RunaiList list;
  for (std::size_t offset = 0;; offset += kRunaiPage) {
    const Answer answer = transport.send(runai_workloads_call(choice.name, offset));
    list.error = runai_error_of(answer);
    if (list.error) return list;
    const JsonAnswer document = JsonDocument::read(answer.body);
    const View items = document == nullptr ? View() : get(document->root(), "workloads");
    if (!items || !items->is_seq()) {
      list.error = unreadable_runai_answer();
      return list;
    }
    for (const View item : Items(items)) {
      if (!is_meant(item, choice)) continue;
      JsonAnswer object = JsonDocument::read(workload_text(item));
      if (!choice.kind.empty() && object->root()["kind"].text() != choice.kind) continue;
      list.workloads.push_back({std::string(string_at(item, "id")),
                                std::string(string_at(item, "projectName")),
                                std::string(string_at(item, "projectId")), std::move(object)});
    }
    if (items->size < kRunaiPage) return list;
  }
}

LiveJobs look_for_runai_jobs(Transport& transport, const RunaiChoice& choice, Around around) {
  LiveJobs found;
  RunaiList list = list_runai_workloads(transport, choice);
  found.error = list.error;
  for (RunaiWorkload& each : list.workloads) {
    const View object = each.object->root();
    found.dump.add(object);
    const JobKinds& kinds = found.dump.job_kinds();
    found.jobs.push_back({&kinds, kinds.find(object), nullptr, object});
    found.answers.push_back(std::move(each.object));
  }
  // Of all jobs of a project, a line each: what is around them would be two calls for each.
  const bool is_one = !choice.name.empty();
  if (around == Around::Everything && is_one && !found.error) look_around(transport, found);
  return found;
}

}  // namespace trainyard
