#include "live/apply/cluster_plan.h"

#include <catch2/catch_test_macros.hpp>

#include "live/apply/plan_text.h"

using namespace trainyard;

namespace {

const ApiResource kJobs{"batch/v1", "Job", "jobs", true};

struct Case {
  WantedSet set{"llama", "ml", "spec.yaml", {{"batch/v1", "Job", "ml", "llama", "body"}}, {}};
  Observed observed;

  Case() {
    observed.resource = &kJobs;
    observed.name_space = "ml";
  }
  PlannedObject judge(const std::vector<std::string>& created = {}) const {
    return trainyard::judge(JobKinds::builtin(), set, set.objects[0], observed, created);
  }
};

JsonAnswer job(const std::string& image, const std::string& more = "") {
  return JsonDocument::read(
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"llama","uid":"1")" + more +
      R"(},"spec":{"template":{"spec":{"containers":[{"name":"main","image":")" + image +
      R"("}]}}},"status":{"active":2,"ready":2}})");
}

ApiError refusal(int status, std::string message) {
  ApiError error;
  error.status = status;
  error.message = std::move(message);
  return error;
}

}  // namespace

TEST_CASE("a kind that the cluster does not have is refused, with what to do") {
  Case one;
  one.observed.resource = nullptr;
  const PlannedObject planned = one.judge();
  CHECK(planned.action == Action::Refused);
  CHECK(planned.because.find("install its operator") != std::string::npos);
}

TEST_CASE("an object that the server refuses is refused whether it is there or not") {
  Case one;
  one.observed.refusal = refusal(422, "spec.parallelism is wrong");
  CHECK(one.judge().action == Action::Refused);
  one.observed.live = job("a:1");
  CHECK(one.judge().action == Action::Refused);
}

TEST_CASE("a refusal for lack of what comes first is no refusal") {
  Case one;
  one.observed.refusal = refusal(403, "runtime \"llama-1f0c\" not found");
  CHECK(one.judge({"llama-1f0c"}).action == Action::Create);
  CHECK(one.judge({"other"}).action == Action::Refused);
  one.observed.refusal = refusal(403, "jobs.batch \"llama\" is forbidden: exceeded quota: team");
  CHECK(one.judge({"llama"}).action == Action::Refused);
}

TEST_CASE("what another tool keeps is left to it") {
  Case one;
  one.observed.live =
      job("a:1", R"(,"annotations":{"argocd.argoproj.io/tracking-id":"train:batch/Job:ml/llama"})");
  one.observed.next = job("a:2");
  const PlannedObject planned = one.judge();
  CHECK(planned.action == Action::Foreign);
  CHECK(planned.because == "Argo CD application `train` keeps it");
}

TEST_CASE("a change that is taken names its fields") {
  Case one;
  one.observed.live = job("a:1");
  one.observed.next = job("a:2");
  const PlannedObject planned = one.judge();
  CHECK(planned.action == Action::Update);
  REQUIRE(planned.changes.size() == 1);
  CHECK(planned.changes[0].path == "spec.template.spec.containers[main].image");
  CHECK(planned.changes[0].before == "a:1");
  CHECK(planned.changes[0].after == "a:2");
}

TEST_CASE("a change that the controller does not act on leaves running pods as they are") {
  Case one;
  const std::string begin =
      R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"llama","uid":"1"},"spec":{"pytorchReplicaSpecs":{"Worker":{"template":{"spec":{"containers":[{"name":"pytorch","image":")";
  const std::string end =
      R"("}]}}}}},"status":{"conditions":[{"type":"Running","status":"True"}]}})";
  one.observed.live = JsonDocument::read(begin + "a:1" + end);
  one.observed.next = JsonDocument::read(begin + "a:2" + end);
  CHECK(one.judge().action == Action::NoEffect);
}

TEST_CASE("an object as it is there is unchanged") {
  Case one;
  one.observed.live = job("a:1");
  one.observed.next = job("a:1");
  CHECK(one.judge().action == Action::Unchanged);
}

