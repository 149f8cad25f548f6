// The file of kinds, and what is made of it.
#include "kind/job_kind.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "kind/field_changes.h"
#include "kind/health.h"
#include "source/source_map.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// The kinds of a text.
struct Read {
  explicit Read(const std::string& text)
      : trees(read_yaml(sources, sources.add("kinds.yaml", text), sink)), kinds(trees.at(0)) {}
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
  JobKinds kinds;
};

}  // namespace

TEST_CASE("an unknown phase, a sign of two tests and a kind without signs are faults of the file") {
  CHECK(Read("- of: [{kind: A}]\n  group: g\n  signs: [{phase: pending, condition: B}]\n")
            .kinds.faults()
            .empty());
  CHECK_FALSE(Read("{}\n").kinds.faults().empty());
  CHECK_FALSE(Read("- {of: [{kind: A}], group: g}\n").kinds.faults().empty());
  const Read wrong(
      "- of: [{kind: A}]\n  group: g\n  signs: [{phase: odd, some: a}, {phase: failed}, "
      "{phase: failed, some: a, field: b}]\n");
  REQUIRE(wrong.kinds.faults().size() == 3);
  CHECK(wrong.kinds.faults().front().message.find("`odd`") != std::string::npos);
}

TEST_CASE(
    "a user's kinds stand in front, and one of the same name counts in place of Trainyard's") {
  const Read own(
      "- of: [{kind: A}]\n  group: g\n  version: v1\n  signs: [{phase: pending, field: b, is: c}]\n"
      "- of: [{kind: Job}]\n  group: batch\n  version: v1\n  children: [A.g]\n"
      "- of: [{kind: Q}]\n  group: g\n  queue: spec.queue\n");
  const JobKinds kinds(own.trees.front(), JobKinds::builtin());
  CHECK(kinds.faults().empty());
  CHECK(kinds.all().size() == JobKinds::builtin().all().size() + 2);
  CHECK(kinds.all().front().kind == "A");
  REQUIRE(kinds.find("Job.batch") != nullptr);
  CHECK(kinds.find("Job.batch")->signs.empty());
  CHECK(kinds.find("JobSet.jobset.x-k8s.io") != nullptr);
  CHECK_FALSE(kinds.find("Q.g")->is_job());
}

TEST_CASE("what a user's file of kinds has too much or too little has its place") {
  const Read own(
      "- of: [{kind: A, want: [b]}]\n  group: g\n  sings: []\n  signs: [{phase: failed, some: a, "
      "iff: b}]\n"
      "  pods: [{role: [r]}]\n  changes: {refuse: [a]}\n- {group: g, version: v1}\n- text\n");
  const JobKinds kinds(own.trees.front(), JobKinds::builtin());
  std::string told;
  for (const KindFault& each : kinds.faults()) {
    CHECK(each.at.known());
    if (each.message.starts_with("no field")) {
      const std::string name = "`" + std::string(own.sources.text(each.at)) + "`";
      CHECK(each.message.find(name) != std::string::npos);
    }
    told += each.message + "\n";
  }
  for (const char* name : {"`want`", "`sings`", "`iff`", "`refuse`", "needs `labels`",
                           "needs `version`", "needs `of`"}) {
    CHECK(told.find(name) != std::string::npos);
  }
  // What has no labels finds no pods.
  CHECK(kinds.find("A.g")->pods.empty());
}

TEST_CASE("kinds that are reported together differ in what they want alone") {
  const Read two(
      "- of: [{kind: A, wanted: [spec.a]}, {kind: B}]\n  group: g\n  source: o/r p\n"
      "  signs: [{phase: running, some: ready, all: [ready, done]}]\n");
  REQUIRE(two.kinds.all().size() == 2);
  const JobKind& a = two.kinds.all()[0];
  const JobKind& b = two.kinds.all()[1];
  CHECK(a.wanted == std::vector<std::string_view>{"spec.a"});
  CHECK(b.wanted.empty());
  CHECK(b.source == "o/r p");
  CHECK(b.counts == "pods");
  CHECK(b.signs.front().all == std::vector<std::string_view>{"ready", "done"});
}

TEST_CASE("the file of the program has no fault, and no kind twice") {
  const JobKinds& kinds = JobKinds::builtin();
  for (const KindFault& fault : kinds.faults()) FAIL_CHECK(fault.message);
  const Read again(testing::read_file(testing::repository() / "templates/kinds.yaml"));
  const JobKinds as_own(again.trees.front(), kinds);
  for (const KindFault& fault : as_own.faults()) FAIL_CHECK(fault.message);
  CHECK(kinds.all().size() >= 13);
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const JobKind& kind : kinds.all()) {
    INFO(kind.kind << " of " << kind.group);
    CHECK(kind.source.find('/') != std::string_view::npos);
    CHECK(seen.emplace(kind.group, kind.kind).second);
    for (std::string_view each : kind.queues) {
      const JobKind* queue = kinds.find(each);
      REQUIRE(queue != nullptr);
      CHECK_FALSE(queue->is_job());
    }
    for (const StatusSign& sign : kind.signs) CHECK((sign.all.empty() || !kind.wanted.empty()));
  }
}

