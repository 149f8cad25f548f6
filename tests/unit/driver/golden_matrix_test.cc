// Golden cases show every target with jobs of every size, with every system that queues its jobs
// and with every release of its operator that is written differently.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/session/session.h"
#include "file_text.h"
#include "folders.h"
#include "golden_cases.h"
#include "spec/training_job.h"
#include "tree/yaml_reader.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace fs = std::filesystem;

namespace {

const fs::path kGolden = repository() / "golden";

/// A document of a case, and what it views into.
struct Document {
  explicit Document(const fs::path& path) {
    const FileId file = sources.add(path.string(), read_file(path));
    trees = read_yaml(sources, file, sink);
  }
  View spec() const {
    if (trees.empty() || sink.error_count() > 0) return {};
    const View root(trees.front(), trees.front().root());
    return root && root->is_map() ? root["spec"] : View{};
  }
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
};

std::int64_t number(View value, std::int64_t otherwise) {
  if (!value) return otherwise;
  return as_int64(*value).value_or(otherwise);
}

std::string text_at(View map, std::string_view key) {
  return map && map->is_map() ? std::string(map[key].text()) : std::string();
}

/// What a case shows, in the words of the matrix.
using Cells = std::set<std::string>;

std::string size_of(View spec) {
  if (spec["roles"] || spec["elastic"]) return "uneven or elastic";
  if (number(spec["nodes"], 1) > 1) return "several nodes";
  const bool one = number(spec["gpusPerNode"], 1) <= 1 && !spec["machine"] && !spec["pool"];
  return one ? "1 GPU" : "1 node";
}

/// The same for a service, which is as large as each copy of it.
std::string size_of_service(View serve) {
  if (serve["autoscale"]) return "uneven or elastic";
  if (number(serve["nodesPerReplica"], 1) > 1) return "several nodes";
  const bool one = number(serve["gpusPerReplica"], 1) <= 1 && !serve["machine"] && !serve["pool"];
  return one ? "1 GPU" : "1 node";
}

/// The releases between which something is written differently, oldest first.
std::vector<std::string> boundaries(const TargetPack& pack) {
  std::map<Release, std::string> words;
  const auto take = [&](const OperatorSpan& span) {
    for (std::string_view text : {span.since, span.before}) {
      if (const auto parsed = release(text)) words[*parsed] = text;
    }
  };
  for (const DocumentTemplate& each : pack.documents) take(each.span);
  std::vector<std::string> result;
  for (const auto& [order, text] : words) result.push_back(text);
  return result;
}

/// The span of releases that one falls into, as `2.1 to 2.2`.
std::string dialect(const std::vector<std::string>& bounds, const std::string& version) {
  std::string since = "first";
  for (const std::string& bound : bounds) {
    if (!version.empty() && *release(version) < *release(bound)) return since + " to " + bound;
    since = bound;
  }
  return since + " and later";
}

struct Matrix {
  Matrix() {
    for (const std::string& name : session.targets.names()) {
      const TargetPack* pack = session.targets.pack(name, session.sink);
      if (pack != nullptr) packs[name] = pack;
    }
    for (const GoldenCase& each : golden_cases(kGolden)) {
      if (!each.fails() && fs::exists(each.path / "spec.yaml")) add(each);
    }
  }

  void add(const GoldenCase& golden) {
    const fs::path& at = golden.path;
    const std::string args = golden.only_command();
    if (!args.starts_with("build ") || !fs::exists(at / "stdout")) return;
    const Document job(at / "spec.yaml");
    const View spec = job.spec();
    if (!spec) return;
    std::optional<Document> cluster;
    if (args.find("--cluster cluster.yaml") != std::string::npos)
      cluster.emplace(at / "cluster.yaml");
    const View platform = cluster ? cluster->spec() : View{};
    const View defaults = platform ? platform["defaults"] : View{};
    std::string target = text_at(spec, "target");
    if (target.empty()) target = text_at(defaults, "target");
    if (target.empty()) target = "job";
    const auto known = packs.find(target);
    if (known == packs.end()) return;
    Cells& cells = shown[target];
    const bool serves = known->second->facts.serves;
    cells.insert(serves ? size_of_service(spec["serve"]) : size_of(spec));
    std::string system = text_at(spec["scheduling"], "system");
    if (system.empty() && defaults) system = text_at(defaults["scheduling"], "system");
    if (!system.empty()) cells.insert("queued by " + system);
    const std::vector<std::string> bounds = boundaries(*known->second);
    if (bounds.empty()) return;
    const View operators = platform ? platform["operators"] : View{};
    cells.insert("release " + dialect(bounds, text_at(operators, known->second->facts.op)));
  }

