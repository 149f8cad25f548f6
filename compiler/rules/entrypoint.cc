#include <string>

#include "rules/fabric_command.h"
#include "rules/fabric_use.h"
#include "rules/prepare.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "shell/shell_words.h"

namespace trainyard {
namespace {

/// A word as Kubernetes would have expanded it, for a shell: `$$` stands for `$`, and `$(NAME)` for
/// the variable.
std::string for_one_shell(std::string_view word) {
  std::string line;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) line += shell_quoted(literal);
    literal.clear();
  };
  while (!word.empty()) {
    const std::size_t end = word.starts_with("$(") ? word.find(')') : std::string_view::npos;
    if (end != std::string_view::npos) {
      flush();
      line += "\"${" + std::string(word.substr(2, end - 2)) + "}\"";
      word.remove_prefix(end + 1);
    } else {
      literal += word.front();
      word.remove_prefix(word.starts_with("$$") ? 2 : 1);
    }
  }
  flush();
  return line.empty() ? shell_quoted("") : line;
}

/// A text of YAML and of JSON.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// The lines of a requirements file, which is what Ray makes of the list, and where the command of
/// pip is to be another one, its options: in place of those that Ray gives otherwise, which are the
/// first two (ray-project/ray python/ray/_private/runtime_env/pip.py, _private/runtime_env/
/// validation.py).
void runtime_env(RuleContext& context, const Run& run) {
  if (!run.packages) return;
  const bool has_options = run.pip->args && !run.pip->args->empty();
  const std::string item = has_options ? "  - " : "- ";
  std::string text = has_options ? "pip:\n  packages:\n" : "pip:\n";
  bool first = true;
  for (const Text& url : *run.pip->index_urls) {
    const std::string option = first ? "--index-url " : "--extra-index-url ";
    text += item + quoted(option + std::string(*url)) + "\n";
    first = false;
  }
  for (const Text& package : *run.packages) text += item + quoted(*package) + "\n";
  if (has_options) {
    text += "  pip_install_options:\n";
    for (std::string_view usual : {"--disable-pip-version-check", "--no-cache-dir"}) {
      text += item + quoted(usual) + "\n";
    }
    for (const Text& option : *run.pip->args) text += item + quoted(*option) + "\n";
  }
  context.set(context.plan.runtime_env, context.text(text), context.from(run.packages));
}

/// The first of the words that the spec says: those in front of it are made here.
OriginId origin_of_line(const RuleContext& context, const Role& role) {
  for (const auto* words : {&role.command, &role.args}) {
    for (const CommandWord& word : *words) {
      if (context.place(word.origin).known()) return word.origin;
    }
  }
  return role.command.front().origin;
}

void entrypoint(RuleContext& context, const RoleInput& input) {
  const Role& role = *input.role;
  const Run& run = *context.of(input, &RoleFields::run);
  if (role.command.empty()) {
    context
        .report(DiagnosticKind::NoProgram, context.place(role.image.origin),
                "the job needs a program to start, and the image's own entry point cannot be known "
                "here")
        .note("give `run.script` or `run.command`");
    return;
  }
  std::string line;
  if (run.working_dir) line = "cd " + shell_quoted(*run.working_dir) + " && ";
  bool first = true;
  for (const auto* words : {&role.command, &role.args}) {
    for (const CommandWord& word : *words) {
      line += (first ? "" : " ") + for_one_shell(word.text);
      first = false;
    }
  }
  context.set(context.plan.entrypoint, context.text(line), origin_of_line(context, role));
  runtime_env(context, run);
}

/// What Ray starts has the variables of its own start, which KubeRay writes behind a command of the
/// pod's, in one line of bash; a failure of that command alone would not keep Ray from starting
/// (ray-project/kuberay ray-operator/controllers/ray/common/pod.go BuildPod).
void source_fabric(RuleContext& context, const RoleInput& input) {
  for (const FabricUse& use : fabrics_of(context, input)) {
    if (!obstacles_of(context, input, use).empty() || !use.profile->nccl_profile) continue;
    const auto& settings = use.profile->nccl_profile;
    const OriginId origin = context.because({context.from(settings)});
    input.role->command.push_back({context.text(source_settings(*settings)), origin});
  }
}

void run(RuleContext& context) {
  if (!context.in.target->entrypoint) return;
  const RoleInput* starter = &context.roles.front();
  for (const RoleInput& input : context.roles) {
    if (input.is_coordinator) starter = &input;
  }
  entrypoint(context, *starter);
  for (Role& role : context.plan.roles) {
    role.command.clear();
    role.args.clear();
  }
  for (const RoleInput& input : context.roles) source_fabric(context, input);
}

}  // namespace

extern const Rule entrypoint_rule{
    "entrypoint",
    Rule::Phase::Infer,
    "Where a job and not its pods name the program, it is one line for one shell, and the pods "
    "start what their controller makes them start, after the settings of their fabric.",
    "Ray runs the entry point with a shell on the head (ray-project/ray "
    "python/ray/dashboard/modules/job/job_supervisor.py); KubeRay writes the commands of the pods.",
    "spec.run target.entrypoint fabric machine",
    "plan.entrypoint plan.runtimeEnv role.command role.args",
    run};

}  // namespace trainyard
