#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diag/suggest.h"
#include "diag/words.h"
#include "rules/mentions.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/plain_command.h"
#include "shell/shell_words.h"
#include "source/characters.h"

namespace trainyard {
namespace {

/// Arguments that a shell of the user's own will see: it is the program, or another program starts
/// it, as in `tini -- bash -c`.
bool runs_shell(const Run& run) {
  if (!run.command) return false;
  const auto& words = *run.command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_shell(*words[i])) continue;
    if (i == 0 || (i + 1 < words.size() && words[i + 1]->starts_with('-'))) return true;
  }
  return false;
}

void check_words(RuleContext& context, const TextList& words) {
  for (const Text& word : *words) {
    const std::string_view name = shell_variable(*word);
    if (name.empty()) continue;
    context
        .report(DiagnosticKind::UnexpandedVariable, word.span,
                code("${" + std::string(name) + "}") + " reaches the program as it is written")
        .note("Kubernetes expands " + code("$(" + std::string(name) + ")") +
              "; only a shell expands `${...}`, and `run.shell` starts one")
        .note("write " + code("$${" + std::string(name) + "}") + " when the program is to see it");
  }
}

/// The name in the first `$NAME` of a text.
std::string_view bare_variable(std::string_view text) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at)) {
    const std::string_view rest = text.substr(at + 1);
    if (!rest.empty() && starts_shell_name(rest.front())) {
      return rest.substr(0, rest.find_first_not_of(kShellNameCharacters));
    }
    at += rest.starts_with('$') ? 2U : 1U;
  }
  return {};
}

/// Languages such as those of awk and jq have a `$name` of their own. Suspicious is what names a
/// variable of the container, or looks like one of an environment.
bool looks_like_variable(std::string_view name, const Role& role) {
  const bool is_known = std::ranges::find(role.env, name, &EnvVar::name) != role.env.end();
  return is_known || (name.size() >= 4 && std::ranges::none_of(name, is_lower));
}

void check_bare(RuleContext& context, const Role& role, const TextList& words) {
  for (const Text& word : *words) {
    const std::string_view name = bare_variable(*word);
    if (!looks_like_variable(name, role)) continue;
    context
        .report(DiagnosticKind::UnknownVariable, word.span,
                code("$" + std::string(name)) + " reaches the program as it is written")
        .note(
            "only a shell expands it, and `run.shell` starts one; Kubernetes expands `$(NAME)`, "
            "for variables of `env`");
  }
}

/// `$PATH:/opt/bin` in a value of `env`: the image's variable would be replaced by the text.
void check_values(RuleContext& context, const TextMap& variables) {
  for (const auto& variable : *variables) {
    const std::string_view name = variable_of_images(*variable.value);
    if (name.empty()) continue;
    context
        .report(DiagnosticKind::UnknownVariable, variable.value.span,
                code("$" + std::string(name)) + " stays as it is written in variable " +
                    code(variable.key) + ": no shell reads it")
        .note("write the whole value, or set the variable in `run.before`, which a shell reads");
  }
}

/// Names of variables that the pod has, beyond those of its list.
bool is_from_kubernetes(std::string_view name) {
  return name.starts_with("KUBERNETES_");
}

/// What stands of a role once the references to programs have values is refused.
constexpr std::string_view kRoles = "roles.";

/// Looks for `$(NAME)` in texts of one role.
class Mentions {
 public:
  Mentions(RuleContext& context, const Role& role) : context_(context) {
    for (const EnvVar& variable : role.env) know(variable.name);
  }

  void know(std::string_view name) {
    names_.push_back(name);
    known_.clear();
  }

  void check(const Text& text) {
    each_mention(*text, [&](std::string_view name) {
      if (known_.empty()) known_.insert(names_.begin(), names_.end());
      if (known_.contains(name) || is_from_kubernetes(name) || context_.injects(name)) return;
      const bool refused = name.starts_with(kRoles) && has_programs(context_.spec);
      if (refused) return;
      Diagnostic& report =
          context_.report(DiagnosticKind::UnknownVariable, text.span,
                          "the container has no variable " + shown(name) + ", so that " +
                              shown("$(" + std::string(name) + ")") + " stays as it is written");
      if (const auto near = suggest(name, names_)) {
        report.note("did you mean " + shown("$(" + std::string(*near) + ")") + "?");
      }
    });
  }
  void check(const TextList& words) {
    for (const Text& word : *words) check(word);
  }
  void check(const TextMap& variables) {
    for (const auto& variable : *variables) check(variable.value);
  }

