#include "target/target_pack.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "file_text.h"
#include "folders.h"
#include "target/object_set.h"
#include "tree/yaml_reader.h"

using namespace trainyard;
using trainyard::testing::read_file;

namespace {

/// Template files in memory.
class Files : public TemplateFiles {
 public:
  std::map<std::string, std::string, std::less<>> texts;

  std::optional<File> find(std::string_view path) const override {
    const auto found = texts.find(path);
    if (found == texts.end()) return std::nullopt;
    return File{"templates/" + found->first, found->second, {}};
  }
  std::vector<std::string> targets() const override {
    std::vector<std::string> result;
    for (const auto& [path, text] : texts) {
      if (path.ends_with("/target.yaml")) result.push_back(path.substr(0, path.find('/')));
    }
    return result;
  }
};

Files shipped() {
  namespace fs = std::filesystem;
  Files files;
  const fs::path root = testing::repository() / "templates";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".yaml") continue;
    files.texts[entry.path().lexically_relative(root).generic_string()] = read_file(entry.path());
  }
  return files;
}

Files small() {
  Files files;
  files.texts["small/target.yaml"] =
      "name: small\n"
      "status: available\n"
      "summary: the least that works\n"
      "pod: pod.yaml\n"
      "documents: [small/job.yaml]\n";
  files.texts["small/job.yaml"] = "$each: job.roles\nkind: Job\nspec: ${role.pod}\n";
  files.texts["pod.yaml"] = "image: ${role.image}\n";
  return files;
}

/// Loads the pack `small`; the messages of what is wrong with it.
std::vector<std::string> messages(const Files& files) {
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const bool loaded = library.pack("small", sink) != nullptr;
  CHECK(loaded == !sink.has_errors());
  std::vector<std::string> result;
  for (const Diagnostic& report : sink.sorted()) result.push_back(report.message);
  return result;
}

std::vector<std::string> with_line(const std::string& line) {
  Files files = small();
  files.texts["small/target.yaml"] += line;
  return messages(files);
}

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("every pack that is shipped loads, and every hole of its templates is a field") {
  const Files files = shipped();
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  REQUIRE(library.names().size() >= 16);
  for (const std::string& name : library.names()) {
    INFO(name);
    const TargetFacts* facts = library.facts(name, sink);
    for (const Diagnostic& report : sink.all()) UNSCOPED_INFO(report.message);
    REQUIRE(facts != nullptr);
    CHECK((library.pack(name, sink) != nullptr) == facts->available);
  }
  for (const Diagnostic& report : sink.all()) UNSCOPED_INFO(report.message);
  CHECK(sink.all().empty());
}

TEST_CASE("the templates of a platform load, and their holes are fields of a platform") {
  const Files files = shipped();
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const PlatformPack* pack = library.platform(sink);
  for (const Diagnostic& report : sink.all()) UNSCOPED_INFO(report.message);
  REQUIRE(pack != nullptr);
  CHECK(pack->documents.size() >= 10);
  CHECK(pack->apis.size() >= 2);
}

TEST_CASE("every shipped template file is part of a pack") {
  const Files files = shipped();
  SourceMap sources;
  Sink sink;
  std::set<std::string, std::less<>> used;
  std::vector<std::string> packs{"cluster/cluster.yaml"};
  for (const std::string& target : files.targets()) packs.push_back(target + "/target.yaml");
  for (const std::string& path : packs) {
    used.insert(path);
    const FileId file = sources.add(path, files.texts.at(path));
    const std::vector<Tree> documents = read_yaml(sources, file, sink);
    REQUIRE(documents.size() == 1);
    const View pack(documents[0], documents[0].root());
    if (pack["pod"]) used.insert(std::string(pack["pod"].text()));
    for (const char* list : {"documents", "limits"}) {
      for (NodeId id : documents[0].children(pack[list].id())) {
        const View entry(documents[0], id);
        used.insert(std::string(entry->is_map() ? entry["file"].text() : entry.text()));
      }
    }
  }
  for (const auto& [path, text] : files.texts) {
    const std::string folder = path.substr(0, path.find('/'));
    if (folder == "fabrics" || folder == "machines" || folder == "data") continue;
    if (folder == "images" || folder == "diagnosis" || folder == "checks") continue;
    if (path == "shapes.yaml" || path == "kinds.yaml" || path == "examples.yaml" ||
        path == "discovery.yaml" || path == "starters.yaml" || path == "without.yaml" ||
        path == "time-zones.yaml")
      continue;
    INFO(path);
    CHECK(used.count(path) == 1);
  }
}

