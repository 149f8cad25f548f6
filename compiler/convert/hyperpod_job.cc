#include <algorithm>

#include "convert/convertible_kinds.h"
#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The job of SageMaker HyperPod: replicas of one template (aws/sagemaker-hyperpod-cli
/// hyperpod-pytorch-job-template).
class HyperPodReader {
 public:
  explicit HyperPodReader(Conversion& job) : job_(job), spec_(get(job.job, "spec")) {}

  void read() {
    job_.framework = "pytorch";
    const View processes = get(spec_, "nprocPerNode");
    const auto number = processes && processes->text != "auto" ? processes->text : "";
    if (number.find_first_not_of("0123456789") == number.npos && number.size() < 6) {
      job_.processes = std::strtoll(std::string(number).c_str(), nullptr, 10);
      job_.ledger.carried(processes);
    }
    for (View each : items_at(spec_, "replicaSpecs")) replicas(each);
    policy(get(spec_, "runPolicy"));
  }

 private:
  void replicas(View from) {
    if (!job_.roles.empty()) {
      job_.ledger.lost(from, "a job of HyperPod has one group of pods here",
                       "let the groups be one, or write a spec for each");
      return;
    }
    ConvertedRole role;
    role.pods = std::max<std::int64_t>(integer_at(from, "replicas").value_or(1), 1);
    role.processes = job_.processes;
    job_.pods = role.pods;
    job_.roles.push_back(role);
    const View pod = get(from, "template");
    job_.ledger.derived(get(get(pod, "metadata"), "name"));
    read_pod_template(job_, job_.roles.back(), pod);
    for (std::string_view key : {"name", "replicas"}) job_.ledger.carried(get(from, key));
    if (integer_at(from, "spares") == 0) job_.ledger.derived(get(from, "spares"));
  }

  void policy(View policy) {
    const View retries = get(policy, "jobMaxRetryCount");
    if (integer_of(retries).value_or(0) > 0) {
      job_.share_copy({"lifecycle", "retries"}, retries);
      job_.share({"lifecycle", "retryOn"}, job_.text("any"), {});
    }
    job_.ledger.carried(retries);
    read_seconds(job_, get(policy, "ttlSecondsAfterFinished"), "ttl");
    const View clean = get(policy, "cleanPodPolicy");
    if (clean && clean->text != "All") job_.ledger.derived(clean);
  }

  Conversion& job_;
  View spec_;
};

void read(Conversion& job) {
  HyperPodReader(job).read();
}

}  // namespace

constinit const ConvertedKind kConvertHyperPodJob = {"sagemaker.amazonaws.com",
                                                     "HyperPodPyTorchJob", "", read};

}  // namespace trainyard
