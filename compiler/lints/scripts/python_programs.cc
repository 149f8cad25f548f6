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
#include "lints/scripts/python_calls.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "shell/python_text.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

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

/// Variables that a launcher sets for the processes it starts, and no image.
constexpr auto kOfLauncher = std::to_array<std::string_view>({"RANK", "WORLD_SIZE", "LOCAL_RANK"});

void check_variables(View container, const PythonProgram& program, CheckContext& context) {
  if (has_items(get(container, "envFrom"))) return;
  for (const WantedVariable& each : wanted_variables(program.tokens)) {
    if (variable(container, each.name)) continue;
    if (program.by_torchrun && std::ranges::find(kOfLauncher, each.name) != kOfLauncher.end()) {
      continue;
    }
    const View near = nearly_named(container, each.name, string_of(program.text));
    if (!near) continue;
    context
        .lint(WordView(program.text, each.begin, each.end),
              "nothing sets " + shown(each.name) + ", and the container has " + shown(near->text))
        .also(context.place(near), "the variable of the container");
    return;
  }
}

/// The options that the parser of a program knows; nothing where it may know more, or takes any.
/// python/cpython Lib/argparse.py
struct KnownOptions {
  std::vector<std::string_view> names;
  std::vector<std::string_view> wanted;  // required
};

std::optional<KnownOptions> options_of(Tokens tokens) {
  KnownOptions known;
  int parsers = 0;
  bool parses = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    constexpr auto kMore = std::to_array<std::string_view>(
        {"parse_known_args", "add_subparsers", "parents", "prefix_chars", "REMAINDER",
         "fromfile_prefix_chars", "add_config_arguments", "parse_intermixed_args", "argv"});
    if (std::ranges::find(kMore, text) != kMore.end()) return std::nullopt;
    parsers += text == "ArgumentParser" && i + 1 < tokens.size() && tokens[i + 1].text == "(";
    const bool is_call = i + 1 < tokens.size() && tokens[i + 1].text == "(";
    if (text == "parse_args" && is_call) {
      parses = i + 2 < tokens.size() && tokens[i + 2].text == ")";
      if (!parses) return std::nullopt;
    }
    // Another function may add to it.
    const bool is_given = text == "parser" && i > 0 && i + 1 < tokens.size() &&
                          tokens[i + 1].text != "." &&
                          (tokens[i - 1].text == "(" || tokens[i - 1].text == ",");
    if (is_given) return std::nullopt;
    if (text != "add_argument" || !is_call) continue;
    const std::size_t first = i + 2;
    if (first >= tokens.size() || tokens[first].literal().empty()) return std::nullopt;
    std::string_view longest = tokens[first].literal();
    int depth = 1;
    for (std::size_t k = first; k < tokens.size() && depth > 0; ++k) {
      const std::string_view part = tokens[k].text;
      depth += part == "(" || part == "[" || part == "{";
      depth -= part == ")" || part == "]" || part == "}";
      const std::string_view literal = tokens[k].literal();
      if (depth == 1 && literal.starts_with('-') && tokens[k - 1].text != "=") {
        known.names.push_back(literal);
        if (literal.starts_with("--")) longest = literal;
      }
      const bool is_required =
          depth == 1 && part == "required" && k + 2 < tokens.size() && tokens[k + 2].text == "True";
      if (is_required && longest.starts_with("--")) known.wanted.push_back(longest);
    }
  }
  if (parsers != 1 || !parses || known.names.empty()) return std::nullopt;
  return known;
}

/// The option that a word is, also cut short; "" for none.
std::string_view option_of(std::string_view word, const KnownOptions& known) {
  word = word.substr(0, word.find('='));
  const auto found = std::ranges::find_if(known.names, [word](std::string_view name) {
    return name == word || (word.size() > 2 && word.starts_with("--") && name.starts_with(word));
  });
  return found == known.names.end() ? std::string_view() : *found;
}

/// The arguments of a program against those that its own parser knows.
void check_arguments(const PythonProgram& program, CheckContext& context) {
  const auto known = options_of(program.tokens);
  if (!known) return;
  std::vector<std::string_view> given;
  for (View argument : program.arguments) {
    const std::string_view word = string_of(argument);
    const bool is_short = word.size() > 1 && word[0] == '-' && word[1] != '-';
    if (word.find('$') != word.npos || word == "--" || is_short) return;
    if (!word.starts_with("--")) continue;
    given.push_back(option_of(word, *known));
    if (!given.back().empty() || word == "--help") continue;
    context.lint(argument, "the program knows no option " + shown(word.substr(0, word.find('='))))
        .also(context.place(program.text), "its text");
    return;
  }
  for (std::string_view wanted : known->wanted) {
    if (std::ranges::find(given, wanted) != given.end()) continue;
    const auto at = static_cast<std::size_t>(wanted.data() - string_of(program.text).data());
    context.lint(WordView(program.text, at, at + wanted.size()),
                 "the program wants " + shown(wanted) + ", and its arguments have none");
    return;
  }
}