TEST_CASE("only the targets of Run:ai take what only Run:ai knows") {
  const Files files = shipped();
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  for (const std::string& name : library.names()) {
    const TargetFacts* facts = library.facts(name, sink);
    REQUIRE(facts != nullptr);
    INFO(name);
    if (facts->serves) continue;  // nothing of the training is read there
    const bool refuses = std::ranges::any_of(
        facts->cannot, [](const Inexpressible& row) { return row.field == "spec.runai"; });
    CHECK(refuses == (facts->project_system != "runai"));
  }
}

TEST_CASE("what a shipped target cannot carry is reported once, with a reason") {
  const Files files = shipped();
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  for (const std::string& name : library.names()) {
    const TargetFacts* facts = library.facts(name, sink);
    REQUIRE(facts != nullptr);
    std::set<std::string> seen;
    std::vector<Inexpressible> rows = facts->cannot;
    rows.insert(rows.end(), facts->not_yet.begin(), facts->not_yet.end());
    for (const Inexpressible& row : rows) {
      INFO(name << " " << row.field << " " << row.value);
      CHECK(seen.insert(std::string(row.field) + "=" + std::string(row.value)).second);
      CHECK(row.because.size() > 10);
      CHECK_FALSE(row.because.ends_with('.'));
    }
    CHECK_FALSE(facts->summary.ends_with('.'));
  }
}

TEST_CASE("a pack that works has its facts and its templates") {
  Files files = small();
  files.texts["small/target.yaml"] +=
      "containerName: main\n"
      "names: {limit: 50, derived: ['{job}-{role}-{index}']}\n"
      "cannot:\n"
      "- {field: spec.elastic, because: its size is fixed}\n"
      "- {field: spec.nodes, above: 1, because: it is one pod}\n"
      "notYet:\n"
      "- {field: spec.run.launcher, value: mpirun, because: the rule is missing}\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const TargetPack* pack = library.pack("small", sink);
  REQUIRE(pack != nullptr);
  CHECK(pack->facts.name == "small");
  CHECK(pack->facts.container_name == "main");
  CHECK(pack->facts.name_limit == 50);
  CHECK(pack->facts.derived_names == std::vector<std::string_view>{"{job}-{role}-{index}"});
  REQUIRE(pack->facts.cannot.size() == 2);
  CHECK(pack->facts.cannot[0].field == "spec.elastic");
  CHECK(pack->facts.cannot[0].because == "its size is fixed");
  CHECK_FALSE(pack->facts.cannot[0].above.has_value());
  CHECK(pack->facts.cannot[1].above == 1);
  REQUIRE(pack->facts.not_yet.size() == 1);
  CHECK(pack->facts.not_yet[0].value == "mpirun");
  CHECK(pack->documents.size() == 1);
  CHECK(library.pack("small", sink) == pack);
  CHECK(library.facts("small", sink) == &pack->facts);
  CHECK_FALSE(sink.has_errors());
}

TEST_CASE("a pack fills an object set with the identity of each object") {
  Files files = small();
  files.texts["small/job.yaml"] =
      "$each: job.roles\napiVersion: batch/v1\nkind: Job\nmetadata: {name: '${role.name}'}\n"
      "spec: ${role.pod}\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const TargetPack* pack = library.pack("small", sink);
  REQUIRE(pack != nullptr);
  Plan plan;
  for (const char* name : {"a", "b"}) {
    plan.roles.emplace_back().name = name;
    plan.roles.back().image = {name, kNoOrigin, true};
  }
  Origins origins;
  ObjectSet objects;
  fill_target(plan, *pack, std::nullopt, origins, objects, sink);
  REQUIRE(objects.objects.size() == 2);
  CHECK(objects.objects[0].api_version == "batch/v1");
  CHECK(objects.objects[1].kind == "Job");
  CHECK(objects.objects[1].name == "b");
  CHECK(View(objects.tree, objects.objects[1].root)["spec"]["image"].text() == "b");
}

