#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/names.h"
#include "schema/words.h"

namespace trainyard {
namespace {

View name_of(View object) {
  return get(get(object, "metadata"), "name");
}

/// `derived` will be made from the name at `at`, and has to be what `why_not` wants.
void derive(View at, const std::string& derived, std::string_view what,
            Fault (*why_not)(std::string_view), CheckContext& context) {
  const Fault fault = why_not(derived);
  if (!fault) return;
  Diagnostic& report = context.refuse(
      at, "the " + std::string(what) + " would be called " + shown(derived) + ", which " + *fault);
  if (derived.size() > kLabelSize && at->text.size() > derived.size() - kLabelSize) {
    report.note("a name of at most " +
                std::to_string(at->text.size() - (derived.size() - kLabelSize)) +
                " characters would do");
  }
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// The largest index among as many as `key` says; 0 where it says nothing.
std::int64_t last_index(View holder, std::string_view key) {
  return std::max<std::int64_t>(integer_at(holder, key).value_or(1) - 1, 0);
}

void kubeflow(View object, CheckContext& context) {
  constexpr auto fields =
      std::to_array<std::string_view>({"pytorchReplicaSpecs", "tfReplicaSpecs", "xgbReplicaSpecs",
                                       "paddleReplicaSpecs", "jaxReplicaSpecs"});
  const View name = name_of(object);
  if (string_of(name).empty()) return;
  for (std::string_view field : fields) {
    for (View role : entries_at(get(object, "spec"), field)) {
      derive(name,
             std::string(name->text) + "-" + lower(role->key) + "-" +
                 std::to_string(last_index(role, "replicas")),
             "Service of the last " + lower(role->key), why_not_service_name, context);
    }
  }
}

void mpi(View object, CheckContext& context) {
  const View name = name_of(object);
  if (string_of(name).empty() || string_at(object, "apiVersion") != "kubeflow.org/v2beta1") return;
  const View workers = get(get(get(object, "spec"), "mpiReplicaSpecs"), "Worker");
  derive(name,
         std::string(name->text) + "-worker-" + std::to_string(last_index(workers, "replicas")),
         "host of the last worker", why_not_service_name, context);
}

void job_set_role(View name, View role, View object, CheckContext& context) {
  const View own = get(role, "name");
  if (string_of(own).empty()) return;
  const std::string job = std::string(name->text) + "-" + std::string(own->text) + "-" +
                          std::to_string(last_index(role, "replicas"));
  derive(name, job, "last Job of " + shown(own->text), why_not_service_name, context);
  if (job.size() > kLabelSize) return;  // the rest follows
  const View spec = get(get(role, "template"), "spec");
  const std::string_view mode = string_at(spec, "completionMode");
  const View completions = get(spec, "completions");
  if ((mode.empty() || mode == "Indexed") && completions) {
    derive(name, job + "-" + std::to_string(last_index(spec, "completions")) + "-abcde",
           "last pod of " + shown(own->text), why_not_service_name, context);
  }
  const View coordinator = get(get(object, "spec"), "coordinator");
  if (string_at(coordinator, "replicatedJob") != own->text) return;
  std::string_view subdomain = string_at(get(get(object, "spec"), "network"), "subdomain");
  if (subdomain.empty()) subdomain = name->text;
  const std::string label = std::string(name->text) + "-" + std::string(own->text) + "-" +
                            std::to_string(integer_at(coordinator, "jobIndex").value_or(0)) + "-" +
                            std::to_string(integer_at(coordinator, "podIndex").value_or(0)) + "." +
                            std::string(subdomain);
  if (label.size() <= kLabelSize) return;
  context
      .refuse(name, "the label with the address of the coordinator would be " + shown(label) +
                        ", which has " + std::to_string(label.size()) +
                        " characters, at most 63 are allowed")
      .note("a short `spec.network.subdomain` makes room");
}

void job_set(View object, CheckContext& context) {
  const View name = name_of(object);
  if (string_of(name).empty()) return;
  for (View role : items_at(get(object, "spec"), "replicatedJobs")) {
    if (role->is_map()) job_set_role(name, role, object, context);
  }
}

void volcano_job(View object, CheckContext& context) {
  const View name = name_of(object);
  const View spec = get(object, "spec");
  if (string_of(name).empty()) return;
  const View plugins = get(spec, "plugins");
  if (!get(plugins, "svc")) return;  // no host names, and pods may be called almost anything
  for (View task : items_at(spec, "tasks")) {
    if (string_at(task, "name").empty()) continue;
    derive(name,
           std::string(name->text) + "-" + std::string(string_at(task, "name")) + "-" +
               std::to_string(last_index(task, "replicas")),
           "host of the last " + shown(string_at(task, "name")), why_not_dns_label, context);
  }
  derive(name, std::string(name->text) + "-svc", "volume with the host names", why_not_dns_label,
         context);
  derive(name, std::string(name->text), "Service",
         context.before(36) ? why_not_service_name : why_not_dns_label, context);
}

/// The pods of a StatefulSet carry a label that is its name and a hash of up to ten digits.
void revision_label(View name, const std::string& set, CheckContext& context) {
  constexpr std::size_t most = kLabelSize - 11;
  if (set.size() <= most || set.size() > kLabelSize) return;
  context
      .warn(name, "pods of the StatefulSet " + shown(set) +
                      " get its name and a hash of up to 10 digits as a label, together at most " +
                      "63 characters: with " + std::to_string(set.size()) +
                      " characters most hashes do not fit, and no pod is made")
      .note("a name of at most " + std::to_string(name->text.size() - (set.size() - most)) +
            " characters always fits");
}

void stateful_set(View object, CheckContext& context) {
  const View name = name_of(object);
  if (!string_of(name).empty()) revision_label(name, std::string(name->text), context);
}

void leader_worker_set(View object, CheckContext& context) {
  const View name = name_of(object);
  if (string_of(name).empty()) return;
  const std::string set =
      std::string(name->text) + "-" + std::to_string(last_index(get(object, "spec"), "replicas"));
  derive(name, set, "StatefulSet of the last group", why_not_service_name, context);
  revision_label(name, set, context);
}

constexpr Check kChecks[] = {
    {.name = "kubeflow-names",
     .on = "kubeflow.org PyTorchJob TFJob XGBoostJob PaddleJob JAXJob",
     .sentence =
         "The Service of the last replica, `<job>-<type>-<index>`, has a name of at most 63 "
         "characters.",
     .source = "kubeflow/training-operator pkg/core/utils.go GenGeneralName",
     .object = kubeflow},
    {.name = "mpi-names",
     .on = "kubeflow.org MPIJob",
     .sentence = "The host of the last worker, `<job>-worker-<index>`, has a name of at most 63 "
                 "characters.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go",
     .object = mpi},
    {.name = "jobset-names",
     .on = "jobset.x-k8s.io JobSet",
     .sentence = "The last Job and the last pod of each role, and the label of the coordinator, "
                 "have at most 63 characters.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateCreate",
     .object = job_set},
    {.name = "volcano-names",
     .on = "batch.volcano.sh Job",
     .sentence = "With the svc plugin host names, volume and Service made from the name of the job "
                 "are valid.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins/distributed-framework, "
               "pkg/controllers/job/plugins/svc/svc.go",
     .object = volcano_job},
    {.name = "stateful-set-names",
     .on = "apps StatefulSet",
     .sentence = "The name of a StatefulSet leaves room for the revision that its pods carry as a "
                 "label.",
     .source = "kubernetes/kubernetes pkg/controller/history/controller_history.go "
               "ControllerRevisionName",
     .object = stateful_set},
    {.name = "leader-worker-set-names",
     .on = "leaderworkerset.x-k8s.io LeaderWorkerSet",
     .sentence = "The StatefulSet of the last group has a name that its pods can carry.",
     .source = "kubernetes-sigs/lws pkg/controllers/pod_controller.go",
     .object = leader_worker_set},
};

}  // namespace

constinit const std::span<const Check> derived_name_checks = kChecks;

}  // namespace trainyard