TEST_CASE(
    "a change that is refused, of an object that would be accepted as a new one, replaces it") {
  Case one;
  one.observed.live = job("a:1");
  one.observed.refusal = refusal(422, "field is immutable");
  one.observed.fresh = job("a:2");
  const PlannedObject planned = one.judge();
  CHECK(planned.action == Action::Replace);
  CHECK(planned.runs);
  REQUIRE(planned.changes.size() == 1);
  CHECK(planned.changes[0].after == "a:2");
}

TEST_CASE("a job that refers to what is new is replaced where the server refuses that change") {
  Case one;
  one.observed.live = JsonDocument::read(
      R"({"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainJob","metadata":{"name":"llama","uid":"1"},"spec":{"runtimeRef":{"name":"llama-1"}}})");
  one.observed.refusal = refusal(422, "spec.runtimeRef: field is immutable");
  one.observed.refusal->causes = {{"FieldValueInvalid", "spec.runtimeRef", "field is immutable"}};
  CHECK(one.judge().action == Action::Replace);
  one.observed.refusal->causes = {{"FieldValueInvalid", "spec.trainer2", "unknown"}};
  CHECK(one.judge().action == Action::Refused);
}

TEST_CASE("a conflict names field, manager and what they want") {
  Case one;
  one.observed.live = job("a:1");
  one.observed.fresh = job("a:2");
  one.observed.refusal = refusal(409, "conflict");
  one.observed.refusal->causes = {{"FieldManagerConflict",
                                   ".spec.template.spec.containers[name=\"main\"].image",
                                   "conflict with \"kubectl\" using batch/v1"}};
  const PlannedObject planned = one.judge();
  CHECK(planned.action == Action::Conflict);
  REQUIRE(planned.conflicts.size() == 1);
  CHECK(planned.conflicts[0].path == "spec.template.spec.containers[main].image");
  CHECK(planned.conflicts[0].manager == "kubectl");
  CHECK(planned.conflicts[0].theirs == "a:1");
}

TEST_CASE("a plan for people counts what it does, and says what runs") {
  Case one;
  one.observed.live = job("a:1");
  one.observed.refusal = refusal(422, "field is immutable");
  one.observed.fresh = job("a:2");
  ClusterPlan plan;
  plan.objects = {one.judge()};
  const std::string text = plan_text(plan);
  CHECK(text.find("! Job/llama") != std::string::npos);
  CHECK(text.find("must be replaced: it runs") != std::string::npos);
  CHECK(text.find("- a:1\n") != std::string::npos);
  CHECK(text.ends_with("1 to replace."));
}

TEST_CASE("the same refusal of many objects is reported once, with the first places") {
  std::vector<WantedSet> sets(5000);
  ClusterPlan plan;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sets[i].source = "specs/" + std::to_string(i) + ".yaml";
    PlannedObject& object = plan.objects.emplace_back();
    object.set = &sets[i];
    object.kind = "Job";
    object.name = "job-" + std::to_string(i);
    object.action = Action::Refused;
    // The server names the object that it refuses.
    object.because = i == 7 ? "spec.parallelism is wrong"
                            : "jobs.batch \"" + object.name + "\" is forbidden: no such namespace";
  }
  const std::string text = plan_text(plan);
  CHECK(text.size() < 1000);
  CHECK(text.find("x Job/job-0 ") != std::string::npos);
  CHECK(text.find("and 4998 more for the same reason: Job/job-1 (specs/1.yaml), Job/job-2 "
                  "(specs/2.yaml), Job/job-3 (specs/3.yaml), ...\n") != std::string::npos);
  CHECK(text.find("x Job/job-7 ") != std::string::npos);
  CHECK(text.find("5000 refused") != std::string::npos);
  CHECK(refusal_summary(plan) ==
        "the cluster refuses Job/job-0 and 4998 more: jobs.batch \"job-0\" is forbidden: no such "
        "namespace; and others for 1 other reason");
  const std::string json = plan_json(plan);
  CHECK(json.find("job-4999") != std::string::npos);
}
