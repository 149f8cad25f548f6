// Whether Services lead to the pods and ports that they are written for.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

/// Whether a Service passes on to pods with these labels, as far as they are written.
bool leads_to(View service, View labels) {
  const View spec = get(service, "spec");
  const View selector = get(spec, "selector");
  if (!has_items(selector) || string_at(spec, "type") == "ExternalName") return false;
  return std::ranges::all_of(Items(selector), [&](View wanted) {
    const View label = get(labels, wanted->key);
    return label && label->text == wanted->text;
  });
}

std::string_view protocol_of(View port) {
  const std::string_view word = string_at(port, "protocol");
  return word.empty() ? "TCP" : word;
}

/// Whether a container of a pod has a port of this name, over the protocol of the Service's port.
bool has_port(View pod_spec, View wanted, std::string_view name) {
  for (std::string_view list : {"containers", "initContainers"}) {
    for (View container : items_at(pod_spec, list)) {
      for (View port : items_at(container, "ports")) {
        if (string_at(port, "name") == name && protocol_of(port) == protocol_of(wanted)) {
          return true;
        }
      }
    }
  }
  return false;
}

/// Whether another template of the same object has what the Service wants: a job may serve from
/// one of its roles.
bool another_has_port(View object, View service, View wanted, std::string_view name) {
  const std::string_view group = group_of(string_at(object, "apiVersion"));
  const std::string_view kind = string_at(object, "kind");
  for (const PodPlace& place : pod_places()) {
    if (place.group != group || place.kind != kind) continue;
    bool found = false;
    each_at(object, place.path, [&](View holder) {
      found = found || (leads_to(service, get(get(holder, "metadata"), "labels")) &&
                        has_port(get(holder, "spec"), wanted, name));
    });
    if (found) return true;
  }
  return false;
}

void port_name(const Pod& pod, CheckContext& context) {
  const View labels = get(pod.metadata, "labels");
  const bool complete = !pod.has(kAddsContainers) && has_items(get(pod.spec, "containers"));
  if (!context.may_have_port_names() || !has_items(labels) || !complete) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  for (View service : inventory->all("", "Service")) {
    const View metadata = get(service, "metadata");
    if (string_at(metadata, "namespace") != own || !leads_to(service, labels)) continue;
    for (View port : items_at(get(service, "spec"), "ports")) {
      const View target = get(port, "targetPort");
      const std::string_view name = string_of(target);
      if (name.empty() || has_port(pod.spec, port, name)) continue;
      if (another_has_port(context.object(), service, port, name)) continue;
      context
          .lint(get(pod.spec, "containers"),
                "Service " + shown(string_at(metadata, "name")) + " leads to port " + shown(name) +
                    " of these pods, and no container has a port of that name over " +
                    std::string(protocol_of(port)))
          .also(context.place(target), "the port of the Service");
    }
  }
}

bool is_headless(View service) {
  return string_at(get(service, "spec"), "clusterIP") == "None";
}

void governing_service(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View name = get(spec, "serviceName");
  const View labels = get(get(get(spec, "template"), "metadata"), "labels");
  if (string_of(name).empty() || !has_items(labels)) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::string_view own = string_at(get(object, "metadata"), "namespace");
  if (const View service = inventory->find("", "Service", own, name->text)) {
    const View selector = get(get(service, "spec"), "selector");
    if (!has_items(selector) || leads_to(service, labels)) return;
    context
        .lint(name, "Service " + shown(name->text) +
                        " does not select the pods of this "
                        "StatefulSet: their labels are others")
        .also(context.place(selector), "what it selects");
    return;
  }
  for (View service : inventory->all("", "Service")) {
    const View metadata = get(service, "metadata");
    const bool here = string_at(metadata, "namespace") == own;
    if (!here || !is_headless(service) || !leads_to(service, labels)) continue;
    context
        .lint(name, "there is no Service " + shown(name->text) +
                        " among the inputs, and the one "
                        "that selects these pods is called " +
                        shown(string_at(metadata, "name")))
        .also(context.place(get(metadata, "name")), "that one");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "service-port-name",
     .on = "pod",
     .sentence = "A port to which a Service leads by its name is one of the pods that it selects.",
     .source = "kubernetes/kubernetes pkg/api/v1/pod/util.go FindPort",
     .pod = port_name,
     .severity = Severity::Warning,
     .because =
         "The pods are left out of the Service: whoever connects to it is refused, or waits.",
     .fix = "give a container a port of that name, or let `targetPort` be a number"},
    {.name = "stateful-set-service",
     .on = "apps StatefulSet",
     .sentence = "The Service that a StatefulSet names selects its pods.",
     .source = "kubernetes/website content/en/docs/concepts/workloads/controllers/statefulset.md",
     .object = governing_service,
     .severity = Severity::Warning,
     .because = "The names of its pods, `POD.SERVICE`, do not resolve.",
     .fix = "let the Service select labels of the template, and `serviceName` be its name"},
};

}  // namespace

const std::span<const Check> service_lints = kChecks;

}  // namespace trainyard