TEST_CASE("an unknown target and a planned one have no templates, without an error") {
  Files files = small();
  files.texts["later/target.yaml"] = "name: later\nstatus: planned\nsummary: some day\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  CHECK(library.names() == std::vector<std::string>{"later", "small"});
  CHECK(library.facts("none", sink) == nullptr);
  CHECK(library.pack("none", sink) == nullptr);
  REQUIRE(library.facts("later", sink) != nullptr);
  CHECK_FALSE(library.facts("later", sink)->available);
  CHECK(library.pack("later", sink) == nullptr);
  CHECK_FALSE(sink.has_errors());
}

TEST_CASE("everything wrong with a `target.yaml` is reported") {
  CHECK(messages(small()).empty());
  CHECK(with_line("docments: []\n") == Messages{"unknown key `docments`"});
  CHECK(with_line("names: {limt: 3}\n") == Messages{"unknown key `limt`"});
  CHECK(with_line("names: 3\n") == Messages{"expected a map, found integer"});
  CHECK(with_line("names: {limit: many}\n") ==
        Messages{"expected a number of characters or items, 0 or more"});
  CHECK(with_line("names: {limit: -1}\n").size() == 1);
  CHECK(with_line("names: {derived: '{job}-0'}\n") ==
        Messages{"expected a list of texts, found string"});
  CHECK(with_line("names: {derived: [job-0]}\n") == Messages{"a derived name holds `{job}`"});
  CHECK(with_line("roles: [{framework: [mpi]}]\n") ==
        Messages{"`even` names the roles of a job of equal nodes"});
  CHECK(with_line("roles: {even: [worker]}\n") == Messages{"expected a list of maps, found map"});
  CHECK(with_line("rendezvous: {master: '{job}-0'}\n") ==
        Messages{"`rank` or `rankVariables` says where a node's rank is"});
  CHECK(with_line("rendezvous: {master: '{job}-0', rankVariables: [RANK], service: theirs}\n") ==
        Messages{"`service` is one of `ours` `controller`"});
  CHECK(with_line("failures: {podFailurePolicy: sometimes}\n") ==
        Messages{"expected `true` or `false`"});
  CHECK(with_line("roles: [{even: [worker], byMpirun: perhaps}]\n") ==
        Messages{"expected `true` or `false`"});
  CHECK(with_line("injects: [{variables: [A], elastic: perhaps}]\n") ==
        Messages{"expected `true` or `false`"});
  CHECK(with_line("security: {}\n") == Messages{"`rootContainersWith` is missing"});
  CHECK(with_line("failures: {deadlineOfEachStart: 1}\n") ==
        Messages{"expected `true` or `false`"});
  CHECK(with_line("runtimes: yes please\n") == Messages{"expected `true` or `false`"});
  CHECK(with_line("operatorSince: new\n") == Messages{"expected a release, as `0.12`"});
  CHECK(with_line("cannot: [{field: spec.a, because: old, before: later}]\n") ==
        Messages{"expected a release, as `0.12`"});
  CHECK(with_line("cannot: {a: b}\n") == Messages{"expected a list of maps, found map"});
  CHECK(with_line("cannot: [spec.elastic]\n") == Messages{"expected a map, found string"});
  CHECK(with_line("cannot: [{field: spec.a}]\n") == Messages{"`because` is missing"});
  CHECK(with_line("cannot: [{field: elastic, because: it is fixed}]\n") ==
        Messages{"a field is named from the top, as `spec.elastic`"});
  CHECK(with_line("cannot: [{field: spec.a, because: fixed, vlaue: z}]\n") ==
        Messages{"unknown key `vlaue`"});
  CHECK(with_line("containerName: [a]\n") == Messages{"expected a text, found list"});

  Files files = small();
  files.texts["small/target.yaml"] = "name: large\nstatus: ready\nsummary: ''\n";
  CHECK(messages(files) == Messages{"`name` must be `small`, as the folder is called",
                                    "`summary` is missing",
                                    "`status` is one of `available` `planned`"});
  files.texts["small/target.yaml"] = "[a]\n";
  CHECK(messages(files) == Messages{"a template file holds one document, which is a map"});
  files.texts["small/target.yaml"] = "name: small\nstatus: available\nsummary: nothing there\n";
  CHECK(messages(files) == Messages{"an available target has `documents`"});
}

