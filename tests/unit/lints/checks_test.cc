// Every check against what it refuses and what it accepts, in the files of cases: every
// <name>_cases.yaml of the folders kFolders. Those of compiler/lints/<group>/<file>.cc are in
// <group>/<file>_cases.yaml beside this file.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/object_checks.h"
#include "driver/session/all_checks.h"
#include "file_text.h"
#include "folders.h"
#include "shell/command_line.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;
namespace fs = std::filesystem;
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

struct Cases {
  SourceMap sources;
  std::vector<Tree> documents;
};

void read(const std::string& name, Cases& cases) {
  Sink sink;
  const FileId id = cases.sources.add(name, read_file(repository() / "tests/unit" / name));
  cases.documents = read_yaml(cases.sources, id, sink, {}, Ambiguity::Kubernetes);
  for (const Diagnostic& d : sink.all()) UNSCOPED_INFO(d.message);
  REQUIRE_FALSE(sink.has_errors());
}

KubernetesVersion version_of(View one) {
  return kubernetes_version(string_at(one, "version")).value_or(KubernetesVersion());
}

/// Where checks are, as folders of compiler/ and, with their cases, of tests/unit/.
constexpr std::string_view kFolders[] = {"admission", "lints", "operators"};
constexpr std::string_view kEnd = "_cases.yaml";

/// The files below tests/unit/`folder`, by their names below tests/unit/, in order.
std::vector<std::string> files_below(std::string_view folder) {
  std::vector<std::string> result;
  const fs::path root = repository() / "tests/unit";
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.is_regular_file()) {
      result.push_back(entry.path().lexically_relative(root).generic_string());
    }
  }
  std::ranges::sort(result);
  return result;
}

std::vector<std::string> case_files() {
  std::vector<std::string> result;
  for (std::string_view folder : kFolders) {
    for (std::string& file : files_below(folder)) {
      if (file.ends_with(kEnd)) result.push_back(std::move(file));
    }
  }
  return result;
}

/// What the items of a file are: whole objects, or parts that go into one.
enum class Wrap { Pod, Job, Object };

Wrap wrap_of(std::string_view file) {
  if (file == "admission/pod_cases.yaml") return Wrap::Pod;
  if (file == "admission/job_cases.yaml") return Wrap::Job;
  return Wrap::Object;
}

/// The object of an item, which may be more than that; see found().
View object_of(View item) {
  const View object = get(item, "object");
  return object ? object : item;
}

/// Makes long texts of those that stand for them: `(131072 times x)`.
void lengthen(NodeId id, Tree& tree) {
  constexpr std::string_view kTimes = " times x)";
  const std::string_view text = tree[id].text;
  if (tree[id].kind == Kind::String && text.starts_with('(') && text.ends_with(kTimes)) {
    const auto count = plain_number(text.substr(1, text.size() - kTimes.size() - 1));
    tree[id].text = tree.intern(std::string(static_cast<std::size_t>(count.value()), 'x'));
  }
  for (const NodeId child : tree.children(id)) lengthen(child, tree);
}

NodeId wrapped(View item, Wrap wrap, Tree& tree) {
  const NodeId copy = tree.copy(item.tree(), item.id());
  lengthen(copy, tree);
  if (wrap == Wrap::Object) return copy;
  const NodeId object = tree.add_map();
  const bool pod = wrap == Wrap::Pod;
  // A PodTemplate, whose metadata is that of the pod to be.
  tree.append(object, "apiVersion", tree.add_string(pod ? "v1" : "batch/v1"));
  tree.append(object, "kind", tree.add_string(pod ? "PodTemplate" : "Job"));
  if (!pod) {
    const NodeId metadata = tree.add_map();
    const NodeId name = tree.find(copy, "name");
    tree.append(metadata, "name", tree.add_string(name == kNoNode ? "train" : tree[name].text));
    tree.append(object, "metadata", metadata);
    tree.append(object, "spec", copy);
    return object;
  }
  if (tree.find(copy, "metadata") != kNoNode) {
    tree.append(object, "template", copy);
  } else {
    const NodeId holder = tree.add_map();
    tree.append(holder, "spec", copy);
    tree.append(object, "template", holder);
  }
  return object;
}

/// What was said, in an order that does not depend on when.
std::vector<std::pair<std::string, std::string>> said(const Sink& sink) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Diagnostic& each : sink.all()) all.emplace_back(each.path, each.message);
  std::sort(all.begin(), all.end());
  return all;
}

