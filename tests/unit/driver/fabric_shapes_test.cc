// Every fabric on every target that can carry it: the pods with GPUs of the golden cases are
// compared field by field with fabric_shapes.yaml, and pods without GPUs have nothing of a fabric.
// Every profile of every fabric, on a Job, likewise with fabric_profiles.yaml.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "driver/session/session.h"
#include "file_text.h"
#include "folders.h"
#include "source/file_system.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using trainyard::testing::build_files;
using trainyard::testing::read_file;
using trainyard::testing::read_file_if_any;

namespace fs = std::filesystem;

namespace {

using Lines = std::set<std::string>;

const fs::path kRoot = testing::repository();

struct Documents {
  explicit Documents(const fs::path& path) : Documents(path.string(), read_file(path)) {}
  Documents(const std::string& name, const std::string& text) {
    trees = read_yaml(sources, sources.add(name, text), sink);
    REQUIRE(sink.error_count() == 0);
  }
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
};

/// What one sort of pods of a case carries.
struct Pod {
  Lines lines;
  bool has_gpus = false;
};

/// The value of an annotation without its layout.
std::string short_annotation(std::string_view key, std::string_view value) {
  std::string text;
  if (key == "networking.gke.io/interfaces") {
    for (const auto& each : nlohmann::json::parse(value)) {
      text += (text.empty() ? "" : " ") + each["interfaceName"].get<std::string>() + "=" +
              each["network"].get<std::string>();
    }
  } else if (key.starts_with("devices.gke.io/")) {
    const Documents devices("devices", std::string(value));
    const Tree& tree = devices.trees.front();
    for (NodeId each : tree.children(tree.root())) {
      text += (text.empty() ? "" : " ") + std::string(View(tree, each)["path"].text());
    }
  } else if (key == "k8s.v1.cni.cncf.io/networks") {
    std::vector<std::string> names(1);
    for (char c : value) {
      if (c == ',') {
        names.emplace_back();
      } else {
        names.back() += c;
      }
    }
    if (std::ranges::all_of(names, [&](const auto& name) { return name == names.front(); })) {
      return std::to_string(names.size()) + " " + names.front();
    }
    text = value;
  } else {
    text = value;
  }
  return text;
}

bool is_of_network(std::string_view key) {
  return key.starts_with("networking.gke.io/") || key.starts_with("devices.gke.io/") ||
         key.starts_with("k8s.v1.cni.cncf.io/");
}

bool is_of_fabric(std::string_view variable) {
  for (std::string_view start : {"NCCL_", "GLOO_", "FI_", "UCX_", "NVIDIA_", "NVTE_", "RDMAV_"}) {
    if (variable.starts_with(start)) return true;
  }
  return variable == "LD_LIBRARY_PATH" || variable == "CUDA_DEVICE_ORDER";
}

/// What a volume of the pod is.
std::string source_of(View volumes, std::string_view name) {
  for (View each : Items(volumes)) {
    if (string_at(each, "name") != name) continue;
    if (const View host = get(each, "hostPath"))
      return "host " + std::string(string_at(host, "path"));
    if (const View scratch = get(each, "emptyDir")) {
      return string_at(scratch, "medium") == "Memory" ? "memory" : "scratch";
    }
    return "other";
  }
  return "no volume";
}

class Reader {
 public:
  explicit Reader(Pod& pod) : pod_(pod) {}

  void annotations(View map) {
    for (View each : Items(map)) {
      if (!is_of_network(each->key)) continue;
      add("annotation " + std::string(each->key) + ": " + short_annotation(each->key, each->text));
    }
  }

  void nodes(View spec) {
    for (View each : entries_at(spec, "nodeSelector")) {
      const std::string label = std::string(each->key) + "=" + std::string(each->text);
      const bool twice = label.starts_with("node.kubernetes.io/instance-type=a");
      if (!twice) add("node " + label);
    }
    for (View each : items_at(spec, "tolerations")) {
      add("toleration " + std::string(string_at(each, "key")) + "=" +
          std::string(string_at(each, "value")) + ":" + std::string(string_at(each, "effect")));
    }
  }

