#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/object_name.h"
#include "operators/tables.h"
#include "operators/train_job_runtime.h"
#include "schema/names.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

enum class Derived : std::uint8_t { Now, Later };  // when the job has grown

/// `derived` will be made from `name`, and has to be what `why_not` wants.
void derive(const ObjectName& name, const std::string& derived, std::string_view what,
            Fault (*why_not)(std::string_view), CheckContext& context,
            Derived when = Derived::Now) {
  const Fault fault = why_not(derived);
  if (!fault) return;
  std::string message =
      "the " + std::string(what) + " would be called " + shown(derived) + ", which " + *fault;
  Diagnostic& report = when == Derived::Later ? context.warn(name.at, std::move(message))
                                              : context.refuse(name.at, std::move(message));
  if (derived.size() > kLabelSize && name.at->text.size() > derived.size() - kLabelSize) {
    report.note("a name of at most " +
                std::to_string(name.at->text.size() - (derived.size() - kLabelSize)) +
                " characters would do");
  }
}

/// Of names that are too long the longest says it for all, of equal ones the first. `name_of` gives
/// that of an item, which is empty for none.
template <class NameOf>
View longest(const Items& items, const NameOf& name_of) {
  View found;
  std::size_t most = 0;
  for (View each : items) {
    const std::size_t size = name_of(each).size();
    if (size <= most) continue;
    found = each;
    most = size;
  }
  return found;
}

/// The largest index among as many as `key` says; 0 where it says nothing.
std::int64_t last_index(View holder, std::string_view key) {
  return std::max<std::int64_t>(integer_at(holder, key).value_or(1) - 1, 0);
}

std::string with(const std::string& name, std::string_view part) {
  return name + "-" + std::string(part);
}
std::string with(const std::string& name, std::string_view part, std::int64_t index) {
  return with(name, part) + "-" + std::to_string(index);
}

/// With metrics an HPA scales the workers of an elastic job, up to the most of its range.
///
/// kubeflow/training-operator pkg/controller.v1/pytorch/hpa.go
void largest_elastic_worker(const ObjectName& name, View spec, CheckContext& context) {
  const View policy = get(spec, "elasticPolicy");
  if (!policy || !has_items(get(policy, "metrics"))) return;
  const View workers = get(get(spec, "pytorchReplicaSpecs"), "Worker");
  if (!workers) return;
  const std::int64_t last = last_index(workers, "replicas");
  const std::int64_t largest = last_index(policy, "maxReplicas");
  if (largest <= last || why_not_service_name(with(name.text, "worker", last))) return;
  derive(name, with(name.text, "worker", largest), "Service of the last worker at `maxReplicas`",
         why_not_service_name, context, Derived::Later);
}

// Nearly all names are so short that what is added to them always fits, which is seen at once.

constexpr std::size_t kShortRole = 12;

bool is_short_role(View role) {
  return role.key().size() <= kShortRole && std::ranges::all_of(role.key(), is_letter);
}

bool is_short_for_roles(std::string_view name) {
  constexpr std::size_t kIndex = 20;  // the digits of any number
  return name.size() + kShortRole + kIndex + 2 <= kLabelSize;
}

void kubeflow(View object, CheckContext& context) {
  constexpr auto fields =
      std::to_array<std::string_view>({"pytorchReplicaSpecs", "tfReplicaSpecs", "xgbReplicaSpecs",
                                       "paddleReplicaSpecs", "jaxReplicaSpecs"});
  const ObjectName name = object_name(object);
  if (name && is_short_for_roles(name.text)) {
    const View spec = get(object, "spec");
    const bool all = std::ranges::all_of(fields, [&](std::string_view field) {
      return std::ranges::all_of(entries_at(spec, field), is_short_role);
    });
    if (all) return;
  }
  if (!name || why_not_service_name(name.text)) return;  // another check reports the name
  for (std::string_view field : fields) {
    const auto service = [&name](View role) {
      return with(name.text, lower_case(role.key()), last_index(role, "replicas"));
    };
    if (const View role = longest(entries_at(get(object, "spec"), field), service)) {
      derive(name, service(role), "Service of the last " + lower_case(role.key()),
             why_not_service_name, context);
    }
  }
  largest_elastic_worker(name, get(object, "spec"), context);
}

void mpi(View object, CheckContext& context) {
  const ObjectName name = object_name(object);
  if (!name || string_at(object, "apiVersion") != "kubeflow.org/v2beta1") return;
  const View workers = get(get(get(object, "spec"), "mpiReplicaSpecs"), "Worker");
  derive(name, with(name.text, "worker", last_index(workers, "replicas")),
         "host of the last worker", why_not_service_name, context);
}

