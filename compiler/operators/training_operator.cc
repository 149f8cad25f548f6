// What the Training Operator refuses: its webhooks, which see a job before the operator's own
// defaults are in, and its controllers, which then make a pod and a Service for each replica.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A kind of job of this operator.
struct KindOfJob {
  std::string_view kind;
  std::string_view field;      // of its replicas
  std::string_view container;  // that the operator looks for in each pod
  std::string_view port;       // that it opens on this container unless it is open
  std::int64_t number = 0;     // of the port
};

/// kubeflow/training-operator pkg/apis/kubeflow.org/v1/*_types.go
constexpr KindOfJob kKinds[] = {
    {"PyTorchJob", "pytorchReplicaSpecs", "pytorch", "pytorchjob-port", 23456},
    {"TFJob", "tfReplicaSpecs", "tensorflow", "tfjob-port", 2222},
    {"XGBoostJob", "xgbReplicaSpecs", "xgboost", "xgboostjob-port", 9999},
    {"PaddleJob", "paddleReplicaSpecs", "paddle", "master", 36543},
    {"JAXJob", "jaxReplicaSpecs", "jax", "jaxjob-port", 6666},
};

const KindOfJob* kind_of(View object) {
  if (string_at(object, "apiVersion") != "kubeflow.org/v1") return nullptr;
  const std::string_view kind = string_at(object, "kind");
  const auto* found = std::ranges::find(kKinds, kind, &KindOfJob::kind);
  return found == std::end(kKinds) ? nullptr : found;
}

View replicas_of(View object, const KindOfJob& kind) {
  return get(get(object, "spec"), kind.field);
}

void default_container(View object, CheckContext& context) {
  const KindOfJob* kind = kind_of(object);
  if (kind == nullptr) return;
  for (View entry : Items(replicas_of(object, *kind))) {
    if (!entry->is_map()) continue;
    const View pod = get(get(entry, "template"), "spec");
    const View list = get(pod, "containers");
    const bool there = std::ranges::any_of(items_at(pod, "containers"), [&](View container) {
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
  const auto own = [&kind] {
    return "the operator opens port " + std::to_string(kind.number) + " on this container as " +
           shown(kind.port);
  };
  for (const ServicePort& port : ports) {
    if (!port.at) continue;
    if (port.name.empty() && ports.size() > 1) {
      Diagnostic& report =
          context.refuse(port.at,
                         "a port without a name next to others: no Service can be made "
                         "for this replica, which lists them all");
      report.note(port.number == kind.number ? "call it " + shown(kind.port) : own());
      return;
    }
    for (const ServicePort& other : ports) {
      if (&other == &port || other.number != port.number) continue;
      Diagnostic& report = context.refuse(port.at, "port " + std::to_string(port.number) +
                                                       " would be twice in the Service of this "
                                                       "replica, which is then not made");
      report.note(other.at ? "both " + shown(port.name) + " and " + shown(other.name) + " have it"
                           : own() + "; call this one so");
      return;
    }
  }
}

void service(View object, CheckContext& context) {
  const KindOfJob* kind = kind_of(object);
  if (kind == nullptr) return;
  for (View entry : Items(replicas_of(object, *kind))) {
    if (!entry->is_map()) continue;
    for (View container : items_at(get(get(entry, "template"), "spec"), "containers")) {
      if (string_at(container, "name") != kind->container) continue;
      report_ports(service_ports(container, *kind), *kind, context);
      break;
    }
  }
}

constexpr std::string_view kWithWebhook =
    "kubeflow.org PyTorchJob TFJob XGBoostJob PaddleJob JAXJob";
constexpr OperatorSpan kOperator{.name = "training-operator"};
constexpr Check kChecks[] = {
    {.name = "kubeflow-container-name",
     .group = CheckGroup::Training,
     .on = kWithWebhook,
     .sentence = "Every replica has the container of its framework, such as `pytorch` or `jax`.",
     .source = "kubeflow/training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go "
               "validatePyTorchReplicaSpecs",
     .object = default_container,
     .operators = kOperator},
    {.name = "kubeflow-service-ports",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kWithWebhook,
     .sentence = "Ports of the training container and that of the operator fit into a Service.",
     .source = "kubeflow/training-operator pkg/controller.v1/common/service.go CreateNewService",
     .object = service,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> training_operator_checks = kChecks;

}  // namespace trainyard
