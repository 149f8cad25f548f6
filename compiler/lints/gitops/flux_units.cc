// What goes wrong with objects for what the Kustomization says that Flux syncs them by.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gitops/flux_unit.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kFluxGroup = "kustomize.toolkit.fluxcd.io";
constexpr std::string_view kSubstitute = "kustomize.toolkit.fluxcd.io/substitute";

/// Whether what waits for it waits for a training.
bool is_training(const Workload& workload) {
  return workload.gpu_pods > 0 ||
         !string_of(label(workload.object, "kueue.x-k8s.io/queue-name")).empty();
}

void wait_for_job(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch", "Job") || !is_training(workload)) return;
  const std::string_view name = string_of(metadata_name(workload.object));
  View reason;
  const View unit = flux_unit_of(workload.object, context, [&](View kustomization) {
    const View spec = get(kustomization, "spec");
    if (is_true(get(spec, "wait"))) reason = get(spec, "wait");
    for (const View each : items_at(spec, "healthChecks")) {
      if (string_at(each, "kind") == "Job" && string_at(each, "name") == name) reason = each;
    }
    return static_cast<bool>(reason);
  });
  if (!unit) return;
  const std::string_view timeout = string_at(get(unit, "spec"), "timeout");
  context
      .lint(metadata_name(workload.object),
            "Kustomization " + shown(string_of(metadata_name(unit))) +
                " waits until this Job has ended, and fails " +
                (timeout.empty() ? "at its timeout" : "after " + std::string(timeout)))
      .also(context.place(reason), "that waits");
}

/// A variable in braces that a shell is to see.
struct ShellVariable {
  View at;  // the text that has it
  std::string_view name;
};

bool is_name_letter(char c) {
  return is_alphanumeric(c) || c == '_';
}

/// The first `${NAME}` below `at` for which `is_such` holds. `$${NAME}` is how Flux writes
/// `${NAME}`.
template <typename IsSuch>
std::optional<ShellVariable> find_variable(View at, IsSuch is_such) {
  const std::string_view text = at.text();
  for (std::size_t i = text.find("${"); i != text.npos; i = text.find("${", i + 2)) {
    std::size_t end = i + 2;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    const std::string_view name = text.substr(i + 2, end - i - 2);
    const bool is_escaped = i > 0 && text[i - 1] == '$';
    if (!is_escaped && !name.empty() && is_such(at, name)) return ShellVariable{at, name};
  }
  if (at.is_scalar()) return std::nullopt;
  for (View each = at.first(); each; each = each.next()) {
    if (auto found = find_variable(each, is_such)) return found;
  }
  return std::nullopt;
}

/// Whether the script itself, or the environment of its container, sets a variable.
bool is_set_beside(View script, std::string_view name) {
  const std::string_view text = script.text();
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_name_letter(text[at - 1]);
    if (begins && text.substr(at + name.size()).starts_with('=')) return true;
  }
  return false;
}
bool is_set_in(View below, std::string_view name) {
  if (!below || below.is_scalar()) return false;
  for (View each : items_at(below, "env")) {
    if (string_at(each, "name") == name) return true;
  }
  for (View each = below.first(); each; each = each.next()) {
    if (is_set_in(each, name)) return true;
  }
  return false;
}

/// What controllers and launchers set, and shells.
constexpr auto kOfPods = std::to_array<std::string_view>(
    {"HOME", "HOSTNAME", "JOB_COMPLETION_INDEX", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "PATH",
     "PWD", "RANK", "TPU_WORKER_ID", "VC_TASK_INDEX", "WORLD_SIZE"});

View map_of_variables(View kustomization) {
  return get(get(get(kustomization, "spec"), "postBuild"), "substitute");
}

/// Whether it takes variables from elsewhere, too: often one Kustomization patches that into all
/// others.
bool has_more_variables(View kustomization, std::span<const View> all) {
  return has_items(get(get(get(kustomization, "spec"), "postBuild"), "substituteFrom")) ||
         std::ranges::any_of(
             all, [](View each) { return has_items(get(get(each, "spec"), "patches")); });
}

/// Whether a variable is none that a Kustomization is there to fill in. Where it states all of
/// them, that is each one that it does not state.
bool is_of_shell(View object, View kustomization, bool states_all, View script,
                 std::string_view name) {
  if (get(map_of_variables(kustomization), name)) return false;
  if (states_all) return true;
  return std::ranges::find(kOfPods, name) != kOfPods.end() || is_set_beside(script, name) ||
         is_set_in(object, name);
}

