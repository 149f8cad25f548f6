#include "driver/session/config.h"

#include <catch2/catch_test_macros.hpp>

#include "check/check.h"
#include "check/check_selectors.h"
#include "driver/session/all_checks.h"
#include "driver/session/inputs.h"
#include "driver/validate/validate.h"
#include "rules/rule.h"

using namespace trainyard;

namespace {

/// A run in memory.
struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }, {}};

  World(std::initializer_list<std::pair<const std::string, std::string>> all) {
    for (const auto& [path, text] : all) files.files[path] = text;
  }
};

RunSettings applied(World& world, const std::string& path, RunSettings settings,
                    std::vector<std::string>* messages = nullptr) {
  Session session(world.env);
  if (const auto config = read_config(session, path)) apply_config(session, *config, settings);
  ask_checks(session);
  report_unknown_checks(session);
  for (const Diagnostic& each : session.sink.all()) {
    if (messages != nullptr) messages->push_back(each.message);
    UNSCOPED_INFO(each.message);
  }
  if (messages == nullptr) CHECK(session.sink.all().empty());
  return settings;
}

constexpr const char* kJob = R"({apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers:
  [{name: a, image: a}]}})";

}  // namespace

TEST_CASE("the config file is the nearest at or above the first input") {
  World world{{".trainyard.yaml", ""},
              {"a/b/.trainyard.yaml", ""},
              {"a/b/c/job.yaml", kJob},
              {"a/job.yaml", kJob}};
  CHECK(find_config({"a/b/c/job.yaml"}, world.env) == "a/b/.trainyard.yaml");
  CHECK(find_config({"a/b/c"}, world.env) == "a/b/.trainyard.yaml");
  CHECK(find_config({"a/b/"}, world.env) == "a/b/.trainyard.yaml");
  CHECK(find_config({"a/job.yaml", "a/b/c/job.yaml"}, world.env) == ".trainyard.yaml");
  CHECK(find_config({"-"}, world.env) == ".trainyard.yaml");
  World none{{"a/job.yaml", kJob}};
  CHECK(find_config({"a/job.yaml"}, none.env).empty());
}

TEST_CASE("a config file fills what the call leaves open, relative to itself") {
  World world{{"a/.trainyard.yaml",
               "{cluster: c.yaml, target: jobset, schemas: [crds], policies: [/a/p.yaml], "
               "kubernetesVersion: \"1.33\", strict: true, ignoreUnknownKinds: true}"}};
  const RunSettings open = applied(world, "a/.trainyard.yaml", {});
  CHECK(open.cluster == "a/c.yaml");
  CHECK(open.target == "jobset");
  CHECK(open.kubernetes == "1.33");
  CHECK(open.schemas == std::vector<std::string>{"a/crds"});
  CHECK(open.policies == std::vector<std::string>{"/a/p.yaml"});
  CHECK(open.fail_on == "style");
  CHECK(open.ignore_unknown_kinds);
  RunSettings call;
  call.cluster = "own.yaml";
  call.target = "job";
  call.kubernetes = "1.30";
  call.schemas = {"own"};
  const RunSettings own = applied(world, "a/.trainyard.yaml", call);
  CHECK(own.cluster == "own.yaml");
  CHECK(own.target == "job");
  CHECK(own.kubernetes == "1.30");
  CHECK(own.schemas == std::vector<std::string>{"own", "a/crds"});
}

TEST_CASE("an empty config file wants nothing") {
  World world{{".trainyard.yaml", "# nothing\n"}};
  CHECK(applied(world, ".trainyard.yaml", {}).cluster.empty());
}

TEST_CASE("what is wrong with a config file is an error of it") {
  std::vector<std::string> messages;
  World unknown{{".trainyard.yaml", "{checks: {gang-sise: off}}"}};
  applied(unknown, ".trainyard.yaml", {}, &messages);
  CHECK(messages == std::vector<std::string>{"there is no check `gang-sise`"});
  messages.clear();
  World loud{{".trainyard.yaml", "{checks: {gang-size: loud}}"}};
  applied(loud, ".trainyard.yaml", {}, &messages);
  CHECK(messages.size() == 1);
  messages.clear();
  World typo{{".trainyard.yaml", "{strickt: true}"}};
  applied(typo, ".trainyard.yaml", {}, &messages);
  CHECK(messages.size() == 1);
}

