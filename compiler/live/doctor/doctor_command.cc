#include "cli/fit_report.h"
#include "diag/foreign_text.h"
#include "live/doctor/examination.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/needed_rights.h"
#include "live/survey/survey_cluster.h"

namespace trainyard {
namespace {

class LiveDoctorCommand : public LiveCommand {
 public:
  using LiveCommand::LiveCommand;

  std::string_view name() const override { return "doctor"; }
  std::string_view summary() const override {
    return "Check whether a cluster is as its Cluster document says, and whether jobs fit now";
  }
  std::string_view description() const override {
    return "Compares what the API server has with the Cluster document: releases, operators, nodes "
           "and devices of the pools, queues, classes, claims, quotas, pull secrets, and your "
           "rights. Each deviation is a finding at the line of the document. Of Secrets only the "
           "metadata is asked for.\n\n"
           "Says how much of each pool is free. Jobs that are given are placed on the nodes as "
           "they "
           "are, beside what runs. With `--offline` the program trainyard asks the document alone.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard doctor -c cluster.yaml", "Whether the document is still true."},
            {"trainyard doctor job.yaml -c cluster.yaml --context dgx",
             "And whether a job would find room now."}};
  }

  Arguments arguments() override {
    Arguments rows;
    CallArgument inputs =
        inputs_argument(request_.inputs, "Specs to place: files, directories, or -");
    inputs.required = false;
    rows.push_back(std::move(inputs));
    rows.push_back(
        {.name = "live", .help = "Ask the API server; it does so anyway", .into = &live_});
    rows.push_back(cluster_argument(request_.cluster));
    rows.push_back(target_argument(request_.target));
    rows.push_back(overlay_argument(options_.overlays));
    rows.push_back(templates_argument(options_.templates));
    rows.push_back(schemas_argument(options_.schemas));
    rows.push_back(strict_argument(options_.strict));
    rows.push_back(config_argument(options_.config));
    rows.push_back(no_config_argument(options_.no_config));
    rows.push_back(load_outside_argument());
    add_connection_arguments(rows);
    rows.push_back(report_argument());
    return rows;
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
    if (!session.sink.has_errors() && request_.cluster.empty()) {
      return wrong_call(io,
                        "`doctor` needs `--cluster FILE`, which says what should be there; "
                        "`trainyard discover` writes one");
    }
    if (session.sink.has_errors()) return finish(io, session);
    const auto document = read_cluster(session, request_.cluster);
    if (document == nullptr) return finish(io, session);
    std::vector<MeantCluster> meant;
    if (auto stated = meant_by(document->cluster, session.sources)) meant.push_back(*stated);
    ExitCode code = ExitCode::Good;
    const auto cluster = open(io, meant, code);
    if (cluster == nullptr) return code;
    Answers answers;
    if (const auto error = ask(*cluster, *document, answers)) return tell(io, *cluster, *error);
    return examine(io, session, *cluster, *document, answers);
  }

 private:
  /// All that is asked of the cluster.
  static std::optional<ApiError> ask(LiveCluster& cluster, const ClusterDocument& document,
                                     Answers& answers) {
    Transport& transport = cluster.transport();
    ApiError refusal;
    const auto facts = ask_server(transport, refusal);
    if (!facts) return refusal;
    const auto discovery = Discovery::of(transport, refusal);
    if (!discovery) return refusal;
    std::optional<ApiError> error;
    answers.survey = survey_cluster(transport, *discovery, facts->version, error);
    if (error) return error;
    answers.secrets = pull_secrets(document.cluster, document.tree);
    std::vector<NamedObject> secrets;
    for (const NamedSecret& each : answers.secrets) secrets.push_back(each.object);
    answers.presence = look_for_secrets(transport, secrets, error);
    if (error) return error;
    const Text& usual = document.cluster.spec->defaults->ns;
    const std::string name_space = usual ? std::string(*usual) : cluster.connection().name_space;
    AccessReview review = review_access(transport, rights_in(name_space));
    answers.missing_rights = std::move(review.missing);
    return review.error;
  }

  ExitCode examine(Io& io, Session& session, const LiveCluster& cluster,
                   const ClusterDocument& document, const Answers& answers) {
    Examination examination;
    Sink deviations;
    examine_cluster(session, document, answers, examination, deviations);
    for (const std::string& note : answers.survey.notes) {
      io.err += "note: " + foreign_text(note) + "\n";
    }
    DoctorResult jobs;
    if (!request_.inputs.empty()) {
      request_.seen = &examination.seen;
      jobs = doctor(session, request_);
    }
    for (const Diagnostic& each : deviations.all()) session.sink.report(each);
    const std::vector<PoolCapacity> pools = capacities(examination.pools);
    const ExitCode code =
        finish(io, session, capacity_json(pools) + ",\n  " + fits_json(jobs.jobs));
    if (io.reports()) return code;
    io.out += "Cluster " + foreign_text(cluster.heading()) + ", Kubernetes " +
              foreign_text(answers.survey.kubernetes) + "\n";
    if (!pools.empty()) io.out += "\n" + foreign_lines(capacity_text(pools));
    if (!jobs.jobs.empty()) io.out += "\n" + foreign_lines(fits_text(jobs.jobs));
    if (session.sink.all().empty()) {
      io.out += "\nThe cluster matches " + foreign_text(request_.cluster) + ".\n";
    }
    return code;
  }

  DoctorRequest request_;
  SessionOptions options_;
  bool live_ = false;
};

}  // namespace

std::unique_ptr<Command> live_doctor_command(LocalMachine& machine) {
  return std::make_unique<LiveDoctorCommand>(machine);
}

}  // namespace trainyard
