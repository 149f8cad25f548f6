#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "rules/mounts.h"
#include "rules/paths.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kVolume = "files";  // as rule `staged-files` calls it

/// Whether a path is that of a staged file, or of a directory that has one.
bool is_staged(const RuleContext& context, std::string_view path, std::string_view mount) {
  if (path == mount) return true;
  const std::string_view below = path.substr(mount == "/" ? 1 : mount.size() + 1);
  return std::ranges::any_of(context.in.files, [&](const LoadedFile& file) {
    return is_within(plain_path(file.path), "/" + std::string(below));
  });
}

/// `train.py` that is staged at `/src/train.py`, while the image says in which directory it starts.
void check_relative(RuleContext& context, const RoleInput& input, const Text& word) {
  const auto mount = std::ranges::find_if(
      input.role->mounts, [](const VolumeMount& each) { return each.volume == kVolume; });
  if (mount == input.role->mounts.end()) return;
  const std::string path = plain_path("/" + std::string(*word));
  const bool is_file = std::ranges::any_of(
      context.in.files, [&](const LoadedFile& file) { return plain_path(file.path) == path; });
  if (!is_file) return;
  const std::string whole = plain_path(std::string(mount->path) + path);
  Diagnostic report(DiagnosticKind::StagedFileProblem, word.span,
                    code(*word) + " is staged at " + code(whole) +
                        ", and the program looks in the working directory of the image");
  report.severity = Severity::Warning;
  context.sink.report(std::move(report))
      .fix(word.span, whole, "write " + code(whole))
      .note("or write `workingDir: " + std::string(mount->path) + "` beside it");
}

/// The mount hides what the image has there, and is read-only: nothing but what is staged is there.
void check_program(RuleContext& context, const RoleInput& input) {
  const Run& run = *context.of(input, &RoleFields::run);
  const auto check = [&](const Text& word) {
    if (!word || word->empty()) return;
    std::string text(*word);
    if (!text.starts_with('/')) {
      if (!run.working_dir && text.ends_with(".py")) check_relative(context, input, word);
      if (!run.working_dir || &word != &run.script) return;
      text = std::string(*run.working_dir) + "/" + text;
    }
    if (goes_up(text)) return;
    const std::string path = plain_path(text);
    const VolumeMount* mount = mount_of(*input.role, path);
    if (mount == nullptr || mount->volume != kVolume) return;
    if (is_staged(context, path, plain_path(mount->path))) return;
    context
        .report(DiagnosticKind::StagedFileProblem, word.span,
                code(path) +
                    " is not staged, and the mount of `files` hides what the image has at " +
                    code(mount->path))
        .also(context.spec.files.span, "these files are mounted there")
        .note("add the program to `files.items`, or choose another `files.mountPath`");
  };
  check(run.script);
  if (!run.command) return;
  for (const Text& word : *run.command) check(word);
}

void run(RuleContext& context) {
  if (!context.spec.files || context.in.files.empty()) return;
  for (const RoleInput& input : context.roles) check_program(context, input);
}

}  // namespace

extern const Rule staged_program_check_rule{
    "staged-program-check",
    Rule::Phase::Check,
    "A program below the mount of staged files is one of them.",
    "A mount hides what the image has at its place, and that of a ConfigMap is read-only "
    "(kubernetes/website content/en/docs/concepts/storage/volumes.md).",
    "spec.files spec.run role.mounts",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
