#include "cli/command.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace trainyard {
namespace {

class HelpCommand : public Command {
 public:
  std::string_view name() const override { return "help"; }
  std::string_view summary() const override { return "Show the commands, or one of them"; }
  std::string_view description() const override {
    return "Shows the commands, or what one of them does and takes; the same as `--help` behind "
           "the command.";
  }

  Arguments arguments() override {
    return {{.name = "COMMAND", .help = "A command", .operand = true, .into = &topic_}};
  }

  ExitCode run(Io& io) override {
    const auto commands = all_commands();
    std::string wanted;
    for (const std::string& word : topic_) wanted += (wanted.empty() ? "" : " ") + word;
    if (wanted.empty()) {
      io.out += overview(commands);
      return ExitCode::Good;
    }
    std::vector<std::string> names;
    bool found = false;
    for (const auto& command : commands) {
      names.emplace_back(command->name());
      const bool one_of_group = command->name().starts_with(wanted + " ");
      if (command->name() != wanted && !one_of_group) continue;
      if (found) io.out += "\n";
      io.out += help_of(*command);
      found = true;
    }
    if (found) return ExitCode::Good;
    return wrong_call(io, "there is no command `" + wanted + "`" + guess(wanted, names));
  }

 private:
  std::vector<std::string> topic_;
};

}  // namespace

std::unique_ptr<Command> help_command() {
  return std::make_unique<HelpCommand>();
}

}  // namespace trainyard
