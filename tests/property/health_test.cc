// The health of jobs in three voices: `explain status`, the script of Argo CD, the expressions of
// Flux. One file of statuses says what each has to answer.
#include "kind/health.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cel/evaluate.h"
#include "cel/program.h"
#include "cel/tree_values.h"
#include "effective/status.h"
#include "file_text.h"
#include "folders.h"
#include "property/oracle.h"
#include "tree/json.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"
#include "unit/cel/evaluated.h"

using namespace trainyard;

namespace {

/// What Argo CD and Flux have to say of a phase. The table of the program is not asked.
struct Words {
  std::string argocd;
  std::string started;
  std::string finished;
};
const std::map<std::string, Words, std::less<>> kWords = {
    {"pending", {"Progressing", "InProgress", "InProgress"}},
    {"suspended", {"Suspended", "Current", "InProgress"}},
    {"running", {"Progressing", "Current", "InProgress"}},
    {"restarting", {"Progressing", "InProgress", "InProgress"}},
    {"ending", {"Progressing", "Current", "InProgress"}},
    {"succeeded", {"Healthy", "Current", "Current"}},
    {"failing", {"Progressing", "InProgress", "InProgress"}},
    {"failed", {"Degraded", "Failed", "Failed"}}};
const Words kServes = {"Healthy", "Current", "Current"};

/// A status of the file, as an object of its kind.
struct Case {
  const JobKind* kind = nullptr;
  std::string phase;
  std::string json;
  bool has_status = false;

  const Words& words() const {
    const bool serves = kind->kind == "LeaderWorkerSet" || kind->kind == "NIMService";
    return phase == "running" && serves ? kServes : kWords.at(phase);
  }
};

std::vector<Tree> read(SourceMap& sources, const std::string& text) {
  Sink sink;
  auto trees = read_yaml(sources, sources.add("statuses", text), sink, {}, Ambiguity::Kubernetes);
  REQUIRE_FALSE(sink.has_errors());
  return trees;
}

std::string json_text(const Tree& tree, NodeId id) {
  std::string text;
  write_json(tree, id, text, 0);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::vector<Case> cases() {
  SourceMap sources;
  const auto trees = read(
      sources, testing::read_file(testing::repository() / "tests/property/health_statuses.yaml"));
  std::vector<Case> found;
  for (View each : Items(View(trees.at(0), trees.at(0).root()))) {
    Case next;
    next.kind = JobKinds::builtin().find(string_at(each, "kind"));
    REQUIRE(next.kind != nullptr);
    next.phase = string_at(each, "phase");
    REQUIRE(kWords.contains(next.phase));
    next.json = R"({"apiVersion": ")" + std::string(next.kind->group) + "/" +
                std::string(next.kind->version) + R"(", "kind": ")" + std::string(next.kind->kind) +
                R"(", "metadata": {"name": "a", "namespace": "nlp", "generation": 1}, "spec": )";
    const View spec = get(each, "spec");
    const View status = get(each, "status");
    next.json += spec ? json_text(spec.tree(), spec.id()) : "{}";
    if (status) next.json += ", \"status\": " + json_text(status.tree(), status.id());
    next.json += "}";
    next.has_status = static_cast<bool>(status);
    found.push_back(std::move(next));
  }
  return found;
}

/// Whether an expression holds of an object, by our engine.
bool holds(const std::string& expression, const Tree& object) {
  const std::vector<std::string_view> names = {"spec", "status", "metadata"};
  const cel::Compiled compiled = cel::compile(expression, names);
  INFO(expression << "\n" << compiled.error.message);
  REQUIRE(compiled.program);
  const cel::TreeValues values(object);
  std::vector<cel::Value> variables;
  for (std::string_view name : names) {
    variables.push_back(values.value(object.find(object.root(), name)));
  }
  cel::Context context;
  context.set_budget(100'000);
  const std::string answer = testing::shown(cel::evaluate(*compiled.program, variables, context));
  INFO(answer);
  REQUIRE((answer == "true" || answer == "false"));
  return answer == "true";
}

/// As kustomize-controller asks.
std::string by_our_engine(const FluxHealth& health, const Tree& object) {
  // Flux fails on an expression about a status that is not there, and asks again.
  if (object.find(object.root(), "status") == kNoNode) return "InProgress";
  if (holds(health.failed, object)) return "Failed";
  return holds(health.current, object) ? "Current" : "InProgress";
}

std::string json_string(const std::string& text) {
  Tree tree;
  return json_text(tree, tree.add_string(text));
}

std::string ask_flux(const Case& each, FluxGate gate) {
  const FluxHealth health = flux_health(*each.kind, gate);
  return R"({"object": )" + each.json + R"(, "expressions": {"failed": )" +
         json_string(health.failed) + R"(, "current": )" + json_string(health.current) + "}}\n";
}

}  // namespace

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

