#include "cli/command.h"
#include "cli/commands.h"
#include "diag/words.h"
#include "driver/explain/list.h"

namespace trainyard {
namespace {

class ListCommand : public Command {
 public:
  std::string_view name() const override { return "list"; }
  std::string_view summary() const override {
    return "List targets, rules, checks, fabrics, machines, examples, schemas and more";
  }
  std::string_view description() const override {
    return "Prints a table of what this version knows. `--output json` and `--output "
           "markdown` have more columns. `trainyard explain` describes each row. `list "
           "health --output argocd` prints the health scripts of all kinds of jobs, as a "
           "patch of the ConfigMap argocd-cm. `--output flux` prints the "
           "`healthCheckExprs` of a Kustomization. Both read a status as `trainyard "
           "explain status` does.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard list targets", "Targets, and what takes their jobs."},
            {"trainyard list targets -v", "The same with what each cannot express."},
            {"trainyard list checks launch", "The checks of how ranks start."},
            {"trainyard list machines --output json", "The machine catalogue, for programs."},
            {"trainyard list examples", "Specs that `trainyard new --from` copies."},
            {"trainyard list health --output argocd | kubectl apply --server-side -f -",
             "Argo CD knows how far training jobs are."}};
  }

  Arguments arguments() override {
    return {
        {.name = "WHAT",
         .help = "What to list",
         .kind = ValueKind::Word,
         .words = list_names(),
         .operand = true,
         .required = true,
         .into = &what_},
        {.name = "SELECTOR",
         .help = "Which checks: a name, a pattern (`mpi-*`), a group (`launch`), an effect "
                 "(`never-runs`) or a stage (`preview`)",
         .operand = true,
         .into = &selector_},
        {.name = "verbose",
         .letter = 'v',
         .help = "All columns, also the wide ones: what targets cannot express, what rules read",
         .into = &verbose_},
        {.name = "queued",
         .value = "WORD",
         .help = "What Argo CD calls a job that waits in a queue: `suspended`, the default, or "
                 "`healthy`, so that its Application is healthy, too",
         .kind = ValueKind::Word,
         .words = {"suspended", "healthy"},
         .into = &queued_},
        templates_argument(options_.templates),
        policy_argument(options_.policies),
        config_argument(options_.config),
        no_config_argument(options_.no_config),
        schemas_argument(options_.schemas),
        output_argument({"text", "json", "markdown", "argocd", "flux"})};
  }

  ExitCode run(Io& io) override {
    if (!queued_.empty() && output != "argocd") {
      return wrong_call(io, "`--queued` is for `trainyard list health --output argocd`");
    }
    const bool is_document = output == "argocd" || output == "flux";
    if (is_document && what_ != "health") {
      return wrong_call(io, "`--output " + output + "` is for `trainyard list health`");
    }
    if (!selector_.empty() && what_ != "checks") {
      return wrong_call(io, "a selector is for `trainyard list checks`");
    }
    Session session(io.env);
    what_ == "checks" ? prepare_here(session, options_) : prepare(session, options_);
    if (is_document && !session.sink.has_errors()) {
      io.out += health_document(session.job_kinds(), output,
                                queued_ == "healthy" ? QueuedIs::Healthy : QueuedIs::Suspended);
      return ExitCode::Good;
    }
    auto table = list_table(session, what_);
    if (session.sink.has_errors() || !table) return finish(io, session);
    if (!selector_.empty() && !keep_selected(session, selector_, *table)) {
      return wrong_call(io, "there is no check, group, effect or stage " + shown(selector_));
    }
    for (Column& column : table->columns) column.in_text = column.in_text || verbose_;
    if (output == "json") {
      io.out += table_json(*table);
    } else {
      io.out += output == "markdown" ? table_markdown(*table) : table_text(*table);
    }
    return ExitCode::Good;
  }

 private:
  std::string what_;
  std::string selector_;
  bool verbose_ = false;
  std::string queued_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> list_command() {
  return std::make_unique<ListCommand>();
}

}  // namespace trainyard
