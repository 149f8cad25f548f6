#include <algorithm>
#include <optional>
#include <string>

#include "convert/convertible_kinds.h"
#include "convert/launcher.h"
#include "convert/lifetime.h"
#include "convert/run_ai_pod.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What workload and job have in common besides their pods.
void read_frame(Conversion& job) {
  const View spec = get(job.job, "spec");
  const auto value = [&](std::string_view field) { return get(get(spec, field), "value"); };
  constexpr std::string_view kPrefix = "runai-";
  job.share({"scheduling", "system"}, job.text("runai"), {});
  job.has_template = false;
  const View name_space = get(get(job.job, "metadata"), "namespace");
  if (!job.ours && name_space && name_space->text.starts_with(kPrefix)) {
    job.share({"scheduling", "queue"}, job.text(name_space->text.substr(kPrefix.size())), {});
  }
  if (const View name = value("name")) {
    job.maker.put(job.metadata, "name", job.maker.copy(name));
    job.ledger.carried(name);
    job.ledger.derived(get(get(job.job, "metadata"), "name"));
    job.name = name->text;
  }
  const View usage = get(spec, "usage");
  if (usage && usage->text == "Submit" && !job.ours) {
    job.ledger.derived(usage);
  } else {
    job.share_copy({"runai", "usage"}, usage);
  }
  job.share_copy({"runai", "baseWorkload"}, get(spec, "baseWorkload"));
  for (std::string_view field : {"namePrefix", "username", "userId"}) {
    job.share_copy({"runai", field}, value(field));
  }
  if (const View stays = value("nonPreemptible"); is_true(stays) || is_false(stays)) {
    job.share({"scheduling", "preemptible"}, job.truth(is_false(stays)), stays);
  }
  read_seconds(job, value("autoDeletionTimeAfterCompletionSeconds"), "ttl");
  if (is_true(value("active"))) job.ledger.derived(value("active"));
  if (is_false(value("active"))) {
    job.share({"lifecycle", "suspend"}, job.truth(true), value("active"));
  }
}

/// A start of the job is one of all its pods.
void read_limit(Conversion& job, View limit, std::int64_t pods) {
  const auto count = integer_of(limit);
  if (!count) return;
  const std::int64_t retries = *count / pods;
  if (retries > 0) job.share({"lifecycle", "retries"}, job.number(retries), {});
  if (*count % pods != 0) {
    job.ledger.lost(limit,
                    "it is not a multiple of the " + std::to_string(pods) + " pods of one start",
                    "set `lifecycle.retries`, which counts starts of the whole job");
  }
  job.share({"lifecycle", "retryOn"}, job.text(*count > 0 ? "any" : "never"), {});
  job.ledger.carried(limit);
}

void read_training(Conversion& job) {
  const View spec = get(job.job, "spec");
  read_frame(job);
  ConvertedRole role;
  job.roles.push_back(role);
  read_run_ai_pod(job, job.roles.front(), spec);
  read_limit(job, get(get(spec, "backoffLimit"), "value"), job.pods);
  const auto value = [&](std::string_view field) { return get(get(spec, field), "value"); };
  for (std::string_view field : {"completions", "parallelism"}) {
    const bool usual = integer_of(value(field)) == 1 && !job.ours;
    usual ? job.ledger.derived(value(field)) : job.share_copy({"runai", field}, value(field));
  }
  if (is_true(value("mpi"))) {
    job.ledger.derived(value("mpi"));
    job.share_copy({"runai", "mpi", "workers"}, value("processes"));
    job.share_copy({"runai", "mpi", "slotsPerWorker"}, value("slotsPerWorker"));
  }
}

struct JobType {
  std::string_view word;
  std::string_view framework;
};
constexpr JobType kJobTypes[] = {{"PyTorchJob", "pytorch"},
                                 {"MPIJob", "mpi"},
                                 {"TFJob", "tensorflow"},
                                 {"XGBoostJob", "xgboost"},
                                 {"JAXJob", "jax"}};

