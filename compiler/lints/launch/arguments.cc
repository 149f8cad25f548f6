// Arguments that a shell was meant to see, and where programs start.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Without `command` the image decides who reads the arguments: options are for a program.
bool is_for_a_program(View container, View argument) {
  return has_items(get(container, "command")) ? !may_run_shell(container)
                                              : argument->text.starts_with("--");
}

/// `$NAME` and nothing else, or behind `=`: names of variables in capitals, as launchers have them.
std::string_view plain_variable(std::string_view text) {
  const std::size_t dollar = text.find('$');
  if (dollar == text.npos || (dollar != 0 && text[dollar - 1] != '=')) return {};
  const std::string_view name = text.substr(dollar + 1);
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const bool is_name = name.size() > 1 && kLetters.find(name.front()) != name.npos &&
                       name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == name.npos;
  return is_name ? name : std::string_view();
}

/// Variables that launchers and controllers give, by names that nothing else has.
constexpr auto kRankNames = std::to_array<std::string_view>(
    {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "NODE_RANK", "JOB_COMPLETION_INDEX"});

/// `$NAME` amid other text, of a variable that the container is given.
std::string_view inner_variable(std::string_view text, View container) {
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    if (at > 0 && (text[at - 1] == '$' || text[at - 1] == '\\')) continue;
    const std::string_view rest = text.substr(at + 1);
    const std::string_view name = rest.substr(0, rest.find_first_not_of(kShellNameCharacters));
    if (name.size() < 2 || !starts_shell_name(name.front())) continue;
    if (variable(container, name) || name.starts_with("PET_") || name.starts_with("LWS_") ||
        std::ranges::find(kRankNames, name) != kRankNames.end()) {
      return name;
    }
  }
  return {};
}

/// Whether a container surely has the variable; another one envsubst may fill in before.
bool is_given(std::string_view name, View container) {
  constexpr auto kOfImages =
      std::to_array<std::string_view>({"HOME", "HOSTNAME", "LOCAL_RANK", "PATH", "PYTHONPATH",
                                       "RANK", "VC_TASK_INDEX", "VK_TASK_INDEX"});
  return variable(container, name) || name.starts_with("PET_") || name.starts_with("LWS_") ||
         name.starts_with("KUBERNETES_") ||
         std::ranges::find(kRankNames, name) != kRankNames.end() ||
         std::ranges::find(kOfImages, name) != kOfImages.end();
}

/// `$(hostname -i)`, also behind `=`: no name of a variable holds a blank. Amid other text it may
/// be for a shell that the program starts.
std::string_view command_output(std::string_view text) {
  const std::size_t begin = text.find("$(");
  if (begin == text.npos || (begin > 0 && text[begin - 1] == '$')) return {};
  const std::size_t end = text.find(')', begin);
  if (end == text.npos) return {};
  const std::string_view output = text.substr(begin, end + 1 - begin);
  const bool is_all =
      begin + output.size() == text.size() && (begin == 0 || text[begin - 1] == '=');
  if (!is_all) return {};
  return output.find(' ') == output.npos ? std::string_view() : output;
}

void in_container(View container, CheckContext& context) {
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      if (!argument->is_scalar()) continue;
      const std::string_view output = command_output(argument->text);
      if (!output.empty() && has_items(get(container, "command")) && !may_run_shell(container)) {
        context.lint(argument, shown(output) + " reaches the program as it is written")
            .note("only a shell runs the command and puts its output there");
        continue;
      }
      const std::string_view braced = shell_variable(argument->text);
      std::string_view name = braced.empty() ? plain_variable(argument->text) : braced;
      if (name.empty()) name = inner_variable(argument->text, container);
      if (name.empty() || !is_for_a_program(container, argument)) continue;
      const std::string written =
          braced.empty() ? "$" + std::string(name) : "${" + std::string(name) + "}";
      context
          .lint(argument, shown(written) + " reaches the program as it is written",
                is_given(name, container) ? Severity::Warning : Severity::Note)
          .note("Kubernetes expands " + shown("$(" + std::string(name) + ")"));
    }
  }
}

void in_values(View container, CheckContext& context) {
  for (View each : items_at(container, "env")) {
    const View value = get(each, "value");
    const std::string_view name = variable_of_images(string_of(value));
    if (name.empty()) continue;
    context.lint(value, shown("$" + std::string(name)) + " stays as it is written in variable " +
                            shown(string_at(each, "name")) + ": no shell reads it");
  }
}

void shell_variables(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    in_container(each.node, context);
    in_values(each.node, context);
  }
}

/// A TrainJob has no pod template, but a command.
void in_trainer(const Workload& workload, CheckContext& context) {
  if (workload.kind != "TrainJob") return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) in_container(container, context);
  }
}

bool is_for_windows(const Pod& pod) {
  return string_at(get(pod.spec, "os"), "name") == "windows" ||
         string_at(get(pod.spec, "nodeSelector"), "kubernetes.io/os") == "windows";
}

/// The kubelet hands it on as it is: variables are not put in, and `.` is no place.
void working_directory(const Pod& pod, CheckContext& context) {
  if (is_for_windows(pod)) return;
  for (const PodContainer& each : pod.containers) {
    const View directory = get(each.node, "workingDir");
    const std::string_view text = string_of(directory);
    if (text.empty() || text.front() == '/' || text.find_first_of(":\\") != text.npos) continue;
    context.lint(directory, "working directory " + shown(text) + " does not begin with `/`");
  }
}

constexpr Check kChecks[] = {
    {.name = "shell-variable",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "Arguments that no shell sees do not refer to variables as a shell does.",
     .source = "kubernetes/kubernetes third_party/forked/golang/expansion/expand.go",
     .pod = shell_variables,
     .workload = in_trainer,
     .severity = Severity::Warning,
     .because = "Only a shell expands `${NAME}` and `$NAME`; Kubernetes hands them on, and the "
                "program sees the dollar sign.",
     .fix = "write `$(NAME)` for a variable of the container, start a shell, or write `$${NAME}` "
            "when the program is to see it",
     .rule = "argument-check"},
    {.name = "working-directory",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "The working directory of a container is an absolute path.",
     .source = "opencontainers/runtime-spec config.md, process.cwd; opencontainers/runc "
               "utils_linux.go",
     .pod = working_directory,
     .because = "The runtime does not start a container in any other, and Kubernetes puts no "
                "variables into it.",
     .fix = "write the whole path"},
};

}  // namespace

const std::span<const Check> argument_lints = kChecks;

}  // namespace trainyard