TEST_CASE("a target can do without a pod template, and then no document has a hole for one") {
  Files files = small();
  files.texts["small/target.yaml"] =
      "name: small\nstatus: available\nsummary: flat\ndocuments: [small/job.yaml]\n";
  files.texts["small/job.yaml"] = "$each: job.roles\nkind: Flat\nimage: ${role.image}\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const TargetPack* pack = library.pack("small", sink);
  REQUIRE(pack != nullptr);
  CHECK_FALSE(pack->facts.pod_template);
  Plan plan;
  plan.roles.emplace_back().image = {"a", kNoOrigin, true};
  Origins origins;
  ObjectSet objects;
  fill_target(plan, *pack, std::nullopt, origins, objects, sink);
  REQUIRE(objects.objects.size() == 1);
  CHECK(View(objects.tree, objects.objects[0].root)["image"].text() == "a");
  CHECK_FALSE(sink.has_errors());

  files.texts["small/job.yaml"] = "$each: job.roles\nkind: Flat\nspec: ${role.pod}\n";
  TargetLibrary again(files, sources);
  ObjectSet none;
  fill_target(plan, *again.pack("small", sink), std::nullopt, origins, none, sink);
  CHECK(sink.has_errors());
}

TEST_CASE("a target says how it queues, starts and places jobs, and what is inferred of it") {
  CHECK(with_line("launch: {processes: option}\n").empty());
  CHECK(with_line("launch: {processes: auto}\n") ==
        Messages{"`processes` is one of `variable` `option`"});
  CHECK(with_line("project: {system: runai, namespace: 'a-{queue}'}\n").empty());
  CHECK(with_line("project: {namespace: a}\n") == Messages{"`system` is missing"});
  CHECK(with_line("nodes: {pool: a/b, type: c/d}\n").empty());
  CHECK(with_line("nodes: {pool: a/b}\n") == Messages{"`type` is missing"});
  CHECK(with_line("inferred: [{field: '*.a', because: of the CLI}]\n").empty());
  CHECK(with_line("inferred: [{field: '*.a'}]\n") == Messages{"`because` is missing"});
  CHECK(with_line("roles: [{even: [a], whole: perhaps}]\n") ==
        Messages{"expected `true` or `false`"});
}

TEST_CASE("template files that are missing or wrong are reported where they are named") {
  Files files = small();
  files.texts.erase("small/job.yaml");
  CHECK(messages(files) == Messages{"there is no template file `small/job.yaml`"});
  files = small();
  files.texts["small/job.yaml"] = "a: ${job.nmae}\n";
  CHECK(messages(files) == Messages{"the plan has no field `job.nmae`"});
  files = small();
  files.texts["small/job.yaml"] = "a: 1\n---\nb: 1\n";
  CHECK(messages(files) == Messages{"a template file holds one document, which is a map"});
  files = small();
  files.texts["small/target.yaml"] =
      "name: small\nstatus: available\nsummary: an empty list\npod: pod.yaml\ndocuments: []\n";
  CHECK(messages(files) == Messages{"the target has no `documents`"});
}

TEST_CASE("the pod template is no document, in whichever order it is asked for") {
  Files files = small();
  files.texts["small/target.yaml"] =
      "name: small\nstatus: available\nsummary: confused\npod: pod.yaml\n"
      "documents: [pod.yaml]\n";
  CHECK(messages(files) == Messages{"`role.image` is used outside of a loop that yields `role`"});
}

TEST_CASE("a broken pack is reported once and stays broken") {
  Files files = small();
  files.texts["small/job.yaml"] = "a: ${x}\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  CHECK(library.pack("small", sink) == nullptr);
  CHECK(library.pack("small", sink) == nullptr);
  CHECK(sink.error_count() == 1);
}