  void pod(View spec, const std::string& domain,
           const std::map<std::string, std::string>& device_claims) {
    for (std::string_view flag : {"hostNetwork", "hostIPC", "hostPID"}) {
      if (is_true(get(spec, flag))) add(std::string(flag));
    }
    for (View each : items_at(spec, "resourceClaims")) {
      const std::string from(string_at(each, "resourceClaimTemplateName"));
      const auto devices = device_claims.find(from);
      if (devices != device_claims.end()) {
        add("claim of " + devices->second);
      } else {
        add(!domain.empty() && from == domain ? "claim from the template of the ComputeDomain"
                                              : "a claim from nowhere");
      }
    }
  }

  /// The one that trains.
  void container(View each, View volumes) {
    amounts(each);
    common("", each, volumes);
  }

  void beside(View each, View volumes, bool native) {
    const std::string pulled =
        string_at(each, "imagePullPolicy") == "Always" ? ", always pulled" : "";
    add("sidecar " + std::string(string_at(each, "name")) + (native ? ", native" : "") + pulled +
        ": " + std::string(string_at(each, "image")));
    for (std::string_view list : {"command", "args"}) {
      for (View word : items_at(each, list)) add("sidecar word " + std::string(word->text));
    }
    if (const auto user = integer_at(get(each, "securityContext"), "runAsUser")) {
      add("sidecar user " + std::to_string(*user));
    }
    if (get(each, "resources")) add("sidecar with resources");
    common("sidecar ", each, volumes);
  }

  void settings(View words) {
    for (View word : Items(words)) settings_in(word->text);
  }
  void settings_in(std::string_view script) {
    for (std::size_t at = script.find("\n. "); at != script.npos;
         at = script.find("\n. ", at + 1)) {
      const std::size_t end = std::min(script.find('\n', at + 1), script.size());
      add("settings " + std::string(script.substr(at + 3, end - at - 3)));
    }
  }

  void add(const std::string& line) { pod_.lines.insert(line); }

  void gpus() { pod_.has_gpus = true; }

 private:
  void amounts(View each) {
    const View resources = get(each, "resources");
    for (View limit : entries_at(resources, "limits")) {
      if (limit->key == "cpu" || limit->key == "memory") continue;
      const View request = get(get(resources, "requests"), limit->key);
      const bool same = request && request->text == limit->text;
      add("resource " + std::string(limit->key) + ": " + std::string(limit->text) +
          (same ? "" : ", and another request"));
      if (limit->key == "nvidia.com/gpu") gpus();
    }
    std::size_t claims = 0;
    for ([[maybe_unused]] View each_claim : items_at(resources, "claims")) ++claims;
    if (claims > 1) add("several claims of the container");
  }

  void common(const std::string& of, View each, View volumes) {
    for (View variable : items_at(each, "env")) {
      const std::string_view name = string_at(variable, "name");
      if (is_of_fabric(name)) {
        add(of + "env " + std::string(name) + "=" + std::string(string_at(variable, "value")));
      }
    }
    for (View mount : items_at(each, "volumeMounts")) {
      const std::string source = source_of(volumes, string_at(mount, "name"));
      // Secrets and ConfigMaps of controllers are no part of a network.
      if (source == "other") continue;
      add(of + "mount " + std::string(string_at(mount, "mountPath")) + ": " + source);
    }
    const View security = get(each, "securityContext");
    for (View right : items_at(get(security, "capabilities"), "add")) {
      // What sshd needs, not the network.
      const bool of_sshd = right->text == "NET_BIND_SERVICE" || right->text == "SYS_CHROOT";
      if (of.empty() && of_sshd) continue;
      add(of + "adds " + std::string(right->text));
    }
    if (is_true(get(security, "privileged"))) add(of + "privileged");
  }