/// What the job of an operator has beside its pods.
void read_values(Conversion& job, View spec) {
  const View torch = get(get(spec, "pyTorchJob"), "values");
  const View mpi = get(get(spec, "mpiJob"), "values");
  for (View values : {torch, mpi}) {
    if (values && values->size == 0) job.ledger.derived(values);
  }
  const View least = get(get(torch, "minReplicas"), "value");
  const View most = get(get(torch, "maxReplicas"), "value");
  if (least && most) {
    job.share_copy({"elastic", "minNodes"}, least);
    job.share_copy({"elastic", "maxNodes"}, most);
  }
  const View slots = get(get(mpi, "slotsPerWorker"), "value");
  if (!job.by_mpirun) job.processes = integer_of(slots).value_or(0);
  job.ledger.carried(slots);
  const View path = get(get(mpi, "sshAuthMountPath"), "value");
  if (path && (job.ours || path->text == "/root/.ssh" || path->text == "/home/mpiuser/.ssh")) {
    job.ledger.derived(path);
  }
}

/// The workers are the nodes of the job; what the launcher of a build starts is its program.
void read_mpirun(Conversion& job, View spec, View launcher, std::int64_t workers) {
  job.pods = workers;
  if (job.ours) {
    ConvertedRole none;
    const View front = run_ai_pod(job, none, launcher);
    const View back = run_ai_pod(job, none, spec);
    prepare_join(job, front, back);
  }
  if (!job.by_mpirun) job.framework = "mpi";
  read_values(job, spec);
  const auto role = [&](std::string_view name, View pods) {
    ConvertedRole made;
    made.name = name;
    made.pods = name == "launcher" ? 1 : workers;
    made.processes = name == "launcher" ? 0 : job.processes;
    job.roles.push_back(made);
    read_run_ai_pod(job, job.roles.back(), pods);
  };
  role("worker", spec);
  role("launcher", launcher);
  join_launcher(job);
}

/// A master and workers, or workers alone.
void read_roles(Conversion& job, View spec, std::int64_t workers) {
  const View master = get(job.job, "masterSpec");
  const bool mpi = job.framework == "mpi";
  job.pods = workers + (mpi || job.framework == "jax" ? 0 : 1);
  read_values(job, spec);
  if (master) {
    ConvertedRole first;
    first.name = mpi ? "launcher" : "master";
    job.roles.push_back(first);
    read_run_ai_pod(job, job.roles.back(), master);
  }
  ConvertedRole role;
  role.name = master ? "worker" : "";
  role.pods = master ? workers : job.pods;
  job.roles.push_back(role);
  read_run_ai_pod(job, job.roles.back(), spec);
  job.roles_are_even = !mpi && !(job.ours && master);
}

void read_distributed(Conversion& job) {
  const View spec = get(job.job, "spec");
  const View type = get(spec, "jobType");
  read_frame(job);
  const auto* known =
      type ? std::ranges::find(kJobTypes, type->text, &JobType::word) : std::end(kJobTypes);
  if (known != std::end(kJobTypes)) {
    job.framework = known->framework;
    job.ledger.carried(type);
  }
  job.port = 23456;
  // The operator counts the GPUs itself.
  const bool torch = job.framework == "pytorch";
  job.injects = [torch](std::string_view name) { return torch && name == "PET_NPROC_PER_NODE"; };
  const View count = get(get(spec, "workers"), "value");
  const std::int64_t workers = std::max<std::int64_t>(integer_of(count).value_or(1), 1);
  job.ledger.carried(count);
  const View master = get(job.job, "masterSpec");
  if (job.framework == "mpi" && job.ours && master) {
    job.framework = {};
    read_mpirun(job, spec, master, workers);
  } else {
    read_roles(job, spec, workers);
  }
  const View clean = get(get(get(get(spec, "runPolicy"), "values"), "cleanPodPolicy"), "value");
  if (clean && clean->text != "All") job.ledger.derived(clean);
  const bool launches = job.by_mpirun || job.framework == "mpi";
  read_limit(job, get(get(spec, "backoffLimit"), "value"), job.pods + (launches ? 1 : 0));
}

}  // namespace

constinit const ConvertedKind kConvertTrainingWorkload = {"run.ai", "TrainingWorkload", "",
                                                          read_training};
constinit const ConvertedKind kConvertDistributedWorkload = {"run.ai", "DistributedWorkload", "",
                                                             read_distributed};

}  // namespace trainyard
