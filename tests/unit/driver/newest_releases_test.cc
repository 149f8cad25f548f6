// Without a Cluster the newest APIs are taken, and the output says which.
#include <catch2/catch_test_macros.hpp>
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
