// Whether Services lead to the pods and ports that they are written for.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/ports.h"
#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/serving/service_pods.h"
#include "lints/serving/vllm.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The label by which a controller marks all pods of an object with the name of that; "" for none.
/// kubernetes-sigs/lws pkg/controllers: SetNameLabelKey, in both StatefulSets
std::string_view name_label(View object) {
  constexpr std::string_view kSet = "leaderworkerset.sigs.k8s.io/name";
  return string_at(object, "kind") == "LeaderWorkerSet" ? kSet : "";
}

}  // namespace

bool leads_to(View service, View object, View labels) {
  const View spec = get(service, "spec");
  const View selector = get(spec, "selector");
  if (!has_items(selector) || string_at(spec, "type") == "ExternalName") return false;
  const std::string_view by_name = name_label(object);
  return std::ranges::all_of(Items(selector), [&](View wanted) {
    const View label = get(labels, wanted.key());
    if (label) return label->text == wanted->text;
    return !by_name.empty() && wanted.key() == by_name &&
           wanted->text == string_at(get(object, "metadata"), "name");
  });
}

std::vector<View> services_leading_to(View object, View labels, const Inventory& inventory) {
  if (!inventory.has_any("", "Service")) return {};
  std::vector<Inventory::Label> all;
  if (labels) all.reserve(labels->size + 1);
  for (View each : Items(labels)) all.emplace_back(each.key(), string_of(each));
  if (const std::string_view by_name = name_label(object); !by_name.empty()) {
    all.emplace_back(by_name, string_of(metadata_name(object)));
  }
  std::vector<View> found = inventory.services_by_label(metadata_namespace(object), all);
  std::erase_if(found, [&](View service) { return !leads_to(service, object, labels); });
  return found;
}

std::optional<std::int64_t> asked_port(View asked, View container) {
  if (!asked) return std::nullopt;
  if (const auto number = integer_of(asked)) return number;
  const std::string_view name = string_of(asked);
  for (View each : items_at(container, "ports")) {
    if (!name.empty() && string_at(each, "name") == name) return integer_at(each, "containerPort");
  }
  return std::nullopt;
}

std::vector<ServedPort> served_ports(const Pod& pod, CheckContext& context) {
  std::vector<ServedPort> found;
  const View labels = get(pod.metadata, "labels");
  const Inventory* inventory = has_items(labels) ? context.inventory() : nullptr;
  if (inventory == nullptr) return found;
  for (View service : services_leading_to(context.object(), labels, *inventory)) {
    const View spec = get(service, "spec");
    const View ports = get(spec, "ports");
    if (!has_items(ports) || ports->size != 1 || string_at(spec, "clusterIP") == "None") continue;
    const View target = get(ports.first(), "targetPort");
    found.push_back({service, target ? target : get(ports.first(), "port")});
  }
  return found;
}

namespace {

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
      found = found || (leads_to(service, object, get(get(holder, "metadata"), "labels")) &&
                        has_port(get(holder, "spec"), wanted, name));
    });
    if (found) return true;
  }
  return false;
}

/// Whether a Service may be for other pods, which have what these share and the port: these are of
/// one role of several, or made once, as those of a test or of a hook.
bool may_be_of_others(View object, View service, View labels) {
  constexpr auto roles = std::to_array<std::string_view>({"component", "role", "tier", "type"});
  const std::string_view kind = string_at(object, "kind");
  if (kind == "Pod" || kind == "Job" || kind == "CronJob") return true;
  const View selector = get(get(service, "spec"), "selector");
  return std::ranges::any_of(Items(labels), [&](View label) {
    const std::string_view key = label.key();
    const std::string_view word = key.substr(key.find_last_of("/-_.") + 1);
    return !get(selector, key) && std::ranges::find(roles, word) != roles.end();
  });
}

