#include "cli/cli.h"

#include <algorithm>

#include "cli/help.h"

namespace trainyard {
namespace {

using Commands = std::vector<std::unique_ptr<Command>>;

/// A call, taken apart: which command, and the words that are for it.
struct Call {
  Command* command = nullptr;
  std::vector<std::string> words;
  std::string asked_for;  // the command's name as it was written
};

std::string_view first_word(std::string_view name) {
  return name.substr(0, name.find(' '));
}

/// `--color never` and the like may stand in front of the command.
std::size_t place_of_command(const std::vector<std::string>& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with('-')) {
    at += arguments[at] == "--color" ? 2U : 1U;
  }
  return std::min(at, arguments.size());
}

Call take_apart(const std::vector<std::string>& arguments, const Commands& commands) {
  Call call;
  call.words = arguments;
  const std::size_t at = place_of_command(arguments);
  if (at == arguments.size()) return call;
  const auto take = [&](std::size_t count) {
    const auto begin = call.words.begin() + static_cast<std::ptrdiff_t>(at);
    call.words.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  call.asked_for = arguments[at];
  const std::string two = at + 1 < arguments.size() ? arguments[at] + " " + arguments[at + 1] : "";
  for (const auto& command : commands) {
    if (command->name() != arguments[at] && command->name() != two) continue;
    call.command = command.get();
    take(command->name() == two ? 2 : 1);
    return call;
  }
  return call;
}

/// Commands of two words whose first one this is.
std::vector<std::string> below(std::string_view word, const Commands& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (command->name() != word && first_word(command->name()) == word) {
      names.emplace_back(command->name());
    }
  }
  return names;
}

std::string version_line(std::string_view commit) {
  std::string line = "trainyard " + std::string(version());
  if (!commit.empty()) line += " (commit " + std::string(commit) + ")";
  return line + "\n";
}

ExitCode no_command(const Call& call, const Commands& commands, Io& io) {
  const auto has = [&](std::string_view a, std::string_view b) {
    return std::any_of(call.words.begin(), call.words.end(),
                       [&](const std::string& word) { return word == a || word == b; });
  };
  const std::vector<std::string> group = below(call.asked_for, commands);
  if (has("--help", "-h") || (call.words.empty() && call.asked_for.empty())) {
    io.out += overview(commands);
    return ExitCode::Good;
  }
  if (call.asked_for.empty() && has("--version", "--version")) {
    io.out += version_line(io.commit);
    return ExitCode::Good;
  }
  if (call.asked_for.empty()) {
    std::string unknown;
    for (const std::string& word : call.words) {
      if (unknown.empty() && word != "--color" && !word.starts_with("--color=")) unknown = word;
    }
    wrong_call(io, unknown.empty() ? "a command is missing"
                                   : "there is no option `" + unknown + "`" +
                                         guess(unknown, {"--help", "--version", "--color"}));
  } else if (!group.empty()) {
    wrong_call(io, "`" + call.asked_for + "` is followed by another word: " + choices(group));
  } else {
    std::vector<std::string> names;
    for (const auto& command : commands) names.emplace_back(first_word(command->name()));
    for (const ClusterCommand& each : cluster_commands()) names.emplace_back(each.name);
    wrong_call(io, "there is no command `" + call.asked_for + "`" + guess(call.asked_for, names));
  }
  io.err += "run `trainyard help` for the commands\n";
  return ExitCode::CallWrong;
}

}  // namespace

ExitCode run_cli(const std::vector<std::string>& arguments, Io& io, const Commands& commands) {
  const Call call = take_apart(arguments, commands);
  if (call.command == nullptr) return no_command(call, commands, io);
  Command& command = *call.command;

  const auto fault = parse_arguments(command.all_arguments(), command.name(), call.words);
  const auto end = std::find(call.words.begin(), call.words.end(), "--");
  const bool asks_help = std::any_of(call.words.begin(), end, [](const std::string& word) {
    return word == "--help" || word == "-h";
  });
  if (asks_help) {  // whatever else is wrong with the call
    io.out += help_of(command);
    return ExitCode::Good;
  }
  if (fault) {
    wrong_call(io, *fault);
    io.err += "see `trainyard help " + std::string(command.name()) + "`\n";
    return ExitCode::CallWrong;
  }
  io.format = output_format(command.output);
  if (command.colour != "auto") io.colour = command.colour == "always";
  io.env.load_outside = command.load_outside;
  io.all = command.all;
  if (command.quiet) {
    io.seconds = nullptr;
    io.env.progress = nullptr;
  }
  return command.run(io);
}

}  // namespace trainyard
