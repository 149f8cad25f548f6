#include "cli/command.h"
#include "cli/commands.h"
#include "driver/function/run_function.h"

namespace trainyard {
namespace {

class FnCommand : public Command {
 public:
  std::string_view name() const override { return "fn"; }
  std::string_view summary() const override {
    return "Run as a function of kustomize or kpt (KRM)";
  }
  std::string_view description() const override {
    return "Reads a ResourceList from standard input and writes one to standard output, as "
           "kustomize, kpt and others call functions. TrainingJobs, TrainingJobLayers and Clusters "
           "among its items give way to the objects that they make; one with the annotation "
           "`config.kubernetes.io/local-config: \"true\"` stays. Other items stay as they are, "
           "with their comments.\n\n"
           "The functionConfig says what to do: a TrainingJob or a Cluster is compiled, too; "
           "`kind: Validate` checks all items and changes none; `kind: Build`, and a ConfigMap, "
           "have options: `cluster`, `overlay`, `target`, `kubernetesVersion` and `strict`, under "
           "`spec` and `data`. A ConfigMap may say `function: validate`.\n\n"
           "Findings are in `results`, and as text on standard error, for kustomize shows no "
           "results. With an error the items are unchanged and the exit code is 1.";
  }
  std::vector<Example> examples() const override {
    return {{"kpt fn eval --exec 'trainyard fn' deploy/ -- cluster=cluster.yaml",
             "Compile the specs of a package."},
            {"kustomize build --enable-alpha-plugins --enable-exec .",
             "With `config.kubernetes.io/function` on a file under `generators` or "
             "`transformers`."}};
  }

  Arguments arguments() override {
    return {templates_argument(options_.templates), schemas_argument(options_.schemas),
            policy_argument(options_.policies),     config_argument(options_.config),
            no_config_argument(options_.no_config), load_outside_argument()};
  }

  ExitCode run(Io& io) override {
    FilesInFront files(io.env.files);
    Env env = {files, io.env.read_stdin, io.env.excluded, io.env.load_outside, io.env.directories};
    Session session(env);
    const auto list = read_resource_list(session);
    if (!list) return finish(io, session);
    put_in_front(*list, files);
    return run(io, session, *list);
  }

 private:
  ExitCode run(Io& io, Session& session, ResourceList& list) {
    FunctionOptions& options = list.options;
    if (!options.kubernetes.empty() && !kubernetes_version(options.kubernetes)) {
      return wrong_input(io, "`" + options.kubernetes +
                                 "` is no version of Kubernetes; expected one such as `1.33`");
    }
    std::vector<std::string> inputs;
    for (const FunctionItem& each : list.items) inputs.push_back(each.input);
    options_.strict = options.strict;
    if (!options.overlay.empty()) options_.overlays = {options.overlay};
    prepare(session, options_, {inputs, options.cluster, options.target, &options.kubernetes});
    if (const auto version = kubernetes_version(options.kubernetes)) session.kubernetes = version;
    if (!session.sink.has_errors()) io.out += run_function(session, list);
    return finish(io, session);
  }

  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> fn_command() {
  return std::make_unique<FnCommand>();
}

}  // namespace trainyard
