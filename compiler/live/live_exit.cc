#include "live/live_exit.h"

#include <array>

#include "driver/diagnose/read_dump.h"

namespace trainyard {
namespace {

/// Refusals that the API server tells apart by its words alone.
struct KnownProblem {
  int status;
  std::string_view words;  // in the message
  ExitCode code;
  std::string_view help;
};

// The words: kubernetes/kubernetes staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/
// controller.go, staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go,
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors,
// plugin/pkg/admission/namespace/lifecycle.
constexpr auto kKnown = std::to_array<KnownProblem>({
    {403, "exceeded quota", kNoRoom,
     "wait until others have ended, ask for less, or have the quota raised; `kubectl describe "
     "resourcequota` shows what is used"},
    {403, "being terminated", ExitCode::InputWrong,
     "wait until the namespace is gone and make it again, or name another one by `-n`"},
    {403, " denied ", ExitCode::InputWrong, "ask the team that owns this policy what it wants"},
    {403, " cannot ", kNotReached, "`trainyard ping` prints the Role that grants what is missing"},
    {404, "namespaces \"", kNoSuchJob, "create the namespace, or name another one by `-n`"},
    {429, "", kNotReached,
     "the API server is busy: try again later, or wait longer by "
     "`--request-timeout`"},
    {500, "calling webhook", kNotReached,
     "the operator behind this webhook does not answer, and nothing that it checks can be written "
     "until it does; `kubectl get pods -A` shows whether it runs"},
    {503, "", kNotReached, "the API server is not ready: try again later"},
    {504, "", kNotReached, "the API server took too long: try again later"},
});

const KnownProblem* known(const ApiError& error) {
  if (error.is_connection()) return nullptr;
  for (const KnownProblem& each : kKnown) {
    if (each.status != error.status) continue;
    if (error.message.find(each.words) != std::string::npos) return &each;
  }
  return nullptr;
}

}  // namespace

std::vector<ExitCodeText> live_exit_texts() {
  return {{kNotReached,
           "the cluster cannot be reached, refuses the user, is lost, or cannot answer now"},
          {kJobFailed, "the job failed"},
          {kNoSuchJob, "the job does not exist, or went without an end"},
          {kTimedOut, "`--timeout` passed"},
          {kNotDone, "a conflict, or a question that was answered with no; nothing was written"},
          {kNoRoom, "a quota of the namespace is full"},
          {kInterrupted, "Ctrl-C; the job is not touched"}};
}

ExitCode exit_code_of(const ApiError& error) {
  if (error.trouble == Trouble::Interrupted) return kInterrupted;
  if (error.is_connection() || is_unavailable(error) || error.is_gone()) return kNotReached;
  if (const KnownProblem* problem = known(error)) return problem->code;
  if (error.is_refused()) return kNotReached;
  if (error.is_not_found()) return kNoSuchJob;
  return error.is_conflict() ? kNotDone : ExitCode::InputWrong;
}

std::string_view help_for(const ApiError& error) {
  const KnownProblem* problem = known(error);
  return problem == nullptr ? std::string_view() : problem->help;
}

}  // namespace trainyard
