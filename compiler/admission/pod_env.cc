#include <array>

#include "admission/field_refs.h"
#include "admission/name_checks.h"
#include "admission/tables.h"
#include "admission/volume_paths.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateEnv";

/// Any printable ASCII but `=`.
Fault why_not_relaxed_env_name(std::string_view text) {
  for (char c : text) {
    if (c == '=') return "holds `=`, which ends a name";
    if (c < 0x20 || c > 0x7e) return "holds a character that is not printable ASCII";
  }
  return std::nullopt;
}

/// kubernetes/kubernetes pkg/features: RelaxedEnvironmentVariableValidation is on from 1.32.
Fault (*env_name_rule(const CheckContext& context))(std::string_view) {
  return context.before(32) ? why_not_env_name : why_not_relaxed_env_name;
}

void env_names(const Pod& pod, CheckContext& context) {
  const auto rule = env_name_rule(context);
  for (const PodContainer& container : pod.containers) {
    for (View variable : items_at(container.node, "env")) {
      const View name = get(variable, "name");
      context.name(name, "environment variable", rule);
      if (name && name.kind() == Kind::String && name->text.empty()) {
        context.refuse(name, "an environment variable without a name");
      }
    }
    for (View source : items_at(container.node, "envFrom")) {
      context.name(get(source, "prefix"), "prefix of a variable's", rule);
    }
  }
}

void key_ref(View ref, std::string_view what, CheckContext& context) {
  if (!ref) return;
  require_text(ref, "key", context);
  const View name = get(ref, "name");
  if (string_of(name).empty()) {
    context.refuse(ref, "which " + std::string(what) + " is meant is not said: `name` is not set");
  }
  context.name(name, what, why_not_subdomain);
  context.name(get(ref, "key"), "key", why_not_config_key);
}

void file_ref(const Pod& pod, View ref, CheckContext& context) {
  if (!ref) return;
  require_text(ref, "key", context);
  require_text(ref, "path", context);
  require_text(ref, "volumeName", context);
  const View path = get(ref, "path");
  if (const auto fault = why_steps_up(string_of(path))) {
    context.refuse(path, "path " + shown(path->text) + " " + *fault);
  }
  const View name = get(ref, "volumeName");
  if (string_of(name).empty() || pod.has(kAddsVolumes)) return;
  for (View volume : items_at(pod.spec, "volumes")) {
    if (string_at(volume, "name") != name->text) continue;
    if (!get(volume, "emptyDir")) {
      context.refuse(name, "variables are read from an `emptyDir` only, and volume " +
                               shown(name->text) + " is none");
    }
    return;
  }
  context.refuse(name, "there is no volume " + shown(name->text) + " in this pod");
}

void env_source(const Pod& pod, CheckContext& context) {
  constexpr auto kinds = std::to_array<std::string_view>(
      {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"});
  for (const PodContainer& container : pod.containers) {
    for (View variable : items_at(container.node, "env")) {
      const View from = get(variable, "valueFrom");
      if (!from || !from->is_map()) continue;
      View first, second;
      for (std::string_view kind : kinds) {
        const View found = get(from, kind);
        if (found && !second) (first ? second : first) = found;
      }
      const auto name = [&] { return "variable " + shown(string_at(variable, "name")); };
      if (!first) {
        context.refuse(from, name() +
                                 " comes from nowhere; expected `secretKeyRef`, "
                                 "`configMapKeyRef`, `fieldRef` or `resourceFieldRef`");
      } else if (!string_at(variable, "value").empty()) {
        context.refuse_key(from, name() + " has a `value` and a `valueFrom`; expected one of them")
            .also(context.place(get(variable, "value")), "the value");
      } else if (second) {
        context.refuse_key(second, name() + " comes from two places, " + shown(first.key()) +
                                       " and " + shown(second.key()) + "; expected one");
      }
    }
  }
}

void env_references(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (View variable : items_at(container.node, "env")) {
      const View from = get(variable, "valueFrom");
      if (!from) continue;
      key_ref(get(from, "configMapKeyRef"), "ConfigMap", context);
      key_ref(get(from, "secretKeyRef"), "Secret", context);
      file_ref(pod, get(from, "fileKeyRef"), context);
      if (const View ref = get(from, "fieldRef")) check_field_ref(ref, FieldUse::Variable, context);
      if (const View ref = get(from, "resourceFieldRef")) {
        check_resource_ref(ref, FieldUse::Variable, context);
      }
    }
  }
}

void env_from(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (View source : items_at(container.node, "envFrom")) {
      if (!source->is_map()) continue;
      const View config = get(source, "configMapRef");
      const View secret = get(source, "secretRef");
      if (!config && !secret) {
        context.refuse(source, "`envFrom` names nothing; expected `configMapRef` or `secretRef`");
      } else if (config && secret) {
        context.refuse_key(secret,
                           "one item of `envFrom` names both a ConfigMap and a Secret; "
                           "give each an item of its own");
      }
      if (config) require_text(config, "name", context);
      if (secret) require_text(secret, "name", context);
      context.name(get(config, "name"), "ConfigMap", why_not_subdomain);
      context.name(get(secret, "name"), "Secret", why_not_subdomain);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "env-names",
     .group = CheckGroup::Core,
     .sentence = "Environment variables have names: since Kubernetes 1.32 of any printable ASCII "
                 "but `=`, before that of letters, digits, `-`, `_` and `.`.",
     .source = kSource,
     .pod = env_names},
    {.name = "env-source",
     .group = CheckGroup::Core,
     .sentence = "A variable has a value, or comes from exactly one place.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateEnvVarValueFrom",
     .pod = env_source},
    {.name = "env-references",
     .group = CheckGroup::Core,
     .sentence = "What a variable comes from is named in full, and is something that can be shown.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateEnvVarValueFrom",
     .pod = env_references},
    {.name = "env-from",
     .group = CheckGroup::Core,
     .sentence = "Each item of `envFrom` names one ConfigMap or one Secret.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateEnvFrom",
     .pod = env_from},
};

}  // namespace

constinit const std::span<const Check> pod_env_checks = kChecks;

}  // namespace trainyard
