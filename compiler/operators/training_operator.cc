// What the Training Operator refuses: its webhooks, which see a job before the operator's own
// defaults are in, and its controllers, which then make a pod and a Service for each replica.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/object_name.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kMasterAndWorker = std::to_array<std::string_view>({"Master", "Worker"});
constexpr auto kWorker = std::to_array<std::string_view>({"Worker"});
constexpr auto kTensorflow =
    std::to_array<std::string_view>({"Chief", "Master", "Worker", "PS", "Evaluator"});
constexpr auto kMpi = std::to_array<std::string_view>({"Launcher", "Worker"});

/// A kind of job of this operator.
struct KindOfJob {
  std::string_view kind;
  std::string_view field;                   // of its replicas
  std::string_view container;               // that the operator looks for in each pod; "" for none
  std::string_view port;                    // that it opens on this container unless it is open
  std::int64_t number = 0;                  // of the port
  std::span<const std::string_view> types;  // of replicas
};

/// kubeflow/training-operator pkg/apis/kubeflow.org/v1/*_types.go
constexpr KindOfJob kKinds[] = {
    {"PyTorchJob", "pytorchReplicaSpecs", "pytorch", "pytorchjob-port", 23456, kMasterAndWorker},
    {"TFJob", "tfReplicaSpecs", "tensorflow", "tfjob-port", 2222, kTensorflow},
    {"XGBoostJob", "xgbReplicaSpecs", "xgboost", "xgboostjob-port", 9999, kMasterAndWorker},
    {"PaddleJob", "paddleReplicaSpecs", "paddle", "master", 36543, kMasterAndWorker},
    {"JAXJob", "jaxReplicaSpecs", "jax", "jaxjob-port", 6666, kWorker},
    {"MPIJob", "mpiReplicaSpecs", "", "", 0, kMpi},
};

/// Nothing for an MPIJob of the MPI Operator, which is a different API.
const KindOfJob* kind_of(View object) {
  if (string_at(object, "apiVersion") != "kubeflow.org/v1") return nullptr;
  const std::string_view kind = string_at(object, "kind");
  const auto* found = std::ranges::find(kKinds, kind, &KindOfJob::kind);
  return found == std::end(kKinds) ? nullptr : found;
}

/// Whether the operator is of this release or a later one; one that is not known is.
bool is_since(std::string_view release, const CheckContext& context) {
  return context.versions().within({.name = "training-operator", .since = release});
}

View replicas_of(View object, const KindOfJob& kind) {
  return get(get(object, "spec"), kind.field);
}

