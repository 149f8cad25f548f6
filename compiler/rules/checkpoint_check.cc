#include <string>

#include "rules/mounts.h"
#include "rules/paths.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// A directory of the node is right where all nodes mount the same file system there.
void check_node(RuleContext& context, const RoleInput& input, const VolumeMount& mount,
                const Text& wanted) {
  if (context.of(input, &RoleFields::lifecycle)->retries.value_or(0) == 0) return;
  Diagnostic report(DiagnosticKind::CheckpointNotKept, wanted.span,
                    "checkpoints are in a directory of the node: a pod that is started again on "
                    "another node finds none, unless all nodes share it");
  report.severity = Severity::Note;
  report.also(context.place(mount.origin), "its mount");
  context.sink.report(std::move(report));
}

void check(RuleContext& context, const RoleInput& input, const Text& wanted) {
  const std::string path = plain_path(*wanted);
  const Shape& pod = context.of(input, &RoleFields::pod);
  if (pod && mounts(context.tree_of(pod.span), pod.node, path)) return;
  const Field<std::string_view>& workspace = context.plan.workspace.path;
  if (workspace && is_within(path, plain_path(*workspace))) return;
  constexpr std::string_view kNote =
      "mount a claim there, or any other storage that outlives the pods, in `storage`";
  const VolumeMount* mount = mount_of(*input.role, path);
  if (mount == nullptr) {
    context
        .report(DiagnosticKind::CheckpointNotKept, wanted.span,
                code(path) + " is on no mount, so that checkpoints go with the pod")
        .note(std::string(kNote));
    return;
  }
  const std::string_view source = source_of(context.plan, *input.role, mount->volume);
  if (source == "hostPath" && !mount->read_only) return check_node(context, input, *mount, wanted);
  const bool goes_with_pod = source == "emptyDir" || source == "ephemeral";
  if (!goes_with_pod && !mount->read_only) return;
  context
      .report(DiagnosticKind::CheckpointNotKept, wanted.span,
              goes_with_pod ? "checkpoints go with the pod: " + code(path) + " is on the " +
                                  code(source) + " " + code(mount->volume)
                            : "no checkpoint can be written: " + code(mount->volume) +
                                  " is mounted read-only")
      .also(context.place(mount->origin), "its mount")
      .note(std::string(kNote));
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Text& path = context.of(input, &RoleFields::lifecycle)->checkpoint->path;
    if (path && input.role->trains) check(context, input, path);
  }
}

}  // namespace

extern const Rule checkpoint_check_rule{
    "checkpoint-check",
    Rule::Phase::Check,
    "Checkpoints are written to storage that outlives the pods.",
    "A job that is started again finds the directory of its last pod gone, and starts from the "
    "beginning.",
    "spec.lifecycle.checkpoint spec.lifecycle.retries spec.pod role.mounts role.volumes "
    "plan.workspace",
    "",
    run};

}  // namespace trainyard