  Cells wanted(const TargetPack& pack) const {
    Cells result = {"1 GPU", "1 node", "several nodes", "uneven or elastic"};
    for (const Queueing& row : pack.facts.queueing) {
      result.insert("queued by " + std::string(row.system));
    }
    const std::vector<std::string> bounds = boundaries(pack);
    if (bounds.empty()) return result;
    result.insert("release " + dialect(bounds, ""));
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      result.insert("release " + (i == 0 ? "first" : bounds[i - 1]) + " to " + bounds[i]);
    }
    return result;
  }

  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session{env};
  std::map<std::string, const TargetPack*> packs;
  std::map<std::string, Cells> shown;
};

/// What the target says that it cannot do for good.
bool cannot(const TargetFacts& facts, std::string_view field) {
  return std::ranges::any_of(facts.cannot, [&](const Inexpressible& row) {
    const bool whole =
        row.value.empty() && row.releases.since.empty() && row.releases.before.empty();
    return row.field == field && whole;
  });
}

/// A hole for which the target itself states the reason.
bool is_stated(const TargetFacts& facts, const std::string& cell) {
  if (cell == "several nodes") return cannot(facts, "spec.nodes");
  if (cell != "uneven or elastic" || !cannot(facts, "spec.elastic")) return false;
  return std::ranges::all_of(words(RoleKind{}), [&](std::string_view role) {
    return role == "worker" || cannot(facts, "spec.roles." + std::string(role));
  });
}

/// The reasons of golden/HOLES.md, by "target: cell".
std::map<std::string, std::string> other_reasons() {
  std::map<std::string, std::string> result;
  std::ifstream in(kGolden / "HOLES.md");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("- `")) continue;
    const std::size_t name_end = line.find('`', 3);
    const std::size_t cell_end = line.find(": ", name_end);
    if (name_end == std::string::npos || cell_end == std::string::npos) continue;
    const std::string cell = line.substr(name_end + 2, cell_end - name_end - 2);
    result[line.substr(3, name_end - 3) + ": " + cell] = line.substr(cell_end + 2);
  }
  return result;
}

}  // namespace

TEST_CASE(
    "every cell of targets, sizes, queueing systems and releases has a golden case or a reason") {
  Matrix matrix;
  CHECK(matrix.session.sink.error_count() == 0);
  REQUIRE(matrix.packs.size() > 10);
  const auto reasons = other_reasons();
  std::vector<std::string> holes;
  for (const auto& [name, pack] : matrix.packs) {
    for (const std::string& cell : matrix.wanted(*pack)) {
      if (matrix.shown[name].contains(cell) || is_stated(pack->facts, cell)) continue;
      const std::string hole = name + ": " + cell;
      if (!reasons.contains(hole)) holes.push_back(hole);
    }
  }
  CHECK(holes == std::vector<std::string>{});
}

TEST_CASE("no reason is given for a cell that has a golden case or does not exist") {
  Matrix matrix;
  std::vector<std::string> needless;
  for (const auto& [hole, reason] : other_reasons()) {
    const std::string name = hole.substr(0, hole.find(": "));
    const std::string cell = hole.substr(hole.find(": ") + 2);
    const auto pack = matrix.packs.find(name);
    const bool exists = pack != matrix.packs.end() && matrix.wanted(*pack->second).contains(cell);
    if (!exists || matrix.shown[name].contains(cell) || reason.empty()) needless.push_back(hole);
  }
  CHECK(needless == std::vector<std::string>{});
}
