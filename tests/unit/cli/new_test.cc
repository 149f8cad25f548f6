// `new`: a first spec that builds without findings, and examples that do.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

#include "driver/explain/list.h"
#include "driver/starter/shipped_examples.h"
#include "driver/starter/starter.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

TEST_CASE("new never asks where there is no terminal, and then needs a name") {
  Caller call;
  const Called called = call({"new"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "`new` needs `--name`, or a terminal on which it can ask"));
  CHECK(call.files.files.empty());
}

TEST_CASE("new replaces no file, not even that of an example's Cluster") {
  Caller call;
  call.files.files["llama.yaml"] = "mine\n";
  CHECK(call({"new", "--name", "llama"}).code == ExitCode::InputWrong);
  CHECK(call.files.files["llama.yaml"] == "mine\n");
  call.files.files["cluster-eks-p5.yaml"] = "mine\n";
  CHECK(call({"new", "--from", "eks-p5"}).code == ExitCode::InputWrong);
  CHECK(!call.files.files.contains("eks-p5.yaml"));
}

TEST_CASE("a wrong choice is named before anything is written") {
  Caller call;
  using Words = std::vector<std::string>;
  for (const Words& wrong :
       {Words{"--name", "Llama"}, Words{"--nodes", "0"}, Words{"--nodes", "two"},
        Words{"--machine", "p5.48xlarg"}, Words{"--target", "jobs"}, Words{"--cluster", "no.yaml"},
        Words{"--framework", "torch"}}) {
    Words words = {"new", "--name", "a"};
    if (wrong.front() == "--name") words.resize(1);
    words.insert(words.end(), wrong.begin(), wrong.end());
    const Called called = call(words);
    INFO(called.err);
    CHECK(called.code == ExitCode::CallWrong);
    CHECK(contains(called.err, wrong.front()));
    CHECK(call.files.files.empty());
  }
  CHECK(contains(call({"new", "--name", "a", "--machine", "p5.48xlarg"}).err,
                 "did you mean `p5.48xlarge`?"));
}

TEST_CASE("a spec that does not build is not written") {
  Caller call;
  call.files.files["c.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
      "spec: {queues: [{name: research, system: kueue, existing: true}]}\n";
  const Called called = call({"new", "--name", "a", "--cluster", "c.yaml", "--queue", "reserch"});
  CHECK(called.code == ExitCode::InputWrong);
  CHECK(contains(called.err, "research"));
  CHECK(!call.files.files.contains("a.yaml"));
}

TEST_CASE("the spec of each framework builds without a finding, on one node and on two") {
  for (const Starter& starter : starters()) {
    for (const char* nodes : {"1", "2"}) {
      for (const char* data : {"pile", "s3://bucket/pile"}) {
        Caller call;
        const Called called =
            call({"new", "--name", "a", "--framework", std::string(starter.framework), "--nodes",
                  nodes, "--data", data, "--image", "registry.example.com/a/b:1"});
        INFO(starter.framework << " " << nodes << " " << data << "\n" << called.err);
        CHECK(called.code == ExitCode::Good);
        CHECK(called.err.starts_with("wrote a.yaml\nnext: "));
      }
    }
  }
}

TEST_CASE("a spec for each target of PyTorch has no line from Trainyard that the target refuses") {
  for (const char* target : {"job", "jobset", "trainjob", "pytorchjob", "volcano", "hyperpod",
                             "runai-distributed", "runai", "lws"}) {
    Caller call;
    const bool is_one_pod = std::string_view(target) == "runai";
    const Called called =
        call({"new", "--name", "a", "--target", target, "--nodes", is_one_pod ? "1" : "2"});
    INFO(target << "\n" << called.err);
    CHECK(called.code == ExitCode::Good);
    CHECK(call.files.files.contains("a.yaml"));
  }
}

TEST_CASE("new offers the queues of the Cluster, and takes its only one") {
  const auto cluster = [](const std::string& queues) {
    return "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
           "spec: {queues: [" +
           queues + "]}\n";
  };
  const std::string research = "{name: research, system: kueue, existing: true}";
  Caller one;
  one.files.files["c.yaml"] = cluster(research);
  REQUIRE(one({"new", "--name", "a", "--cluster", "c.yaml"}).code == ExitCode::Good);
  CHECK(contains(one.files.files["a.yaml"], "queue: research"));
  Caller two;
  two.files.files["c.yaml"] = cluster(research + ", {name: ops, system: kueue, existing: true}");
  two.answers = {"a", "", "", "", "", "", "ops"};
  REQUIRE(two({"new", "--cluster", "c.yaml"}).code == ExitCode::Good);
  CHECK(contains(two.asked, "Queue (research, ops; Enter for none): "));
  CHECK(contains(two.files.files["a.yaml"], "queue: ops"));
}

TEST_CASE("a Cluster that cannot be read is reported once, before the next question") {
  Caller call;
  call.files.files["c.yaml"] = "apiVersion: trainyard/v1alpha1\nkind: Cluster\nspec: {pool: []}\n";
  call.answers = {"a", "", "", ""};
  const Called called = call({"new", "--cluster", "c.yaml"});
  CHECK(called.code == ExitCode::InputWrong);
  CHECK(called.err.find("unknown field `pool`") == called.err.rfind("unknown field `pool`"));
  CHECK(contains(called.err, "unknown field `pool`"));
  CHECK(!contains(call.asked, "Queue"));
}

TEST_CASE("new asks for what the call leaves open, and again for an answer that is wrong") {
  Caller call;
  call.answers = {"Llama", "llama", "jax", "", "many", "2", "", "", "", "pile", ""};
  const Called called = call({"new"});
  INFO(called.err << call.asked);
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(call.asked, "Name of the job [train]: "));
  CHECK(contains(call.asked, "expected a number of nodes"));
  const std::string& spec = call.files.files["llama.yaml"];
  CHECK(contains(spec, "  name: llama #"));
  CHECK(contains(spec, "  framework: jax #"));
  CHECK(contains(spec, "  image: nvcr.io/nvidia/jax:"));
  CHECK(contains(spec, "claim: pile"));
}

