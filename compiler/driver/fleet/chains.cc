#include "driver/fleet/chains.h"

#include <algorithm>
#include <set>

#include "diag/words.h"
#include "kind/health.h"

namespace trainyard {
namespace {

/// Flux writes the name of a Kustomization or ResourceSet into a label of what it applies.
constexpr std::size_t kLongestLabel = 63;

class ChainChecker {
 public:
  ChainChecker(Session& session, const PlannedTeam& team, const Located<Chain>& chain,
               const Cluster& cluster)
      : session_(session), team_(team), chain_(chain), cluster_(cluster) {}

  void check(const std::vector<SyncedJob>& jobs) {
    if (!flux_syncs_it()) return;
    fits_label(chain_->name);
    for (const Text& step : *chain_->steps) {
      const bool is_there = std::ranges::any_of(
          jobs, [&](const SyncedJob& job) { return job.team == team_.name() && job.job == *step; });
      if (!is_there) report_missing(step, jobs);
      fits_label(step);
      for (const SyncedJob& job : jobs) {
        if (job.team == team_.name() && job.job == *step) has_end(step, job);
      }
    }
  }

 private:
  bool flux_syncs_it() {
    const Located<GitOps>& gitops = cluster_.spec->gitops;
    if (gitops && *gitops->tool == GitOpsTool::Flux) return true;
    Diagnostic& report = session_.sink.report(
        DiagnosticKind::ConflictingValues, chain_->name.span,
        "the cluster " + shown(*cluster_.metadata->name) + " has jobs of the chain " +
            shown(*chain_->name) + ", and only Flux runs chains; expected `gitops.tool: flux`");
    report.also(gitops ? gitops->tool.span : cluster_.metadata->name.span, "the cluster");
    return false;
  }

  void report_missing(const Text& step, const std::vector<SyncedJob>& jobs) {
    std::set<std::string> names;
    for (const SyncedJob& each : jobs) {
      if (each.team == team_.name()) names.insert(each.job);
    }
    session_.sink.report(DiagnosticKind::UnknownReference, step.span,
                         "the team " + shown(team_.name()) + " has no job " + shown(*step) +
                             " in the cluster " + shown(*cluster_.metadata->name) + "; expected " +
                             listed(std::vector(names.begin(), names.end()), "or"));
  }

  /// Flux waits for what it knows: fluxcd/pkg runtime/statusreaders/job.go calls a Job that is
  /// suspended ready, and no expression changes that.
  void has_end(const Text& step, const SyncedJob& job) {
    if (is_native(*job.kind, "flux") && job.is_held) {
      session_.sink
          .report(DiagnosticKind::ConflictingValues, step.span,
                  "Flux calls the Job " + shown(*step) +
                      " ready while it is suspended, so the next step would not wait for it")
          .note("use another target for it, such as `jobset`, or no queue and no `suspend`");
    }
    if (!job.kind->signs.empty()) return;
    session_.sink.report(DiagnosticKind::ConflictingValues, step.span,
                         "nothing shows when the " + std::string(job.kind->kind) + " " +
                             shown(*step) + " has ended, so the next step cannot wait for it");
  }

  void fits_label(const Text& name) {
    const std::string whole = chain_object_name(*cluster_.metadata->name, team_.name(), *name);
    if (whole.size() <= kLongestLabel) return;
    session_.sink.report(DiagnosticKind::BadName, name.span,
                         shown(whole) + " has " + std::to_string(whole.size()) +
                             " characters, and Flux needs it as the value of a label; expected at "
                             "most " +
                             std::to_string(kLongestLabel));
  }

  Session& session_;
  const PlannedTeam& team_;
  const Located<Chain>& chain_;
  const Cluster& cluster_;
};

}  // namespace

std::string chain_object_name(std::string_view cluster, std::string_view team,
                              std::string_view name) {
  return std::string(cluster) + "-chains-" + std::string(team) + "." + std::string(name);
}

bool has_steps(const Chain& chain, std::string_view team, const std::vector<SyncedJob>& jobs) {
  return std::ranges::any_of(*chain.steps, [&](const Text& step) {
    return std::ranges::any_of(
        jobs, [&](const SyncedJob& job) { return job.team == team && job.job == *step; });
  });
}

void check_chain(Session& session, const PlannedTeam& team, const Located<Chain>& chain,
                 const Cluster& cluster, const std::vector<SyncedJob>& jobs) {
  ChainChecker(session, team, chain, cluster).check(jobs);
}

}  // namespace trainyard
