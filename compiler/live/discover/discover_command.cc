#include "cli/discovery_report.h"
#include "cluster/api/access.h"
#include "live/live_command.h"
#include "live/survey/survey_cluster.h"

namespace trainyard {
namespace {

class LiveDiscoverCommand : public LiveCommand {
 public:
  using LiveCommand::LiveCommand;

  std::string_view name() const override { return "discover"; }
  std::string_view summary() const override {
    return "Write the Cluster document of a cluster, or compare it";
  }
  std::string_view description() const override {
    return "Reads nodes, operators, queues, classes, claims and namespaces of a cluster, and "
           "writes a Cluster document from them: nodes with GPUs in pools by their labels, "
           "operators with the releases of their controllers. The comment of a line says where it "
           "comes from; other comments say what is left to you, and what you may not list. Secrets "
           "are never read, and no file is overwritten.\n\n"
           "The same cluster gives the same bytes. `--update` compares a document with the "
           "cluster instead. With `--from` the program trainyard reads a dump.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard discover", "Print it."},
            {"trainyard discover --context dgx -o cluster.yaml",
             "Write it to a file that is not there yet."},
            {"trainyard discover --update cluster.yaml",
             "What has changed; ends with 3 if anything has."}};
  }

  Arguments arguments() override {
    Arguments rows = discovery_arguments(options_);
    add_connection_arguments(rows);
    return rows;
  }

  ExitCode run(Io& io) override {
    ExitCode code = ExitCode::Good;
    if (!can_report(io, options_, code)) return code;
    Session session(io.env);
    prepare(session, options_.session);
    if (session.sink.has_errors()) return finish(io, session);
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
    const Connection& connection = cluster->connection();
    return report_discovery(io, session, survey,
                            {options_.name, connection.context, connection.endpoint.server},
                            options_);
  }

 private:
  DiscoveryOptions options_;
};

}  // namespace

std::unique_ptr<Command> live_discover_command(LocalMachine& machine) {
  return std::make_unique<LiveDiscoverCommand>(machine);
}

}  // namespace trainyard