TEST_CASE("the longest name leaves room for what the target appends") {
  TargetFacts facts;
  facts.name_limit = 63;
  const auto longest = [&facts](std::int64_t workers) {
    const RoleCount roles[] = {{"worker", workers}};
    return facts.longest_name(roles, false);
  };
  CHECK(longest(1) == 63);
  CHECK(longest(5000) == 63);
  facts.derived_names_of_several = {"{job}-{index}"};
  // An Indexed Job: 62 - d(N).
  CHECK(longest(1) == 63);
  CHECK(longest(2) == 61);
  CHECK(longest(10) == 61);
  CHECK(longest(11) == 60);
  CHECK(longest(100) == 60);
  CHECK(longest(101) == 59);
  CHECK(longest(1001) == 58);
  facts.derived_names = {"{job}-{role}-{index}"};
  // A PyTorchJob: 55 - d(N), and never above 54.
  CHECK(longest(1) == 54);
  CHECK(longest(100) == 53);
  const RoleCount evaluated[] = {{"worker", 4}, {"evaluator", 1}};
  CHECK(facts.longest_name(evaluated, false) == 51);
  // The coordinator of a JobSet: its label holds the job's name twice.
  facts.derived_names = {"{job}-{role}-0-{index}.{job}"};
  const RoleCount node[] = {{"node", 1}};
  CHECK(facts.longest_name(node, false) == 26);
  // Twelve groups of three pods: 63 - 17 characters.
  facts.programs.names = {"{job}-{role}-{group}-{index}-xxxxx"};
  const RoleCount engines[] = {{"judge", 3, 12}};
  CHECK(facts.longest_name(engines, true) == 46);
}

namespace {

/// A schema of ours, in which paths such as `spec.data.inputs[].handler` are looked up.
class FieldSchema {
 public:
  FieldSchema(const std::string& kind, SourceMap& sources, Sink& sink) {
    const std::string path =
        testing::repository().string() + "/schemas/trainyard/v1alpha1/" + kind + ".yaml";
    const FileId file = sources.add(path, read_file(path));
    documents_ = read_yaml(sources, file, sink);
    REQUIRE(documents_.size() == 1);
  }

  View find(std::string_view path) const {
    View node = root();
    while (node && !path.empty()) {
      std::string_view part = path.substr(0, path.find('.'));
      path.remove_prefix(std::min(path.size(), part.size() + 1));
      const bool list = part.ends_with("[]");
      if (list) part.remove_suffix(2);
      node = step(resolved(node), part);
      if (list) node = step(resolved(node), "[]");
    }
    return node ? resolved(node) : node;
  }

 private:
  View root() const { return View(documents_[0], documents_[0].root()); }
  View resolved(View node) const {
    while (const View ref = node["$ref"]) {
      node = root()["$defs"][ref.text().substr(ref.text().rfind('/') + 1)];
    }
    return node;
  }
  static View step(View node, std::string_view part) {
    if (part == "[]") return node["items"];
    if (part == "*") return node["additionalProperties"];
    return node["properties"][part];
  }

  std::vector<Tree> documents_;
};

}  // namespace

TEST_CASE("what a shipped target cannot carry are fields of the TrainingJob or the Cluster") {
  SourceMap sources;
  Sink sink;
  const FieldSchema job("TrainingJob", sources, sink);
  const FieldSchema cluster("Cluster", sources, sink);
  const Files files = shipped();
  TargetLibrary library(files, sources);
  for (const std::string& name : library.names()) {
    const TargetFacts* facts = library.facts(name, sink);
    REQUIRE(facts != nullptr);
    std::vector<Inexpressible> rows = facts->cannot;
    rows.insert(rows.end(), facts->not_yet.begin(), facts->not_yet.end());
    rows.insert(rows.end(), facts->cannot_by_reference.begin(), facts->cannot_by_reference.end());
    for (const Inexpressible& row : rows) {
      INFO(name << ": " << row.field << " " << row.value);
      constexpr std::string_view kCluster = "cluster.";
      const bool of_cluster = row.field.starts_with(kCluster);
      const View node = of_cluster
                            ? cluster.find("spec." + std::string(row.field.substr(kCluster.size())))
                            : job.find(row.field);
      REQUIRE(node);
      const View values = node["enum"];
      if (row.value.empty() || !values) continue;
      bool known = false;
      for (NodeId id : values.tree().children(values.id())) {
        known |= values.tree()[id].text == row.value;
      }
      CHECK(known);
    }
  }
}

