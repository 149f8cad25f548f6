// The collected manifests that once did not come back: each becomes a spec that builds, or is
// refused with the reason, and so is one with another name.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/validate/validate.h"
#include "file_text.h"
#include "folders.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;
namespace fs = std::filesystem;

namespace {

struct SharedCase {
  std::string_view file;
  std::vector<std::string> spec;  // texts of the spec; none if it is refused
  std::vector<std::string> told;  // texts of what is reported
};

const std::vector<SharedCase> kConverted = {
    {"review/rw01.yaml", {"    head:\n      nodes: 1\n      gpusPerNode: "}, {}},
    {"review/rw02.yaml", {"    worker:\n      run:\n", "exec /usr/sbin/sshd -D -p 2222"}, {}},
    {"review/rw03.yaml", {"target: mpijob"}, {}},
    {"review/rw04.yaml", {"replicas: 2\n", "parallelism: 4\n", "completions: 4\n"}, {}},
    {"review/rw05.yaml", {"name: worker\n", "replicas: 1\n", "completions: 2\n"}, {}},
    {"review/rw06.yaml", {"    ps:\n"}, {"`{\"action\":\"RestartJob\",\"event\":\"PodFailed\"}`"}},
    {"review/rw07.yaml", {"target: volcano"}, {"`spec.minAvailable` is not carried"}},
    {"review/rw08.yaml", {"path: /dev/shm\n"}, {}},
    {"review/rw09.yaml", {}, {"each replica is a group of 4 hosts"}},
    {"review/rw10.yaml", {"rayVersion: "}, {}},
    {"review/rw11.yaml", {"retries: 6\n"}, {}},
    {"review/rw12.yaml", {"  name: sweep\n"}, {"`sweep` stands in its place"}},
    {"review/rw13.yaml", {"processesPerNode: 4\n"}, {}},
    {"review/rw14.yaml", {"    launcher:\n"}, {}},
    {"review/rw15.yaml", {"    worker:\n      nodes: 8\n      placement:\n"}, {}},
    {"peers/c01-empty-run-policy.yaml", {"target: pytorchjob"}, {}},
    {"peers/c02-empty-env.yaml", {"target: trainjob"}, {}},
    {"peers/c03-empty-lists-of-ray.yaml", {"target: rayjob"}, {}},
    {"peers/c04-image-of-the-runtime.yaml", {"runtime: torch-distributed"}, {}},
    {"peers/c05-rights-of-the-runtime.yaml", {"runtime: torch-distributed"}, {}},
    {"peers/c06-torchx-one-task-a-replica.yaml", {"nodes: 4\n"}, {"TorchX wrote this"}},
    {"peers/c07-managed-by-of-another.yaml", {"target: volcano"}, {}},
    {"peers/c12-jobset-stays-a-jobset.yaml", {"target: jobset"}, {"from `slice-job` to `worker`"}},
    {"peers/c13-tfjob-stays-a-tfjob.yaml", {"target: tfjob", "    chief:\n", "    ps:\n"}, {}},
    {"peers/c14-launcher-is-a-node.yaml", {"nodes: 4\n", "    launcher:\n"}, {}},
    {"peers/c16-credential-has-no-successor.yaml", {"  secretEnv:\n"}, {"by the name of a Secret"}},
    {"peers/c17-tao-of-the-sdk.yaml", {"framework: tao\n"}, {}},
    {"peers/c19-appwrapper.yaml", {"target: pytorchjob", "queue: "}, {}},
    {"peers/c20-hyperpod.yaml", {"nodes: 4\n", "retries: 3\n"}, {"HyperPod CLI"}},
    {"cv01.yaml", {}, {"a group has two pod sets"}},
};

struct ValidatedCase {
  std::string_view file;
  std::string_view told;  // begin of a message
  bool is_there = true;
};

const std::vector<ValidatedCase> kValidated = {
    {"peers/c08-shell-variable-inside-a-word.yaml", "`$PET_MASTER_ADDR` reaches the program"},
    {"peers/c09-no-interfaces.yaml", "the daemon of GPUDirect-TCPXO in a pod that is not on the n"},
    {"peers/c11-one-slice-one-process.yaml", "a MIG slice counts", false},
    {"peers/c15-program-in-an-open-heredoc.yaml", "the shell changes `$5` in the program"},
    {"peers/c18-job-of-no-pods.yaml", "no pod is made of this JobSet"},
    {"rv01.yaml", "Service `meet` has an address of its own"},
    {"rv06.yaml", "deepspeed with `--hostfile` starts processes in other pods over ssh"},
    {"rv07.yaml", "runtime `plain` has no `torch` policy"},
    {"rv10b.yaml", "on the host network sshd finds port 22 taken"},
    {"rv10v.yaml", "on the host network sshd finds port 22 taken"},
    {"rv11.yaml", "this is of MPICH and Intel MPI, and the operator prepares Open MPI"},
    {"rv11b.yaml", "this is of Open MPI, and the operator prepares `Intel`"},
    {"rv13.yaml", "accelerate with DeepSpeed on several machines"},
    {"gq02.yaml", "each role asks for a domain of `example.com/supernode` of its own"},
    {"gq03.yaml", "no SchedulingShard among the inputs has the `partitionLabelValue` `pool-a`"},
    {"gq03b.yaml", "queue `workers` is of node pool `pool-a`, and these pods are of none"},
    {"fp02.yaml", "when one pod fails the job has failed, and the others keep their GPUs"},
    {"fp02b.yaml", "2 `PS` pods never end by themselves"},
    {"fp03.yaml", "the kubelet starts a failed container again in its pod, for ever"},
    {"fp05.yaml", "a failed rank is replaced alone, up to 6 times"},
    {"fb02.yaml", "`/dev/infiniband` of the node shows container `main` devices"},
    {"fb03.yaml", "10 of `vpc.amazonaws.com/efa`, and a node of `p6-b200.48xlarge` has 8"},
    {"st01b.yaml", "user 955 may have no name in the image, and torch asks for it"},
    {"st03.yaml", "the value of `token` ends with a line break"},
    {"go01.yaml", "a suspended Job never ends, and the sync waits for it, as it is a hook"},
    {"go01b.yaml", "a suspended Job never ends, and Argo CD waits for it"},
    {"go03.yaml", "class `fast` binds this claim with its first pod"},
    {"ov03.yaml", "the launcher alone runs this image"},
    {"ov03b.yaml", "the 2 `Worker` pods run"},
};

struct BuiltCase {
  std::string_view file;
  std::string_view told;          // a part of the objects or of a message
  std::string_view cluster = {};  // a file
};

const std::vector<BuiltCase> kBuilt = {
    {"rv09.yaml", "`jax.distributed.initialize()` without arguments asks the API server"},
    {"rv10.yaml", "plm_rsh_args=\"-o ConnectionAttempts=10 -p "},
    {"rv12.yaml", "`fsGroup` gives the private key in `/root/.ssh` the mode 0640"},
    {"st01.yaml", "- name: USER\n"},
    {"st05.yaml", "- name: TRITON_CACHE_DIR\n"},
    {"fp06.yaml", "karpenter.sh/do-not-disrupt: \"true\"", "fp06.cluster.yaml"},
};

std::string read_shared(std::string_view file) {
  const fs::path path = shared_folder() / "cases" / file;
  return fs::exists(path) ? read_file(path) : std::string();
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The name of the job; "" if something else in the text is called as it is.
std::string only_name_in(const std::string& text) {
  const std::size_t at = text.find("name: ", text.find("metadata:"));
  if (at == text.npos) return {};
  const std::size_t begin = at + 6;
  const std::string name = text.substr(begin, text.find_first_of(",}\n ", begin) - begin);
  const bool is_only = text.find(name) == begin && text.rfind(name) == begin;
  return is_only ? name : std::string();
}

std::string messages_of(const std::vector<Diagnostic>& reports) {
  std::string text;
  for (const Diagnostic& each : reports) text += each.message + "\n";
  return text;
}

void check_that_it_builds(const std::string& spec) {
  const std::string whole = replaced(spec, "<Secret>", "keys");
  const Built built = build_files({{"spec.yaml", whole}}, {"spec.yaml"});
  INFO(messages_of(built.reports));
  CHECK(built.errors == 0);
}

}  // namespace

TEST_CASE("each collected manifest becomes a spec that builds, or is refused with the reason") {
  if (!fs::exists(shared_folder() / "cases")) SKIP("the collected cases are not here");
  for (const SharedCase& each : kConverted) {
    const std::string text = read_shared(each.file);
    const Converted converted = convert_text(text, "");
    const std::string told = messages_of(converted.reports);
    INFO(each.file << "\n" << converted.spec << told);
    CHECK(converted.spec.empty() == each.spec.empty());
    for (const std::string& part : each.spec) {
      INFO(part);
      CHECK(converted.spec.find(part) != std::string::npos);
    }
    for (const std::string& part : each.told) {
      INFO(part);
      CHECK(told.find(part) != std::string::npos);
    }
    if (!converted.spec.empty()) check_that_it_builds(converted.spec);
  }
}

TEST_CASE("a collected manifest under another name becomes the same spec under that name") {
  if (!fs::exists(shared_folder() / "cases")) SKIP("the collected cases are not here");
  std::size_t siblings = 0;
  for (const SharedCase& each : kConverted) {
    const std::string text = read_shared(each.file);
    const std::string name = only_name_in(text);
    if (name.empty()) continue;
    ++siblings;
    const Converted first = convert_text(text, "");
    const Converted second = convert_text(replaced(text, name, "sibling"), "");
    INFO(each.file << ", " << name);
    CHECK(second.spec == replaced(first.spec, name, "sibling"));
    CHECK(second.reports.size() == first.reports.size());
  }
  CHECK(siblings >= 10);
}

TEST_CASE("checks find what is wrong with a collected manifest, and nothing else") {
  if (!fs::exists(shared_folder() / "cases")) SKIP("the collected cases are not here");
  for (const ValidatedCase& each : kValidated) {
    MemoryFileSystem disk;
    disk.files = {{"job.yaml", read_shared(each.file)}};
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    ValidateRequest request;
    request.inputs = {"job.yaml"};
    validate(session, request);
    const std::string told = messages_of(session.sink.sorted());
    INFO(each.file << "\n" << told);
    CHECK((told.find(each.told) != std::string::npos) == each.is_there);
  }
}

TEST_CASE("a build avoids what a collected spec would run into, or says what is left to do") {
  if (!fs::exists(shared_folder() / "cases")) SKIP("the collected cases are not here");
  for (const BuiltCase& each : kBuilt) {
    std::map<std::string, std::string> files = {{"spec.yaml", read_shared(each.file)}};
    if (!each.cluster.empty()) files["cluster.yaml"] = read_shared(each.cluster);
    const Built built =
        build_files(files, {"spec.yaml"}, each.cluster.empty() ? "" : "cluster.yaml");
    const std::string told = built.text + messages_of(built.reports);
    INFO(each.file << "\n" << told);
    CHECK(told.find(each.told) != std::string::npos);
  }
}

TEST_CASE("a manifest is compared with what a collected Cluster says that all jobs need") {
  if (!fs::exists(shared_folder() / "cases")) SKIP("the collected cases are not here");
  MemoryFileSystem disk;
  disk.files = {{"job.yaml", read_shared("ov05.yaml")},
                {"cluster.yaml", read_shared("ov05.cluster.yaml")}};
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  ValidateRequest request;
  request.inputs = {"job.yaml"};
  request.cluster = "cluster.yaml";
  validate(session, request);
  const std::string told = messages_of(session.sink.sorted());
  INFO(told);
  CHECK(told.find("need runtime class `nvidia`") != std::string::npos);
}
