#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/commands.h"
#include "driver/validate.h"

namespace trainyard {
namespace {

class ValidateCommand : public Command {
 public:
  std::string_view name() const override { return "validate"; }
  std::string_view summary() const override { return "Check specs and any Kubernetes manifests"; }
  std::string_view description() const override {
    return "Checks every document of the inputs: a TrainingJob is compiled and what comes out is "
           "checked; other Kubernetes objects are checked against the schemas of their kinds, as "
           "the "
           "API server does with strict field validation. Writes nothing.";
  }

  void options(CLI::App& app) override {
    app.add_option("inputs", request_.inputs, "Files, directories, or - for standard input")
        ->required();
    app.add_option("-c,--cluster", request_.cluster, "The Cluster that the specs are for");
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    const ValidateResult result = validate(session, request_);
    const ExitCode code = finish(io, session);
    if (code == ExitCode::Good && !io.json) {
      io.err += std::to_string(result.documents) +
                (result.documents == 1 ? " document is valid\n" : " documents are valid\n");
    }
    return code;
  }

 private:
  ValidateRequest request_;
};

}  // namespace

std::unique_ptr<Command> validate_command() {
  return std::make_unique<ValidateCommand>();
}

}  // namespace trainyard