void port_name(const Pod& pod, CheckContext& context) {
  const View labels = get(pod.metadata, "labels");
  const bool complete = !pod.has(kAddsContainers) && has_items(get(pod.spec, "containers"));
  if (!complete) return;
  if (!has_items(labels) && name_label(context.object()).empty()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  for (View service : services_leading_to(context.object(), labels, *inventory)) {
    for (View port : items_at(get(service, "spec"), "ports")) {
      const View target = get(port, "targetPort");
      const std::string_view name = string_of(target);
      if (name.empty() || has_port(pod.spec, port, name)) continue;
      if (another_has_port(context.object(), service, port, name)) continue;
      context
          .lint(get(pod.spec, "containers"),
                "Service " + shown(string_of(metadata_name(service))) + " leads to port " +
                    shown(name) + " of these pods, and no container has a port of that name over " +
                    std::string(protocol_of(port)),
                may_be_of_others(context.object(), service, labels) ? Severity::Note
                                                                    : Severity::Warning)
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
    if (!has_items(selector) || leads_to(service, object, labels)) return;
    context
        .lint(name, "Service " + shown(name->text) +
                        " does not select the pods of this "
                        "StatefulSet: their labels are others")
        .also(context.place(selector), "what it selects");
    return;
  }
  for (View service : services_leading_to(object, labels, *inventory)) {
    if (!is_headless(service)) continue;
    const View its = metadata_name(service);
    context
        .lint(name, "there is no Service " + shown(name->text) +
                        " among the inputs, and the one "
                        "that selects these pods is called " +
                        shown(string_of(its)))
        .also(context.place(its), "that one");
    return;
  }
}

/// Whether a selector wants what the labels surely do not have, and shares a key or a value with
/// them: by other labels it may mean others, of other releases or versions.
View wanted_beside(View selector, View labels) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"version", "slot", "track", "color", "release", "app.kubernetes.io/version",
       "app.kubernetes.io/instance", "statefulset.kubernetes.io/pod-name"});
  View wanted;
  for (View each : Items(selector)) {
    const View label = get(labels, each.key());
    if (label && label->text == each->text) continue;
    if (wanted || std::ranges::find(kOthers, each.key()) != kOthers.end()) {
      return {};
    }
    const bool has_value =
        std::ranges::any_of(Items(labels), [&](View other) { return other->text == each->text; });
    if (!label && !has_value) return {};
    wanted = each;
  }
  return wanted;
}

/// A Service of the same file that has the name of this workload, alone or with a word for what it
/// is, and leads to none of its pods.
void own_service(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View labels = get(get(get(spec, "template"), "metadata"), "labels");
  const std::string name(string_at(get(object, "metadata"), "name"));
  const Inventory* inventory = name.empty() || !has_items(labels) ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  for (std::string_view end : {"", "-svc", "-service", "-headless", "-api"}) {
    const std::string whole = name + std::string(end);
    if (whole == string_at(spec, "serviceName")) continue;  // said elsewhere
    const View service =
        inventory->find("", "Service", string_at(get(object, "metadata"), "namespace"), whole);
    if (!service || service->span.file != object->span.file) continue;
    const View selector = get(get(service, "spec"), "selector");
    if (!has_items(selector) || leads_to(service, object, labels)) continue;
    const View wanted = wanted_beside(selector, labels);
    if (!wanted) continue;
    context
        .lint(labels, "Service " + shown(whole) + " selects pods with the label " +
                          shown(std::string(wanted.key()) + "=" + std::string(wanted->text)) +
                          ", and these have another one")
        .also(context.place(wanted), "what it selects by");
    return;
  }
}

/// `vlm` for `vllm`. Sets may differ in one letter, or by a number, but hardly by a letter that is
/// left out.
bool lacks_a_letter(std::string_view word, std::string_view known) {
  constexpr std::size_t kShortest = 4;
  const auto digits = [](std::string_view text) { return std::ranges::count_if(text, is_digit); };
  return known.size() >= kShortest && word.size() != known.size() && is_typo_of(word, known) &&
         digits(word) == digits(known);
}

/// A label of a selector that pods have only where their template says so.
bool is_of_template(std::string_view key) {
  constexpr auto others = std::to_array<std::string_view>(
      {"controller-revision-hash", "job-name", "controller-uid", "pod-template-hash"});
  return key.find('/') == key.npos && std::ranges::find(others, key) == others.end();
}

/// What a Service wants and no template of a LeaderWorkerSet has; an empty view where pods of one
/// of them may have it all.
View wanted_by_none(View selector, View templates) {
  View missing;
  for (std::string_view role : {"leaderTemplate", "workerTemplate"}) {
    const View pod = get(templates, role);
    if (!pod) continue;
    const View labels = get(get(pod, "metadata"), "labels");
    View wanted;
    for (View each : Items(selector)) {
      const bool is_there =
          !is_of_template(each.key()) || string_at(labels, each.key()) == each->text;
      if (!is_there) wanted = each;
    }
    if (!wanted) return {};
    if (!missing) missing = wanted;
  }
  return missing;
}

/// `vllm-leader` of `vllm`, or the same.
bool is_longer_name(std::string_view name, std::string_view shorter) {
  return name.starts_with(shorter) &&
         (name.size() == shorter.size() || name[shorter.size()] == '-');
}

/// A Service that names another set, and very likely means this one.
void near_service_of_set(View name, std::string_view key, const Inventory& inventory,
                         CheckContext& context) {
  if (inventory.count("", "Service") > Inventory::kMostNames) return;
  View near;
  std::string_view near_service;
  for (View service : inventory.all("", "Service")) {
    const View label = get(get(get(service, "spec"), "selector"), key);
    if (!label || metadata_namespace(service) != metadata_namespace(context.object())) continue;
    const std::string_view its = string_of(metadata_name(service));
    const bool is_of_it = is_longer_name(its, name->text) && !is_longer_name(its, label->text);
    if (!is_of_it && !lacks_a_letter(label->text, name->text)) continue;
    near = label;
    near_service = its;
  }
  if (!near) return;
  context
      .lint(name, "Service " + shown(near_service) + " selects pods of a set " + shown(near->text) +
                      ", and this one is called " + shown(name->text))
      .also(context.place(near), "what it selects by");
}

