#include "cli/command.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "driver/explain/explain_names.h"

namespace trainyard {
namespace {

std::vector<std::string> available_targets(Session& session) {
  std::vector<std::string> names;
  for (const TargetFacts* facts : session.all_targets()) {
    if (facts->available) names.emplace_back(facts->name);
  }
  return names;
}

/// What can be explained by its name, and the words that may stand in front of one.
std::vector<std::string> topics(Session& session) {
  std::vector<std::string> words = {"rule",   "check",      "target", "machine",
                                    "fabric", "diagnostic", "pod"};
  for (const auto names :
       {rule_names, check_names, target_names, machine_names, fabric_names, diagnostic_names}) {
    for (std::string& name : names(session)) words.push_back(std::move(name));
  }
  return words;
}

class CompletionCommand : public Command {
 public:
  explicit CompletionCommand(Telling told) : told_(std::move(told)) {}

  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override { return "Print the completion script of a shell"; }
  std::string_view description() const override {
    return "Prints a script that lets a shell complete commands, options, files, and the names of "
           "targets. It is made from the tables that the program parses its arguments with.";
  }
  std::vector<Example> examples() const override {
    return {{"source <(trainyard completion bash)", "In bash, for this session."},
            {"trainyard completion zsh > ~/.zfunc/_trainyard",
             "In zsh, with `~/.zfunc` in its `fpath`."},
            {"trainyard completion fish > ~/.config/fish/completions/trainyard.fish", "In fish."}};
  }

  Arguments arguments() override {
    return {{.name = "SHELL",
             .help = "The shell",
             .kind = ValueKind::Word,
             .words = {"bash", "zsh", "fish"},
             .operand = true,
             .required = true,
             .into = &shell_}};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    const CompletionTables tables =
        completion_tables(told_(), available_targets(session), topics(session));
    if (shell_ == "bash") io.out += bash_completion(tables);
    if (shell_ == "zsh") io.out += zsh_completion(tables);
    if (shell_ == "fish") io.out += fish_completion(tables);
    return ExitCode::Good;
  }

 private:
  Telling told_;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> completion_command() {
  return completion_command(told_commands);
}

std::unique_ptr<Command> completion_command(Telling told) {
  return std::make_unique<CompletionCommand>(std::move(told));
}

}  // namespace trainyard