/// A map of maps, by paths with numbers and texts. An item of a list has the name `a`.
class Object {
 public:
  void set(std::string_view path, const std::string& json) {
    const std::size_t dot = path.find('.');
    const std::string_view step = path.substr(0, dot);
    const std::string key(step.substr(0, step.find('[')));
    if (dot == path.npos) {
      values_[key] = json;
      return;
    }
    Object& next = objects_[key];
    std::string_view rest = path.substr(dot + 1);
    if (step.ends_with("[]")) {
      next.is_list_ = true;
      next.values_["name"] = "\"a\"";
    }
    if (rest.starts_with("*.")) {
      next.objects_["Worker"].set(rest.substr(2), json);
    } else {
      next.set(rest, json);
    }
  }

  std::string json() const {
    std::string text;
    for (const auto& [key, value] : values_) {
      text += (text.empty() ? "" : ", ") + json_string(key) + ": " + value;
    }
    for (const auto& [key, value] : objects_) {
      text += (text.empty() ? "" : ", ") + json_string(key) + ": " + value.json();
    }
    return is_list_ ? "[{" + text + "}]" : "{" + text + "}";
  }

 private:
  bool is_list_ = false;
  std::map<std::string, std::string> values_;
  std::map<std::string, Object> objects_;
};

/// An object in which any of the signs of its kind may hold, with one item in each of its lists: of
/// several, CEL asks each in place of the sum. The phase is what our own judgement says.
Case random_case(const JobKind& kind, Random& random) {
  Object object;
  object.set("apiVersion", json_string(std::string(kind.group) + "/" + std::string(kind.version)));
  object.set("kind", json_string(std::string(kind.kind)));
  object.set("metadata.name", "\"a\"");
  object.set("spec.any", "1");
  object.set("status.any", "1");
  std::set<std::string_view> types;
  std::string conditions;
  const auto count = [&](const std::string& path) {
    if (random.below(3) != 0) object.set(path, std::to_string(random.below(4)));
  };
  for (const StatusSign& sign : kind.signs) {
    if (!sign.condition.empty() && random.below(3) == 0 && types.insert(sign.condition).second) {
      const std::vector<std::string> words = {"True", "False", "Unknown"};
      conditions += (conditions.empty() ? "" : ", ") + std::string("{\"type\": ") +
                    json_string(std::string(sign.condition)) +
                    ", \"status\": " + json_string(words[random.below(3)]) +
                    ", \"message\": \"m\"}";
    }
    if (!sign.field.empty() && random.below(4) == 0) {
      object.set("status." + std::string(sign.field), json_string(std::string(sign.is)));
    }
    if (!sign.some.empty()) count("status." + std::string(sign.some));
    for (std::string_view path : sign.all) count("status." + std::string(path));
  }
  if (random.below(4) != 0) object.set("status.conditions", "[" + conditions + "]");
  for (std::string_view path : kind.wanted) {
    // What CEL cannot say of a list, a scalar says (`minAvailable`, which a webhook fills in).
    const bool is_sum_beside = path == "spec.tasks[].replicas";
    if (path == "spec.minAvailable") object.set(path, std::to_string(random.below(4)));
    if (path != "spec.minAvailable" && !is_sum_beside) count(std::string(path));
  }
  Case made;
  made.kind = &kind;
  made.json = object.json();
  made.has_status = true;
  SourceMap sources;
  const auto trees = read(sources, made.json);
  made.phase = name_of(judge_status(kind, View(trees.at(0), trees.at(0).root())).phase);
  return made;
}