namespace {

/// The kinds of objects that the templates of a target make, `Job.batch` and their version, but for
/// those that only go along with the workload.
std::set<std::pair<std::string, std::string>> workloads_of(const std::filesystem::path& target) {
  const std::set<std::string> companions{"ConfigMap", "NetworkPolicy",   "PersistentVolumeClaim",
                                         "Service",   "TrainingRuntime", "NemoTrainingWorkload"};
  std::set<std::pair<std::string, std::string>> kinds;
  for (const auto& file : std::filesystem::directory_iterator(target)) {
    if (file.path().extension() != ".yaml" || file.path().filename() == "target.yaml") continue;
    SourceMap sources;
    Sink sink;
    const FileId id = sources.add("template.yaml", testing::read_file(file.path()));
    for (const Tree& tree : read_yaml(sources, id, sink)) {
      const View object(tree, tree.root());
      const std::string kind(string_at(object, "kind"));
      const std::string_view version = string_at(object, "apiVersion");
      if (kind.empty() || companions.contains(kind)) continue;
      const std::size_t slash = version.find('/');
      kinds.emplace(kind + "." + std::string(version.substr(0, slash)), version.substr(slash + 1));
    }
  }
  return kinds;
}

/// An object of a text; the tree lives as long as this.
struct OneObject {
  explicit OneObject(const std::string& text)
      : trees(read_yaml(sources, sources.add("a.yaml", text), sink, {}, Ambiguity::Kubernetes)) {}
  View view() const { return {trees.at(0), trees.at(0).root()}; }
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
};

}  // namespace

TEST_CASE("each workload of a target has a kind with all that commands need") {
  std::size_t targets = 0;
  for (const auto& each :
       std::filesystem::directory_iterator(testing::repository() / "templates")) {
    if (!exists(each.path() / "target.yaml")) continue;
    ++targets;
    INFO(each.path().filename().string());
    const auto workloads = workloads_of(each.path());
    CHECK_FALSE(workloads.empty());
    for (const auto& [name, version] : workloads) {
      INFO(name);
      const JobKind* kind = JobKinds::builtin().find(name);
      REQUIRE(kind != nullptr);
      CHECK(kind->is_job());
      CHECK(kind->version == version);
      CHECK(kind->deletes == "Foreground");
      CHECK(kind->changes.source.find('/') != std::string_view::npos);
      // Pods are found by labels, or by what the job makes.
      CHECK((!kind->pods.empty() || !kind->children.empty()));
    }
  }
  CHECK(targets >= 16);
}

TEST_CASE("a change is judged by the longest way down, and by whether the job is suspended") {
  const JobKinds& kinds = JobKinds::builtin();
  const OneObject runs("{spec: {suspend: false}}");
  const OneObject waits("{spec: {suspend: true}}");
  const JobKind& job = *kinds.find("Job.batch");
  const auto of_job = [&](const OneObject& object, std::string_view path) {
    return effect_of(job, object.view(), path);
  };
  constexpr std::string_view kImage = "spec.template.spec.containers[main].image";
  constexpr std::string_view kSelector = "spec.template.spec.nodeSelector.zone";
  CHECK(of_job(runs, kImage) == ChangeEffect::Refused);
  CHECK(of_job(waits, kImage) == ChangeEffect::Refused);
  CHECK(of_job(runs, kSelector) == ChangeEffect::Refused);
  CHECK(of_job(waits, kSelector) == ChangeEffect::Works);
  CHECK(of_job(runs, "spec.templates") == ChangeEffect::Works);
  CHECK(of_job(runs, "spec.parallelism") == ChangeEffect::Works);

  const JobKind& set = *kinds.find("JobSet.jobset.x-k8s.io");
  const std::string gate = "spec.replicatedJobs[node].template.spec.template.spec.schedulingGates";
  CHECK(effect_of(set, waits.view(), gate) == ChangeEffect::Works);
  CHECK(effect_of(set, runs.view(), gate) == ChangeEffect::Refused);

  const JobKind& pytorch = *kinds.find("PyTorchJob.kubeflow.org");
  CHECK(effect_of(pytorch, runs.view(), "spec.pytorchReplicaSpecs.Worker.template") ==
        ChangeEffect::Ignored);

  const JobKind& lws = *kinds.find("LeaderWorkerSet.leaderworkerset.x-k8s.io");
  const OneObject held("{spec: {rolloutStrategy: {rollingUpdateConfiguration: {partition: 1}}}}");
  CHECK(effect_of(lws, runs.view(), "spec.leaderWorkerTemplate.size") == ChangeEffect::Restarts);
  CHECK(effect_of(lws, held.view(), "spec.leaderWorkerTemplate.size") == ChangeEffect::Ignored);
}