 private:
  RuleContext& context_;
  std::vector<std::string_view> names_;
  std::unordered_set<std::string_view> known_;  // the same, once there is a mention
};

/// Variables can come from elsewhere, under names that are not known here.
bool has_other_variables(const RuleContext& context, const RoleInput& input) {
  return !input.role->env_from.empty() || context.of(input, &RoleFields::pod).given() ||
         context.spec.patches.given();
}

void check_mentions(RuleContext& context, const RoleInput& input, const Run& run) {
  if (has_other_variables(context, input)) return;
  Mentions mentions(context, *input.role);
  mentions.check(context.spec.env);
  if (input.own != nullptr) mentions.check(input.own->env);
  if (runs_shell(run)) return;  // to which it is the output of a command
  // An Indexed Job adds it behind the variables of the pod: arguments can mention it, they cannot.
  if (*context.plan.multi_node) mentions.know("JOB_COMPLETION_INDEX");
  mentions.check(run.command);
  mentions.check(run.args);
  mentions.check(run.launcher_args);
}

/// Variables that a launcher gives to the processes that it starts, and nothing to a shell.
constexpr auto kLauncherVariables =
    std::to_array<std::string_view>({"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
                                     "GROUP_RANK", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT"});

constexpr auto kLaunchers = std::to_array<std::string_view>(
    {"torchrun", "torch.distributed", "accelerate", "deepspeed", "mpirun", "mpiexec", "srun"});

/// Whether a script reads a variable, without a default, that it does not set itself.
bool reads_unset(std::string_view script, std::string_view name) {
  const std::string word(name);
  for (const std::string& set : {word + "=", "read " + word, "for " + word + " "}) {
    if (script.find(set) != script.npos) return false;
  }
  if (script.find("${" + word + "}") != script.npos) return true;
  for (std::size_t at = 0; (at = script.find("$" + word, at)) != script.npos; at += word.size()) {
    const std::size_t end = at + 1 + word.size();
    if (end == script.size()) return true;
    if (kShellNameCharacters.find(script[end]) == std::string_view::npos) return true;
  }
  return false;
}

void check_shell(RuleContext& context, const RoleInput& input, const Text& script) {
  if (!script || has_other_variables(context, input)) return;
  const auto starts = [&](std::string_view each) { return script->find(each) != script->npos; };
  if (std::ranges::any_of(kLaunchers, starts) || *context.plan.framework == "mpi") return;
  for (std::string_view name : kLauncherVariables) {
    const auto& known = input.role->env;
    if (std::ranges::find(known, name, &EnvVar::name) != known.end()) continue;
    if (context.injects(name) || !reads_unset(*script, name)) continue;
    context
        .report(DiagnosticKind::UnknownVariable, script.span,
                "nothing sets " + code("$" + std::string(name)) + " in this shell")
        .note(
            "torchrun sets it for the processes that it starts: name the program in `script` or "
            "`module`, or set the variable in `env`");
  }
}

/// What others call the rank of a process, and nothing sets in the pods of an MPIJob: its launcher
/// is no Indexed Job (kubeflow/mpi-operator pkg/controller/mpi_job_controller.go newLauncherJob).
struct MpiName {
  std::string_view name;
  std::string_view of_mpirun;
};
constexpr auto kMpiNames =
    std::to_array<MpiName>({{"RANK", "OMPI_COMM_WORLD_RANK"},
                            {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
                            {"NODE_RANK", "OMPI_COMM_WORLD_NODE_RANK"},
                            {"JOB_COMPLETION_INDEX", "OMPI_COMM_WORLD_RANK"}});

void check_ranks_of_mpirun(RuleContext& context, const RoleInput& input, const Text& text) {
  if (!text || context.in.target->mpirun.host_file.empty() || has_other_variables(context, input))
    return;
  const auto has = [&](std::string_view each) { return text->find(each) != text->npos; };
  for (std::string_view each : kLaunchers) {
    if (!each.starts_with("mpi") && has(each)) return;  // which may set them
  }
  for (const MpiName& each : kMpiNames) {
    const auto& known = input.role->env;
    if (std::ranges::find(known, each.name, &EnvVar::name) != known.end()) continue;
    if (context.injects(each.name) || !reads_unset(*text, each.name)) continue;
    context
        .report(DiagnosticKind::UnknownVariable, text.span,
                "nothing sets " + code("$" + std::string(each.name)) + " where mpirun starts ranks")
        .note("mpirun of Open MPI sets " + code(each.of_mpirun) +
              " for each process: read it there, as in `mpirun bash -c 'train --rank $" +
              std::string(each.of_mpirun) + "'`");
    return;
  }
}

/// mpirun in a shell, or with a shell that it starts.
void check_mpirun(RuleContext& context, const RoleInput& input, const Run& run) {
  const auto has_mpirun = [](const Text& text) { return text->find("mpirun") != text->npos; };
  if (run.shell && has_mpirun(run.shell)) check_ranks_of_mpirun(context, input, run.shell);
  if (!run.command || !runs_shell(run) || std::ranges::none_of(*run.command, has_mpirun)) return;
  for (const Text& word : *run.command) check_ranks_of_mpirun(context, input, word);
}

/// `python train.py --lr 1`, a command line in place of a path.
bool is_line_of_words(RuleContext& context, const Text& script) {
  if (script->find_first_of(" \t\n") == script->npos) return false;
  const auto words = words_of_line(*script);
  if (!words || words->size() < 2) return false;
  const std::string& first = words->front();
  const bool names_program = first == "python" || first == "python3" || starts_ranks(first);
  const bool has_option =
      std::ranges::any_of(*words, [](const std::string& word) { return word.starts_with("--"); });
  if (!names_program && !has_option) return false;
  std::string file = names_program ? (*words)[1] : first;
  std::string rest;
  for (std::size_t i = names_program ? 2 : 1; i < words->size(); ++i) {
    rest += (rest.empty() ? "" : ", ") + (*words)[i];
  }
  Diagnostic report(DiagnosticKind::RunsWrong, script.span,
                    "`script` is the path of one file, and no file is called " + code(*script));
  report.severity = Severity::Error;
  context.sink.report(std::move(report))
      .note("write `script: " + file + "`" +
            (rest.empty() ? std::string() : ", `args: [" + rest + "]`"));
  return true;
}

/// A script is for Python, whichever launcher starts it.
void check_script(RuleContext& context, const Text& script) {
  if (!script || is_line_of_words(context, script)) return;
  if (starts_ranks(*script) || is_shell(*script) || *script == "python" || *script == "python3") {
    Diagnostic report(DiagnosticKind::RunsWrong, script.span,
                      code(*script) + " is a program, and Python looks for a file of this name");
    report.severity = Severity::Error;
    context.sink.report(std::move(report))
        .note(
            "name the file of Python in `script`, and what starts it in `launcher`; "
            "`command` starts any program");
    return;
  }
  if (!script->ends_with(".sh") && !script->ends_with(".bash")) return;
  context
      .report(DiagnosticKind::RunsWrong, script.span,
              code(*script) + " looks like a script of a shell, and Python will read it")
      .note("write `command: [bash, " + std::string(*script) +
            "]`, and in the script start what starts the processes of a node");
}

/// `python -m train.py` looks for a module `py` in a package `train`.
void check_module(RuleContext& context, const Text& module) {
  constexpr std::string_view kEnding = ".py";
  if (!module || !module->ends_with(kEnding)) return;
  const std::string name(module->substr(0, module->size() - kEnding.size()));
  context
      .report(DiagnosticKind::RunsWrong, module.span,
              code(*module) + " is the name of a file, and Python looks for a module `py` in " +
                  code(name))
      .note("a file goes into `script`")
      .fix(module.span, name, "write `module: " + name + "`");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    check_script(context, run.script);
    check_module(context, run.module);
    check_shell(context, input, run.shell);
    check_mpirun(context, input, run);
    check_values(context, context.spec.env);
    if (input.own != nullptr) check_values(context, input.own->env);
    check_mentions(context, input, run);
    if (runs_shell(run)) continue;
    for (const TextList* words : {&run.command, &run.args, &run.launcher_args}) {
      check_words(context, *words);
      check_bare(context, *input.role, *words);
    }
  }
}

}  // namespace

extern const Rule argument_check_rule{
    "argument-check",
    Rule::Phase::Check,
    "No `${NAME}` stands in an argument that no shell will see, and each `$(NAME)` names a "
    "variable of "
    "the container; a script is for Python.",
    "Kubernetes expands `$(NAME)` in command and args and nothing else "
    "(kubernetes/kubernetes third_party/forked/golang/expansion/expand.go).",
    "spec.run spec.env spec.pod spec.patches plan.multiNode role.env role.envFrom",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