TEST_CASE("names of earlier releases stay valid, and a note says what they mean now") {
  World world{{".trainyard.yaml",
               "{checks: {no-gang-of-train-job: off, script-flow: off, mpi-templates: error}}"}};
  std::vector<std::string> messages;
  applied(world, ".trainyard.yaml", {}, &messages);
  CHECK(messages ==
        std::vector<std::string>{
            "check `no-gang-of-train-job` is part of `no-gang`, which this sets as a whole",
            "check `script-flow` is gone: shellcheck and `bash -n` look at scripts",
            "check `mpi-templates` is part of `mpi-launcher`, which this sets as a whole"});
  for (const Check* check : selected(all_checks(), "no-gang-of-train-job")) {
    CHECK(check->name == "no-gang");
  }
  CHECK(find_check(all_checks(), "no-gang-of-train-job") == nullptr);
}

TEST_CASE("severities of a config file hold for what is checked, and the object's before them") {
  World world{{"quiet/.trainyard.yaml", "{checks: {mutable-image-tag: off}}"},
              {"loud/.trainyard.yaml", "{checks: {mutable-image-tag: error}}"},
              {"job.yaml", kJob},
              {"own.yaml",
               "{apiVersion: v1, kind: Pod, metadata: {name: a, annotations: {trainyard/checks: "
               "mutable-image-tag=note}}, spec: {containers: [{name: a, image: a}]}}"}};
  const auto severities = [&](const std::string& config, const std::string& input) {
    Session session(world.env);
    RunSettings settings;
    if (!config.empty()) apply_config(session, *read_config(session, config), settings);
    ask_checks(session);
    ValidateRequest request;
    request.inputs = {input};
    validate(session, request);
    std::vector<Severity> found;
    for (const Diagnostic& each : session.sink.all()) found.push_back(each.severity);
    return found;
  };
  CHECK(severities("", "job.yaml") == std::vector{Severity::Note});
  CHECK(severities("quiet/.trainyard.yaml", "job.yaml").empty());
  CHECK(severities("loud/.trainyard.yaml", "job.yaml") == std::vector{Severity::Error});
  CHECK(severities("loud/.trainyard.yaml", "own.yaml") == std::vector{Severity::Note});
}

TEST_CASE("a config file among the inputs is no object") {
  World world{{".trainyard.yaml", "{strict: true}"}, {"job.yaml", kJob}};
  Session session(world.env);
  ValidateRequest request;
  request.inputs = {".trainyard.yaml", "job.yaml"};
  CHECK(validate(session, request).documents == 1);
  CHECK_FALSE(session.sink.has_errors());
}

TEST_CASE("files that are excluded are ignored, named or found") {
  World world{{"a/.trainyard.yaml", "{exclude: [\"charts/**\", \"*.tmp.yaml\"]}"},
              {"a/job.yaml", kJob},
              {"a/b/job.tmp.yaml", kJob},
              {"a/job.tmp.yaml", kJob},
              {"a/charts/deep/job.yaml", kJob}};
  Session session(world.env);
  RunSettings settings;
  apply_config(session, *read_config(session, "a/.trainyard.yaml"), settings);
  CHECK(expand_paths({"a"}, world.env, session.sink) ==
        std::vector<std::string>{"a/b/job.tmp.yaml", "a/job.yaml"});
  CHECK(expand_paths({"a/charts/deep/job.yaml", "a/job.yaml"}, world.env, session.sink) ==
        std::vector<std::string>{"a/job.yaml"});
}

TEST_CASE("a lint that leaves what we make to a rule names one that exists") {
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) {
      if (check.rule.empty()) continue;
      INFO(check.name << ": " << check.rule);
      CHECK(find_rule(check.rule) != nullptr);
    }
  }
}