/// Whether ranks that each pod starts once would be as many as the program wants.
bool may_be_ranks(std::int64_t wanted, const Workload& workload) {
  const std::int64_t pods = workload.working_pods();
  const std::int64_t gpus = workload.roles.front().devices.whole;
  return wanted == pods || (gpus > 0 && wanted == pods * gpus);
}

void check_count(const Workload& workload, const PythonValue& count, std::string_view who,
                 CheckContext& context) {
  const auto processes = plain_number(count.text);
  const std::int64_t pods = workload.working_pods();
  if (!processes || workload.roles.size() != 1 || may_be_ranks(*processes, workload)) return;
  context.lint(count.at, std::string(who) + " waits for " + std::to_string(*processes) +
                             " processes, and there " +
                             (pods == 1 ? "is 1 pod" : "are " + std::to_string(pods) + " pods"));
}

/// jax-ml/jax jax/_src/distributed.py
void check_jax(const Workload& workload, View container, const PythonProgram& program,
               CheckContext& context) {
  if (!mentions(program, "coordinator_address")) return;
  const PythonValue address = argument_of(program, container, "coordinator_address");
  if (!address.text.empty() && address.text.find_first_of(":$") == address.text.npos) {
    context.lint(address.at, "JAX wants a port behind the host " + shown(address.text) +
                                 "; expected " + shown(std::string(address.text) + ":1234"));
  }
  check_count(workload, argument_of(program, container, "num_processes"), "JAX", context);
}

/// pytorch/pytorch torch/distributed/rendezvous.py: `tcp://HOST:PORT`, and the ranks of all pods.
void check_torch(const Workload& workload, View container, const PythonProgram& program,
                 CheckContext& context) {
  if (program.by_torchrun || !mentions(program, "init_process_group")) return;
  const PythonValue method = argument_of(program, container, "init_method");
  constexpr std::string_view kScheme = "tcp://";
  if (!method.text.starts_with(kScheme) || workload.working_pods() < 2) return;
  if (method.text.find_first_of(":$", kScheme.size()) == method.text.npos) {
    context.lint(method.at, "PyTorch wants a port behind the host of " + shown(method.text) +
                                "; expected " + shown(std::string(method.text) + ":29500"));
  }
  const bool spawns = mentions(program, "spawn") || mentions(program, "Process");
  if (!spawns) {
    check_count(workload, argument_of(program, container, "world_size"), "PyTorch", context);
  }
}

void check_rank_variables(const Workload& workload, const WorkloadRole& role, View container,
                          const PythonProgram& program, CheckContext& context) {
  if (program.by_torchrun || has_items(get(container, "envFrom"))) return;
  if (workload.kind == "Pod" || workload.working_pods() < 2) return;
  for (const WantedVariable& each : wanted_variables(program.tokens)) {
    if (std::ranges::find(kOfLauncher, each.name) == kOfLauncher.end()) continue;
    if (variable(container, each.name) || is_injected(workload, role, container, each.name)) {
      continue;
    }
    // Asked for, or set, in another place.
    const auto times = std::ranges::count_if(
        program.tokens, [&](const PythonToken& token) { return token.literal() == each.name; });
    if (times != 1) continue;
    context.lint(WordView(program.text, each.begin, each.end),
                 "nothing sets " + shown(each.name) + ": the program is started by no launcher");
    return;
  }
}

void check_workload(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto program = python_program(role, container, context);
      if (!program) continue;
      check_variables(container, *program, context);
      check_jax(workload, container, *program, context);
      check_torch(workload, container, *program, context);
      check_rank_variables(workload, role, container, *program, context);
      check_arguments(*program, context);
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
     .sentence = "A program of a ConfigMap reads the variables and options that its container has, "
                 "and waits for as many processes as there are.",
     .source =
         "python/cpython Doc/library/os.rst: environ raises KeyError, Lib/argparse.py; "
         "jax-ml/jax jax/_src/distributed.py; pytorch/pytorch torch/distributed/rendezvous.py",
     .workload = check_workload,
     .severity = Severity::Warning,
     .because = "The program ends with an error, or waits for processes that do not exist.",
     .fix = "write the same name in both places, and as many processes as there are pods"},
};

}  // namespace

const std::span<const Check> python_lints = kChecks;

}  // namespace trainyard
