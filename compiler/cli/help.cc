#include "cli/help.h"

#include <algorithm>

#include "driver/format/text_layout.h"

namespace trainyard {
namespace {

constexpr std::size_t kWidth = 90;

/// Rows of a heading and a text, the texts below each other.
std::string in_columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t widest = 0;
  for (const auto& [heading, text] : rows) widest = std::max(widest, heading.size());
  std::string out;
  for (const auto& [heading, text] : rows) {
    const std::size_t indent = widest + 4;
    std::string wrapped;
    append_wrapped(text, indent, kWidth, wrapped);
    const std::size_t used = heading.size() + 2;
    out += "  " + heading + (wrapped.empty() ? "\n" : wrapped.substr(used));
  }
  return out;
}

}  // namespace

const std::vector<ExitCodeText>& exit_code_texts() {
  static const std::vector<ExitCodeText> texts = {
      {ExitCode::Good, "all is well"},
      {ExitCode::InputWrong,
       "the input is wrong: a spec, a manifest, a schema, or a name that "
       "does not exist"},
      {ExitCode::CallWrong, "the call is wrong: an unknown command or option, a missing value"},
      {ExitCode::OutOfDate, "`--check` found something that is out of date"},
      {ExitCode::WorldFailed,
       "memory ran out, or the file system failed to read an input or to write a file or standard "
       "output"},
      {ExitCode::OurFault, "a fault in trainyard itself; please report it"},
  };
  return texts;
}

std::string_view program_summary() {
  return "trainyard compiles short training specs to the Kubernetes manifests of multi-node GPU "
         "jobs.";
}

std::string overview(const std::vector<std::unique_ptr<Command>>& commands,
                     std::span<const ClusterCommand> on_a_cluster) {
  std::string out(program_summary());
  out += "\n\nusage: trainyard COMMAND [ARGUMENT]...\n\ncommands:\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& command : commands) rows.emplace_back(command->name(), command->summary());
  out += in_columns(rows);
  rows.clear();
  for (const ClusterCommand& each : on_a_cluster) {
    const bool is_above = std::ranges::any_of(
        commands, [&each](const auto& command) { return command->name() == each.name; });
    if (!is_above) rows.emplace_back(each.name, each.summary);
  }
  if (!rows.empty())
    out += "\non a cluster, with the package trainyard-cluster:\n" + in_columns(rows);
  out += "\noptions:\n";
  out += in_columns({{"-h, --help", "Show this help, or after a command the help of it"},
                     {"--version", "Show the version"},
                     {"--color WHEN", "Colour in messages: `auto`, `always` or `never`"}});
  out += "\nexit codes:\n";
  rows.clear();
  for (const ExitCodeText& row : exit_code_texts()) {
    rows.emplace_back(std::to_string(static_cast<int>(row.code)), row.meaning);
  }
  out += in_columns(rows);
  out += "\n`trainyard help COMMAND` describes a command, and `trainyard explain` the language.\n";
  return out;
}

std::string usage_of(const std::string& command, const Arguments& arguments) {
  std::string out = "trainyard " + command + " [OPTION]...";
  for (const CallArgument& row : arguments) {
    if (!row.operand) continue;
    const std::string word = row.name + (row.repeats() ? "..." : "");
    out += row.required ? " " + word : " [" + word + "]";
  }
  return out;
}

std::string heading_of(const CallArgument& argument) {
  if (argument.operand) return argument.name;
  std::string text = argument.letter == 0 ? "    " : std::string("-") + argument.letter + ", ";
  text += "--" + argument.name;
  if (!argument.alone.empty()) return text + "[=" + argument.value + "]";
  return argument.value.empty() ? text : text + " " + argument.value;
}

std::string help_of(Command& command) {
  const Arguments arguments = command.all_arguments();
  std::string out;
  append_wrapped(command.description(), 0, kWidth, out);
  out += "\nusage: " + usage_of(std::string(command.name()), arguments) + "\n";
  std::vector<std::pair<std::string, std::string>> operands;
  std::vector<std::pair<std::string, std::string>> options;
  for (const CallArgument& row : arguments) {
    std::string text = row.help;
    if (row.operand && !row.words.empty()) text += ": " + choices(row.words);
    (row.operand ? operands : options).emplace_back(heading_of(row), std::move(text));
  }
  if (!operands.empty()) out += "\n" + in_columns(operands);
  out += "\noptions:\n" + in_columns(options);
  const std::vector<Example> examples = command.examples();
  if (!examples.empty()) out += "\nexamples:\n";
  for (const Example& example : examples) {
    out += "  $ " + std::string(example.call) + "\n";
    append_wrapped(example.what, 6, kWidth, out);
  }
  return out;
}

}  // namespace trainyard