TEST_CASE("an even job is split into the roles that the system knows") {
  TargetFacts facts;
  RoleShape kubeflow;
  kubeflow.frameworks = {"pytorch"};
  kubeflow.even = {"master", "worker"};
  kubeflow.elastic = {"worker"};
  facts.role_shapes = {kubeflow};
  const auto split = [&facts](std::string_view framework, std::int64_t nodes, bool elastic) {
    std::string result;
    for (const RoleCount& role : facts.shape_for(framework, false).split(nodes, elastic)) {
      result += std::string(role.name) + "=" + std::to_string(role.pods) + " ";
    }
    return result;
  };
  CHECK(split("pytorch", 4, false) == "master=1 worker=3 ");
  CHECK(split("pytorch", 1, false) == "master=1 ");
  CHECK(split("pytorch", 4, true) == "worker=4 ");
  CHECK(split("jax", 4, false) == "worker=4 ");
}

TEST_CASE("roles of mpirun are those of jobs whose ranks it starts") {
  TargetFacts facts;
  RoleShape launched;
  launched.by_mpirun = true;
  launched.even = {"node"};
  launched.coordinator = "launcher";
  RoleShape alike;
  alike.even = {"node"};
  facts.role_shapes = {launched, alike};
  CHECK(facts.shape_for("pytorch", true).coordinator == "launcher");
  CHECK(facts.shape_for("pytorch", false).coordinator.empty());
}

TEST_CASE("variables may be those of jobs without a role") {
  TargetFacts facts;
  InjectedVariables row;
  row.names = {"PET_NNODES"};
  row.without = "launcher";
  facts.injected = {row};
  CHECK(facts.injects({"pytorch", false, {"node"}}, "PET_NNODES"));
  CHECK_FALSE(facts.injects({"pytorch", false, {"launcher", "node"}}, "PET_NNODES"));
}

TEST_CASE("what a target cannot carry may depend on the operator's release") {
  Files files = small();
  files.texts["small/target.yaml"] +=
      "operator: trainer\noperatorSince: '2.0'\n"
      "cannot: [{field: spec.elastic, since: '2.0', before: '2.2', because: it is fixed}]\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const TargetFacts* facts = library.facts("small", sink);
  REQUIRE(facts != nullptr);
  CHECK(facts->op_since == "2.0");
  REQUIRE(facts->cannot.size() == 1);
  const OperatorSpan& releases = facts->cannot[0].releases;
  CHECK(releases.holds(release("2.1.9")));
  CHECK_FALSE(releases.holds(release("2.2")));
  CHECK_FALSE(releases.holds(std::nullopt));
}

TEST_CASE("a controller's variables are those of the framework") {
  TargetFacts facts;
  facts.injected = {{{"pytorch"}, {"PET_NNODES"}, "", "", false},
                    {{}, {"PYTHONUNBUFFERED"}, "", "", false}};
  CHECK(facts.injects({"pytorch"}, "PET_NNODES"));
  CHECK_FALSE(facts.injects({"jax"}, "PET_NNODES"));
  CHECK(facts.injects({"jax"}, "PYTHONUNBUFFERED"));
  CHECK_FALSE(facts.injects({"jax"}, "RANK"));
}

TEST_CASE("a controller's variables may be for jobs with a role, or for elastic ones, only") {
  TargetFacts facts;
  facts.injected = {{{}, {"RANK"}, "master", "", false}, {{}, {"PET_RDZV_ID"}, "", "", true}};
  CHECK(facts.injects({"pytorch", false, {"worker", "master"}}, "RANK"));
  CHECK_FALSE(facts.injects({"pytorch", false, {"worker"}}, "RANK"));
  CHECK(facts.injects({"pytorch", true, {"worker"}}, "PET_RDZV_ID"));
  CHECK_FALSE(facts.injects({"pytorch", false, {"worker"}}, "PET_RDZV_ID"));
}

TEST_CASE("targets share what they cannot carry in a file of `limits`") {
  Files files = small();
  files.texts["small/target.yaml"] +=
      "limits: [kin/limits.yaml]\ncannot:\n- {field: spec.nodes, above: 1, because: it is one "
      "pod}\n";
  files.texts["kin/limits.yaml"] =
      "cannot:\n- {field: spec.elastic, because: its size is fixed}\n"
      "notYet:\n- {field: spec.data, because: the rule is missing}\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const TargetFacts* facts = library.facts("small", sink);
  REQUIRE(facts != nullptr);
  REQUIRE(facts->cannot.size() == 2);
  CHECK(facts->cannot[1].because == "its size is fixed");
  REQUIRE(facts->not_yet.size() == 1);
  CHECK(facts->not_yet[0].field == "spec.data");
  CHECK_FALSE(sink.has_errors());

  files.texts["kin/limits.yaml"] = "names: {limit: 3}\n";
  CHECK(messages(files) == Messages{"unknown key `names`"});
  files.texts.erase("kin/limits.yaml");
  CHECK(messages(files) == Messages{"there is no template file `kin/limits.yaml`"});
}

