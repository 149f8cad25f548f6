// One Compilation is used for all jobs of a fleet. It makes no difference: every golden case,
// changed in some places, comes out of a compilation that has seen all the others as it comes out
// of a fresh one.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "driver/build/compile.h"
#include "driver/build/variants.h"
#include "emit/artifact.h"
#include "emit/provenance.h"
#include "file_text.h"
#include "folders.h"
#include "golden_cases.h"
#include "sample.h"
#include "source/file_system.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

struct Case {
  std::string spec;
  std::string cluster;  // "" for none
};

std::vector<Case> golden_cases() {
  std::vector<Case> cases;
  for (const testing::GoldenCase& each : testing::golden_cases(testing::repository() / "golden")) {
    const std::string args = each.only_command();
    const bool alone = args == "build spec.yaml";
    const bool in_cluster = args == "build spec.yaml --cluster cluster.yaml" ||
                            args == "build spec.yaml -c cluster.yaml";
    if (!alone && !in_cluster) continue;
    cases.push_back({(each.path / "spec.yaml").string(),
                     in_cluster ? (each.path / "cluster.yaml").string() : ""});
  }
  return cases;
}

/// All that a user would see.
struct Outcome {
  bool good = false;
  std::string text;
  std::string said;
  std::string why;  // each line is there

  bool operator==(const Outcome&) const = default;
};

void say(std::string& all, const Diagnostic& each) {
  const auto place = [&all](Span span) {
    all += std::to_string(span.file) + ":" + std::to_string(span.begin) + "-" +
           std::to_string(span.end) + " ";
  };
  all += std::to_string(static_cast<int>(each.severity)) + " " + std::string(info(each.kind).name);
  place(each.span);
  all += each.path + ": " + each.message + "\n";
  for (const Label& label : each.labels) {
    place(label.span);
    all += label.text + "\n";
  }
  for (const std::string& note : each.notes) all += note + "\n";
}

class Comparison {
 public:
  explicit Comparison(Compilation& experienced) : experienced_(experienced) {}

  void compile_both(Session& session, const Document& job, const ClusterDocument* cluster) {
    Compilation fresh;
    const Outcome wanted = outcome(session, job, cluster, fresh);
    const Outcome got = outcome(session, job, cluster, experienced_);
    CHECK(got.said == wanted.said);
    CHECK(got.text == wanted.text);
    CHECK(got.why == wanted.why);
    CHECK(got.good == wanted.good);
    if (wanted.good) ++good;
    if (!wanted.said.empty()) ++spoken_of;
  }

  std::size_t good = 0;
  std::size_t spoken_of = 0;

 private:
  static Outcome outcome(Session& session, const Document& job, const ClusterDocument* cluster,
                         Compilation& compilation) {
    session.sink.clear();
    Outcome result;
    result.good = compile(session, job, cluster, "", compilation);
    if (result.good) {
      result.why = causes(session, compilation, result.text);
    }
    for (const Diagnostic& each : session.sink.all()) say(result.said, each);
    session.sink.clear();
    return result;
  }

  /// The map of causes for the text, which is appended to `text`.
  static std::string causes(Session& session, const Compilation& compilation, std::string& text) {
    std::vector<WrittenObject> written;
    write_objects(compilation.objects, text, &written);
    Provenance causes;
    trace(compilation.objects, written, text, compilation.origins, session.sources, causes);
    return provenance_json(causes, text);
  }

  Compilation& experienced_;
};

/// Scalars below `spec` and `metadata`; some of them get another text.
std::vector<NodeId> scalars(const Tree& tree, NodeId id) {
  std::vector<NodeId> found;
  for (NodeId child : tree.children(id)) {
    if (tree[child].is_scalar()) {
      found.push_back(child);
    } else {
      for (NodeId below : scalars(tree, child)) found.push_back(below);
    }
  }
  return found;
}

constexpr std::string_view kTexts[] = {"other",
                                       "a-much-longer-text-than-there-was-before",
                                       "Not_A_Name",
                                       "",
                                       "yes",
                                       "0x1F",
                                       "1.5Gi",
                                       "500m",
                                       "two\nlines\n",
                                       " leading",
                                       "registry.example.com/other:2",
                                       "key: value",
                                       "x/y",
                                       "password123",
                                       "--wandb-token",
                                       "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
                                       "$(MASTER_ADDR)",
                                       "a.b.c"};
constexpr std::string_view kNumbers[] = {"1", "2", "3", "8", "0", "16", "1000", "99999999999"};

void try_case(const Case& each, int changes, std::mt19937& random, Comparison& all) {
  INFO(each.spec);
  RealFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  std::unique_ptr<ClusterDocument> cluster;
  if (!each.cluster.empty()) cluster = read_cluster(session, each.cluster);
  if (!each.cluster.empty() && cluster == nullptr) return;
  for (Document& document : read_inputs({each.spec}, env, session.sources, session.sink,
                                        session.limits, Ambiguity::Refuse)) {
    if (document.kind != "TrainingJob") continue;
    for_each_variant(session, document, [&](Document& job) {
      all.compile_both(session, job, cluster.get());
      const std::vector<NodeId> places = scalars(job.tree, job.tree.root());
      for (int i = 0; i < changes && !places.empty(); ++i) {
        const NodeId place = places[random() % places.size()];
        const Node before = job.tree[place];
        if (before.key == "apiVersion" || before.key == "kind") continue;
        const bool number = before.kind == Kind::Int;
        if (!number && before.kind != Kind::String) continue;
        job.tree[place].text = number ? kNumbers[random() % std::size(kNumbers)]
                                      : kTexts[random() % std::size(kTexts)];
        INFO("at " << before.key << ": " << job.tree[place].text);
        all.compile_both(session, job, cluster.get());
        if (random() % 2 == 0) job.tree[place].text = before.text;
      }
    });
  }
}

}  // namespace

TEST_CASE("a job comes out the same whatever was compiled before") {
  std::vector<Case> cases = golden_cases();
  REQUIRE(cases.size() > 300);
  std::mt19937 random(7);
  Compilation experienced;
  Comparison all(experienced);
  testing::Sample sample(8);
  std::erase_if(cases, [&](const Case&) { return !sample.takes(); });
  for (const Case& each : cases) try_case(each, 4, random, all);
  std::ranges::reverse(cases);
  for (const Case& each : cases) try_case(each, 0, random, all);
  // The cases are what is meant: good jobs and others.
  CHECK(all.good > sample.least(1000));
  CHECK(all.spoken_of > sample.least(600));
}
