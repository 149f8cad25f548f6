// Without a Cluster the newest APIs are taken, and the output says which.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>

#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

std::string job(const std::string& name, const std::string& target) {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: " + name +
         "}\nspec:\n  target: " + target +
         "\n  image: registry.example.com/a:1\n  run: {script: a.py}\n";
}

const char* const kCluster =
    "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec: {kubernetes: "
    "'1.36'}\n";

/// The comments in front of the first object.
std::string head(const std::string& text) {
  return text.substr(0, text.find("---\n"));
}

}  // namespace

TEST_CASE("a job without a Cluster names the releases whose APIs it takes") {
  const Built built = build_files({{"a.yaml", job("a", "jobset")}}, {"a.yaml"});
  const std::string text = head(built.text);
  CHECK(text.find("\n# For Kubernetes 1.36, kubernetes-sigs/jobset ") != std::string::npos);
  CHECK(text.ends_with(": the newest that trainyard knows, as no Cluster was named.\n"));
}

TEST_CASE("a stream names the releases of all its jobs once, in whatever order they come") {
  const std::map<std::string, std::string> files = {{"a.yaml", job("b", "job")},
                                                    {"b.yaml", job("a", "jobset")}};
  const std::string text = head(build_files(files, {"a.yaml", "b.yaml"}).text);
  CHECK(text.find("# For Kubernetes 1.36, kubernetes-sigs/jobset ") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(head(build_files(files, {"b.yaml", "a.yaml"}).text) == text);
}

TEST_CASE("where a Cluster is named its versions count, and none is named by us") {
  const Built built =
      build_files({{"a.yaml", job("a", "job")}, {"lab.yaml", kCluster}}, {"a.yaml"}, "lab.yaml");
  CHECK(built.errors == 0);
  CHECK(std::ranges::count(head(built.text), '\n') == 1);
}

TEST_CASE("a version that the Cluster leaves out is the newest, and the output says which") {
  const std::string silent =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec: ";
  const auto built_for = [&](const std::string& target, const std::string& spec) {
    const Built built = build_files(
        {{"a.yaml", job("a", target)}, {"lab.yaml", silent + spec + "\n"}}, {"a.yaml"}, "lab.yaml");
    CHECK(built.errors == 0);
    return head(built.text);
  };
  const std::string reason = ": the newest that trainyard knows, as the Cluster does not say.\n";

  SECTION("neither Kubernetes nor the operator is stated") {
    const std::string text = built_for("jobset", "{defaults: {}}");
    CHECK(text.find("\n# For Kubernetes 1.36, kubernetes-sigs/jobset ") != std::string::npos);
    CHECK(text.ends_with(reason));
  }
  SECTION("what is stated is not named") {
    const std::string only_operator = built_for("jobset", "{kubernetes: '1.34'}");
    CHECK(only_operator.find("Kubernetes 1.") == std::string::npos);
    CHECK(only_operator.find("\n# For kubernetes-sigs/jobset ") != std::string::npos);
    CHECK(only_operator.ends_with(reason));
    CHECK(built_for("jobset", "{operators: {jobset: '0.12'}}").find("jobset ") ==
          std::string::npos);
    CHECK(std::ranges::count(
              built_for("jobset", "{kubernetes: '1.34', operators: {jobset: '0.12'}}"), '\n') == 1);
  }
}

TEST_CASE("the objects of a Cluster name the releases that it leaves out") {
  const auto platform = [](const std::string& operators) {
    return head(
        build_files(
            {{"lab.yaml",
              "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: "
              "lab}\nspec:\n  kubernetes: '1.34'\n  operators: " +
                  operators + "\n  queues: [{name: team, system: volcano, quota: {cpu: '8'}}]\n"}},
            {"lab.yaml"})
            .text);
  };
  CHECK(std::ranges::count(platform("{volcano: '1.14'}"), '\n') == 1);
}
