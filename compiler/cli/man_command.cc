#include "cli/command.h"
#include "cli/commands.h"
#include "cli/manual.h"

namespace trainyard {
namespace {

class ManCommand : public Command {
 public:
  explicit ManCommand(Telling told) : told_(std::move(told)) {}

  std::string_view name() const override { return "man"; }
  std::string_view summary() const override { return "Print the manual page"; }
  std::string_view description() const override {
    return "Prints the manual page as troff, made from the tables that the program parses its "
           "arguments with.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard man | man -l -", "Read it."}};
  }
  Arguments arguments() override { return {}; }

  ExitCode run(Io& io) override {
    io.out += manual(told_());
    return ExitCode::Good;
  }

 private:
  Telling told_;
};

}  // namespace

std::unique_ptr<Command> man_command() {
  return man_command(told_commands);
}

std::unique_ptr<Command> man_command(Telling told) {
  return std::make_unique<ManCommand>(std::move(told));
}

}  // namespace trainyard
