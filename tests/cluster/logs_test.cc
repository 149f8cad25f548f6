// `logs` as a person calls it, against recorded answers.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>

#include "cluster/apply_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kPods = "/api/v1/namespaces/ml/pods";

std::string container(const std::string& name, const std::string& state) {
  return R"({"name":")" + name + R"(","restartCount":0,"state":{)" + state + "}}";
}

const std::string kEnded = R"("terminated":{"exitCode":0})";
const std::string kRuns = R"("running":{})";
const std::string kWaits = R"("waiting":{"reason":"PodInitializing"})";

/// A pod with an init container, the training and a sidecar, which has not begun.
std::string pod(int index) {
  const std::string number = std::to_string(index);
  return R"({"metadata":{"name":"llama-)" + number + R"(","namespace":"ml","uid":"p)" + number +
         R"(","labels":{"batch.kubernetes.io/job-name":"llama","batch.kubernetes.io/job-completion-index":")" +
         number +
         R"("}},"spec":{"restartPolicy":"Always","initContainers":[{"name":"fetch"}],"containers":[{"name":"main"},{"name":"side"}]},"status":{"phase":"Running","initContainerStatuses":[)" +
         container("fetch", kEnded) + R"(],"containerStatuses":[)" + container("main", kRuns) +
         "," + container("side", kWaits) + "]}}";
}

/// What a call writes to the standard output of the process.
class Output {
 public:
  Output() : file_(std::tmpfile()), before_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    ::dup2(::fileno(file_), STDOUT_FILENO);
  }
  Output(const Output&) = delete;
  ~Output() {
    take();
    std::fclose(file_);
  }
  std::string take() {
    if (before_ == -1) return {};
    std::fflush(stdout);
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
    before_ = -1;
    std::rewind(file_);
    std::string text;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text += static_cast<char>(c);
    return text;
  }

 private:
  std::FILE* file_;
  int before_;
};

struct Lab : Program {
  Lab() {
    server.on("GET /api", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                                    discovered("", "pods", "Pod") + "]}"}});
    server.on("GET " + kJob, {{.body = job("llama", "a:1")}});
    server.on("GET " + kPods, {{.body = R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                        pod(0) + "," + pod(1) + "]}"}});
    for (const char* name : {"llama-0", "llama-1"}) {
      server.on("GET " + kPods + "/" + name + "/log",
                {{.pieces = {"2026-07-29T10:00:01Z a line\n"}}});
    }
  }
  std::string print(std::vector<std::string> words, int expected = 0) {
    words.insert(words.begin(), {"logs", "llama", "-n", "ml"});
    Output output;
    const int code = run(std::move(words));
    const std::string text = output.take();
    CHECK(code == expected);
    return text;
  }
  /// Of the requests for logs, which container they name.
  std::vector<std::string> containers() const {
    std::vector<std::string> names;
    for (const SeenRequest& each : server.seen()) {
      const std::size_t at = each.path.find("container=");
      if (at == std::string::npos) continue;
      const std::size_t begin = at + std::string("container=").size();
      names.push_back(each.path.substr(begin, each.path.find('&', begin) - begin));
    }
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("logs prints the first container, or the one that is named, also an init container") {
  Lab first;
  CHECK(first.print({}) == "a line\n");
  CHECK(first.containers() == Names{"main"});
  Lab named;
  CHECK(named.print({"--container", "fetch"}) == "a line\n");
  CHECK(named.containers() == Names{"fetch"});
  Lab waiting;
  CHECK(waiting.print({"--container", "side"}, 6).empty());
  CHECK(has(waiting.err, "no such container has begun"));
}

TEST_CASE("logs --all-containers tells the containers of a pod apart, with those that have ended") {
  Lab one;
  const std::string both = one.print({"--all-containers"});
  CHECK(has(both, "[fetch] a line\n"));
  CHECK(has(both, "[main] a line\n"));
  Lab all;
  const std::string text = all.print({"--all-containers", "--all"});
  for (const char* line : {"[0/fetch] ", "[0/main] ", "[1/fetch] ", "[1/main] "}) {
    CHECK(has(text, std::string(line) + "a line\n"));
  }
  CHECK(all.containers().size() == 4);
}

TEST_CASE("one container and all of them cannot be asked for together") {
  Lab lab;
  CHECK(lab.print({"--all-containers", "--container", "main"}, 2).empty());
  CHECK(has(lab.err, "`--container` goes with no `--all-containers`"));
  CHECK(lab.server.seen().empty());
}

TEST_CASE("a log that cannot be read names its container where several are printed") {
  Lab lab;
  lab.server.on("GET " + kPods + "/llama-0/log", {{403, status_body(403, "Forbidden", "no logs")}});
  CHECK(lab.print({"--all-containers"}, 4).empty());
  CHECK(has(lab.err, "error: llama-0, container `fetch`: no logs"));
  CHECK(has(lab.err, "error: llama-0, container `main`: no logs"));
}

TEST_CASE("logs chooses by its role among the Jobs of several programs") {
  const auto program = [](const std::string& role) {
    return R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"llama-)" + role +
           R"(","namespace":"ml","labels":{"app.kubernetes.io/managed-by":"trainyard","app.kubernetes.io/instance":"llama","app.kubernetes.io/part-of":"llama"}},"spec":{"template":{"metadata":{"labels":{"trainyard/role":")" +
           role + R"("}}}}})";
  };
  const auto pod_of = [](const std::string& role) {
    return R"({"metadata":{"name":"llama-)" + role + R"(-0","namespace":"ml","uid":")" + role +
           R"(","labels":{"trainyard/role":")" + role +
           R"(","batch.kubernetes.io/job-name":"llama-)" + role +
           R"(","batch.kubernetes.io/job-completion-index":"0"}},"spec":{"containers":[{"name":"main"}]},"status":{"phase":"Running","containerStatuses":[)" +
           container("main", kRuns) + "]}}";
  };
  Lab lab;
  lab.server.on(
      "GET " + kJob,
      {{.status = 404,
        .body =
            R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":"none"})"}});
  const std::string all = kJob.substr(0, kJob.rfind('/'));
  lab.server.on("GET " + all, {{.body = R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                        program("learner") + "," + program("rollout") + "]}"}});
  lab.server.on("GET " + kPods, {{.body = R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                          pod_of("learner") + "," + pod_of("rollout") + "]}"}});
  lab.server.on("GET " + kPods + "/llama-rollout-0/log",
                {{.pieces = {"2026-07-29T10:00:01Z it serves\n"}}});
  CHECK(lab.print({"--role", "rollout"}) == "it serves\n");
  CHECK(lab.print({"--role", "reward"}, 2).empty());
  CHECK(has(lab.err, "has no role `reward`"));
  CHECK(lab.print({}, 2).empty());
  CHECK(has(lab.err, "name one as `Job/llama-learner` or `Job/llama-rollout`"));
}