/// Where the objects around it are not known, nothing else is reported, and all of a check that
/// does not ask for them.
void check_alone(std::string_view name, View root, View old, const CheckInputs& surroundings,
                 const Sink& at_once) {
  const auto is_part = [](const Sink& part, const Sink& whole) {
    const auto all = said(whole);
    const auto some = said(part);
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  CheckInputs alone = surroundings;
  alone.inventory = nullptr;
  Sink sink;
  run_checks_alone(root, {}, old, alone, sink);
  CHECK(is_part(sink, at_once));
  const Check* const check = find_check(name);
  Sink own;
  CheckContext context(alone, own);
  context.replaces(old);
  run_some_checks(root, {}, {&check, 1}, context);
  if (!context.take_inventory_wish()) CHECK(is_part(own, sink));
}

/// How often a check of this name speaks about an item: an object, or a map of an `object`, of the
/// `old` one that it replaces, of those `with` it, of the releases of `operators` and of the `spec`
/// of a `cluster`. `around` are the objects around all items.
std::size_t found(std::string_view check, View item, Wrap wrap, KubernetesVersion version,
                  const Inventory& around, const SourceMap& sources) {
  Tree tree;
  tree.set_root(wrapped(object_of(item), wrap, tree));
  Sink sink;
  Inventory near(&around);
  for (View object : items_at(item, "with")) near.add(object);
  CheckInputs surroundings{};
  surroundings.checks = all_checks();
  surroundings.sources = &sources;
  surroundings.versions.kubernetes = version;
  for (View each : entries_at(item, "operators")) {
    surroundings.versions.add(each->key, each->text);
  }
  surroundings.inventory = &near;
  Cluster cluster;
  if (item["object"] && item["cluster"]) {
    cluster = decode_cluster(item.tree(), item["cluster"].id(), sink);
    surroundings.cluster = &cluster;
    surroundings.cluster_tree = &item.tree();
  }
  CheckContext context(surroundings, sink);
  context.replaces(get(item, "old"));
  const View root(tree, tree.root());
  run_checks(root, {}, {}, context);
  check_alone(check, root, get(item, "old"), surroundings, sink);
  std::size_t count = 0;
  for (const Diagnostic& diagnostic : sink.all()) {
    const std::string note = "`" + std::string(check) + "`";
    if (diagnostic.notes.empty() || !diagnostic.notes.front().ends_with(note)) continue;
    UNSCOPED_INFO(diagnostic.message << "  " << diagnostic.path);
    ++count;
  }
  return count;
}

void run(const std::string& file) {
  const Wrap wrap = wrap_of(file);
  Cases cases;
  read(file, cases);
  INFO(file);
  for (const Tree& document : cases.documents) {
    const View one(document, document.root());
    const std::string check(string_at(one, "check"));
    INFO(check);
    REQUIRE(find_check(check) != nullptr);
    Inventory around;
    for (View object : items_at(one, "around")) around.add(object);
    for (View item : items_at(one, "refused")) {
      INFO("refused: " << cases.sources.text(item->span));
      CHECK(found(check, item, wrap, version_of(one), around, cases.sources) == 1);
    }
    for (View item : items_at(one, "accepted")) {
      INFO("accepted: " << cases.sources.text(item->span));
      CHECK(found(check, item, wrap, version_of(one), around, cases.sources) == 0);
    }
  }
}

}  // namespace

TEST_CASE("checks refuse what the API server or the cluster refuses, once, and nothing else") {
  for (const std::string& file : case_files()) run(file);
}

TEST_CASE("every file of cases is read") {
  const std::vector<std::string> read = case_files();
  for (const std::string& file : files_below("")) {
    // Tests of their own read these.
    const bool other = file.starts_with("schema/") || file.starts_with("diagnosis/");
    if (!file.ends_with(kEnd) || other) continue;
    INFO(file);
    CHECK(std::ranges::count(read, file) == 1);
  }
  for (std::string_view folder : kFolders) {
    for (const std::string& file : files_below(folder)) {
      INFO(file << ": a file of cases is called <name>_cases.yaml");
      CHECK((file.ends_with(kEnd) || file.ends_with(".cc")));
    }
  }
}

TEST_CASE("the cases of a lint are beside its file: <group>/<file>_cases.yaml") {
  for (const std::string& file : files_below("lints")) {
    if (!file.ends_with(kEnd)) continue;
    INFO(file);
    const std::string source = file.substr(0, file.size() - kEnd.size()) + ".cc";
    REQUIRE(fs::exists(repository() / "compiler" / source));
    const std::string text = read_file(repository() / "compiler" / source);
    Cases cases;
    read(file, cases);
    CHECK_FALSE(cases.documents.empty());
    for (const Tree& document : cases.documents) {
      const std::string check(string_at(View(document, document.root()), "check"));
      INFO(check << " is not in compiler/" << source);
      CHECK(text.find('"' + check + '"') != std::string::npos);
    }
  }
}

TEST_CASE("every check has something that it refuses and something that it accepts") {
  std::set<std::string> refusing;
  std::set<std::string> accepting;
  for (const std::string& file : case_files()) {
    Cases cases;
    read(file, cases);
    for (const Tree& document : cases.documents) {
      const View one(document, document.root());
      const std::string check(string_at(one, "check"));
      if (has_items(get(one, "refused"))) refusing.insert(check);
      if (has_items(get(one, "accepted"))) accepting.insert(check);
    }
  }
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) {
      INFO(check.name);
      CHECK(refusing.contains(std::string(check.name)));
      CHECK(accepting.contains(std::string(check.name)));
    }
  }
}

TEST_CASE("checks have different names, a source and a function") {
  std::set<std::string_view> names;  // with those of kinds: a report has one set of rules
  for (const KindInfo& kind : all_kinds()) {
    // A claim of a spec is reported by the kind, one of a manifest by the check, in the same sense.
    if (kind.kind != DiagnosticKind::ClaimAccess) names.insert(kind.name);
  }
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) {
      INFO(check.name);
      CHECK(names.insert(check.name).second);
      CHECK(check.sentence.ends_with('.'));
      CHECK(check.source.find(' ') != std::string_view::npos);
      CHECK(check.because.empty() == check.fix.empty());
      const bool asks = check.pod != nullptr || check.job != nullptr || check.workload != nullptr ||
                        check.object != nullptr;
      CHECK(asks);
      CHECK(check.on.empty() == (check.object == nullptr));
    }
  }
}
