// What a rule computes and a spec gives otherwise: an error that shows both places, or the spec's
// own value. Asked of everything that the golden cases show.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/build/build.h"
#include "driver/session/session.h"
#include "file_text.h"
#include "folders.h"
#include "golden_cases.h"
#include "source/file_system.h"
#include "tree/yaml_reader.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace fs = std::filesystem;

namespace {

/// A golden case of one build that goes well.
struct Case {
  std::string name;
  std::map<std::string, std::string> files;
  bool with_cluster = false;

  /// The build of its spec with a layer over it.
  Built build_under(const std::string& layer) const {
    MemoryFileSystem disk;
    disk.files = files;
    if (!layer.empty()) {
      disk.files["layer.yaml"] =
          "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\n" + layer + "\n";
    }
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    if (!layer.empty()) session.layers.overlays = {"layer.yaml"};
    BuildRequest request;
    request.inputs = {"spec.yaml"};
    if (with_cluster) request.cluster = "cluster.yaml";
    Built built;
    built.text = build(session, request).stream.whole();
    built.reports = session.sink.sorted();
    built.errors = session.sink.error_count();
    return built;
  }

  bool says(const std::string& word) const {
    return std::ranges::any_of(
        files, [&](const auto& file) { return file.second.find(word) != std::string::npos; });
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> found;
  for (const GoldenCase& golden : golden_cases(repository() / "golden")) {
    const std::string args = golden.only_command();
    const bool builds =
        args == "build spec.yaml" || args == "build spec.yaml --cluster cluster.yaml";
    if (golden.fails() || !builds) continue;
    const fs::path& folder = golden.path;
    Case one;
    one.name = golden.name;
    one.with_cluster = args.find("--cluster") != std::string::npos;
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
      const std::string name = fs::relative(file.path(), folder).string();
      if (!file.is_regular_file() || name == "args" || name.starts_with("std")) continue;
      one.files[name] = read_file(file.path());
    }
    found.push_back(std::move(one));
  }
  return found;
}

/// What one build shows of the pods of a job.
struct Shown {
  std::string kind;  // of the last object
  std::set<std::string> variables;
  std::set<std::string> selected;  // keys of node labels
  std::set<std::string> labels;
  std::set<std::string> mounts;
  std::set<std::string> volumes;
};

void each_map(View node, const std::function<void(View)>& found) {
  if (!node) return;
  if (node->is_map()) found(node);
  if (node->is_map() || node->is_seq()) {
    for (NodeId child : node.tree().children(node.id())) each_map(View(node.tree(), child), found);
  }
}

Shown shown(const std::string& stream) {
  SourceMap sources;
  Sink sink;
  Shown result;
  const FileId file = sources.add("stream", stream);
  for (const Tree& tree : read_yaml(sources, file, sink)) {
    const View object(tree, tree.root());
    result.kind = std::string(object["kind"].text());
    const auto keys = [&](View map, std::set<std::string>& into) {
      if (!map || !map->is_map()) return;
      for (NodeId child : tree.children(map.id())) into.emplace(tree[child].key);
    };
    keys(object["metadata"]["labels"], result.labels);
    each_map(object, [&](View map) {
      keys(map["nodeSelector"], result.selected);
      for (const char* list : {"env", "volumes"}) {
        const View items = map[list];
        if (!items || !items->is_seq()) continue;
        for (NodeId child : tree.children(items.id())) {
          const std::string name(View(tree, child)["name"].text());
          if (name.empty()) continue;
          (list == std::string("env") ? result.variables : result.volumes).insert(name);
        }
      }
      const View path = map["mountPath"];
      if (path && map["name"]) result.mounts.emplace(path.text());
    });
  }
  return result;
}

/// An error with two places, or one that names what sets it.
bool shows_both(const Built& built) {
  return std::ranges::any_of(built.reports, [](const Diagnostic& each) {
    const bool second =
        std::ranges::any_of(each.labels, [](const auto& label) { return label.span.known(); });
    return each.severity == Severity::Error && each.span.known() && (second || !each.notes.empty());
  });
}

/// Whether no list of variables has a name twice, so that one of them would win.
bool has_each_once(const std::string& stream) {
  SourceMap sources;
  Sink sink;
  bool once = true;
  const FileId file = sources.add("stream", stream);
  for (const Tree& tree : read_yaml(sources, file, sink)) {
    each_map(View(tree, tree.root()), [&](View map) {
      const View list = map["env"];
      if (!list || !list->is_seq()) return;
      std::set<std::string> names;
      for (NodeId child : tree.children(list.id())) {
        once &= names.emplace(View(tree, child)["name"].text()).second;
      }
    });
  }
  return once;
}

}  // namespace

TEST_CASE("what is computed and given otherwise is an error with both places, or as it is given") {
  struct Sort {
    const char* name;
    std::set<std::string> Shown::* of;
    std::string (*layer)(const std::string&);
  };
  const Sort sorts[] = {
      {"variable", &Shown::variables,
       [](const std::string& name) { return "spec: {env: {" + name + ": as-given}}"; }},
      {"node label", &Shown::selected,
       [](const std::string& name) {
         return "spec: {placement: {nodeSelector: {" + name + ": as-given}}}";
       }},
      {"label", &Shown::labels,
       [](const std::string& name) { return "metadata: {labels: {" + name + ": as-given}}"; }},
      {"mount", &Shown::mounts,
       [](const std::string& path) {
         return "spec: {storage: {as-given: {emptyDir: {}, mountPath: \"" + path + "\"}}}";
       }},
      {"volume", &Shown::volumes,
       [](const std::string& name) {
         return "spec: {storage: {" + name + ": {emptyDir: {}, mountPath: /as-given}}}";
       }},
  };
  std::set<std::string> asked;
  std::size_t refused = 0;
  std::size_t yielded = 0;
  std::string wrong;
  for (const Case& each : all_cases()) {
    if (each.says("serve:")) continue;  // whose objects have nothing of what is given for training
    const Built plain = each.build_under("");
    if (plain.errors != 0 || plain.text.empty()) continue;
    const Shown found = shown(plain.text);
    for (const Sort& sort : sorts) {
      for (const std::string& name : found.*sort.of) {
        if (each.says(name)) continue;
        if (!asked.insert(found.kind + " " + sort.name + " " + name).second) continue;
        const Built built = each.build_under(sort.layer(name));
        if (built.errors == 0) {
          // A rule may leave its place to what is given, and does not write both.
          const bool given = built.text.find("as-given") != std::string::npos;
          if (!given) wrong += each.name + ": " + sort.name + " " + name + " is dropped\n";
          if (!has_each_once(built.text)) wrong += each.name + ": " + name + " is there twice\n";
          ++yielded;
        } else if (!shows_both(built)) {
          wrong += each.name + ": " + sort.name + " " + name + " shows one place only\n";
        } else {
          ++refused;
        }
      }
    }
  }
  CHECK(wrong == "");
  CHECK(refused > 300);
  CHECK(yielded > 100);
}
