#include <algorithm>
#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

bool is_address(std::string_view text) {
  return text.find("://") != std::string_view::npos;
}

bool has_address(const TextList& words) {
  return std::ranges::any_of(*words, [](const Text& word) { return is_address(*word); });
}

bool has_address(const TextMap& variables) {
  return std::ranges::any_of(*variables, [](const auto& each) { return is_address(*each.value); });
}

/// Whether what is written to it is there when the pods are gone.
bool outlives_pods(const StorageMount& mount) {
  if (mount.read_only.value_or(false)) return false;
  return mount.claim || mount.create || mount.host_path || mount.nfs || mount.csi;
}

/// Whether the job, or a role of it, names any place or right by which results may leave the pods.
bool may_keep(const RoleFields& fields) {
  const auto& storage = *fields.storage;
  const auto kept = [](const auto& each) { return outlives_pods(*each.value); };
  if (std::any_of(storage.begin(), storage.end(), kept)) return true;
  if (fields.pod || fields.env_from || fields.secret_env) return true;
  const Run& run = *fields.run;
  return has_address(fields.env) || has_address(run.args) || has_address(run.before);
}

bool may_keep(const RuleContext& context) {
  const JobSpec& spec = context.spec;
  if (spec.data->outputs || spec.service_account || spec.patches || spec.runai) return true;
  if (may_keep(static_cast<const RoleFields&>(spec))) return true;
  for (const auto& role : *spec.roles) {
    if (may_keep(*role.value)) return true;
  }
  const auto sends = [](const LoadedFile& file) { return is_address(file.bytes); };
  if (std::ranges::any_of(context.in.files, sends)) return true;
  if (context.in.cluster == nullptr) return false;
  const Defaults& defaults = *context.in.cluster->spec->defaults;
  return defaults.service_account || has_address(defaults.env);
}

/// A script on GPUs that is started for its results; what a command or an image does is not known.
bool trains(const RuleContext& context, const RoleInput& input) {
  const ProgramForm form = program_form(*context.of(input, &RoleFields::run));
  const bool named = form == ProgramForm::Script || form == ProgramForm::Module;
  return named && *input.role->gpus > 0;
}

void check(RuleContext& context, const RoleInput& input) {
  const Lifecycle& wanted = *context.of(input, &RoleFields::lifecycle);
  // Of a directory for checkpoints the rule `checkpoint-check` knows more.
  if (!wanted.ttl || wanted.checkpoint) return;
  if (!trains(context, input) || may_keep(context)) return;
  context
      .report(DiagnosticKind::RunsWrong, wanted.ttl.span,
              "the pods go " + std::to_string(wanted.ttl->count) +
                  " s after the job's end, and all that the program has written goes with them: "
                  "nothing here outlives the pods")
      .note(
          "mount a claim in `storage`, have `data.outputs` store the results, or leave out `ttl`");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) check(context, input);
}

}  // namespace

extern const Rule results_check_rule{
    "results-check",
    Rule::Phase::Check,
    "A job that deletes itself has somewhere to leave its results.",
    "With the Job go its pods, their files and their logs (kubernetes/kubernetes "
    "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go).",
    "spec.lifecycle.ttl spec.lifecycle.checkpoint spec.storage spec.data spec.env spec.secretEnv "
    "spec.envFrom spec.serviceAccount spec.run spec.roles spec.files spec.pod spec.patches "
    "spec.runai cluster.defaults.serviceAccount cluster.defaults.env role.gpus",
    "",
    run};

}  // namespace trainyard
