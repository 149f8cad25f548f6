// Which calls are for trainyard-cluster, and the message where it is missing.

#include "cli/cluster_program.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

using Words = std::vector<std::string>;

constexpr ClusterCommand kCommands[] = {{"plan", "x"},
                                        {"diagnose", "x", "--from"},
                                        {"diff", "x", "--old --git"},
                                        {.name = "man", .summary = "x", .is_here_too = true}};

std::optional<Words> words(const Words& arguments) {
  return words_for_cluster_program(arguments, kCommands);
}

}  // namespace

TEST_CASE("a command of this program stays here") {
  for (const Words& call :
       {Words{}, Words{"build", "plan"}, Words{"--help"}, Words{"--color"}, Words{"help"},
        Words{"help", "build"}, Words{"help", "diagnose"}, Words{"diagnose", "--from", "f"},
        Words{"diff", "--git=main"}, Words{"diff", "a", "--old", "b"}, Words{"diff", "-h"},
        Words{"diagnose", "--help"}, Words{"diagnose", "-h"}, Words{"diagnose", "--from=f", "j"}}) {
    CHECK(!words(call));
  }
}

TEST_CASE("a command that talks to a cluster goes over with all its arguments") {
  CHECK(words({"plan", "a", "--context", "b"}) == Words{"plan", "a", "--context", "b"});
  CHECK(words({"--color", "never", "plan"}) == Words{"--color", "never", "plan"});
  CHECK(words({"diff", "--oldest", "--gi"}) == Words{"diff", "--oldest", "--gi"});
  CHECK(words({"diagnose", "j"}) == Words{"diagnose", "j"});
  CHECK(words({"diagnose", "--", "--from"}) == Words{"diagnose", "--", "--from"});
  CHECK(words({"diagnose", "--from-x", "a"}) == Words{"diagnose", "--from-x", "a"});
  CHECK(words({"help", "plan"}) == Words{"plan", "--help"});
}

TEST_CASE("what both programs can do is done by the one that knows more, where that is there") {
  CHECK(words({"man"}) == Words{"man"});
  CHECK(is_here_too({"--color", "never", "man"}, kCommands));
  CHECK(!is_here_too({"plan"}, kCommands));
  CHECK(!words({"help", "man"}));
}

TEST_CASE("commands that talk to a cluster are listed with the others") {
  Caller call;
  const std::string overview = call({}).out;
  for (const ClusterCommand& each : cluster_commands()) {
    INFO(each.name);
    CHECK(contains(overview, "\n  " + std::string(each.name) + " "));
    for (const auto& command : all_commands()) {
      CHECK((command->name() != each.name || !each.here_with.empty() || each.is_here_too));
    }
  }
}

TEST_CASE("a command that can do without a cluster does so where nothing names one") {
  CHECK(may_do_without_cluster({"doctor", "a.yaml", "-c", "c.yaml"}));
  CHECK(may_do_without_cluster({"--color", "never", "doctor", "--cluster=c.yaml"}));
  CHECK_FALSE(may_do_without_cluster({"doctor", "a.yaml"}));
  CHECK_FALSE(may_do_without_cluster({"man", "-c", "c.yaml"}));
  Caller call;
  auto& files = call.files;
  const auto nothing = [](const std::string&) { return std::optional<std::string>(); };
  const auto home = [](const std::string& name) {
    return name == "HOME" ? std::optional<std::string>("/home/me") : std::nullopt;
  };
  const auto kubeconfig = [](const std::string& name) {
    return name == "KUBECONFIG" ? std::optional<std::string>("k") : std::nullopt;
  };
  CHECK_FALSE(names_a_cluster({"doctor"}, nothing, files));
  CHECK(names_a_cluster({"doctor", "--kubeconfig", "k"}, nothing, files));
  CHECK(names_a_cluster({"doctor", "--context=a"}, nothing, files));
  CHECK(names_a_cluster({"doctor"}, kubeconfig, files));
  CHECK_FALSE(names_a_cluster({"doctor"}, home, files));
  files.files["/home/me/.kube/config"] = "{}";
  CHECK(names_a_cluster({"doctor"}, home, files));
}
