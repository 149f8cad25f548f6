// Credentials in clear text.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/credentials.h"
#include "diag/secrets.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What only looks like one, by its letters or by a name: many examples do.
constexpr Severity kGuess = Severity::Note;

std::optional<CredentialFinding> credential_in(std::string_view text) {
  const auto found = find_credential(text);
  return found && is_of_documentation(text, *found) ? std::nullopt : found;
}

/// What its issuer marked surely is one. No component refuses it.
Severity severity_of(const CredentialFinding& found) {
  return found.by_chance || found.by_place ? kGuess : Severity::Warning;
}

void in_variables(View container, CheckContext& context) {
  for (View variable : items_at(container, "env")) {
    const View value = get(variable, "value");
    if (!value || !value->is_scalar()) continue;
    if (const auto found = credential_in(value->text)) {
      context.credential(value, found->what, severity_of(*found));
    } else if (is_named_credential(string_at(variable, "name"), value->text)) {
      context.credential(value, "a credential, by the name of its variable,", kGuess);
    } else if (find_named_secret(value->text)) {
      context.credential(value, "a credential, by the name that it stands under,", kGuess);
    }
  }
}

void in_arguments(View container, CheckContext& context) {
  for (std::string_view field : {"command", "args"}) {
    CredentialWords words;
    for (View argument : items_at(container, field)) {
      if (!argument->is_scalar()) continue;
      const std::string_view text = argument->text;
      if (const auto found = credential_in(text)) {
        context.credential(argument, found->what, severity_of(*found));
      } else if (std::ranges::any_of(text, [](char c) { return c == ' ' || c == '\n'; })) {
        if (!find_named_secret(text)) continue;
        context.credential(argument,
                           "a script with a credential, by the name that it stands under,", kGuess);
      } else if (words.holds_one(text)) {
        context.credential(argument, "a credential, by the name of its option,", kGuess);
      }
    }
  }
}

/// `Authorization: Bearer abc`, or a header whose name is that of a credential.
bool is_authorization(std::string_view name, std::string_view value) {
  constexpr std::string_view header = "authorization";
  if (!std::ranges::equal(name, header, {}, to_lower)) {
    return is_named_credential(name, value);
  }
  const std::size_t blank = value.find(' ');
  return blank != value.npos && could_be_credential_value(value.substr(blank + 1));
}

void in_headers(View action, CheckContext& context) {
  for (View header : items_at(get(action, "httpGet"), "httpHeaders")) {
    const View value = get(header, "value");
    if (!value || !value->is_scalar()) continue;
    if (const auto found = credential_in(value->text)) {
      context.credential(value, found->what, severity_of(*found));
    } else if (is_authorization(string_at(header, "name"), value->text)) {
      context.credential(value, "a credential, by the name of its header,", kGuess);
    }
  }
}

void in_probes(View container, CheckContext& context) {
  for (std::string_view probe : {"startupProbe", "readinessProbe", "livenessProbe"}) {
    in_headers(get(container, probe), context);
  }
  for (std::string_view hook : {"postStart", "preStop"}) {
    in_headers(get(get(container, "lifecycle"), hook), context);
  }
}

/// Annotations hold checksums and names of all sorts, so only what its issuer marked counts. What
/// `kubectl apply` keeps there stands in the object as well.
void in_annotations(View metadata, CheckContext& context) {
  for (View entry : entries_at(metadata, "annotations")) {
    if (!entry->is_scalar() || entry.key() == "kubectl.kubernetes.io/last-applied-configuration") {
      continue;
    }
    const auto found = credential_in(entry->text);
    if (found && !found->by_chance) context.credential(entry, found->what, severity_of(*found));
  }
}

void in_own_annotations(View object, CheckContext& context) {
  in_annotations(get(object, "metadata"), context);
}

void in_pods(const Pod& pod, CheckContext& context) {
  if (!pod.has(kIsPod)) in_annotations(pod.metadata, context);
  for (const PodContainer& each : pod.containers) {
    in_variables(each.node, context);
    in_arguments(each.node, context);
    in_probes(each.node, context);
  }
}

/// A text with a command or a configuration.
void in_text(View text, CheckContext& context) {
  if (!text || !text->is_scalar()) return;
  if (const auto found = credential_in(text->text)) {
    context.credential(text, found->what, severity_of(*found));
  } else if (find_named_secret(text->text)) {
    context.credential(text, "a credential, by the name that it stands under,", kGuess);
  }
}

/// What stands in fields of the job itself and gets into its pods.
void in_job_fields(const Workload& workload, CheckContext& context) {
  if (workload.kind == "TrainJob") {
    for (const WorkloadRole& role : workload.roles) {
      for (View container : role.containers) {
        in_variables(container, context);
        in_arguments(container, context);
      }
    }
    for (std::string_view name : {"dataset", "model"}) {
      in_variables(get(get(workload.spec, "initializer"), name), context);
    }
  }
  if (workload.kind == "RayJob") {
    in_text(get(workload.spec, "entrypoint"), context);
    in_text(get(workload.spec, "runtimeEnvYAML"), context);
  }
}

/// Files of a ConfigMap, such as staged scripts.
void in_files(View object, CheckContext& context) {
  for (View entry : entries_at(object, "data")) {
    if (!entry->is_scalar()) continue;
    if (const auto found = credential_in(entry->text)) {
      context.credential(entry, found->what, severity_of(*found));
    } else if (const auto written = find_written_secret(entry->text)) {
      context.credential(entry, written->what, kGuess);
    } else if (is_named_credential(entry.key(), entry->text)) {
      context.credential(entry, "a credential, by the name of its key,", kGuess);
    }
  }
  for (View entry : entries_at(object, "binaryData")) {  // base64, which chance alone makes as well
    const auto found = credential_in(entry->text);
    if (found && !found->by_chance) context.credential(entry, found->what, severity_of(*found));
  }
}

constexpr std::string_view kBecause =
    "Manifests are kept in Git, in the API server and in every `kubectl describe`.";
constexpr std::string_view kFix =
    "put it into a Secret and refer to it with `secretKeyRef` or a volume; the value is not "
    "repeated here, but it is in the file and should be revoked if the file was shared";
constexpr std::string_view kSource =
    "kubernetes/website content/en/docs/concepts/configuration/secret.md";

constexpr Check kChecks[] = {
    {.name = "literal-credential",
     .group = CheckGroup::Secrets,
     .effect = Effect::Risky,
     .on = "any",
     .sentence = "No credential stands in variables, arguments, scripts or headers of probes of a "
                 "pod, in fields that get into it, or in annotations.",
     .source = kSource,
     .pod = in_pods,
     .object = in_own_annotations,
     .workload = in_job_fields,
     .severity = Severity::Warning,
     .because = kBecause,
     .fix = kFix,
     .rule = "credential-check"},
    {.name = "credential-in-config-map",
     .group = CheckGroup::Secrets,
     .effect = Effect::Risky,
     .on = "core ConfigMap",
     .sentence = "No credential stands in a ConfigMap.",
     .source = kSource,
     .object = in_files,
     .severity = Severity::Warning,
     .because = kBecause,
     .fix = kFix,
     .rule = "credential-check"},
};

}  // namespace

const std::span<const Check> credential_lints = kChecks;

}  // namespace trainyard
