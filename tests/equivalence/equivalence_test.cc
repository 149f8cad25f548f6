// One spec means the same on every target: the pods that the controllers make run the same program
// with the same things around it, and each knows its rank, how many there are and where rank 0 is.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "equivalence/launch.h"
#include "equivalence/mpirun.h"
#include "equivalence/pods.h"

using namespace trainyard::testing;
using nlohmann::json;

namespace {

/// A spec, and what of it the checks below have to know.
struct Sample {
  std::string framework = "pytorch";
  std::string launcher;  // "" for that of the framework
  std::int64_t nodes = 1;
  std::int64_t gpus = 8;
  std::int64_t processes = 0;  // per node; 0 for one per GPU
  bool secrets = false;
  bool storage = false;
  bool module = false;
  bool prepared = false;  // commands run before the program
  bool joins = false;     // torchrun numbers nodes as they come
  bool sized = false;     // shared memory has a size of its own

  std::string text() const {
    std::string out =
        "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\n"
        "metadata: {name: llama, namespace: nlp}\nspec:\n"
        "  image: registry.example.com/ml/train:1.4\n  run:\n";
    out += module ? "    module: ml.train\n" : "    script: train.py\n";
    out += "    args: [--config, large.yaml]\n";
    if (!launcher.empty()) out += "    launcher: " + launcher + "\n";
    if (prepared) out += "    before: [mkdir -p /tmp/cache]\n    packages: [einops==0.8.0]\n";
    if (joins) out += "    rendezvous: {backend: c10d}\n";
    out += "  framework: " + framework + "\n";
    out += "  nodes: " + std::to_string(nodes) + "\n  gpusPerNode: " + std::to_string(gpus) + "\n";
    if (processes > 0) out += "  processesPerNode: " + std::to_string(processes) + "\n";
    out += "  resources: {cpu: 32, memory: 200Gi";
    out += sized ? ", sharedMemory: 64Gi}\n" : "}\n";
    out += "  env: {NCCL_DEBUG: INFO}\n";
    if (secrets) out += "  secretEnv: {HF_TOKEN: {name: hugging-face, key: token}}\n";
    if (storage) {
      out +=
          "  storage:\n    data: {mountPath: /data, claim: datasets, readOnly: true}\n"
          "    out: {mountPath: /out, claim: results}\n";
    }
    return out;
  }

  std::int64_t processes_per_node() const { return processes > 0 ? processes : gpus; }
};

/// Samples made at random, the same in every run.
class Samples {
 public:
  Sample next() {
    Sample sample;
    sample.framework =
        one_of({"pytorch", "pytorch", "pytorch", "jax", "tao", "tensorflow", "xgboost", "paddle"});
    sample.nodes = std::int64_t{1} << below(4);
    // These find each other only by what a controller tells them, and a Job has no controller.
    const bool by_controller = sample.framework == "tensorflow" || sample.framework == "xgboost" ||
                               sample.framework == "paddle";
    if (by_controller) sample.nodes = 1;
    sample.gpus = std::int64_t{1} << below(4);
    sample.secrets = below(2) == 0;
    sample.storage = below(2) == 0;
    sample.module = below(3) == 0;
    sample.prepared = below(3) == 0;
    sample.sized = below(2) == 0;
    if (sample.framework != "pytorch") return sample;
    sample.launcher = one_of({"", "", "torchrun", "accelerate", "deepspeed", "none"});
    if (sample.launcher == "none") sample.processes = 1;
    if (sample.launcher.empty() && below(4) == 0) sample.processes = 1;
    sample.joins = (sample.launcher.empty() || sample.launcher == "torchrun") && sample.nodes > 1 &&
                   below(4) == 0;
    return sample;
  }

 private:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }
  std::string one_of(std::initializer_list<const char*> choices) {
    return choices.begin()[below(choices.size())];
  }
  std::uint64_t state_ = 20261121;
};

json named(const json& list, const std::string& name) {
  for (const json& item : list) {
    if (item.value("name", "") == name) return item;
  }
  return {};
}

/// Each mounted path with its volume's source; names of volumes do not matter, and what a
/// controller mounts for itself is not the user's.
json mounts(const json& pod) {
  json result = json::object();
  const json& container = main_container(pod);
  if (!container.contains("volumeMounts")) return result;
  for (const json& mount : container["volumeMounts"]) {
    json source = named(pod["spec"]["volumes"], mount["name"]);
    source.erase("name");
    const std::string path = mount["mountPath"];
    if (path == "/etc/volcano" || path == "/etc/mpi" || path.ends_with("/.ssh")) continue;
    result[path] = {{"source", source}, {"readOnly", mount.value("readOnly", false)}};
  }
  return result;
}

/// Requests and limits as the API server fills them in: what is limited is requested.
json resources(const json& container) {
  json result = container["resources"];
  for (const auto& limit : result["limits"].items()) {
    if (!result["requests"].contains(limit.key())) result["requests"][limit.key()] = limit.value();
  }
  return result;
}

