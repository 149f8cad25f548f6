// What belongs together in a dump.
#include "diagnosis/cluster_dump.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "growth.h"
#include "source/source_map.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

struct Dump {
  explicit Dump(const std::string& text)
      : trees(read_yaml(sources, sources.add("dump.yaml", text), sink, {}, Ambiguity::Kubernetes)) {
    for (const Tree& tree : trees) {
      if (tree.size() != 0) objects.add(View(tree, tree.root()));
    }
  }

  std::vector<std::string> pods(std::size_t job = 0) const {
    std::vector<std::string> names;
    for (View pod : objects.pods_of(objects.jobs().at(job))) {
      names.emplace_back(string_at(get(pod, "metadata"), "name"));
    }
    return names;
  }

  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
  ClusterDump objects;
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("objects that own each other, that have no name or no owner, break nothing") {
  const Dump ring(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: a, ownerReferences: [{kind: Job, name: "
      "b}]}}\n"
      "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: b, ownerReferences: [{kind: Job, "
      "name: a}]}}\n"
      "---\n{kind: Pod}\n---\n{kind: Pod, metadata: {ownerReferences: 3, labels: []}}\n---\n[1, "
      "2]\n---\n7\n");
  CHECK(ring.objects.jobs().size() <= 2);
  const Dump empty("{}\n");
  CHECK(empty.objects.jobs().empty());
  CHECK(empty.objects.newest_time().empty());
  CHECK(empty.objects.kinds().empty());
}

TEST_CASE("of an object that is there twice the last one counts") {
  const Dump twice(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, status: {active: 1}}\n"
      "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: a}, status: {active: 2}}\n"
      "---\n{kind: Pod, metadata: {name: p, ownerReferences: [{kind: Job, name: a}]}, status: "
      "{phase: Pending}}\n"
      "---\n{kind: Pod, metadata: {name: p, ownerReferences: [{kind: Job, name: a}]}, status: "
      "{phase: Running}}\n");
  REQUIRE(twice.objects.jobs().size() == 1);
  const View job = twice.objects.jobs().front();
  CHECK(integer_at(get(job, "status"), "active") == 2);
  REQUIRE(twice.objects.pods_of(job).size() == 1);
  CHECK(string_at(get(twice.objects.pods_of(job).front(), "status"), "phase") == "Running");
  CHECK(twice.objects.repeated_jobs() == std::set<std::string>{"Job/a"});
}

TEST_CASE("pods of an earlier job of the name, and of another group, are not its own") {
  const Dump dump(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: a, uid: new}}\n"
      "---\n{kind: Pod, metadata: {name: old, labels: {batch.kubernetes.io/job-name: a}, "
      "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: a, uid: old}]}}\n"
      "---\n{kind: Pod, metadata: {name: new, ownerReferences: [{apiVersion: batch/v1, kind: Job, "
      "name: a, uid: new}]}}\n"
      "---\n{kind: Pod, metadata: {name: volcano, ownerReferences: "
      "[{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: a}]}}\n");
  CHECK(dump.pods() == Names{"new"});
}

TEST_CASE("pods are found by their labels where what stands between them and the job is missing") {
  const Dump dump(
      "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a, namespace: ml}}\n"
      "---\n{kind: Pod, metadata: {name: a-node-0-0-x, namespace: ml, labels: "
      "{jobset.sigs.k8s.io/jobset-name: a}, ownerReferences: [{kind: Job, name: a-node-0}]}}\n"
      "---\n{kind: Pod, metadata: {name: other, namespace: nlp, labels: "
      "{jobset.sigs.k8s.io/jobset-name: a}}}\n"
      "---\n{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: r, namespace: ml}, "
      "status: {rayClusterName: r-x}}\n"
      "---\n{kind: Pod, metadata: {name: r-x-head, namespace: ml, labels: {ray.io/cluster: "
      "r-x}}}\n");
  CHECK(dump.pods(0) == Names{"a-node-0-0-x"});
  CHECK(dump.pods(1) == Names{"r-x-head"});
}

TEST_CASE("events are of this very object") {
  const Dump dump(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: a, uid: new}}\n"
      "---\n{kind: Event, metadata: {name: e1}, involvedObject: {kind: Job, name: a, uid: old}}\n"
      "---\n{kind: Event, metadata: {name: e2}, involvedObject: {kind: Job, name: a, uid: new}}\n"
      "---\n{kind: Event, metadata: {name: e3}, regarding: {kind: Job, name: a}}\n");
  CHECK(dump.objects.events_of(dump.objects.jobs().front()).size() == 2);
}

