#include "cli/command.h"
#include "cli/commands.h"
#include "diag/render.h"
#include "driver/explain/find_kind.h"
#include "driver/status/status_json.h"
#include "schema/editor_schema.h"

namespace trainyard {
namespace {

class SchemaExportCommand : public Command {
 public:
  std::string_view name() const override { return "schema export"; }
  std::string_view summary() const override {
    return "Print the JSON Schema of a kind for editors";
  }
  std::string_view description() const override {
    return "Prints the schema of a kind as JSON Schema (draft 7), which yaml-language-server and "
           "other editors complete and check with.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard schema export --editor > trainingjob.json",
             "Put `# yaml-language-server: $schema=trainingjob.json` on the first line of a spec."},
            {"trainyard schema export --editor Cluster", "The same for a Cluster."},
            {"trainyard schema export Report", "What `--output json` prints, for programs."}};
  }

  Arguments arguments() override {
    return {{.name = "KIND",
             .help = "Any kind of `trainyard list schemas`, `Report` for what `--output json` "
                     "prints, or `JobStatus` for that of `status`; a TrainingJob when left out",
             .operand = true,
             .into = &kind_},
            {.name = "editor",
             .help = "In the form that editors take, which is the only one and the default",
             .into = &editor_},
            schemas_argument(options_.schemas)};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    prepare(session, options_);
    if (session.sink.has_errors()) return finish(io, session);
    if (kind_ == "Report") {
      io.out += report_schema();
      return ExitCode::Good;
    }
    if (kind_ == "JobStatus") {
      io.out += job_status_schema();
      return ExitCode::Good;
    }
    const KindChoice choice = find_kind(session, kind_);
    if (choice.kind == nullptr) return wrong_input(io, choice.error);
    io.out += editor_schema(*choice.pack, *choice.kind);
    return ExitCode::Good;
  }

 private:
  std::string kind_ = "TrainingJob";
  bool editor_ = true;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> schema_export_command() {
  return std::make_unique<SchemaExportCommand>();
}

}  // namespace trainyard
