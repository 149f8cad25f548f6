// Words and numbers of training jobs that the API accepts, and that no controller understands.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool runs_torchrun(const Workload& workload) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (torchrun_call(container)) return true;
    }
  }
  return false;
}

void say_words(View at, std::string_view what, std::string_view text,
               std::span<const std::string_view> words, Severity severity, CheckContext& context) {
  std::string expected;
  for (std::string_view word : words) {
    expected += (expected.empty() ? "" : word == words.back() ? " or " : ", ") + shown(word);
  }
  context.lint(at,
               shown(text) + " is no " + std::string(what) + " of torchrun; expected " + expected,
               severity);
}

// pytorch/pytorch torch/distributed/run.py determine_local_world_size, and
// torch/distributed/elastic/rendezvous/registry.py
constexpr auto kProcessWords =
    std::to_array<std::string_view>({"a number", "auto", "gpu", "cpu", "xpu"});
constexpr auto kBackends = std::to_array<std::string_view>({"static", "c10d", "etcd", "etcd-v2"});

void torchrun_words(const Workload& workload, CheckContext& context) {
  const auto processes = [&](std::string_view text, View at, Severity severity) {
    if (text.empty() || text.find('$') != text.npos || is_all_digits(text)) return;
    if (is_one_of(text, kProcessWords)) return;
    say_words(at, "number of processes", text, kProcessWords, severity, context);
  };
  const auto backend = [&](std::string_view text, View at, Severity severity) {
    if (text.empty() || text.find('$') != text.npos || is_one_of(text, kBackends)) return;
    say_words(at, "rendezvous backend", text, kBackends, severity, context);
  };
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      if (!call) continue;
      const OptionValue& count = call->option("nproc-per-node");
      processes(count.text, count.at, Severity::Error);
      const View own = variable_value(container, "PET_NPROC_PER_NODE");
      if (own && !count) processes(own->text, own, Severity::Error);
      // Backends can be added by packages (torchrun.handlers).
      const OptionValue& name = call->option("rdzv-backend");
      backend(name.text, name.at, Severity::Warning);
      const View word = variable_value(container, "PET_RDZV_BACKEND");
      if (word && !name) backend(word->text, word, Severity::Warning);
    }
  }
  if (workload.kind != "PyTorchJob") return;
  const View count = get(workload.spec, "nprocPerNode");
  processes(string_of(count), count, runs_torchrun(workload) ? Severity::Error : Severity::Warning);
  const View name = get(get(workload.spec, "elasticPolicy"), "rdzvBackend");
  backend(string_of(name), name, Severity::Warning);
}

/// Whether the pods wait for as many as the elastic policy says: not where the command line has
/// another number, nor where it is not known who reads the operator's variables.
bool waits_for_least(const Workload& workload) {
  bool waits = false;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      if (!call) continue;
      if (call->option("nnodes") || call->may_have_more) return false;
      waits = true;
    }
  }
  return waits;
}

/// kubeflow/training-operator pkg/controller.v1/pytorch/hpa.go: with metrics an autoscaler starts
/// more.
void elastic_least(const Workload& workload, CheckContext& context) {
  if (workload.kind != "PyTorchJob") return;
  const View policy = get(workload.spec, "elasticPolicy");
  const View least = get(policy, "minReplicas");
  const WorkloadRole* workers = workload.role("Worker");
  const auto number = integer_of(least);
  if (!number || workers == nullptr || get(policy, "metrics")) return;
  const std::int64_t pods = workload.pods();
  if (pods >= *number || !waits_for_least(workload)) return;
  context
      .lint(least, "at least " + std::to_string(*number) + " nodes are waited for, and there " +
                       (pods == 1 ? "is 1 pod" : "are " + std::to_string(pods) + " pods"))
      .also(context.place(workers->count ? workers->count : workers->holder), "how many pods");
}

constexpr Check kChecks[] = {
    {.name = "torchrun-words",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "torchrun knows the words for processes and backends.",
     .source = "pytorch/pytorch torch/distributed/run.py; "
               "torch/distributed/elastic/rendezvous/registry.py",
     .workload = torchrun_words,
     .severity = Severity::Warning,
     .because = "torchrun ends with an error before any process starts.",
     .fix = "write one of the words that it knows, or a number"},
    {.name = "elastic-least",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "An elastic PyTorchJob without an autoscaler has as many pods as it waits for.",
     .source = "kubeflow/training-operator pkg/controller.v1/pytorch/elastic.go: PET_NNODES is "
               "`minReplicas:maxReplicas`, and hpa.go: an autoscaler only with `metrics`",
     .workload = elastic_least,
     .because = "The rendezvous waits for pods that do not exist, until its time-out.",
     .fix = "lower `minReplicas`, or raise `replicas` of the workers"},
};

}  // namespace

const std::span<const Check> kubeflow_lints = kChecks;

}  // namespace trainyard