/// What the pod gives the program, apart from where it stands among the others.
json around(const json& pod) {
  const json& container = main_container(pod);
  json result;
  result["image"] = container["image"];
  result["resources"] = resources(container);
  result["mounts"] = mounts(pod);
  result["security"] = container.value("securityContext", json());
  result["podSecurity"] = pod["spec"].value("securityContext", json());
  result["nodeSelector"] = pod["spec"].value("nodeSelector", json());
  const json environment = seen_environment(pod);
  for (const char* name : {"NCCL_DEBUG", "HF_TOKEN"}) {
    if (environment.contains(name)) result["env"][name] = environment[name];
  }
  return result;
}

/// The same without what a workload of Run:ai has no field for, as docs/runai.md says: whether
/// capabilities are dropped, and how large shared memory is where the spec does not say. That a
/// claim is read-only stands at its mount alone.
json comparable(const json& pod, const std::string& target) {
  json result = around(pod);
  if (target == "hyperpod") result["mounts"].erase("/opt/ml/input/config");  // its agent's
  if (!target.starts_with("runai")) return result;
  if (result["security"].is_object()) result["security"].erase("capabilities");
  for (json& mount : result["mounts"]) {
    json& source = mount["source"];
    if (source.contains("emptyDir")) source["emptyDir"].erase("sizeLimit");
    if (source.contains("persistentVolumeClaim")) source["persistentVolumeClaim"].erase("readOnly");
  }
  return result;
}

std::vector<SynthesizedPod> by_rank(const MadeJob& job) {
  std::vector<SynthesizedPod> ranked;
  for (const SynthesizedPod& pod : job.pods) {
    if (pod.rank >= 0) ranked.push_back(pod);
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const SynthesizedPod& a, const SynthesizedPod& b) { return a.rank < b.rank; });
  return ranked;
}

void check_ranks(const Sample& sample, const std::vector<SynthesizedPod>& pods) {
  REQUIRE(pods.size() == static_cast<std::size_t>(sample.nodes));
  std::string world;
  for (std::size_t rank = 0; rank < pods.size(); ++rank) {
    INFO("pod of rank " << rank << ": " << pods[rank].pod.dump(1));
    const Launch launch = launch_in(pods[rank].pod, sample.framework);
    if (launch.launcher == "deepspeed") {
      if (rank == 0) world = launch.nodes;
      CHECK(launch.nodes == world);
      CHECK_FALSE(world.empty());
    } else if (sample.nodes > 1 || !launch.launcher.empty()) {
      CHECK(launch.nodes == std::to_string(sample.nodes));
    }
    if (launch.launcher == "hyperpodrun") {
      CHECK(launch.processes == std::to_string(sample.processes_per_node()));
      continue;
    }
    if (launch.launcher == "torchrun") {
      CHECK(launch.processes == std::to_string(sample.processes_per_node()));
      CHECK(launch.backend == (sample.joins ? "c10d" : "static"));
    }
    if (launch.launcher == "accelerate") {
      CHECK(launch.processes == std::to_string(sample.processes_per_node() * sample.nodes));
    }
    if (sample.nodes == 1) continue;
    if (!sample.joins) CHECK(launch.rank == std::to_string(rank));
    CHECK(launch.master == pods[0].address);
    CHECK(launch.port == launch_in(pods[0].pod, sample.framework).port);
    CHECK_FALSE(launch.port.empty());
  }
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A target may be unable to carry a sample, and then says so in these words.
bool is_plain_refusal(const std::vector<std::string>& errors) {
  return std::all_of(errors.begin(), errors.end(), [](const std::string& error) {
    return error.find("cannot express") != std::string::npos ||
           error.find("does not write yet") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("one spec means the same on every target") {
  const std::vector<std::string> targets = targets_with_pods();
  REQUIRE(std::find(targets.begin(), targets.end(), "job") != targets.end());
  Samples samples;
  std::map<std::string, int> compared;
  for (int i = 0; i < 60; ++i) {
    const Sample sample = samples.next();
    const MadeJob reference = made_by("job", sample.text());
    INFO(sample.text() << joined(reference.errors));
    REQUIRE(reference.errors.empty());
    const std::vector<SynthesizedPod> expected = by_rank(reference);
    check_ranks(sample, expected);
    for (const std::string& target : targets) {
      if (target == "job") continue;
      MadeJob made = made_by(target, sample.text());
      follow_mpirun(made);
      INFO("target " << target << "\n" << joined(made.errors));
      if (!made.errors.empty()) {
        CHECK(is_plain_refusal(made.errors));
        continue;
      }
      const std::vector<SynthesizedPod> pods = by_rank(made);
      check_ranks(sample, pods);
      for (std::size_t rank = 0; rank < pods.size(); ++rank) {
        INFO("rank " << rank);
        CHECK(comparable(pods[rank].pod, target) == comparable(expected[rank].pod, target));
        CHECK(launch_in(pods[rank].pod, sample.framework).program ==
              launch_in(expected[rank].pod, sample.framework).program);
      }
      ++compared[target];
    }
  }
  for (const std::string& target : targets) {
    INFO(target);
    if (target != "job") CHECK(compared[target] > 0);
  }
}
