#include <algorithm>

#include "convert/convertible_kinds.h"
#include "convert/kubeflow.h"
#include "convert/rendezvous.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr KubeflowKind::Role kRoles[] = {{"Master", "master"}, {"Worker", "worker"}};
constexpr KubeflowKind kKind = {
    "PyTorchJob", "pytorchReplicaSpecs", "pytorch", "pytorch", 23456, kRoles, true};

/// `auto` and `gpu` are as many as there are GPUs, which is what a build takes anyway.
void read_processes(Conversion& job, View processes) {
  if (!processes) return;
  const auto number = Quantity::parse(processes->text);
  if (number) {
    job.processes = number->whole_units().value_or(0);
  } else if (processes->text != "auto" && processes->text != "gpu") {
    job.ledger.lost(processes, "the number of processes is that of the GPUs, or a number",
                    "set `processesPerNode`");
  }
  job.ledger.carried(processes);
}

void read_elastic(Conversion& job, View policy) {
  if (!policy) return;
  const View least = get(policy, "minReplicas");
  const View most = get(policy, "maxReplicas");
  const std::int64_t from = integer_of(least).value_or(integer_of(most).value_or(job.pods));
  const std::int64_t to = integer_of(most).value_or(from);
  job.share({"elastic", "minNodes"}, job.number(from), least);
  job.share({"elastic", "maxNodes"}, job.number(to), most);
  const View restarts = get(policy, "maxRestarts");
  if (restarts) job.share_copy({"elastic", "maxRestarts"}, restarts);
  ConvertedRole& role = job.roles.back();
  const auto settle = [&](std::string_view field, std::string_view option) {
    const View value = get(policy, field);
    if (!value) return;
    const auto wrong = settle_rendezvous_option(job, role, option, value->text);
    if (wrong) {
      job.ledger.lost(value, *wrong, "`run.rendezvous` decides how ranks meet");
    } else {
      job.ledger.derived(value);
    }
  };
  if (const View backend = get(policy, "rdzvBackend"); backend && backend->text == "c10d") {
    job.ledger.derived(backend);  // which an elastic job has anyway
  } else {
    settle("rdzvBackend", "rdzv-backend");
  }
  settle("rdzvHost", "master-addr");
  settle("rdzvPort", "master-port");
  settle("rdzvId", "rdzv-id");
  if (is_false(get(policy, "standalone"))) job.ledger.derived(get(policy, "standalone"));
}

void read(Conversion& job) {
  const View spec = get(job.job, "spec");
  const View elastic = get(spec, "elasticPolicy");
  read_processes(job, get(spec, "nprocPerNode"));
  read_processes(job, get(elastic, "nProcPerNode"));  // deprecated, and goes before the other
  read_kubeflow_job(job, kKind);
  if (!job.roles.empty()) read_elastic(job, elastic);
}

}  // namespace

constinit const ConvertedKind kConvertPyTorchJob = {"kubeflow.org", "PyTorchJob", "v1", read};

}  // namespace trainyard
