#include <algorithm>
#include <string>
#include <vector>

#include "convert/convertible_kinds.h"
#include "convert/kubeflow.h"
#include "convert/launcher.h"
#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "manifest/launch.h"
#include "manifest/workload.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The workers are the nodes of the job; what the launcher starts is its program.
class MpiReader {
 public:
  explicit MpiReader(Conversion& job)
      : job_(job),
        spec_(get(job.job, "spec")),
        workload_(read_workload(job.job, "kubeflow.org", "MPIJob")) {}

  void read() {
    const WorkloadRole* launcher = workload_.role("Launcher");
    const WorkloadRole* worker = workload_.role("Worker");
    job_.pods = worker == nullptr ? 1 : std::max<std::int64_t>(worker->pods, 1);
    const bool works = worker != nullptr && is_true(get(spec_, "runLauncherAsWorker"));
    if (works) ++job_.pods;
    if (job_.ours && launcher != nullptr && worker != nullptr) {
      prepare_join(job_, get(launcher->holder, "template"), get(worker->holder, "template"));
    }
    if (!job_.by_mpirun) job_.framework = "mpi";
    fields();
    if (worker != nullptr) role(*worker, "worker");
    if (launcher != nullptr) role(*launcher, worker == nullptr ? "" : "launcher");
    job_.injects = [](std::string_view) { return false; };
    join_launcher(job_);
    implementation();
  }

 private:
  void fields() {
    const View slots = get(spec_, "slotsPerWorker");
    if (!job_.by_mpirun) job_.processes = integer_of(slots).value_or(1);
    job_.ledger.carried(slots);
    const View policy = get(spec_, "runPolicy");
    read_run_policy(job_, policy, {1, 0, 0});  // the launcher is started again
    // The launcher is a Job, and has its limit where the MPIJob has none.
    const bool limited = get(policy, "backoffLimit") || job_.ours || is_v1();
    if (!limited) job_.share({"lifecycle", "retries"}, job_.number(kDefaultBackoffLimit), {});
    if (!limited || integer_at(policy, "backoffLimit").value_or(0) > 0) {
      job_.share({"lifecycle", "retryOn"}, job_.text("any"), {});
    }
    const View clean = get(spec_, "cleanPodPolicy");  // of version v1, before there was a policy
    if (clean && clean->text != "All") job_.ledger.derived(clean);
    const View path = get(spec_, "sshAuthMountPath");
    if (path && (job_.ours || path->text == "/root/.ssh" || path->text == "/home/mpiuser/.ssh")) {
      job_.ledger.derived(path);
    }
    const View creation = get(spec_, "launcherCreationPolicy");
    if (creation && (creation->text == "AtStartup" || creation->text == "WaitForWorkersReady")) {
      job_.ledger.derived(creation);  // mpirun waits for the workers either way
    }
    job_.ledger.carried(get(spec_, "runLauncherAsWorker"));
  }

  bool is_v1() const { return !string_at(job_.job, "apiVersion").ends_with("/v2beta1"); }

  void role(const WorkloadRole& from, std::string_view name) {
    job_.injects = [&](std::string_view variable) {
      return !from.containers.empty() &&
             is_injected(workload_, from, from.containers.front(), variable);
    };
    ConvertedRole role;
    role.name = name;
    role.pods = name == "launcher" ? std::int64_t{1} : from.pods;
    role.processes = name == "launcher" ? 0 : job_.processes;
    job_.roles.push_back(role);
    read_pod_template(job_, job_.roles.back(), get(from.holder, "template"));
    const View count = get(from.holder, "replicas");
    job_.ledger.carried(count);
    const View policy = get(from.holder, "restartPolicy");
    if (policy && policy->text == "Never") job_.ledger.derived(policy);
    if (policy && policy->text == "OnFailure" && (name == "worker" || !is_v1())) {
      job_.ledger.derived(policy);  // of sshd, or of a launcher that retries replace
    } else if (policy && policy->text == "OnFailure") {
      job_.ledger.lost(policy,
                       "a pod that failed is replaced and its containers are not started again",
                       "`lifecycle.retries` says how often the job starts again");
    }
  }

  void implementation() {
    const View name = get(spec_, "mpiImplementation");
    if (!name || job_.roles.empty()) return;
    if (name->text == "OpenMPI" && !job_.ours) return job_.ledger.derived(name);
    job_.carry(job_.map_at(job_.roles.front().fields, "run"), "mpiImplementation", name);
  }

  Conversion& job_;
  View spec_;
  Workload workload_;
};

void read(Conversion& job) {
  MpiReader(job).read();
}

}  // namespace

constinit const ConvertedKind kConvertMPIJob = {"kubeflow.org", "MPIJob", "", read};

}  // namespace trainyard