TEST_CASE("the StatefulSet that the first pod of a group owns has events of the job") {
  const Dump dump(
      "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: l}}\n"
      "---\n{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: l, ownerReferences: "
      "[{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: l}]}}\n"
      "---\n{kind: Pod, metadata: {name: l-0, ownerReferences: [{apiVersion: apps/v1, kind: "
      "StatefulSet, name: l}]}}\n"
      "---\n{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: l-0, ownerReferences: "
      "[{apiVersion: v1, kind: Pod, name: l-0}]}}\n"
      "---\n{kind: Pod, metadata: {name: l-0-1, ownerReferences: [{apiVersion: apps/v1, kind: "
      "StatefulSet, name: l-0}]}}\n"
      "---\n{kind: PersistentVolumeClaim, metadata: {name: c, ownerReferences: [{apiVersion: v1, "
      "kind: Pod, name: l-0}]}}\n");
  const std::vector<View> makers = dump.objects.makers_of_pods(dump.objects.jobs().front());
  REQUIRE(makers.size() == 3);
  CHECK(string_at(get(makers.back(), "metadata"), "name") == "l-0");
  CHECK(dump.pods(0) == Names{"l-0", "l-0-1"});
}

TEST_CASE("what holds a job for a queue is no job, and Kueue's list tells its position") {
  const Dump dump(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: ml}}\n"
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: job-a, "
      "namespace: ml, "
      "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: a}]}}\n"
      "---\n{apiVersion: visibility.kueue.x-k8s.io/v1beta2, kind: PendingWorkloadsSummary, items: "
      "[{metadata: {name: first, namespace: ml}}, "
      "{metadata: {name: job-a, namespace: ml}, positionInLocalQueue: 1}]}\n");
  REQUIRE(dump.objects.jobs().size() == 1);
  const View job = dump.objects.jobs().front();
  REQUIRE(dump.objects.queues_of(job).size() == 1);
  CHECK(dump.objects.position_of(dump.objects.workload_of(job)) == 2);
}

TEST_CASE("the newest time is one that was seen to happen") {
  const Dump dump(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: a, creationTimestamp: "
      "2026-05-01T10:00:00Z, "
      "deletionTimestamp: 2030-01-01T00:00:00Z}, spec: {startTime: 2031-01-01T00:00:00Z}, "
      "status: {conditions: [{type: Failed, lastTransitionTime: 2026-05-01T10:07:00Z}], time: "
      "later}}\n"
      "---\n{kind: Event, metadata: {name: e}, eventTime: \"2026-05-01T10:07:00.123456Z\"}\n"
      "---\n{kind: Event, metadata: {name: f}, lastTimestamp: 2026-05-01T10:08:30Z}\n");
  CHECK(dump.objects.newest_time() == "2026-05-01T10:08:30Z");
}

namespace {

/// `jobs` jobs of `pods` pods each.
std::string dump_of(std::size_t jobs, std::size_t pods) {
  std::string text;
  for (std::size_t j = 0; j < jobs; ++j) {
    const std::string job = "j" + std::to_string(j);
    text += "{apiVersion: batch/v1, kind: Job, metadata: {name: " + job + "}}\n---\n";
    for (std::size_t p = 0; p < pods; ++p) {
      text += "{kind: Pod, metadata: {name: " + job + "-" + std::to_string(p) +
              ", labels: {batch.kubernetes.io/job-name: " + job +
              "}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: " + job + "}]}}\n---\n";
    }
  }
  return text + "{}\n";
}

std::size_t all_pods(const std::string& text) {
  const Dump dump(text);
  std::size_t count = 0;
  for (View job : dump.objects.jobs()) count += dump.objects.pods_of(job).size();
  return count;
}

}  // namespace

TEST_CASE("the time for a dump grows with it: many jobs, and one job of 10,000 pods") {
  CHECK(all_pods(dump_of(3, 2)) == 6);
  const double of_jobs = testing::growth(500, [](std::size_t size) { all_pods(dump_of(size, 1)); });
  CHECK(of_jobs < testing::kMostGrowth);
  const double of_pods =
      testing::growth(2500, [](std::size_t size) { all_pods(dump_of(1, size)); });
  CHECK(of_pods < testing::kMostGrowth);
}
