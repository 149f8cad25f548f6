#include "editor/job_lens.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "diag/words.h"
#include "driver/build/compile.h"
#include "driver/build/variants.h"
#include "driver/doctor/doctor.h"

namespace trainyard {
namespace {

/// What the variants of one document come to.
struct Sums {
  std::size_t jobs = 0;
  std::size_t objects = 0;
  std::int64_t gpus = 0;
  std::vector<std::string> names;
  std::size_t at = 0;  // of its name
};

std::string title(const Sums& sums, const std::map<std::string, std::set<std::string>>& pools,
                  bool has_cluster) {
  const auto count = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  std::string text = "compiles to " +
                     (sums.jobs > 1 ? counted(count(sums.jobs), "job") + ", " : "") +
                     counted(count(sums.objects), "object") + ", " + std::to_string(sums.gpus) +
                     (sums.gpus == 1 ? " GPU" : " GPUs");
  if (!has_cluster) return text;
  std::set<std::string> fits;
  std::size_t jobs = 0;
  for (const std::string& job : sums.names) {
    const auto found = pools.find(job);
    if (found == pools.end()) continue;
    ++jobs;
    fits.insert(found->second.begin(), found->second.end());
  }
  if (jobs < sums.names.size()) return text + ", does not fit the Cluster";
  std::string names;
  for (const std::string& each : fits) names += (names.empty() ? " " : ", ") + each;
  return fits.empty() ? text : text + (fits.size() == 1 ? ", fits pool" : ", fits pools") + names;
}

}  // namespace

Json job_lenses(Workspace& workspace, const OpenDocument& document) {
  Json lenses = Json::array();
  if (document.text.find("TrainingJob") == std::string::npos) return lenses;
  EditorRun run(workspace, document.path);
  Session& session = run.session;
  const std::string& path = run.request.cluster;
  const auto cluster = path.empty() ? nullptr : read_cluster(session, path);
  if (session.sink.has_errors()) return lenses;
  std::vector<Sums> found;
  std::vector<Document> documents =
      read_inputs({document.path}, session.env, session.sources, session.sink, session.limits,
                  Ambiguity::Kubernetes);
  for (Document& each : documents) {
    if (each.kind != "TrainingJob" || !each.api_version.starts_with("trainyard/")) continue;
    const View name = each.root()["metadata"]["name"];
    const std::size_t errors = session.sink.error_count();
    Sums sums;
    sums.at = name ? name->span.begin : 0;
    Compilation made;
    for_each_variant(session, each, [&](Document& variant) {
      if (!compile(session, variant, cluster.get(), run.request.target, made)) return;
      ++sums.jobs;
      sums.objects += made.objects.objects.size();
      for (const Role& role : made.plan.roles) {
        if (role.gpus) sums.gpus += *role.gpus * (role.replicas ? *role.replicas : 1);
      }
      sums.names.emplace_back(*made.plan.job);
    });
    if (sums.jobs != 0 && session.sink.error_count() == errors) found.push_back(std::move(sums));
  }
  std::map<std::string, std::set<std::string>> pools;
  if (cluster != nullptr && !found.empty()) {
    EditorRun placing(workspace, document.path);
    DoctorRequest request;
    request.inputs = {document.path};
    request.cluster = path;
    request.target = run.request.target;
    for (const JobFit& fit : doctor(placing.session, request).jobs) {
      for (const PoolShare& share : fit.shares) pools[fit.job].emplace(share.pool);
    }
  }
  for (const Sums& each : found) {
    lenses.push_back(
        {{"range", range_json(document.lines, document.text, each.at, each.at, workspace.unit)},
         {"command", {{"title", title(each, pools, cluster != nullptr)}, {"command", ""}}}});
  }
  return lenses;
}

}  // namespace trainyard