/// Services that name the set in the label which all its pods have.
void services_of_set(View object, CheckContext& context) {
  const View name = metadata_name(object);
  const View templates = get(get(object, "spec"), "leaderWorkerTemplate");
  const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const auto services = inventory->services_by_label(metadata_namespace(object),
                                                     {{name_label(object), string_of(name)}});
  if (services.empty()) near_service_of_set(name, name_label(object), *inventory, context);
  for (View service : services) {
    const View wanted = wanted_by_none(get(get(service, "spec"), "selector"), templates);
    if (!wanted) continue;
    context
        .lint(templates, "Service " + shown(string_of(metadata_name(service))) +
                             " selects pods of this set with the label " +
                             shown(std::string(wanted.key()) + "=" + std::string(wanted->text)) +
                             ", which no template has")
        .also(context.place(wanted), "what it selects by");
  }
}

constexpr Check kChecks[] = {
    {.name = "service-of-set",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "leaderworkerset.x-k8s.io LeaderWorkerSet",
     .sentence = "Services that select pods of a LeaderWorkerSet select some that it has.",
     .source = "kubernetes-sigs/lws pkg/controllers/leaderworkerset_controller.go: "
               "`leaderworkerset.sigs.k8s.io/name` is the name of the set",
     .object = services_of_set,
     .severity = Severity::Warning,
     .because = "The Service leads nowhere, and a client is refused.",
     .fix = "let the Service select labels of the template, and the set by its name"},
    {.name = "service-of-workload",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "apps Deployment StatefulSet",
     .sentence = "A Service with the name of a workload leads to its pods.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/service.md",
     .object = own_service,
     .severity = Severity::Warning,
     .because = "The Service leads nowhere: what waits for it waits for ever.",
     .fix = "let the Service select labels of the template"},
    {.name = "service-port-name",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A port to which a Service leads by its name is one of the pods that it selects.",
     .source = "kubernetes/kubernetes pkg/api/v1/pod/util.go FindPort",
     .pod = port_name,
     .severity = Severity::Warning,
     .because = "The pods are left out of the Service: a client is refused, or waits.",
     .fix = "give a container a port of that name, or let `targetPort` be a number"},
    {.name = "vllm-port",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .sentence = "Probes and Services ask vLLM where it listens and answers.",
     .source = "vllm-project/vllm vllm/entrypoints/openai/cli_args.py: `--port`, 8000 by default",
     .pod = check_vllm_port,
     .severity = Severity::Warning,
     .because = "The pod is never ready, or is started again and again, or its Service refuses "
                "all.",
     .fix = "let `--port`, the probes and `targetPort` be the same, and probes ask for `/health`"},
    {.name = "vllm-size",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .sentence =
         "A server of vLLM in one pod takes no more GPUs, and of these no more, than there is.",
     .source = "vllm-project/vllm vllm/config/parallel.py: tensor and pipeline parallel sizes",
     .pod = check_vllm_size,
     .because = "vLLM ends with an error before it has read the model.",
     .fix = "let `--tensor-parallel-size` times `--pipeline-parallel-size` be the GPU limit, and "
            "`--gpu-memory-utilization` at most 1"},
    {.name = "vllm-idle-gpus",
     .group = CheckGroup::Serving,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "A server of vLLM in one pod takes all the GPUs that the pod has.",
     .source = "vllm-project/vllm vllm/config/parallel.py: world_size",
     .pod = check_vllm_idle,
     .severity = Severity::Warning,
     .because = "The other GPUs are paid for and idle.",
     .fix = "let the GPU limit be `--tensor-parallel-size` times `--pipeline-parallel-size`, or "
            "add `--data-parallel-size`"},
    {.name = "vllm-group",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence =
         "A server of vLLM that spans the pods of a group takes no more GPUs and nodes than "
         "the group has, and its workers join the leader.",
     .source = "vllm-project/vllm vllm/config/parallel.py, "
               "examples/online_serving/multi-node-serving.sh; kubernetes-sigs/lws issue 184",
     .workload = check_vllm_group,
     .severity = Severity::Warning,
     .because = "The leader waits for GPUs or nodes that never come, and ends with an error.",
     .fix = "let `--tensor-parallel-size` times `--pipeline-parallel-size` be the GPUs of the "
            "group, and take the number of nodes from `$(LWS_GROUP_SIZE)`"},
    {.name = "vllm-start",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Probes give vLLM a minute to read its model.",
     .source = "vllm-project/vllm docs/deployment/k8s.md, troubleshooting",
     .pod = check_vllm_start,
     .severity = Severity::Warning,
     .because = "vLLM answers after it has read the model: the kubelet kills it before, again and "
                "again.",
     .fix = "add a `startupProbe` with `failureThreshold` times `periodSeconds` of some minutes"},
    {.name = "stateful-set-service",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
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