  Pod& pod_;
};

/// All objects of a job.
class Case {
 public:
  explicit Case(const std::string& text) : documents_("objects", text) {
    for (const Tree& tree : documents_.trees) {
      const View root(tree, tree.root());
      if (string_at(root, "kind") == "ResourceClaimTemplate") devices_of(root);
      if (string_at(root, "kind") != "ComputeDomain") continue;
      const View spec = get(root, "spec");
      const bool any = integer_at(spec, "numNodes") == 0;
      domain_ = string_at(get(get(spec, "channel"), "resourceClaimTemplate"), "name");
      shared_.insert(any && !domain_.empty()
                         ? "ComputeDomain for any number of nodes, with a template of its own"
                         : "a ComputeDomain otherwise");
    }
    for (const Tree& tree : documents_.trees) {
      const View root(tree, tree.root());
      const std::string_view kind = string_at(root, "kind");
      if (kind == "DistributedWorkload") {
        run_ai(get(root, "spec"));
      } else if (kind == "NemoTrainingWorkload") {
        nemo(get(get(root, "spec"), "spec"));
      } else {
        walk(root);
      }
    }
  }

  const std::vector<Pod>& pods() const { return pods_; }
  /// What is of the case as a whole: other objects, and where the program is started.
  const Lines& shared() const { return shared_; }

 private:
  void walk(View node) {
    if (!node || (!node->is_map() && !node->is_seq())) return;
    if (node->is_map() && get(get(node, "spec"), "containers")) return template_of(node);
    for (View each : Items(node)) walk(each);
  }

  void settings(View container) {
    Pod all;
    Reader reader(all);
    reader.settings(get(container, "command"));
    reader.settings(get(container, "args"));
    shared_.insert(all.lines.begin(), all.lines.end());
  }

  /// What a template asks for: so many devices of a class.
  void devices_of(View claim_template) {
    const View devices = get(get(get(claim_template, "spec"), "spec"), "devices");
    std::string all;
    for (View request : items_at(devices, "requests")) {
      const View exactly = get(request, "exactly");
      all += (all.empty() ? "" : " and ") +
             std::to_string(integer_at(exactly, "count").value_or(1)) + " " +
             std::string(string_at(exactly, "deviceClassName"));
    }
    device_claims_[std::string(string_at(get(claim_template, "metadata"), "name"))] = all;
  }

  void template_of(View pod_template) {
    const View spec = get(pod_template, "spec");
    const View volumes = get(spec, "volumes");
    Pod& pod = pods_.emplace_back();
    Reader reader(pod);
    reader.annotations(get(get(pod_template, "metadata"), "annotations"));
    reader.nodes(spec);
    reader.pod(spec, domain_, device_claims_);
    for (View each : items_at(spec, "initContainers")) {
      reader.beside(each, volumes, string_at(each, "restartPolicy") == "Always");
    }
    bool first = true;
    for (View each : items_at(spec, "containers")) {
      first ? reader.container(each, volumes) : reader.beside(each, volumes, false);
      if (first) settings(each);
      first = false;
    }
  }

  void nemo(View spec) {
    Pod& pod = pods_.emplace_back();
    Reader reader(pod);
    reader.annotations(get(spec, "annotations"));
    reader.nodes(spec);
    reader.container(spec, get(spec, "volumes"));
    settings(spec);
  }

  static std::string value_of(View item) { return std::string(string_at(item, "value")); }

  /// What the pods have of shared memory is one switch, and nodes are chosen by a pool.
  void run_ai(View spec) {
    Pod& pod = pods_.emplace_back();
    Reader reader(pod);
    for (View each : entries_at(get(spec, "annotations"), "items")) {
      if (!is_of_network(each->key)) continue;
      reader.add("annotation " + std::string(each->key) + ": " +
                 short_annotation(each->key, value_of(each)));
    }
    for (View each : entries_at(get(spec, "environment"), "items")) {
      if (is_of_fabric(each->key)) {
        reader.add("env " + std::string(each->key) + "=" + value_of(each));
      }
    }
    reader.add("resource nvidia.com/gpu: " + value_of(get(spec, "gpu")));
    reader.gpus();
    for (View each : entries_at(get(spec, "extendedResources"), "items")) {
      reader.add("resource " + std::string(each->key) + ": " + value_of(each));
    }
    for (View each : items_at(get(spec, "capabilities"), "value")) {
      reader.add("adds " + std::string(each->text));
    }
    for (View each : entries_at(get(spec, "volumes"), "items")) {
      const View value = get(each, "value");
      reader.add("mount " + std::string(string_at(value, "mountPath")) + ": host " +
                 std::string(string_at(value, "path")));
    }
    if (is_true(get(get(spec, "largeShm"), "value"))) reader.add("mount /dev/shm: memory");
    Pod all;
    Reader(all).settings_in(value_of(get(spec, "command")));
    shared_.insert(all.lines.begin(), all.lines.end());
  }