std::vector<Case> random_cases(std::size_t for_each_kind) {
  Random random(20261126);
  std::vector<Case> all;
  for (const JobKind* kind : argocd_kinds()) {
    for (std::size_t i = 0; i < for_each_kind; ++i) all.push_back(random_case(*kind, random));
  }
  return all;
}

}  // namespace

TEST_CASE("the statuses are of all kinds that have a health, at least four of most") {
  std::map<const JobKind*, std::size_t> seen;
  for (const Case& each : cases()) ++seen[each.kind];
  for (const JobKind* kind : argocd_kinds()) {
    INFO(kind->kind << " of " << kind->group);
    CHECK(seen[kind] >= 2);
    CHECK_FALSE(kind->version.empty());
  }
  CHECK(argocd_kinds().size() >= 16);
  CHECK(cases().size() >= 90);
}

TEST_CASE("explain status and the expressions of Flux agree on each status") {
  for (const Case& each : cases()) {
    SourceMap sources;
    const auto trees = read(sources, each.json);
    const View object(trees.at(0), trees.at(0).root());
    INFO(each.json);
    CHECK(name_of(judge_status(*each.kind, object).phase) == each.phase);
    CHECK(by_our_engine(flux_health(*each.kind), trees.at(0)) == each.words().started);
    CHECK(by_our_engine(flux_health(*each.kind, FluxGate::Finished), trees.at(0)) ==
          each.words().finished);
  }
}

TEST_CASE("explain status and the expressions of Flux agree on random statuses") {
  std::set<std::string> phases;
  for (const Case& each : random_cases(150)) {
    SourceMap sources;
    const auto trees = read(sources, each.json);
    phases.insert(each.phase);
    INFO(each.json << "\n" << each.phase);
    CHECK(by_our_engine(flux_health(*each.kind), trees.at(0)) == each.words().started);
  }
  CHECK(phases.size() == kWords.size());
}

TEST_CASE("Flux is given no expression for a Job of Kubernetes, which it reads by its own code") {
  for (const JobKind* kind : flux_kinds()) CHECK(kind->group != "batch");
  CHECK(flux_kinds().size() + 1 == argocd_kinds().size());
}

TEST_CASE("Argo CD itself agrees on each status by our scripts", "[go]") {
  const Oracle oracle = module_oracle("health");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  std::vector<Case> all = cases();
  for (Case& each : random_cases(100)) all.push_back(std::move(each));
  std::string questions;
  for (const Case& each : all) {
    questions += R"({"object": )" + each.json + R"(, "lua": )" +
                 json_string(argocd_health(*each.kind)) + "}\n";
  }
  const std::vector<std::string> answers = ask(oracle, "health-argocd", questions);
  INFO(answers.front());
  REQUIRE(answers.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].json << "\n" << answers[i]);
    CHECK(answers[i].starts_with(all[i].words().argocd + ": " + all[i].phase));
  }
}

TEST_CASE("Flux itself agrees on each status by our expressions", "[go]") {
  const Oracle oracle = module_oracle("health");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  std::vector<Case> all = cases();
  for (Case& each : random_cases(100)) all.push_back(std::move(each));
  std::string questions;
  for (const Case& each : all) {
    questions += ask_flux(each, FluxGate::Started) + ask_flux(each, FluxGate::Finished);
  }
  const std::vector<std::string> answers = ask(oracle, "health-flux", questions);
  INFO(answers.front());
  REQUIRE(answers.size() == 2 * all.size());
  const std::string no_status = "no such attribute(s): status";
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].json);
    INFO(answers[2 * i] << "\n" << answers[2 * i + 1]);
    if (!all[i].has_status) {
      CHECK(answers[2 * i].find(no_status) != std::string::npos);
      continue;
    }
    CHECK(answers[2 * i] == all[i].words().started);
    CHECK(answers[2 * i + 1] == all[i].words().finished);
  }
}
