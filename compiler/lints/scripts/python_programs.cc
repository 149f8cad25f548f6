// Programs of Python that stand in ConfigMaps and in commands.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/launch/file_text.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/python_text.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Texts that something else makes a program of: templates of Helm, Jinja and envsubst.
bool is_template(std::string_view text) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"{{", "{%", "<%", "${"}),
      [text](std::string_view mark) { return text.find(mark) != text.npos; });
}

/// Modules that have no other name.
constexpr auto kModules =
    std::to_array<std::string_view>({"os", "sys", "json", "time", "math", "random", "subprocess",
                                     "argparse", "logging", "shutil", "torch", "np", "jax", "tf"});

using Tokens = std::span<const PythonToken>;

/// A module that is used and never imported: wherever else its name stands, it may be a variable.
std::optional<std::size_t> missing_import(Tokens tokens, std::string_view module) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "*" && i > 0 && tokens[i - 1].text == "import") return std::nullopt;
    if (tokens[i].text == "exec" || tokens[i].text == "globals") return std::nullopt;
    if (tokens[i].text != module) continue;
    if (i > 0 && tokens[i - 1].text == ".") continue;  // an attribute of something else
    const bool is_used =
        i + 1 < tokens.size() && tokens[i + 1].text == "." &&
        (i == 0 || (tokens[i - 1].text != "import" && tokens[i - 1].text != "from"));
    if (!is_used) return std::nullopt;
    if (!first) first = i;
  }
  return first;
}

/// The fault of a text, where it stands.
void check_text(View text, CheckContext& context) {
  const std::string_view all = string_of(text);
  if (all.empty() || is_template(all)) return;
  const PythonText program = read_python(all);
  if (program.fault) {
    context.lint(WordView(text, program.fault->begin, program.fault->end),
                 "Python cannot read this program: " + program.fault->what);
    return;
  }
  for (std::string_view module : kModules) {
    const auto at = missing_import(program.tokens, module);
    if (!at) continue;
    const PythonToken& token = program.tokens[*at];
    context.lint(WordView(text, token.begin, token.begin + token.text.size()),
                 "no `import` makes " + shown(module) + " known");
  }
}

void check_files(View config_map, CheckContext& context) {
  for (View entry : entries_at(config_map, "data")) {
    if (entry.key().ends_with(".py")) check_text(entry, context);
  }
}

/// `python package.module`: Python looks for a file of that name.
void module_as_file(View word, CheckContext& context) {
  const std::string_view text = string_of(word);
  const bool is_dotted = text.find('.') != text.npos && text.front() != '.' &&
                         text.front() != '-' && text.back() != '.';
  const bool is_plain =
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.") ==
      text.npos;
  constexpr auto endings =
      std::to_array<std::string_view>({".py", ".pyc", ".pyz", ".zip", ".egg", ".whl", ".pyw"});
  const bool is_file = std::ranges::any_of(
      endings, [text](std::string_view ending) { return text.ends_with(ending); });
  if (text.empty() || !is_dotted || !is_plain || is_file) return;
  context.lint(word, "Python looks for a file " + shown(text) + "; a module stands behind `-m`");
}

/// `python -c TEXT`, where no shell reads the text first.
void check_commands(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    if (!has_items(get(each.node, "command"))) continue;
    const std::vector<View> words = arguments_of(each.node);
    const std::size_t at = place_of_program(words);
    if (at + 1 >= words.size()) continue;
    const bool is_python = program_name(string_of(words[at])).starts_with("python");
    if (is_python && at + 1 < words.size()) module_as_file(words[at + 1], context);
    if (!is_python || at + 2 >= words.size() || string_of(words[at + 1]) != "-c") continue;
    if (string_of(words[at + 2]).find("$(") != std::string_view::npos) continue;
    check_text(words[at + 2], context);
  }
}

/// A variable that a program cannot do without: `os.environ["NAME"]`.
struct WantedVariable {
  std::string_view name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<WantedVariable> wanted_variables(Tokens tokens) {
  std::vector<WantedVariable> wanted;
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool is_it =
        tokens[i].text == "environ" && tokens[i + 1].text == "[" && tokens[i + 3].text == "]";
    const std::string_view name = is_it ? tokens[i + 2].literal() : std::string_view();
    if (name.empty()) continue;
    // `os.environ["A"] = "b"` sets it, also for what comes behind.
    const bool is_set =
        i + 5 < tokens.size() && tokens[i + 4].text == "=" && tokens[i + 5].text != "=";
    if (is_set) continue;
    const std::size_t begin = tokens[i + 2].begin;
    wanted.push_back({name, begin, begin + tokens[i + 2].text.size()});
  }
  return wanted;
}

/// `MASTER_ADDR_OF_JOB` for `MASTER_ADDR`: the same words, and more in front or behind.
bool is_extended_by(std::string_view name, std::string_view other) {
  return other.size() > name.size() &&
         (other.ends_with("_" + std::string(name)) || other.starts_with(std::string(name) + "_"));
}