void coordinator(const ObjectName& name, View own, View object, CheckContext& context) {
  const View coordinator = get(get(object, "spec"), "coordinator");
  if (string_at(coordinator, "replicatedJob") != own->text) return;
  std::string_view subdomain = string_at(get(get(object, "spec"), "network"), "subdomain");
  if (subdomain.empty()) subdomain = name.text;
  const std::string label =
      with(name.text, own->text, integer_at(coordinator, "jobIndex").value_or(0)) + "-" +
      std::to_string(integer_at(coordinator, "podIndex").value_or(0)) + "." +
      std::string(subdomain);
  if (label.size() <= kLabelSize) return;
  context
      .refuse(name.at, "the label with the address of the coordinator would be " + shown(label) +
                           ", which has " + std::to_string(label.size()) +
                           " characters, at most 63 are allowed")
      .note("a short `spec.network.subdomain` makes room");
}

void job_set_role(const ObjectName& name, View role, View object, CheckContext& context) {
  const View own = get(role, "name");
  if (string_of(own).empty()) return;
  // Not the largest index but one less than the count: of none, -1, as the webhook has it.
  const std::string job = with(name.text, own->text, integer_at(role, "replicas").value_or(1) - 1);
  derive(name, job, "last Job of " + shown(own->text), why_not_service_name, context);
  if (why_not_service_name(job)) return;  // the rest follows
  const View spec = get(get(role, "template"), "spec");
  const std::string_view mode = string_at(spec, "completionMode");
  const auto completions = integer_at(spec, "completions");
  if ((mode.empty() || mode == "Indexed") && completions) {
    derive(name, job + "-" + std::to_string(*completions - 1) + "-abcde",
           "last pod of " + shown(own->text), why_not_service_name, context);
  }
  coordinator(name, own, object, context);
}

void job_set(View object, CheckContext& context) {
  const ObjectName name = object_name(object);
  if (!name) return;
  const std::size_t before = context.findings();
  const bool is_wrong_alone = why_not_service_name(name.text).has_value();
  for (View role : items_at(get(object, "spec"), "replicatedJobs")) {
    if (is_wrong_alone && context.findings() != before) break;
    if (role->is_map()) job_set_role(name, role, object, context);
  }
  for (View policy : items_at(get(object, "spec"), "volumeClaimPolicies")) {
    for (View claim : items_at(policy, "templates")) {
      const View own = get(get(claim, "metadata"), "name");
      if (string_of(own).empty()) continue;
      const std::string full = with(std::string(own->text), name.text);
      if (full.size() <= kLabelSize) continue;
      context.refuse(own, "the claim would be called " + shown(full) + ", which has " +
                              std::to_string(full.size()) + " characters, at most 63 are allowed");
    }
  }
}

/// How many pods a TrainJob has of a replicated job of its runtime.
///
/// kubeflow/trainer pkg/runtime/core/trainingruntime.go newRuntimeInfo,
/// pkg/runtime/framework/plugins
std::int64_t pods_of(const TrainJob& job, View role) {
  const auto nodes = integer_at(job.trainer, "numNodes");
  const View policy = get(get(job.runtime, "spec"), "mlPolicy");
  const View labels = get(get(get(role, "template"), "metadata"), "labels");
  const bool trainer =
      string_at(labels, "trainer.kubeflow.org/trainjob-ancestor-step") == "trainer";
  std::int64_t count = integer_at(get(get(role, "template"), "spec"), "parallelism").value_or(1);
  if (trainer && policy) count = integer_at(policy, "numNodes").value_or(1);
  if (const View mpi = get(policy, "mpi")) {
    if (nodes && string_at(role, "name") == "node") {
      count = is_true(get(mpi, "runLauncherAsNode")) ? *nodes - 1 : *nodes;
    }
  } else if (nodes && trainer) {
    count = *nodes;
  }
  return std::max<std::int64_t>(count, 1);
}

void pod_of(const ObjectName& name, std::string_view role, std::int64_t jobs, std::int64_t pods,
            CheckContext& context) {
  derive(name, with(name.text, role, jobs - 1) + "-" + std::to_string(pods - 1) + "-abcde",
         "last pod of " + shown(role), why_not_service_name, context);
}