TEST_CASE("a target says who moves data, and which role stores it since when") {
  CHECK(with_line("data: {moved: controller}\n").empty());
  CHECK(with_line("data: {moved: ours, storingRole: store, storingSince: '0.8'}\n").empty());
  CHECK(with_line("data: {fetchingRole: fetch, fetchingSince: '0.8'}\n").empty());
  CHECK(with_line("data: {moved: nobody}\n") == Messages{"`moved` is one of `ours` `controller`"});
  CHECK(with_line("data: {storingSince: soon}\n") == Messages{"expected a release, as `0.12`"});
}

TEST_CASE("what a target says of mpirun, ranks and starts is checked") {
  const std::string mpirun = "mpirun: {hostFile: /etc/hosts, sshPath: /a, sshPathOfUser: /b}\n";
  CHECK(with_line(mpirun).empty());
  CHECK(with_line("mpirun: {hostFile: /etc/hosts}\n") ==
        Messages{"`sshPathOfUser` is missing", "`sshPath` is missing"});
  // mpirun tells each process its rank, so that nothing else has to.
  CHECK(with_line(mpirun + "rendezvous: {master: '{job}-0', coordinator: '{job}-l'}\n").empty());
  CHECK(with_line("rendezvous: {master: '{job}-0', rank: a, rankWithin: pod}\n") ==
        Messages{"`rankWithin` is one of `job` `role`"});
  CHECK(with_line("failures: {restartPolicyOf: job}\n") ==
        Messages{"`restartPolicyOf` is one of `pod` `replica` `operator`"});
  CHECK(with_line("mpirun: {hostFile: /a, sshPath: /a, sshPathOfUser: /b, launcherWaits: 1}\n") ==
        Messages{"expected `true` or `false`"});
  CHECK(with_line("failures: {exitCodes: sometimes}\n") == Messages{"expected `true` or `false`"});
  CHECK(with_line("queueing: [{system: volcano, always: never}]\n") ==
        Messages{"expected `true` or `false`"});
  CHECK(with_line("entrypoint: task\n") == Messages{"`entrypoint` is one of `pod` `job`"});
}

TEST_CASE("a document is filled in the dialect of the operator's release") {
  Files files = small();
  files.texts["small/old.yaml"] = "apiVersion: v1\nkind: Old\n";
  files.texts["small/new.yaml"] = "apiVersion: v1\nkind: New\n";
  files.texts["small/target.yaml"] =
      "name: small\nstatus: available\nsummary: two dialects\noperator: trainer\npod: pod.yaml\n"
      "documents:\n- {file: small/old.yaml, before: '2.2'}\n"
      "- {file: small/new.yaml, since: '2.2'}\n";
  SourceMap sources;
  Sink sink;
  TargetLibrary library(files, sources);
  const TargetPack* pack = library.pack("small", sink);
  REQUIRE(pack != nullptr);
  const auto kind = [&](const char* text) {
    Plan plan;
    Origins origins;
    ObjectSet objects;
    fill_target(plan, *pack, release(text), origins, objects, sink);
    REQUIRE(objects.objects.size() == 1);
    return std::string(objects.objects[0].kind);
  };
  CHECK(kind("2.1.9") == "Old");
  CHECK(kind("2.2.0") == "New");
  CHECK(kind("") == "New");

  files.texts["small/target.yaml"] =
      "name: small\nstatus: available\nsummary: of what\npod: pod.yaml\n"
      "documents:\n- {file: small/new.yaml, since: '2.2'}\n";
  CHECK(messages(files) == Messages{"releases of what? The pack names no `operator`"});
  files.texts["small/target.yaml"] =
      "name: small\nstatus: available\nsummary: a typo\noperator: trainer\npod: pod.yaml\n"
      "documents:\n- {file: small/new.yaml, sicne: '2.2'}\n";
  CHECK(messages(files) ==
        Messages{"a document is a path, or a map of `file` and the releases `since` and `before`"});
}
