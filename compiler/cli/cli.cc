#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace trainyard {
namespace {

/// What CLI11 prints depends on its version; what the user reads does not.
ExitCode parse_failure(const CLI::ParseError& error, const CLI::App& app, Io& io) {
  const bool is_help = error.get_exit_code() == 0;
  if (is_help) {
    io.out += error.get_name() == "CallForVersion" ? std::string(error.what()) + "\n" : app.help();
    return ExitCode::Good;
  }
  io.err += "trainyard: " + std::string(error.what()) + "\n";
  io.err += "run `trainyard --help` for the commands and their options\n";
  return ExitCode::CallWrong;
}

}  // namespace

ExitCode run_cli(const std::vector<std::string>& arguments, Io& io) {
  CLI::App app("trainyard compiles training specs to Kubernetes manifests", "trainyard");
  app.set_version_flag("--version", "trainyard " + std::string(version()));
  app.require_subcommand(1);
  std::string output = "text";
  auto commands = all_commands();
  std::vector<CLI::App*> apps;
  for (const auto& command : commands) {
    CLI::App* sub =
        app.add_subcommand(std::string(command->name()), std::string(command->summary()));
    sub->add_option("--output", output, "How diagnostics are printed: text or json")
        ->check(CLI::IsMember({"text", "json"}));
    command->options(*sub);
    apps.push_back(sub);
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    CLI::App* used = &app;
    for (CLI::App* sub : apps) {
      if (sub->parsed()) used = sub;
    }
    return parse_failure(error, *used, io);
  }
  io.json = output == "json";
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (apps[i]->parsed()) return commands[i]->run(io);
  }
  return ExitCode::CallWrong;
}

}  // namespace trainyard