void substituted_variable(View object, CheckContext& context) {
  if (context.is_ours()) return;  // what is compiled lies in no file yet
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::vector<View> all = inventory->all(kFluxGroup, "Kustomization");
  if (all.empty()) return;
  const auto any = [](View, std::string_view) { return true; };
  if (!find_variable(object, any)) return;
  for (const View at : {annotation(object, kSubstitute), label(object, kSubstitute)}) {
    if (string_of(at) == "disabled" || string_of(at) == "Disabled") return;
  }
  std::optional<ShellVariable> found;
  const View unit = flux_unit_of(object, context, [&](View kustomization) {
    const View build = get(get(kustomization, "spec"), "postBuild");
    if (!has_items(get(build, "substitute")) && !has_items(get(build, "substituteFrom")))
      return false;
    const bool states_all = !has_more_variables(kustomization, all);
    found = find_variable(object, [&](View script, std::string_view name) {
      return is_of_shell(object, kustomization, states_all, script, name);
    });
    return found.has_value();
  });
  if (!unit) return;
  context
      .lint(found->at, "Flux takes " + shown("${" + std::string(found->name) + "}") +
                           " for a variable of Kustomization " +
                           shown(string_of(metadata_name(unit))) + ", and no shell sees it")
      .also(context.place(get(get(unit, "spec"), "postBuild")), "that substitutes variables");
}

/// The runtime has to be there when Trainer's webhook sees the job, and a dry run makes nothing.
void runtime_beside_job(View object, CheckContext& context) {
  if (context.is_ours()) return;
  const View ref = get(get(object, "spec"), "runtimeRef");
  if (string_at(ref, "kind") != "TrainingRuntime") return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View runtime = inventory->find("trainer.kubeflow.org", "TrainingRuntime",
                                       metadata_namespace(object), string_at(ref, "name"));
  if (!runtime) return;
  const std::string_view file = file_of(runtime, context);
  if (file.empty()) return;
  const View unit = flux_unit_of(
      object, context, [&](View kustomization) { return flux_covers(kustomization, file); });
  if (!unit) return;
  context
      .lint(get(ref, "name"), "Kustomization " + shown(string_of(metadata_name(unit))) +
                                  " applies this TrainJob and its TrainingRuntime at once, and "
                                  "Trainer takes no job whose runtime is not there")
      .also(context.place(metadata_name(runtime)), "the runtime")
      .also(context.place(metadata_name(unit)), "the Kustomization");
}

constexpr Check kChecks[] = {
    {.name = "wait-for-job",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "A Kustomization of Flux does not wait until a training has ended.",
     .source = "fluxcd/pkg runtime/statusreaders/job.go; fluxcd/kustomize-controller "
               "docs/spec/v1/kustomizations.md \"Wait\"",
     .workload = wait_for_job,
     .severity = Severity::Warning,
     .because = "A Job that runs is not ready for Flux: what depends on the Kustomization is not "
                "applied, and after the timeout it has failed.",
     .fix = "set `wait: false`, and name in `healthChecks` only what is ready soon"},
    {.name = "substituted-variable",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "any",
     .sentence = "Flux substitutes no variable that a shell is to see.",
     .source = "fluxcd/kustomize-controller docs/spec/v1/kustomizations.md \"Post build variable "
               "substitution\", internal/features/features.go StrictPostBuildSubstitutions",
     .object = substituted_variable,
     .severity = Severity::Warning,
     .because = "A variable that Flux does not know fails the whole Kustomization, or becomes "
                "nothing where strict substitution is off.",
     .fix = "annotate the object with `kustomize.toolkit.fluxcd.io/substitute: disabled`, or write "
            "`$NAME` or `$${NAME}`"},
    {.name = "runtime-beside-job",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "trainer.kubeflow.org TrainJob",
     .sentence = "Flux applies a TrainingRuntime before the TrainJobs that name it.",
     .source = "fluxcd/pkg ssa/manager_apply.go ApplyAll: a dry run of all objects first; "
               "kubeflow/trainer pkg/runtime/core/trainingruntime.go ValidateObjects",
     .object = runtime_beside_job,
     .severity = Severity::Warning,
     .because =
         "Flux applies nothing of a unit unless the API server takes a dry run of all of it.",
     .fix = "give the runtime a Kustomization of its own, on which that of the job depends"},
};

}  // namespace

const std::span<const Check> flux_unit_lints = kChecks;

}  // namespace trainyard
