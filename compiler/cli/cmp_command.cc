#include "cli/command.h"
#include "cli/commands.h"
#include "diag/foreign_text.h"
#include "driver/argocd/plugin.h"

namespace trainyard {
namespace {

class CmpCommand : public Command {
 public:
  std::string_view name() const override { return "cmp"; }
  std::string_view summary() const override { return "Run as a plugin of Argo CD"; }
  std::string_view description() const override {
    return "What a config management plugin of Argo CD has to do. `plugin-yaml` prints the file "
           "that a sidecar has at /home/argocd/cmp-server/config/plugin.yaml. From there Argo CD "
           "calls the others in the folder of an Application: `discover` prints the first file "
           "with a TrainingJob, `generate` the objects of all specs with the other objects beside "
           "them, and `parameters` what an Application can set.\n\n"
           "Parameters are `cluster`, `overlays`, `target` and `strict`, from "
           "ARGOCD_APP_PARAMETERS, or from ARGOCD_ENV_CLUSTER and so on. Findings are on standard "
           "error, without secrets, for Argo CD shows them to everybody.\n\n"
           "`paths`, which you call in the folder of an Application, prints the annotation that "
           "tells Argo CD which other files its specs are made from.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard cmp plugin-yaml > plugin.yaml", "The configuration of the sidecar."},
            {"cd apps/nlp && trainyard cmp paths",
             "The annotation for an Application whose specs extend files of other folders."}};
  }

  Arguments arguments() override {
    return {{.name = "WHAT",
             .help = "What to do",
             .kind = ValueKind::Word,
             .words = {"plugin-yaml", "discover", "generate", "parameters", "paths"},
             .operand = true,
             .required = true,
             .into = &what_}};
  }

  ExitCode run(Io& io) override {
    if (what_ == "plugin-yaml") {
      io.out += plugin_yaml();
      return ExitCode::Good;
    }
    const Variables variables = [&io](const std::string& name) {
      return io.variable ? io.variable(name) : std::nullopt;
    };
    Session session(io.env);
    if (what_ == "discover") {
      const std::string found = discover(session, variables);
      if (!found.empty()) io.out += foreign_text(found) + "\n";
      return ExitCode::Good;
    }
    PluginSettings settings = plugin_settings(session, variables);
    if (session.sink.has_errors()) return finish(io, session);
    const std::vector<std::string> inputs = {"."};
    prepare(session, options_of(settings), {inputs, settings.cluster, settings.target});
    return run(io, session, settings);
  }

 private:
  static SessionOptions options_of(const PluginSettings& settings) {
    SessionOptions options;
    options.strict = settings.strict;
    options.overlays = settings.overlays;
    return options;
  }

  ExitCode run(Io& io, Session& session, const PluginSettings& settings) {
    if (what_ == "parameters") {
      if (!session.sink.has_errors()) io.out += plugin_parameters(settings);
      return finish(io, session);
    }
    std::string objects;
    if (!session.sink.has_errors()) objects = generate(session, settings);
    const ExitCode code = finish(io, session);
    if (code != ExitCode::Good) return code;
    if (what_ == "paths") {
      io.out += generate_paths(session);
      return code;
    }
    if (const std::string told = version_warning(session, settings); !told.empty()) {
      io.err += "warning: " + foreign_text(told) + "\n";
    }
    io.out += objects;
    return code;
  }

  std::string what_;
};

}  // namespace

std::unique_ptr<Command> cmp_command() {
  return std::make_unique<CmpCommand>();
}

}  // namespace trainyard