TEST_CASE("labels of pods name fields of their job") {
  const OneObject ray("{metadata: {name: a}, status: {rayClusterName: a-x7k2p}}");
  CHECK(filled_in("{metadata.name}-lws", ray.view()) == "a-lws");
  CHECK(filled_in("{status.rayClusterName}", ray.view()) == "a-x7k2p");
  CHECK(filled_in("plain", ray.view()) == "plain");
  CHECK(filled_in("{status.missing}", ray.view()).empty());
}

TEST_CASE("fields that differ are reported with their names, each with what becomes of it") {
  const JobKind& job = *JobKinds::builtin().find("Job.batch");
  const OneObject before(
      "{metadata: {name: a, uid: u, labels: {a.b/c: x, gone: y}}, spec: {parallelism: 1, template: "
      "{spec: {containers: [{name: side}, {name: main, image: i:1, args: [a, b]}]}}}}");
  const OneObject after(
      "{metadata: {name: a, labels: {a.b/c: z}}, spec: {parallelism: 2, template: {spec: "
      "{containers: [{name: main, image: i:2, args: [a]}, {name: side}]}}}, status: {active: 1}}");
  std::set<std::string> found;
  for (const FieldChange& each : field_changes(job, before.view(), after.view())) {
    found.insert(each.path + (each.effect == ChangeEffect::Refused ? " refused" : " works"));
  }
  CHECK(found == std::set<std::string>{"spec.parallelism works", "metadata.labels[a.b/c] works",
                                       "metadata.labels.gone works",
                                       "spec.template.spec.containers[main].image refused",
                                       "spec.template.spec.containers[main].args[1] refused"});
  CHECK(field_changes(job, before.view(), before.view()).empty());
  const OneObject odd("[1]");
  CHECK(field_changes(job, odd.view(), odd.view()).empty());
}

TEST_CASE("a suspended job is healthy for Argo CD where the caller wants that, and nothing else") {
  for (const JobKind* kind : argocd_kinds()) {
    INFO(kind->kind);
    std::string script = argocd_health(*kind);
    const std::string suspended = "health(\"Suspended\", \"suspended\"";
    for (std::size_t at = 0; (at = script.find(suspended, at)) != std::string::npos;) {
      script.replace(at, suspended.size(), "health(\"Healthy\", \"suspended\"");
    }
    CHECK(argocd_health(*kind, QueuedIs::Healthy) == script);
    CHECK(script.find("\"Suspended\", \"suspended\"") == std::string::npos);
  }
  CHECK(argocd_word(*JobKinds::builtin().find("JobSet.jobset.x-k8s.io"), JobPhase::Suspended,
                    QueuedIs::Healthy) == "Healthy");
}

TEST_CASE("the parts that a job which runs cannot change are those of its table") {
  const Read read(
      "- of: [{kind: A}]\n  group: g\n  signs: [{phase: pending, condition: B}]\n  changes:\n"
      "    refused: [\"spec.tasks[].template\", \"metadata.labels[x.io/queue]\"]\n"
      "    suspended: [\"metadata.labels[x.io/queue]\"]\n"
      "    presence: [\"metadata.labels[x.io/priority]\"]\n"
      "    ignored: [spec.b]\n    restarts: [spec.c.d]\n");
  const OneObject object(
      "metadata: {labels: {x.io/queue: q, x.io/priority: high, x.io/other: a}}\n"
      "spec: {tasks: [{name: a, template: 1}, {name: b, template: 2}], b: 3, c: {e: 4}}\n");
  std::vector<std::pair<std::string_view, std::string_view>> found;
  for (const FixedPart& each : fixed_parts(read.kinds.all()[0].changes, object.view())) {
    found.emplace_back(each.path, each.value ? each.value.text() : "");
  }
  CHECK(found == std::vector<std::pair<std::string_view, std::string_view>>{
                     {"spec.tasks[].template", "1"},
                     {"spec.tasks[].template", "2"},
                     {"metadata.labels[x.io/queue]", "q"},
                     {"spec.b", "3"},
                     {"metadata.labels[x.io/priority]", ""}});
}

TEST_CASE("what a job brings along has a row for its changes, and is no job") {
  const JobKinds& kinds = JobKinds::builtin();
  const OneObject runtime("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\n");
  const JobKind* part = kinds.find_part(runtime.view());
  REQUIRE(part != nullptr);
  CHECK(kinds.find(runtime.view()) == nullptr);
  CHECK(effect_of(*part, runtime.view(), "spec.mlPolicy.numNodes") == ChangeEffect::Ignored);
  CHECK(effect_of(*part, runtime.view(), "metadata.labels.a") == ChangeEffect::Works);
}
