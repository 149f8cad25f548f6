// What the operators' own webhooks make of objects, and what we make of them.

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/objects.h"
#include "driver/session/all_checks.h"
#include "file_text.h"
#include "folders.h"
#include "property/oracle.h"
#include "tree/json.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;
using trainyard::testing::read_file;
using trainyard::testing::repository;
namespace fs = std::filesystem;

namespace {

using nlohmann::json;

/// A module and the folder in it that has CRDs.
struct Crds {
  const char* module;
  const char* folder;
};

/// Webhooks that are asked: a folder of tests/oracles, and what is put to them.
struct Webhooks {
  std::string oracle;
  const char* cases;
  std::vector<Crds> crds;

  /// Where the modules have their CRDs, as words of a shell command.
  std::string crd_folders() const {
    std::string words;
    for (const auto& [module, folder] : crds) {
      words += " \"$(cd '" + testing::repository().string() + "/tests/oracles/" + oracle +
               "' && '" + testing::go_program() + "' list -mod=readonly -m -f '{{.Dir}}' " +
               module + ")/" + folder + "\"";
    }
    return words;
  }
};

struct Question {
  std::string check;
  std::string kind;  // `refused`, `accepted`, `later` or `warned`
  json object;
  json old;
  json with = json::array();

  std::string line() const {
    json all = {{"object", object}, {"with", with}};
    if (!old.is_null()) all["old"] = old;
    return all.dump();
  }
};

json parsed(View value) {
  std::string text;
  write_json(value.tree(), value.id(), text);
  return json::parse(text);
}

/// Puts values into places; null takes away what is there.
void change(json& document, const json& places) {
  for (const auto& [place, value] : places.items()) {
    if (place.empty() || place.front() != '/') continue;
    const json::json_pointer pointer(place);
    if (!value.is_null()) {
      document[pointer] = value;
    } else if (document.contains(pointer)) {
      json& parent = document[pointer.parent_pointer()];
      if (parent.is_array()) {
        parent.erase(std::stoul(pointer.back()));
      } else {
        parent.erase(pointer.back());
      }
    }
  }
}

void add_questions(const Tree& document, std::vector<Question>& out) {
  const json all = parsed(View(document, document.root()));
  for (const auto& [check, kinds] : all.items()) {
    if (check == "base" || check == "with") continue;
    for (const auto& [kind, changes] : kinds.items()) {
      for (const json& each : changes) {
        Question question{check, kind, all["base"], {}, all.value("with", json::array())};
        change(question.object, each);
        if (each.contains("with")) change(question.with, each["with"]);
        if (each.contains("old")) change(question.old = all["base"], each["old"]);
        out.push_back(std::move(question));
      }
    }
  }
}

std::vector<Question> questions(const std::string& cases) {
  SourceMap sources;
  Sink sink;
  const FileId id = sources.add("cases", read_file(repository() / "tests/property" / cases));
  const std::vector<Tree> documents = read_yaml(sources, id, sink, {}, Ambiguity::Kubernetes);
  for (const Diagnostic& d : sink.all()) UNSCOPED_INFO(d.message);
  REQUIRE_FALSE(sink.has_errors());
  std::vector<Question> all;
  for (const Tree& document : documents) add_questions(document, all);
  return all;
}

Tree read(const json& object, SourceMap& sources) {
  Sink sink;
  const FileId id = sources.add("object", object.dump());
  std::vector<Tree> trees = read_yaml(sources, id, sink, {}, Ambiguity::Kubernetes);
  REQUIRE(trees.size() == 1);
  return std::move(trees.front());
}

struct Verdict {
  bool refused = false;
  bool by_check = false;  // the one that the question is about
  std::string messages;
};

Verdict ours(const Question& question) {
  SourceMap sources;
  const Tree object = read(question.object, sources);
  std::vector<Tree> around;
  for (const json& each : question.with) around.push_back(read(each, sources));
  Inventory inventory;
  for (const Tree& each : around) inventory.add(View(each, each.root()));
  const Tree old = question.old.is_null() ? Tree() : read(question.old, sources);
  CheckInputs surroundings;
  surroundings.checks = all_checks();
  surroundings.inventory = &inventory;
  Checker checker(SchemaPack::builtin());
  const SchemaSource schemas[] = {{SchemaPack::builtin(), checker}};
  Sink sink;
  check_manifest(object, object.root(), sources, schemas, surroundings, sink,
                 question.old.is_null() ? nullptr : &old);
  Verdict verdict;
  verdict.refused = sink.has_errors();
  for (const Diagnostic& each : sink.all()) {
    verdict.messages += "\n  " + each.path + ": " + each.message;
    for (const std::string& note : each.notes) {
      verdict.by_check = verdict.by_check || note.find("`" + question.check + "`") != note.npos;
    }
  }
  return verdict;
}

void compare(const Webhooks& webhooks) {
  const Oracle oracle = module_oracle(webhooks.oracle, webhooks.crd_folders());
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  const std::vector<Question> all = questions(webhooks.cases);
  std::string lines;
  for (const Question& each : all) lines += each.line() + "\n";
  const auto answers = ask(oracle, webhooks.oracle, lines);
  INFO(answers.front());
  REQUIRE(answers.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Question& question = all[i];
    const Verdict verdict = ours(question);
    INFO(question.check << ", " << question.kind << ": " << question.line());
    INFO("webhook: " << answers[i]);
    INFO("ours: " << (verdict.refused ? "refused" : "accepted") << verdict.messages);
    const bool elsewhere = question.check == "elsewhere";
    CHECK((elsewhere || find_check(question.check) != nullptr));
    CHECK((answers[i] != "accepted") == (question.kind == "refused"));
    CHECK(verdict.refused == (question.kind == "refused" || question.kind == "later"));
    if (!elsewhere) CHECK(verdict.by_check == (question.kind != "accepted"));
  }
}

}  // namespace

TEST_CASE("checks of operators refuse what the operators' webhooks refuse, and no more", "[go]") {
  compare({"webhooks",
           "webhook_cases.yaml",
           {{"github.com/kubeflow/training-operator", "manifests/base/crds"},
            {"github.com/kubeflow/trainer/v2", "manifests/base/crds"},
            {"github.com/kubeflow/mpi-operator", "manifests/base"},
            {"sigs.k8s.io/jobset", "config/components/crd/bases"},
            {"sigs.k8s.io/lws", "config/crd/bases"},
            {"github.com/ray-project/kuberay/ray-operator", "config/crd/bases"}}});
}

TEST_CASE("checks of Kueue refuse what its webhooks refuse, and no more", "[go]") {
  compare({"kueue",
           "kueue_cases.yaml",
           {{"sigs.k8s.io/kueue", "config/components/crd/bases"},
            {"sigs.k8s.io/jobset", "config/components/crd/bases"},
            {"sigs.k8s.io/lws", "config/crd/bases"},
            {"github.com/kubeflow/training-operator", "manifests/base/crds"},
            {"github.com/kubeflow/trainer/v2", "manifests/base/crds"},
            {"github.com/kubeflow/mpi-operator", "manifests/base"},
            {"github.com/ray-project/kuberay/ray-operator", "config/crd/bases"}}});
}