/// The JobSet of a TrainJob has its name, and its webhook looks at those of all pods.
void train_job_pods(View object, CheckContext& context) {
  const ObjectName name = object_name(object);
  if (!name || why_not_service_name(name.text)) return;  // the schema reports the name
  const TrainJob job = train_job(object, context);
  if (context.inventory() == nullptr) return;
  const auto policy = ml_policy(job);
  if (policy == MlPolicy::Flux) {
    derive(name, with(name.text, "flux-entrypoint"), "volume with the scripts of Flux",
           why_not_dns_label, context);
  }
  if (job) {
    for (View role : items_at(job.template_spec, "replicatedJobs")) {
      const View spec = get(get(role, "template"), "spec");
      if (string_at(spec, "completionMode") == "NonIndexed") continue;
      const View labels = get(get(get(role, "template"), "metadata"), "labels");
      const bool step =
          static_cast<bool>(get(labels, "trainer.kubeflow.org/trainjob-ancestor-step"));
      pod_of(name, string_at(role, "name"), step ? 1 : integer_at(role, "replicas").value_or(1),
             pods_of(job, role), context);
    }
  } else if (policy) {  // one that comes with Trainer
    const std::int64_t nodes = integer_at(job.trainer, "numNodes").value_or(1);
    if (policy == MlPolicy::Mpi) pod_of(name, "launcher", 1, 1, context);
    pod_of(name, "node", 1, policy == MlPolicy::Mpi ? std::max<std::int64_t>(nodes - 1, 1) : nodes,
           context);
  }
}

void volcano_job(View object, CheckContext& context) {
  const ObjectName name = object_name(object);
  const View spec = get(object, "spec");
  if (!name) return;
  const auto of_label = context.before(36) ? why_not_service_name : why_not_dns_label;
  const View plugins = get(spec, "plugins");
  if (has_items(get(spec, "volumes"))) {
    derive(name, with(name.text, "abcdefghijkl"), "volume for `spec.volumes`", why_not_dns_label,
           context);
  }
  if (get(plugins, "ssh")) {
    derive(name, with(name.text, "ssh"), "volume with the keys", why_not_dns_label, context);
  }
  if (get(plugins, "ray")) {
    derive(name, with(name.text, "head-svc"), "Service of the head", of_label, context);
  }
  if (!get(plugins, "svc")) return;  // no host names, and pods may be called almost anything
  const auto host = [&name](View task) {
    if (string_at(task, "name").empty()) return std::string();
    return with(name.text, string_at(task, "name"), last_index(task, "replicas"));
  };
  if (const View task = longest(items_at(spec, "tasks"), host)) {
    derive(name, host(task), "host of the last " + shown(string_at(task, "name")),
           why_not_dns_label, context);
  }
  derive(name, with(name.text, "svc"), "volume with the host names", why_not_dns_label, context);
  derive(name, name.text, "Service", of_label, context);
}

constexpr Check kChecks[] = {
    {.name = "kubeflow-names",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org PyTorchJob TFJob XGBoostJob PaddleJob JAXJob",
     .sentence =
         "The Service of the last replica, `<job>-<type>-<index>`, has a name of at most 63 "
         "characters.",
     .source = "kubeflow/training-operator pkg/core/utils.go GenGeneralName",
     .object = kubeflow},
    {.name = "mpi-names",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "The host of the last worker, `<job>-worker-<index>`, has a name of at most 63 "
                 "characters; that of the launcher is no longer.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go",
     .object = mpi},
    {.name = "jobset-names",
     .group = CheckGroup::Training,
     .on = "jobset.x-k8s.io JobSet",
     .sentence = "The last Job and the last pod of each role, claims, and the label of the "
                 "coordinator, have at most 63 characters.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateCreate",
     .object = job_set},
    {.name = "train-job-names",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "trainer.kubeflow.org TrainJob",
     .sentence =
         "The last pod of each replicated job of the runtime, "
         "`<job>-<replicated job>-0-<index>` and five characters, has a name of at most 63.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/jobset/jobset.go Build, "
               "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateCreate",
     .object = train_job_pods},
    {.name = "volcano-names",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "batch.volcano.sh Job",
     .sentence = "Host names, volumes and Services that plugins make from the name of the job are "
                 "valid.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins/distributed-framework, "
               "pkg/controllers/job/plugins/svc/svc.go, "
               "pkg/controllers/job/job_controller_util.go",
     .object = volcano_job},
};

}  // namespace

constinit const std::span<const Check> derived_name_checks = kChecks;

}  // namespace trainyard