/// Whether one name was meant as the other: a typo, or with a word in front or behind.
bool may_be_meant(std::string_view wanted, std::string_view set) {
  return is_typo_of(set, wanted) || is_extended_by(wanted, set) || is_extended_by(set, wanted);
}

/// The one variable of the container that goes by nearly the name, and that the program does not
/// read itself.
View nearly_named(View container, std::string_view wanted, std::string_view program) {
  View found;
  for (View each : items_at(container, "env")) {
    const std::string_view name = string_at(each, "name");
    if (!may_be_meant(wanted, name)) continue;
    const std::string quoted = "\"" + std::string(name) + "\"";
    const std::string single = "'" + std::string(name) + "'";
    if (program.find(quoted) != program.npos || program.find(single) != program.npos) continue;
    if (found) return {};
    found = get(each, "name");
  }
  return found;
}

/// The file that `python FILE` starts, if no shell comes before it.
View program_of(const WorkloadRole& role, View container, CheckContext& context) {
  const std::vector<View> words = arguments_of(container);
  const std::size_t at = place_of_program(words);
  if (at + 1 >= words.size() || !has_items(get(container, "command"))) return {};
  if (!program_name(string_of(words[at])).starts_with("python")) return {};
  const std::string_view path = string_of(words[at + 1]);
  return path.ends_with(".py") ? file_text(role, container, context)(path) : View();
}

void check_variables(View container, View text, Tokens tokens, CheckContext& context) {
  if (has_items(get(container, "envFrom"))) return;
  const std::string_view all = string_of(text);
  for (const WantedVariable& each : wanted_variables(tokens)) {
    if (variable(container, each.name)) continue;
    const View near = nearly_named(container, each.name, all);
    if (!near) continue;
    context
        .lint(WordView(text, each.begin, each.end),
              "nothing sets " + shown(each.name) + ", and the container has " + shown(near->text))
        .also(context.place(near), "the variable of the container");
    return;
  }
}

/// The variable whose value an argument of a call is: `name=int(os.environ["X"])`.
std::string_view variable_behind(Tokens tokens, std::string_view argument) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != argument || tokens[i + 1].text != "=") continue;
    for (std::size_t k = i + 2; k + 3 < tokens.size() && k < i + 8; ++k) {
      if (tokens[k].text == "," || tokens[k].text == "+") break;
      if (tokens[k].text == "environ" && tokens[k + 1].text == "[") return tokens[k + 2].literal();
    }
  }
  return {};
}

/// jax-ml/jax jax/_src/distributed.py
void check_jax(const Workload& workload, View container, Tokens tokens, CheckContext& context) {
  const bool starts = std::ranges::any_of(
      tokens, [](const PythonToken& each) { return each.text == "coordinator_address"; });
  if (!starts) return;
  const View place = variable_value(container, variable_behind(tokens, "coordinator_address"));
  const std::string_view address = string_of(place);
  if (!address.empty() && address.find_first_of(":$") == address.npos) {
    context.lint(place, "JAX wants a port behind the host " + shown(address) + "; expected " +
                            shown(std::string(address) + ":1234"));
  }
  const View count = variable_value(container, variable_behind(tokens, "num_processes"));
  const auto processes = plain_number(string_of(count));
  const std::int64_t pods = workload.working_pods();
  if (!processes || workload.roles.size() != 1 || *processes == pods) return;
  const std::int64_t gpus = workload.roles.front().devices.whole;
  if (gpus > 0 && *processes == pods * gpus) return;
  context.lint(count, "JAX waits for " + std::to_string(*processes) + " processes, and there " +
                          (pods == 1 ? "is 1 pod" : "are " + std::to_string(pods) + " pods"));
}

void check_workload(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const View text = program_of(role, container, context);
      if (!text || is_template(string_of(text))) continue;
      const PythonText program = read_python(string_of(text));
      if (program.fault) continue;
      check_variables(container, text, program.tokens, context);
      check_jax(workload, container, program.tokens, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "python-program",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core ConfigMap",
     .sentence = "Python can read the programs of ConfigMaps and commands, and they import what "
                 "they use.",
     .source = "python/cpython Parser/lexer/lexer.c; Doc/reference/simple_stmts.rst",
     .pod = check_commands,
     .object = check_files,
     .severity = Severity::Warning,
     .because = "Python ends with a SyntaxError or a NameError.",
     .fix = "close the bracket or the quote, or import the module"},
    {.name = "python-variable",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A program of a ConfigMap reads the variables that its container has, and they "
                 "hold what JAX takes.",
     .source = "python/cpython Doc/library/os.rst: environ raises KeyError; jax-ml/jax "
               "jax/_src/distributed.py",
     .workload = check_workload,
     .severity = Severity::Warning,
     .because = "The program ends with a KeyError, or waits for processes that do not exist.",
     .fix = "write the same name in both places, and as many processes as there are pods"},
};

}  // namespace

const std::span<const Check> python_lints = kChecks;

}  // namespace trainyard
