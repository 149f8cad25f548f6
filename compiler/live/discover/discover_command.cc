#include "cluster/api/access.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "live/discover/discovered_document.h"
#include "live/live_command.h"
#include "live/live_exit.h"

namespace trainyard {
namespace {

class DiscoverCommand : public LiveCommand {
 public:
  using LiveCommand::LiveCommand;

  std::string_view name() const override { return "discover"; }
  std::string_view summary() const override { return "Write the Cluster document of a cluster"; }
  std::string_view description() const override {
    return "Reads nodes, operators, queues, classes, claims and namespaces of a cluster, and "
           "writes "
           "a Cluster document from them: nodes with GPUs in pools by their labels, operators with "
           "the releases of their controllers. A comment says what is guessed, and what the API "
           "does not tell.\n\n"
           "The same cluster gives the same bytes. `trainyard doctor` compares the file with the "
           "cluster from then on.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard discover", "Print it."},
            {"trainyard discover --context dgx -o cluster.yaml",
             "Write it to a file that is not there yet."}};
  }

  Arguments arguments() override {
    Arguments rows;
    rows.push_back({.name = "out",
                    .letter = 'o',
                    .value = "FILE",
                    .help = "Write to this file, which must not exist; else to standard output",
                    .kind = ValueKind::File,
                    .into = &out_});
    rows.push_back({.name = "force", .help = "Replace the file of `-o`", .into = &force_});
    rows.push_back({.name = "name",
                    .value = "NAME",
                    .help = "`metadata.name` of the Cluster; else made of the context",
                    .into = &name_});
    rows.push_back(templates_argument(options_.templates));
    add_connection_arguments(rows);
    return rows;
  }

  ExitCode run(Io& io) override {
    if (!out_.empty() && !force_ && io.env.files.exists(out_)) {
      io.err +=
          "error: " + shown(out_) + " exists, and nothing was written\n   = help: `--force` " +
          "replaces it; `trainyard doctor -c " + foreign_text(out_) + "` says what has changed\n";
      return kNotDone;
    }
    Session session(io.env);
    prepare(session, options_);
    if (session.sink.has_errors()) return finish(io, session);
    ExitCode code = ExitCode::Good;
    const auto cluster = open(io, {}, code);
    if (cluster == nullptr) return code;
    ApiError refusal;
    const auto facts = ask_server(cluster->transport(), refusal);
    if (!facts) return tell(io, *cluster, refusal);
    const auto discovery = Discovery::of(cluster->transport(), refusal);
    if (!discovery) return tell(io, *cluster, refusal);
    std::optional<ApiError> error;
    const Survey survey = survey_cluster(cluster->transport(), *discovery, facts->version, error);
    if (error) return tell(io, *cluster, *error);
    for (const std::string& note : survey.notes) io.err += "note: " + foreign_text(note) + "\n";
    return put(io, session, discovered_document(survey, machines_of(session), from(*cluster)));
  }

 private:
  static std::vector<KnownMachine> machines_of(Session& session) {
    std::vector<KnownMachine> machines;
    for (const auto& catalogue : session.machines.all()) {
      for (const auto& machine : *catalogue->spec->machines) {
        machines.push_back({&*machine, &*catalogue->spec});
      }
    }
    return machines;
  }

  DiscoveredFrom from(const LiveCluster& cluster) const {
    const Connection& connection = cluster.connection();
    const std::string name = name_.empty() ? name_for_cluster(connection.context) : name_;
    return {name, connection.context, connection.endpoint.server};
  }

  ExitCode put(Io& io, Session& session, const std::string& document) const {
    if (out_.empty()) {
      io.out += document;
    } else if (const auto problem = io.env.files.write(out_, document)) {
      session.sink.report(DiagnosticKind::OutputFailed, {},
                          shown(out_) + " cannot be written: " + problem->message);
      return finish(io, session);
    } else {
      tell_done(io, "wrote", out_);
    }
    return ExitCode::Good;
  }

  std::string out_;
  std::string name_;
  bool force_ = false;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> discover_command(LocalMachine& machine) {
  return std::make_unique<DiscoverCommand>(machine);
}

}  // namespace trainyard
