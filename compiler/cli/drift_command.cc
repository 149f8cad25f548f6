#include "cli/commands.h"
#include "cli/run_git.h"
#include "driver/plan/drift.h"
#include "driver/plan/plan_trees.h"

namespace trainyard {
namespace {

class DriftCommand : public Command {
 public:
  std::string_view name() const override { return "drift"; }
  std::string_view summary() const override {
    return "Show what on a cluster differs from a tree of manifests";
  }
  std::string_view description() const override {
    return "Compares the output of `kubectl get -o yaml --show-managed-fields` with a tree "
           "of manifests. It prints fields that differ, with who wrote them, objects that "
           "the cluster lacks, and objects that Argo CD or Flux keeps and the tree lacks. "
           "Defaults, and fields that controllers fill in, are no drift. Opens no "
           "connection and writes nothing.\n\nEnds with 3 if there is any drift.";
  }
  std::vector<Example> examples() const override {
    return {
        {"kubectl get -A -o yaml --show-managed-fields jobs,pvc | trainyard drift rendered/ "
         "--live -",
         "What was changed by hand."}};
  }

  Arguments arguments() override {
    return {inputs_argument(request_.inputs, "The tree: directories and files of manifests"),
            live_argument(request_.live),
            tool_argument(request_.tool),
            namespace_argument(request_.name_space),
            cluster_argument(request_.cluster),
            schemas_argument(options_.schemas),
            strict_argument(options_.strict),
            config_argument(options_.config),
            no_config_argument(options_.no_config),
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    if (request_.live.empty()) return wrong_call(io, "`drift` needs `--live DUMP`");
    Session session(io.env);
    std::string target;
    prepare(session, options_, {request_.inputs, request_.cluster, target});
    std::unique_ptr<ClusterDocument> cluster;
    if (!session.sink.has_errors() && !request_.cluster.empty()) {
      cluster = read_cluster(session, request_.cluster);
    }
    if (session.sink.has_errors()) return finish(io, session);
    const auto states = read_sync_states(session, request_, cluster.get(), run_git);
    if (session.sink.has_errors()) return finish(io, session);
    const Drift drift = find_drift(session, *states);
    finish(io, session, drift_json(drift));
    if (!io.reports()) io.out += drift_text(drift);
    return drift.objects.empty() ? ExitCode::Good : ExitCode::OutOfDate;
  }

 private:
  PlanTreesRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> drift_command() {
  return std::make_unique<DriftCommand>();
}

}  // namespace trainyard
