#include <algorithm>
#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

// Of Kubernetes (kubernetes/kubernetes pkg/apis/core/v1/defaults.go).
constexpr std::int64_t kUsualGracePeriod = 30;
// What is left of the grace period for SIGTERM, and the least that is worth a checkpoint.
constexpr std::int64_t kToEnd = 5;
constexpr std::int64_t kLeastToWrite = 5;

/// Launchers start the ranks with LOCAL_RANK and keep most signals to themselves, so the hook looks
/// for the outermost processes that have it; process 1 stands for the rank that is none of their
/// children. Then it waits for them, because SIGTERM comes when it ends.
constexpr std::string_view kVariables =
    R"sh(ranked() { tr '\0' '\n' <"/proc/$1/environ" | grep -q )sh";
constexpr std::string_view kRank = R"sh("^LOCAL_RANK=$2")sh";
/// accelerate gives the only process that it starts no rank, but this, and hands no signal on
/// (huggingface/accelerate src/accelerate/commands/launch.py simple_launcher).
constexpr std::string_view kOfAccelerate = "ACCELERATE_MIXED_PRECISION";
constexpr std::string_view kFindRanks =
    R"sh(; } 2>/dev/null
parent() { while read -r key value _; do [ "$key" = PPid: ] && echo "$value"; done <"/proc/$1/status"; } 2>/dev/null
first=1
ranks=
for dir in /proc/[0-9]*; do
  pid=${dir#/proc/}
  up=$(parent "$pid")
  if [ "${up:-0}" -gt 0 ] && ranked "$pid" && ! ranked "$up"; then
    ranks="$ranks $pid"
    if ranked "$pid" '0$'; then first=; fi
  fi
done
ranks="$first$ranks"
)sh";
constexpr std::string_view kWait = R"sh(while [ "$left" -gt 0 ]; do
  for pid in $ranks; do kill -0 "$pid" 2>/dev/null && break; done || exit 0
  sleep 1
  left=$((left - 1))
done
)sh";

void check_grace(RuleContext& context, const Lifecycle& wanted) {
  const Duration& grace = wanted.grace_period;
  if (!grace || grace->count >= kToEnd + kLeastToWrite) return;
  context
      .report(DiagnosticKind::OutOfRange, grace.span,
              "a grace period of " + std::to_string(grace->count) +
                  " s is no time for a checkpoint; expected " +
                  std::to_string(kToEnd + kLeastToWrite) + " s or more")
      .also(wanted.checkpoint->signal.span, "it is asked for by this signal");
}

/// How a process shows that it is a rank: by its variables.
std::string_view mark(RuleContext& context, const RoleInput& input) {
  if (launcher_of(context, input) != Launcher::Accelerate) return kRank;
  const Role& role = *input.role;
  if (*role.processes * *role.replicas > 1) return kRank;
  // What the container has, process 1 has as well.
  const bool of_all = std::ranges::find(role.env, kOfAccelerate, &EnvVar::name) != role.env.end();
  return of_all ? kRank : context.text("-e ", kRank, " -e '^", kOfAccelerate, "='");
}

void run(RuleContext& context) {
  const Lifecycle& wanted = *context.spec.lifecycle;
  const auto& signal = wanted.checkpoint->signal;
  if (!signal || *signal == CheckpointSignal::Term) return;
  if (started_by_mpirun(context)) {
    context
        .report(DiagnosticKind::NotExpressible, signal.span,
                "no hook of a pod finds the processes that `mpirun` starts on other pods")
        .note("SIGTERM, the default, is handed on by `mpirun` itself");
    return;
  }
  check_grace(context, wanted);
  const OriginId origin =
      context.because({context.from(signal), context.from(wanted.grace_period)});
  const std::int64_t grace = wanted.grace_period ? wanted.grace_period->count : kUsualGracePeriod;
  const std::string_view name = spelling(*signal).substr(3);
  for (const RoleInput& input : context.roles) {
    if (!input.role->trains) continue;
    const std::string_view script =
        context.text(kVariables, mark(context, input), kFindRanks, "kill -", name,
                     " $ranks\nleft=", context.number(grace - kToEnd), "\n", kWait);
    for (std::string_view word : {std::string_view("/bin/sh"), std::string_view("-c"), script}) {
      input.role->stop_command.push_back({word, origin});
    }
  }
}

}  // namespace

extern const Rule checkpoint_signal_rule{
    "checkpoint-signal",
    Rule::Phase::Infer,
    "The signal for a checkpoint reaches the ranks before the pod is stopped, and they get time to "
    "write.",
    "The kubelet sends SIGTERM to process 1 only, and torchrun answers it by ending the ranks; "
    "what "
    "comes before is a preStop hook, within the grace period (kubernetes/kubernetes "
    "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer; pytorch/pytorch "
    "torch/distributed/elastic/multiprocessing/api.py).",
    "spec.lifecycle.checkpoint spec.lifecycle.gracePeriod spec.run role.trains role.processes "
    "role.replicas role.env target.mpirun",
    "role.stopCommand",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
