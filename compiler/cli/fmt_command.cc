#include "cli/command.h"
#include "cli/commands.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/format/format_files.h"

namespace trainyard {
namespace {

class FmtCommand : public Command {
 public:
  std::string_view name() const override { return "fmt"; }
  std::string_view summary() const override { return "Lay out specs and other YAML in one way"; }
  std::string_view description() const override {
    return "Rewrites YAML files in place, in the layout that `build` writes. Comments "
           "stay, and every value stays unchanged. Fields of a TrainingJob or a Cluster "
           "get the order of the language. If any file has an error, nothing is written. "
           "Standard input is printed on standard output.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard fmt specs/", "Lay out every file of a folder."},
            {"trainyard fmt --check specs/", "In CI: fail with 3 and a diff."}};
  }

  Arguments arguments() override {
    return {inputs_argument(request_.inputs, "Files, directories, or - for standard input"),
            {.name = "check",
             .help = "Write nothing; exit with 3 and a diff when a file is laid out otherwise",
             .into = &request_.check},
            {.name = "specs",
             .help = "Ignore files without a document of Trainyard",
             .into = &request_.specs},
            quiet_argument(),
            load_outside_argument(),
            report_argument()};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    const FormatResult result = format_files(session, request_);
    const ExitCode code = finish(io, session, members(session, result));
    summarize(io, session,
              counted(static_cast<std::uint32_t>(result.files), "file") + " read, " +
                  std::to_string(result.written.size()) + " written");
    if (code != ExitCode::Good) return code;
    if (!io.reports()) io.out += result.stream + result.difference;
    if (!quiet) {
      for (const std::string& path : result.written) tell_done(io, "wrote", path);
    }
    for (const std::string& path : result.left) {
      io.err += "skipped " + foreign_text(path) + ": it leads out of the directory\n";
    }
    return result.out_of_date ? ExitCode::OutOfDate : ExitCode::Good;
  }

 private:
  static std::string members(const Session& session, const FormatResult& result) {
    if (session.sink.has_errors()) return {};
    return json_member("written", result.written) + ",\n  " +
           json_member("difference", result.difference) + ",\n  " +
           json_member("text", result.stream);
  }

  FormatRequest request_;
};

}  // namespace

std::unique_ptr<Command> fmt_command() {
  return std::make_unique<FmtCommand>();
}

}  // namespace trainyard
