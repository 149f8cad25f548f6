#include <algorithm>
#include <array>
#include <vector>

#include "admission/name_checks.h"
#include "admission/tables.h"
#include "check/check.h"
#include "check/first_seen.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "manifest/metadata.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateContainers";

void some_container(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers)) return;
  if (!pod.spec) {
    if (!context.is_flagged(pod.holder)) {
      context.refuse(pod.holder, "a pod without `spec`: it needs one container at least");
    }
    return;
  }
  const View list = get(pod.spec, "containers");
  if (has_items(list) || context.is_flagged(pod.spec)) return;
  context.refuse(list ? list : pod.spec, "a pod without containers; expected one at least");
}

void container_names(const Pod& pod, CheckContext& context) {
  FirstSeen seen;
  for (const PodContainer& container : pod.containers) {
    const View name = get(container.node, "name");
    context.name(name, "container", why_not_dns_label);
    if (string_of(name).empty()) {
      if (name && name.kind() == Kind::String) context.refuse(name, "a container without a name");
      continue;
    }
    const View first = seen.first(name->text, name);
    if (first && !context.is_flagged(container.node)) {
      context.refuse(name, "two containers are called " + shown(name->text))
          .also(context.place(first), "the first one");
    }
  }
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

void check_padding(View image, CheckContext& context) {
  const std::string_view text = string_of(image);
  if (text.empty() || (!is_blank(text.front()) && !is_blank(text.back()))) return;
  context.refuse(image, "an image has no blanks around its name, found " + shown(text));
}

void container_image(const Pod& pod, CheckContext& context) {
  // OpenShift writes images where this annotation says so.
  if (pod.has(kAddsImages) || annotation(context.object(), "image.openshift.io/triggers")) return;
  for (const PodContainer& container : pod.containers) {
    if (!container.node->is_map()) continue;
    const View image = get(container.node, "image");
    if (image && (image.kind() != Kind::String || !image->text.empty())) {
      check_padding(image, context);
      continue;
    }
    context
        .refuse(image ? image : container.node,
                "container " + shown(string_at(container.node, "name")) + " has no image")
        .kind = DiagnosticKind::MissingField;
  }
}

void container_policies(const Pod& pod, CheckContext& context) {
  constexpr auto messages = std::to_array<std::string_view>({"File", "FallbackToLogsOnError"});
  for (const PodContainer& container : pod.containers) {
    context.allow(get(container.node, "imagePullPolicy"), "pull policy", kPullPolicies);
    context.allow(get(container.node, "terminationMessagePolicy"), "termination message policy",
                  messages);
  }
}

/// kubernetes/kubernetes pkg/features: RestartAllContainersOnContainerExits is on from 1.36.
void restart_rules(View rules, CheckContext& context) {
  constexpr auto actions = std::to_array<std::string_view>({"Restart", "RestartAllContainers"});
  constexpr auto operators = std::to_array<std::string_view>({"In", "NotIn"});
  constexpr std::uint32_t most = 20;
  constexpr std::uint32_t most_codes = 255;
  if (!rules || !rules->is_seq()) return;
  if (rules->size > most) {
    context.refuse(rules,
                   "a container has at most 20 restart rules, not " + std::to_string(rules->size));
  }
  const std::span<const std::string_view> known(actions);
  for (View rule : Items(rules)) {
    if (!rule->is_map()) continue;
    context.allow_written(get(rule, "action"), "action of a restart rule",
                          context.before(36) ? known.first(1) : known);
    const View codes = get(rule, "exitCodes");
    if (!codes) {
      context.refuse(rule, "a restart rule needs `exitCodes`: when it applies");
      continue;
    }
    context.allow_written(get(codes, "operator"), "operator of exit codes", operators);
    const View values = get(codes, "values");
    if (values && values->is_seq() && values->size > most_codes) {
      context.refuse(
          values, "a restart rule has at most 255 exit codes, not " + std::to_string(values->size));
    }
  }
}

/// kubernetes/kubernetes pkg/features: ContainerRestartRules is on from 1.35.
void container_restart(const Pod& pod, CheckContext& context) {
  const bool any = !context.before(35);
  constexpr auto always = std::to_array<std::string_view>({"Always"});
  for (const PodContainer& container : pod.containers) {
    const View policy = get(container.node, "restartPolicy");
    if (any) {
      context.allow_written(policy, "restart policy of a container", kRestartPolicies);
    } else if (container.role == ContainerRole::Regular && policy) {
      context.refuse_key(policy,
                         "before Kubernetes 1.35 only init containers have a "
                         "`restartPolicy` of their own");
    } else {
      context.allow_written(policy, "restart policy of an init container", always);
    }
    const View rules = get(container.node, "restartPolicyRules");
    if (has_items(rules) && string_of(policy).empty()) {
      context.refuse_key(rules, "`restartPolicyRules` need a `restartPolicy` beside them");
    }
    if (any) restart_rules(rules, context);
  }
}

void init_containers(const Pod& pod, CheckContext& context) {
  constexpr auto fields = std::to_array<std::string_view>(
      {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"});
  for (const PodContainer& container : pod.containers) {
    if (container.role != ContainerRole::Init) continue;
    for (std::string_view field : fields) {
      const View found = get(container.node, field);
      if (!found) continue;
      context.refuse_key(found, "an init container runs to its end, so it has no " + shown(field) +
                                    "; only one with `restartPolicy: Always` has");
    }
  }
}

void ephemeral_containers(const Pod& pod, CheckContext& context) {
  const View list = get(pod.spec, "ephemeralContainers");
  if (!has_items(list)) return;
  context.refuse_key(list,
                     "ephemeral containers are added to a running pod, they cannot be "
                     "created with it");
}

void resize_policy(const Pod& pod, CheckContext& context) {
  constexpr auto resources = std::to_array<std::string_view>({"cpu", "memory"});
  constexpr auto policies = std::to_array<std::string_view>({"NotRequired", "RestartContainer"});
  const bool never = string_at(pod.spec, "restartPolicy") == "Never";
  for (const PodContainer& container : pod.containers) {
    std::vector<std::string_view> seen;
    for (View item : items_at(container.node, "resizePolicy")) {
      const std::string_view resource = string_at(item, "resourceName");
      if (std::ranges::find(seen, resource) != seen.end()) {
        context.refuse(item, "resizing of " + shown(resource) + " is there twice");
      }
      seen.push_back(resource);
      context.allow(get(item, "resourceName"), "resource that can be resized", resources);
      const View policy = get(item, "restartPolicy");
      context.allow(policy, "resize policy", policies);
      if (never && !pod.has(kSetsRestartPolicy) && string_of(policy) == "RestartContainer") {
        context.refuse(policy,
                       "a pod with `restartPolicy: Never` restarts no container; expected "
                       "`NotRequired`");
      } else if (container.role == ContainerRole::Init && string_of(policy) == "RestartContainer") {
        context.refuse(policy,
                       "an init container that runs to its end is not restarted for a new size; "
                       "expected `NotRequired`");
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "some-container",
     .group = CheckGroup::Core,
     .sentence = "A pod has a container.",
     .source = kSource,
     .pod = some_container},
    {.name = "container-names",
     .group = CheckGroup::Core,
     .sentence = "Containers of a pod have different names, init containers included, each a DNS "
                 "label.",
     .source = kSource,
     .pod = container_names},
    {.name = "container-image",
     .group = CheckGroup::Core,
     .sentence = "Each container has an image, without blanks around its name.",
     .source = kSource,
     .pod = container_image},
    {.name = "container-policies",
     .group = CheckGroup::Core,
     .sentence = "Pull policies and termination message policies are words that exist.",
     .source = kSource,
     .pod = container_policies},
    {.name = "container-restart-policy",
     .group = CheckGroup::Core,
     .sentence = "Init containers may stay with `Always`; other policies of single containers "
                 "need Kubernetes 1.35.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateInitContainerRestartPolicy",
     .pod = container_restart},
    {.name = "init-containers",
     .group = CheckGroup::Core,
     .sentence = "An init container that runs to its end has no probes and no lifecycle.",
     .source =
         "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateInitContainers",
     .pod = init_containers},
    {.name = "ephemeral-containers",
     .group = CheckGroup::Core,
     .sentence = "No pod is created with ephemeral containers.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidatePodCreate",
     .pod = ephemeral_containers},
    {.name = "resize-policy",
     .group = CheckGroup::Core,
     .sentence = "CPU and memory can be resized, with a restart only where containers restart.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateResizePolicy",
     .pod = resize_policy},
};

}  // namespace

constinit const std::span<const Check> pod_container_checks = kChecks;

}  // namespace trainyard