  Documents documents_;
  std::string domain_;
  std::map<std::string, std::string> device_claims_;  // by the names of their templates
  Lines shared_;
  std::vector<Pod> pods_;
};

std::map<std::string, Lines> expected_shapes() {
  const Documents file(kRoot / "tests/unit/driver/fabric_shapes.yaml");
  const Tree& tree = file.trees.front();
  std::map<std::string, Lines> result;
  for (NodeId fabric : tree.children(tree.root())) {
    for (NodeId line : tree.children(fabric)) {
      result[std::string(tree[fabric].key)].emplace(tree[line].text);
    }
  }
  return result;
}

/// The fabrics that there are, and the targets that make pods of several nodes.
struct Matrix {
  Matrix() {
    for (const std::string& name : session.fabrics.names()) fabrics.push_back(name);
    for (const std::string& name : session.targets.names()) {
      const TargetPack* pack = session.targets.pack(name, session.sink);
      if (pack == nullptr || pack->facts.serves) continue;
      const bool one_pod = std::ranges::any_of(
          pack->facts.cannot, [](const auto& row) { return row.field == "spec.nodes"; });
      if (!one_pod) targets.push_back(name);
    }
  }
  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session{env};
  std::vector<std::string> fabrics;
  std::vector<std::string> targets;
};

/// A job on nodes that have a fabric by one of its profiles, and what its pods are to carry.
struct Profile {
  std::string of;  // `fabric/profile`; what else differs behind a comma
  std::string job;
  std::string cluster;
  Lines carries;
};

std::vector<Profile> expected_profiles() {
  const Documents file(kRoot / "tests/unit/driver/fabric_profiles.yaml");
  const Tree& tree = file.trees.front();
  std::vector<Profile> result;
  for (NodeId each : tree.children(tree.root())) {
    const View fields(tree, each);
    Profile profile{std::string(tree[each].key),
                    std::string(fields["job"].text()),
                    std::string(fields["cluster"].text()),
                    {}};
    for (NodeId line : tree.children(fields["carries"].id())) {
      profile.carries.emplace(tree[line].text);
    }
    result.push_back(profile);
  }
  return result;
}

std::string objects_of(const Profile& profile) {
  const std::string head = "apiVersion: trainyard/v1alpha1\nkind: ";
  const auto built = build_files(
      {{"job.yaml", head +
                        "TrainingJob\nmetadata: {name: train}\nspec:\n  image: i:1\n"
                        "  target: job\n  run: {script: a.py}\n  nodes: 2\n  " +
                        profile.job + "\n"},
       {"cluster.yaml", head + "Cluster\nmetadata: {name: c}\nspec:\n  " + profile.cluster + "\n"}},
      {"job.yaml"}, "cluster.yaml");
  for (const Diagnostic& each : built.reports) UNSCOPED_INFO(each.message);
  return built.text;
}

std::string difference(const Lines& from, const Lines& without) {
  std::string text;
  for (const std::string& line : from) {
    if (!without.contains(line)) text += "  " + line + "\n";
  }
  return text;
}

/// What is wrong with the objects of a job; empty when nothing is.
std::string compare(const std::string& objects, const Lines& expected) {
  const Case made(objects);
  std::string wrong;
  std::size_t with_gpus = 0;
  const bool by_pool = objects.find("kind: DistributedWorkload") != std::string::npos;
  Lines wanted;
  for (const std::string& line : expected) {
    if (!by_pool || !line.starts_with("node ")) wanted.insert(line);
  }
  for (const Pod& pod : made.pods()) {
    if (!pod.has_gpus) {
      // The launcher of MPI hands variables on; nodes are those of the job.
      for (const std::string& line : pod.lines) {
        const bool harmless = line.starts_with("env ") || line.starts_with("node ") ||
                              line.starts_with("toleration ") || line == "mount /dev/shm: memory";
        if (!harmless) wrong += "pod without GPUs has: " + line + "\n";
      }
      continue;
    }
    ++with_gpus;
    Lines all = pod.lines;
    all.erase("mount /opt/ml/input/config: scratch");  // of the agent of HyperPod
    all.insert(made.shared().begin(), made.shared().end());
    const std::string missing = difference(wanted, all);
    const std::string more = difference(all, wanted);
    if (!missing.empty()) wrong += "missing:\n" + missing;
    if (!more.empty()) wrong += "not of the fabric:\n" + more;
  }
  if (with_gpus == 0) wrong += "no pods with GPUs\n";
  return wrong;
}

fs::path case_of(const std::string& fabric, const std::string& target) {
  return kRoot / "golden/fabric" / fabric / target;
}
fs::path refusal_of(const std::string& fabric, const std::string& target) {
  return kRoot / "golden/fail/fabric" / (fabric + "-" + target);
}

}  // namespace

