#include "cli/command.h"
#include "cli/commands.h"
#include "driver/explain.h"

namespace trainyard {
namespace {

class ExplainCommand : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override {
    return "Explain a field, a rule, a check, a target, a machine or a message";
  }
  std::string_view description() const override {
    return "Explains a field of a TrainingJob (`spec.network`), of a Cluster "
           "(`Cluster.spec.pools`) "
           "or of any kind that has a schema (`Job.spec.template`, `batch/v1/Job`); or with the "
           "word `rule`, `check`, `target`, `machine`, `fabric` or `diagnostic` in front what has "
           "that name. A name "
           "alone is explained as everything that it means. Without a topic: the fields of a "
           "TrainingJob.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard explain spec.network", "A field, its values, its default."},
            {"trainyard explain --kind Cluster spec.pools", "The same for another kind."},
            {"trainyard explain ambiguous-scalar", "What the name behind a message means."}};
  }

  Arguments arguments() override {
    return {{.name = "TOPIC",
             .help = "A field path, a name, or a word and a name",
             .kind = ValueKind::Topic,
             .operand = true,
             .into = &request_.topic},
            {.name = "kind",
             .letter = 'k',
             .value = "KIND",
             .help = "The kind whose field it is: `Cluster`, `Job`, `batch/v1/Job`",
             .into = &request_.kind},
            templates_argument(options_.templates),
            schemas_argument(options_.schemas)};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    prepare(session, options_);
    if (session.sink.has_errors()) return finish(io, session);
    const Explanation explanation = explain_topic(session, request_);
    const ExitCode code = finish(io, session);
    if (explanation.call_wrong) return wrong_call(io, explanation.error);
    if (!explanation.error.empty()) return wrong_input(io, explanation.error);
    io.out += explanation.text;
    return code;
  }

 private:
  ExplainRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> explain_command() {
  return std::make_unique<ExplainCommand>();
}

}  // namespace trainyard
