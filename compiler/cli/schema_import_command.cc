#include "cli/command.h"
#include "cli/commands.h"
#include "driver/schemas/schema_import.h"

namespace trainyard {
namespace {

class SchemaImportCommand : public Command {
 public:
  std::string_view name() const override { return "schema import"; }
  std::string_view summary() const override { return "Make compact schemas from CRDs or OpenAPI"; }
  std::string_view description() const override {
    return "Turns CustomResourceDefinitions, and the definitions of an OpenAPI document that "
           "`--definition` names, into compact schemas: the structure without description texts. A "
           "folder of them, or of the CRDs as they are, serves `--schemas`.\n\n"
           "With `--output json` the report has `schemas` (the stream), or with `--output-dir` "
           "`written` (paths).";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard schema import crd.yaml -o schemas/",
             "One file for each kind and version: `<group>/<version>/<Kind>.json`."},
            {"trainyard schema import swagger.json --definition batch/v1/Job",
             "A kind of an OpenAPI document, and the definitions that it uses."}};
  }

  Arguments arguments() override {
    return {inputs_argument(request_.inputs,
                            "CRD files, OpenAPI documents, directories, or - for standard input"),
            {.name = "definition",
             .value = "KIND",
             .help = "A kind of the OpenAPI document: `batch/v1/Job`, `v1/Pod`; may be given more "
                     "than once",
             .into = &request_.definitions},
            {.name = "source",
             .value = "TEXT",
             .help = "What to record as the source, in place of the path: project, version, path",
             .into = &request_.source},
            {.name = "output-dir",
             .letter = 'o',
             .value = "DIR",
             .help = "Write files below this directory in place of a stream",
             .kind = ValueKind::Directory,
             .into = &request_.output_directory},
            {.name = "force",
             .help = "Write over compact schemas of the directory that hold something else",
             .into = &request_.force},
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    const SchemaImportResult result = import_schemas(session, request_);
    const bool good = !session.sink.has_errors();
    const std::string member = request_.output_directory.empty()
                                   ? json_member("schemas", result.stream)
                                   : json_member("written", result.written);
    const ExitCode code = finish(io, session, good ? member : "");
    if (code != ExitCode::Good) return code;
    if (!io.reports()) io.out += result.stream;
    for (const std::string& path : result.written) tell_done(io, "wrote", path);
    return code;
  }

 private:
  SchemaImportRequest request_;
};

}  // namespace

std::unique_ptr<Command> schema_import_command() {
  return std::make_unique<SchemaImportCommand>();
}

}  // namespace trainyard
