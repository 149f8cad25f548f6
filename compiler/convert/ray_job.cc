#include <algorithm>
#include <string>

#include "check/read.h"
#include "convert/kinds.h"
#include "convert/lifetime.h"
#include "convert/made_pod.h"
#include "convert/pod_parts.h"
#include "convert/shell_text.h"

namespace trainyard {
namespace {

/// Head and workers are roles; the entrypoint is the program of the job.
class RayReader {
 public:
  explicit RayReader(Conversion& job)
      : job_(job), spec_(get(job.job, "spec")), cluster_(get(spec_, "rayClusterSpec")) {}

  void read() {
    job_.framework = "ray";
    if (!cluster_) {
      job_.ledger.lost(
          get(spec_, "clusterSelector"), "the job runs in a Ray cluster that is there",
          "write the pods of a cluster of its own, or submit to that cluster as before");
      return;
    }
    std::int64_t pods = 1;
    for (View group : items_at(cluster_, "workerGroupSpecs")) pods += pods_of(group);
    job_.pods = pods;
    group(get(cluster_, "headGroupSpec"), "head", 1);
    for (View each : items_at(cluster_, "workerGroupSpecs")) {
      if (job_.roles.size() > 1) {
        job_.ledger.lost(each, "a job has one group of Ray workers",
                         "let the groups be one, or use a RayJob of your own");
        continue;
      }
      group(each, "worker", pods_of(each));
      worker_numbers(each);
    }
    entrypoint();
    frame();
  }

 private:
  static std::int64_t pods_of(View group) {
    return integer_at(group, "replicas").value_or(1) * integer_at(group, "numOfHosts").value_or(1);
  }

  void group(View from, std::string_view name, std::int64_t pods) {
    ConvertedRole role;
    role.name = name;
    role.pods = std::max<std::int64_t>(pods, 1);
    job_.roles.push_back(role);
    read_pod_template(job_, job_.roles.back(), get(from, "template"));
    const View parameters = get(from, "rayStartParams");
    if (parameters && parameters->size == 0) job_.ledger.derived(parameters);
    for (View each : Items(parameters)) {
      if (each->key == "dashboard-host" || each->key == "block") job_.ledger.derived(each);
    }
  }

  void worker_numbers(View group) {
    for (std::string_view key : {"groupName", "replicas", "numOfHosts"}) {
      job_.ledger.carried(get(group, key));
    }
    const std::int64_t replicas = integer_at(group, "replicas").value_or(1);
    const View least = get(group, "minReplicas");
    const View most = get(group, "maxReplicas");
    if (is_true(get(cluster_, "enableInTreeAutoscaling"))) {
      job_.ledger.lost(get(cluster_, "enableInTreeAutoscaling"),
                       "the number of workers of a training job is fixed",
                       "choose `nodes` of the role `worker`");
    } else {
      job_.ledger.derived(get(cluster_, "enableInTreeAutoscaling"));
    }
    for (View each : {least, most}) {
      if (integer_of(each).value_or(replicas) == replicas ||
          !is_true(get(cluster_, "enableInTreeAutoscaling"))) {
        job_.ledger.derived(each);
      }
    }
  }

  void entrypoint() {
    const View line = get(spec_, "entrypoint");
    if (!line || job_.roles.empty()) return;
    const auto plain = plain_command(line->text);
    const NodeId run = job_.map();
    const bool expands =
        plain && std::ranges::any_of(*plain, [](const ScriptWord& each) { return each.expands; });
    if (plain && !expands) {
      const NodeId words = job_.list_at(run, "command");
      for (const ScriptWord& each : *plain) job_.maker.tree.append(words, job_.text(each.text));
    } else {
      job_.maker.put(run, "shell", job_.maker.copy(line));
    }
    job_.share({"run"}, run, line);
  }

  void frame() {
    read_seconds(job_, get(spec_, "ttlSecondsAfterFinished"), "ttl");
    read_seconds(job_, get(spec_, "activeDeadlineSeconds"), "deadline");
    read_suspend(job_, get(spec_, "suspend"));
    const View limit = get(spec_, "backoffLimit");
    if (const auto count = integer_of(limit)) {
      if (*count > 0) {
        job_.share_copy({"lifecycle", "retries"}, limit);
        job_.share({"lifecycle", "retryOn"}, job_.text("any"), {});
      }
      job_.ledger.carried(limit);
    }
    if (is_true(get(spec_, "shutdownAfterJobFinishes"))) {
      job_.ledger.derived(get(spec_, "shutdownAfterJobFinishes"));
    }
    const View mode = get(spec_, "submissionMode");
    if (mode && mode->text == "K8sJobMode") job_.ledger.derived(mode);
    job_.ledger.derived(get(cluster_, "rayVersion"));  // that of the image
  }

  Conversion& job_;
  View spec_;
  View cluster_;
};

void read(Conversion& job) {
  RayReader(job).read();
}

}  // namespace

constinit const ConvertedKind kConvertRayJob = {"ray.io", "RayJob", "", read};

}  // namespace trainyard