TEST_CASE("every fabric has a golden case on every target that can carry it, else a refusal") {
  const Matrix matrix;
  CHECK(matrix.fabrics.size() >= 8);
  CHECK(matrix.targets.size() >= 14);
  std::string holes;
  for (const std::string& fabric : matrix.fabrics) {
    for (const std::string& target : matrix.targets) {
      const bool shown = fs::exists(case_of(fabric, target) / "stdout");
      const std::string refused = read_file_if_any(refusal_of(fabric, target) / "stderr");
      const bool stated =
          refused.find("target `" + target + "` cannot express") != std::string::npos &&
          refused.find("[not-expressible]") != std::string::npos;
      if (shown == stated) holes += fabric + " on " + target + "\n";
    }
  }
  CHECK(holes == "");
}

TEST_CASE("pods carry field by field what is published for their fabric, on every target") {
  const Matrix matrix;
  const auto shapes = expected_shapes();
  std::size_t compared = 0;
  for (const std::string& fabric : matrix.fabrics) {
    REQUIRE(shapes.contains(fabric));
    for (const std::string& target : matrix.targets) {
      const fs::path at = case_of(fabric, target);
      if (!fs::exists(at / "stdout")) continue;
      INFO(fabric << " on " << target);
      CHECK(compare(read_file(at / "stdout"), shapes.at(fabric)) == "");
      ++compared;
    }
  }
  CHECK(compared > 90);
}

TEST_CASE("a field that is missing, changed or too many is reported") {
  const auto shapes = expected_shapes();
  const std::string made = read_file(case_of("gke-tcpxo", "jobset") / "stdout");
  for (const std::string& line : shapes.at("gke-tcpxo")) {
    Lines fewer = shapes.at("gke-tcpxo");
    fewer.erase(line);
    INFO(line);
    CHECK(compare(made, fewer) == "not of the fabric:\n  " + line + "\n");
    fewer.insert(line + "x");
    CHECK(compare(made, fewer) != "");
  }
}

TEST_CASE("pods carry field by field what is published for each profile of a fabric") {
  for (const Profile& profile : expected_profiles()) {
    INFO(profile.of);
    CHECK(compare(objects_of(profile), profile.carries) == "");
  }
}

TEST_CASE("there is no profile of a fabric that is not compared") {
  std::set<std::string> compared;
  for (const Profile& profile : expected_profiles()) {
    compared.insert(profile.of.substr(0, profile.of.find(',')));
  }
  Matrix matrix;
  std::set<std::string> all;
  for (const std::string& name : matrix.fabrics) {
    for (const auto& profile : *matrix.session.fabrics.find(name)->spec->profiles) {
      all.insert(name + "/" + std::string(*profile->name));
    }
  }
  CHECK(compared == all);
}
