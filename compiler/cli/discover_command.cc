#include "cli/commands.h"
#include "cli/discovery_report.h"

namespace trainyard {
namespace {

class DiscoverCommand : public Command {
 public:
  std::string_view name() const override { return "discover"; }
  std::string_view summary() const override {
    return "Write the Cluster document of a cluster, or compare it";
  }
  std::string_view description() const override {
    return "Writes a Cluster document from the output of `kubectl get -o yaml`: pools of nodes "
           "with their machines, operators with their releases, fabrics, queues, classes, claims "
           "and namespaces. The comment of a line says where it comes from; other comments say "
           "what is left to you. The same dump gives the same bytes.\n\nThe first example prints "
           "all that is read. Other output of `kubectl get` will do; a comment says what it lacks. "
           "Secrets are never read, and no file is overwritten.\n\nWithout `--from`, "
           "trainyard-cluster asks the cluster of the current context; `trainyard-cluster discover "
           "--help` has its options.";
  }
  std::vector<Example> examples() const override {
    static const std::string dump = dump_call();
    return {{dump, "What to read."},
            {"trainyard discover --from dump.yaml -o cluster.yaml", "The document of a dump."},
            {"kubectl get nodes,crds,deployments -A -o yaml | trainyard discover --from -",
             "What nodes and operators tell."},
            {"trainyard discover --from dump.yaml --update cluster.yaml",
             "What has changed; ends with 3 if anything has."}};
  }

  Arguments arguments() override {
    Arguments rows = discovery_arguments(options_);
    rows.insert(rows.begin(), {.name = "from",
                               .value = "FILE",
                               .help = "What `kubectl get -o yaml` printed: files, directories or "
                                       "-; may be given more than once",
                               .kind = ValueKind::File,
                               .into = &from_});
    rows.push_back(load_outside_argument());
    rows.push_back(output_argument());
    return rows;
  }

  ExitCode run(Io& io) override {
    if (from_.empty()) return wrong_call(io, "`discover` needs `--from FILE`");
    ExitCode code = ExitCode::Good;
    if (!can_report(io, options_, code)) return code;
    Session session(io.env);
    prepare(session, options_.session);
    const auto survey = session.sink.has_errors() ? std::nullopt : survey_of_dump(session, from_);
    if (!survey) return finish(io, session);
    return report_discovery(io, session, *survey, {options_.name, "", ""}, options_);
  }

 private:
  std::vector<std::string> from_;
  DiscoveryOptions options_;
};

}  // namespace

std::unique_ptr<Command> discover_command() {
  return std::make_unique<DiscoverCommand>();
}

}  // namespace trainyard