bool is_known(std::string_view type, const KindOfJob& kind) {
  return std::ranges::find(kind.types, type) != kind.types.end();
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// The operator's defaults put the case of a type right, but the webhooks come before them.
bool is_known_in_any_case(std::string_view type, const KindOfJob& kind) {
  return std::ranges::any_of(kind.types,
                             [&](std::string_view each) { return lower(each) == lower(type); });
}

void replica_types(View object, CheckContext& context) {
  const KindOfJob* kind = kind_of(object);
  if (kind == nullptr) return;
  const bool lenient = kind->kind == "TFJob";
  for (View entry : Items(replicas_of(object, *kind))) {
    if (is_known(entry.key(), *kind)) continue;
    if (lenient && is_known_in_any_case(entry.key(), *kind)) continue;
    const std::vector<std::string> names(kind->types.begin(), kind->types.end());
    const std::string message = shown(entry.key()) + " is no type of replicas of " +
                                (kind->kind == "XGBoostJob" ? "an " : "a ") +
                                std::string(kind->kind) + "; expected " + listed(names, "or");
    if (lenient) {
      context.warn(entry, message).note("it gets pods, and the operator ignores how they end");
      continue;
    }
    Diagnostic& report = context.refuse_key(entry, message);
    if (const auto near = suggest(entry.key(), kind->types)) {
      report.note("`" + std::string(*near) + "` is very likely meant");
    }
  }
}

void default_container(View object, CheckContext& context) {
  const KindOfJob* kind = kind_of(object);
  if (kind == nullptr || kind->container.empty()) return;
  for (View entry : Items(replicas_of(object, *kind))) {
    if (!entry->is_map()) continue;
    const View pod = get(get(entry, "template"), "spec");
    const View list = get(pod, "containers");
    const Items containers = items_at(pod, "containers");
    const bool there = std::any_of(containers.begin(), containers.end(), [&](View container) {
      return string_at(container, "name") == kind->container;
    });
    if (there || (get(entry, "template") && !has_items(list))) continue;  // `some-container` speaks
    Diagnostic& report = context.refuse(
        list ? list : entry, "no container of " + shown(entry.key()) + " is called " +
                                 shown(kind->container) + ", which every pod of this kind needs");
    if (list && list->size == 1) {
      report.also(context.place(get(list.first(), "name")), "call it " + shown(kind->container));
    }
  }
}

void replica_counts(View object, CheckContext& context) {
  const KindOfJob* kind = kind_of(object);
  if (kind == nullptr) return;
  const bool one_master = kind->kind == "PyTorchJob" || kind->kind == "XGBoostJob";
  const bool before_defaults = is_since("1.8", context);
  const std::int64_t workers = kind->kind == "PyTorchJob" && is_since("1.9", context) ? 1 : 0;
  for (View entry : Items(replicas_of(object, *kind))) {
    if (!entry->is_map()) continue;
    const View count = get(entry, "replicas");
    const auto number = integer_of(count);
    if (count && !number) continue;
    if (one_master && entry.key() == "Master") {
      if (!number && before_defaults) {
        context.refuse_key(entry,
                           "`replicas` of `Master` is missing; it must be 1, and the "
                           "webhook comes before the operator's default");
      } else if (number && *number != 1) {
        context.refuse(count, "a job has 1 `Master`, not " + std::to_string(*number));
      }
    } else if (kind->kind == "MPIJob" && entry.key() == "Launcher") {
      if (number && *number != 1) {
        context.refuse(count, "a job has 1 `Launcher`, not " + std::to_string(*number));
      }
    } else if (number && *number < workers) {
      context.refuse(count, workers == 0
                                ? "`replicas` cannot be negative"
                                : "`replicas` must be 1 at least, not " + std::to_string(*number));
    }
  }
}

/// A port of the Service that each replica gets; all of them are TCP.
struct ServicePort {
  std::string_view name;
  std::int64_t number;
  View at;
};

std::vector<ServicePort> service_ports(View container, const KindOfJob& kind) {
  std::vector<ServicePort> ports;
  bool has_default = false;
  for (View port : items_at(container, "ports")) {
    const std::string_view name = string_at(port, "name");
    const auto number = integer_at(port, "containerPort");
    if (!number) continue;
    has_default = has_default || name == kind.port;
    // By name: of several without one the last remains.
    const auto same = std::ranges::find(ports, name, &ServicePort::name);
    if (same == ports.end()) {
      ports.push_back({name, *number, port});
    } else {
      *same = {name, *number, port};
    }
  }
  if (!has_default) ports.push_back({kind.port, kind.number, {}});
  return ports;
}

void report_ports(const std::vector<ServicePort>& ports, const KindOfJob& kind,
                  CheckContext& context) {
  const std::string own = "the operator opens port " + std::to_string(kind.number) +
                          " on this container as " + shown(kind.port);
  for (const ServicePort& port : ports) {
    if (!port.at) continue;
    if (port.name.empty() && ports.size() > 1) {
      Diagnostic& report =
          context.refuse(port.at,
                         "a port without a name next to others: no Service can be made "
                         "for this replica, which lists them all");
      report.note(port.number == kind.number ? "call it " + shown(kind.port) : own);
      return;
    }
    for (const ServicePort& other : ports) {
      if (&other == &port || other.number != port.number) continue;
      Diagnostic& report = context.refuse(port.at, "port " + std::to_string(port.number) +
                                                       " would be twice in the Service of this "
                                                       "replica, which is then not made");
      report.note(other.at ? "both " + shown(port.name) + " and " + shown(other.name) + " have it"
                           : own + "; call this one so");
      return;
    }
  }
}

void service(View object, CheckContext& context) {
  const KindOfJob* kind = kind_of(object);
  if (kind == nullptr || kind->container.empty()) return;
  for (View entry : Items(replicas_of(object, *kind))) {
    if (!entry->is_map()) continue;
    for (View container : items_at(get(get(entry, "template"), "spec"), "containers")) {
      if (string_at(container, "name") != kind->container) continue;
      report_ports(service_ports(container, *kind), *kind, context);
      break;
    }
  }
}

/// The Job label takes the name as it is, and there is no webhook.
void mpi_name(View object, CheckContext& context) {
  const ObjectName name = object_name(object);
  if (kind_of(object) == nullptr || !name || name.text.size() <= kLabelSize) return;
  context.refuse(name.at, "the name of this job has " + std::to_string(name.text.size()) +
                              " characters, at most 63 fit into the label that its pods carry");
}

constexpr std::string_view kWithWebhook =
    "kubeflow.org PyTorchJob TFJob XGBoostJob PaddleJob JAXJob";
constexpr OperatorSpan kOperator{.name = "training-operator"};
constexpr Check kChecks[] = {
    {.name = "kubeflow-replica-types",
     .group = CheckGroup::Training,
     .on = "kubeflow.org PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob",
     .sentence = "Replicas are of types that the kind of job has, in the right case.",
     .source = "kubeflow/training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go "
               "validatePyTorchReplicaSpecs, pkg/apis/kubeflow.org/v1/mpi_validation.go",
     .object = replica_types,
     .operators = kOperator},
    {.name = "kubeflow-container-name",
     .group = CheckGroup::Training,
     .on = kWithWebhook,
     .sentence = "Every replica has the container of its framework, such as `pytorch` or `jax`.",
     .source = "kubeflow/training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go "
               "validatePyTorchReplicaSpecs",
     .object = default_container,
     .operators = kOperator},
    {.name = "kubeflow-replica-counts",
     .group = CheckGroup::Training,
     .on = "kubeflow.org PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob",
     .sentence = "There is one Master or Launcher, and no negative number of anything.",
     .source = "kubeflow/training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go "
               "validatePyTorchReplicaSpecs, pkg/apis/kubeflow.org/v1/mpi_validation.go",
     .object = replica_counts,
     .operators = kOperator},
    {.name = "kubeflow-service-ports",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kWithWebhook,
     .sentence = "Ports of the training container and that of the operator fit into a Service.",
     .source = "kubeflow/training-operator pkg/controller.v1/common/service.go CreateNewService",
     .object = service,
     .operators = kOperator},
    {.name = "kubeflow-mpi-name",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "The name of an MPIJob of the Training Operator fits into a label.",
     .source = "kubeflow/training-operator pkg/controller.v1/common/job_controller.go GenLabels",
     .object = mpi_name,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> training_operator_checks = kChecks;

}  // namespace trainyard