TEST_CASE("an input that ends before the last answer writes nothing, and --yes asks nothing") {
  Caller call;
  call.answers = {"llama", "jax"};
  CHECK(call({"new"}).code == ExitCode::CallWrong);
  CHECK(call.files.files.empty());
  CHECK(call({"new", "--name", "llama", "--yes"}).code == ExitCode::Good);
  CHECK(call.asked.empty());
}

TEST_CASE("each example builds without a finding, for its Cluster where it has one") {
  for (const ShippedExample& example : shipped_examples()) {
    Caller call;
    const std::string name(example.name);
    REQUIRE(call({"new", "--from", name, "-o", "job.yaml"}).code == ExitCode::Good);
    std::vector<std::string> words = {"build", "job.yaml"};
    if (!example.cluster.empty()) {
      words.insert(words.end(), {"--cluster", "cluster-" + name + ".yaml"});
    }
    const Called called = call(words);
    INFO(name << "\n" << called.err);
    CHECK(called.code == ExitCode::Good);
    CHECK(called.err.empty());
  }
}

TEST_CASE("the examples cover each framework, and say what they show") {
  std::set<std::string, std::less<>> covered;
  for (const ShippedExample& example : shipped_examples()) {
    INFO(example.name);
    CHECK(example.about.ends_with(example.about.ends_with('?') ? '?' : '.'));
    covered.insert(example.framework);
  }
  for (const std::string_view each : words(Framework{})) {
    INFO(each);
    CHECK(covered.contains(each));
    CHECK(find_starter(each) != nullptr);
  }
  for (const char* cloud :
       {"gke-a3-mega", "eks-p5", "aks-h100", "oci-h100", "coreweave-h100", "nebius-h100"}) {
    REQUIRE(find_example(cloud) != nullptr);
    CHECK(!find_example(cloud)->cluster.empty());
  }
}

TEST_CASE("each list fits into 80 columns") {
  Caller call;
  for (const std::string& name : list_names()) {
    const std::string text = call({"list", name}).out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      INFO(name << ": " << text.substr(at, end - at));
      // A path of a source is one word, and stays whole.
      const bool is_one_word = text.find(' ', text.find_first_not_of(' ', at)) > end;
      CHECK((end - at <= 80 || is_one_word));
      at = end + 1;
    }
  }
}

TEST_CASE("explain prints topics as Markdown, and nothing but topics") {
  Caller call;
  const std::string machine = call({"explain", "p5.48xlarge", "--output", "markdown"}).out;
  CHECK(machine.starts_with("## `p5.48xlarge`\n\nmachine\n\n| fact | value |\n"));
  const std::string field = call({"explain", "spec.run", "--output", "markdown"}).out;
  CHECK(contains(field, "| script | string |"));
  CHECK(contains(field, "```yaml\nrun:\n"));
  CHECK(call({"explain", "pod", "a.yaml", "--output", "markdown"}).code == ExitCode::CallWrong);
}
