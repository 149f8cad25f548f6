#include "driver/build/build.h"

#include <memory>
#include <utility>

#include "driver/build/gathered_jobs.h"
#include "driver/build/more_mistakes.h"
#include "driver/build/output_directory.h"
#include "driver/build/run_sources.h"
#include "driver/session/inputs.h"
#include "emit/artifact.h"

namespace trainyard {
namespace {

OutputRequest output_request(const BuildRequest& request) {
  OutputRequest output;
  output.path = request.output_directory;
  output.maps = request.provenance;
  output.prune = request.prune;
  output.yes = request.yes;
  output.findings = request.findings;
  output.kustomization = request.kustomization;
  return output;
}

/// The stream in the order of the jobs' names, which the order of the inputs does not change.
BuiltStream ordered_stream(GatheredJobs& gathered) {
  std::vector<Spool::Piece> texts;
  texts.reserve(gathered.jobs.size());
  for (const auto& [key, job] : gathered.jobs) {
    if (job.text.size != 0) texts.push_back(job.text);
  }
  if (texts.empty()) return {};  // a header alone is no document
  return {std::string(kHeader) + gathered.releases.lines(), std::move(gathered.spool),
          std::move(texts)};
}

BuildResult into_directory(Session& session, const BuildRequest& request, GatheredJobs& gathered) {
  gathered.jobs.clear();  // there may be very many, and nothing else to report of them
  RunSources sources(session.env.files, request.output_directory, request.inputs);
  for (const std::string& source : gathered.sources) sources.add(source);
  OutputDirectory directory(session, output_request(request), std::move(sources),
                            lay_out(std::move(gathered.outputs)), std::move(gathered.spool));
  return update(directory, request.check);
}

}  // namespace

BuildResult update(OutputDirectory& directory, bool check_only) {
  BuildResult result;
  if (check_only) {
    OutputDirectory::Check check = directory.check();
    result.difference = std::move(check.difference);
    result.told = std::move(check.told);
    result.findings = std::move(check.findings);
    result.out_of_date = !result.difference.empty();
    return result;
  }
  OutputDirectory::Changes changes = directory.write();
  result.written = std::move(changes.written);
  result.removed = std::move(changes.removed);
  result.kept = std::move(changes.kept);
  result.told = std::move(changes.told);
  return result;
}

BuildResult build(Session& session, const BuildRequest& request) {
  std::unique_ptr<ClusterDocument> cluster;
  if (!request.cluster.empty()) {
    cluster = read_cluster(session, request.cluster);
    if (cluster == nullptr) {
      report_mistakes_behind_cluster(session, request.cluster, request.inputs, request.target);
      return {};
    }
  }
  GatheredJobs gathered(session, request);
  gathered.begin(cluster.get());
  gathered.compile_files(input_files(request.inputs, session.env, session.sink));
  if (gathered.documents == 0 && !session.sink.has_errors()) {
    session.sink.report(DiagnosticKind::NoInput, {},
                        "the input holds no TrainingJob and no Cluster");
  }
  BuildResult result;
  const std::size_t specs = gathered.documents;
  if (!session.sink.has_errors()) {
    if (request.output_directory.empty()) {
      result.stream = ordered_stream(gathered);
    } else {
      result = into_directory(session, request, gathered);
    }
  }
  result.specs = specs;
  return result;
}

}  // namespace trainyard
