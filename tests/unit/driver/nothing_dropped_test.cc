// No field of a spec is silently dropped: it changes what comes out, or a diagnostic points at it.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "spec/field_table.h"
#include "spec/training_job.h"
#include "tree/yaml_reader.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;
using Json = nlohmann::json;

namespace {

/// What is compiled for.
struct UnderTest {
  std::string target;
  std::string framework;
  std::string kind;            // of the main object
  std::set<std::string> same;  // what rightly changes nothing there: `/spec/framework=none`
};
UnderTest under_test;

/// A spec in which most fields have something to change.
const char* const kBase = R"({
  "apiVersion": "trainyard/v1alpha1", "kind": "TrainingJob",
  "metadata": {"name": "probe", "namespace": "lab"},
  "spec": {"image": "registry.example.com/a:1", "run": {"script": "train.py"}, "nodes": 2,
           "gpusPerNode": 8, "resources": {"cpu": 8, "memory": "64Gi"}}
})";

/// What has to be there, or must not be, for a field to be given at all.
struct Context {
  std::string prefix;
  std::map<std::string, std::string> set;
  std::vector<std::string> drop = {};
  std::vector<std::string> instead_of = {};  // goes when the field comes
};

const std::vector<Context> kContexts = {
    {"/spec/run/command", {}, {}, {"/spec/run/script"}},
    {"/spec/run/module", {}, {}, {"/spec/run/script"}},
    {"/spec/run/shell", {}, {}, {"/spec/run/script"}},
    {"/spec/run/pip", {{"/spec/run/packages", R"(["wandb"])"}}, {}},
    {"/spec/elastic", {{"/spec/elastic", R"({"minNodes": 1, "maxNodes": 4})"}}, {}},
    {"/spec/placement/topology",
     {{"/spec/placement/topology", R"({"level": "example.com/rack"})"}},
     {}},
    {"/spec/placement/topology/slice",
     {{"/spec/placement/topology/slice", R"({"level": "example.com/tray", "nodes": 1})"}},
     {}},
    {"/spec/scheduling/queue",
     {{"/spec/scheduling/system", R"("kueue")"}, {"/spec/scheduling/queue", R"("q")"}}},
    {"/spec/secretEnv/sample", {{"/spec/secretEnv/sample", R"({"name": "s"})"}}, {}},
    {"/spec/storage/sample",
     {{"/spec/storage/sample", R"({"mountPath": "/data", "emptyDir": {}})"}},
     {}},
    {"/spec/ray/redis",
     {{"/spec/ray/redis",
       R"({"address": "redis:6379", "password": {"name": "redis", "key": "password"}})"}},
     {}},
    {"/spec/storage/sample/claim", {}, {}, {"/spec/storage/sample/emptyDir"}},
    {"/spec/storage/sample/create",
     {{"/spec/storage/sample/create", R"({"size": "1Gi"})"}},
     {"/spec/storage/sample/emptyDir"}},
    {"/spec/storage/sample/ephemeral", {}, {}, {"/spec/storage/sample/emptyDir"}},
    {"/spec/storage/sample/hostPath", {}, {}, {"/spec/storage/sample/emptyDir"}},
    {"/spec/storage/sample/nfs", {}, {}, {"/spec/storage/sample/emptyDir"}},
    {"/spec/storage/sample/csi", {}, {}, {"/spec/storage/sample/emptyDir"}},
    {"/spec/storage/sample/configMap", {}, {}, {"/spec/storage/sample/emptyDir"}},
    {"/spec/storage/sample/secret", {}, {}, {"/spec/storage/sample/emptyDir"}},
    {"/spec/network/allow", {{"/spec/network/isolate", "true"}}, {}},
    {"/spec/files", {{"/spec/files/items", R"([{"path": "a", "content": "b"}])"}}, {}},
    {"/spec/files/items/0/from", {}, {}, {"/spec/files/items/0/content"}},
    {"/spec/data/inputs/0", {{"/spec/data/inputs", R"([{"uri": "s3://b/p", "path": "/in"}])"}}, {}},
    {"/spec/data/inputs/0/unpack",
     {{"/spec/data/inputs", R"([{"uri": "s3://b/p.tar", "path": "/in"}])"}},
     {}},
    {"/spec/data/outputs/0",
     {{"/spec/data/outputs", R"([{"uri": "s3://b/p", "path": "/out"}])"}},
     {}},
    {"/spec/lifecycle/retryOn", {{"/spec/lifecycle/retries", "2"}}, {}},
    {"/spec/lifecycle/checkpoint", {{"/spec/lifecycle/checkpoint/path", R"("/c")"}}, {}},
    {"/spec/runai", {{"/spec/runai/username", R"("ada")"}}, {}},
    {"/spec/cache", {{"/spec/cache", R"({"size": "1Gi"})"}}},
    {"/spec/cache/claim", {}, {}, {"/spec/cache/size"}},
    {"/spec/autoscale", {{"/spec/autoscale", R"({"maxReplicas": 2})"}}},
    {"/spec/patches/0",
     {{"/spec/patches",
       R"([{"kind": "MAIN", "patch": {"metadata": {"annotations": {"a": "b"}}}}])"}},
     {}},
};

/// Values to try; fields that are not here get one by their type.
const std::map<std::string, std::string> kSamples = {
    {"/spec/image", R"("registry.example.com/b:2")"},
    {"/spec/model/path", R"("/model")"},
    {"/spec/model/uri", R"("hf://a/b")"},
    {"/spec/model/endpoint", R"("https://hub.example.com")"},
    {"/spec/data/inputs/0/endpoint", R"("https://store.example.com")"},
    {"/spec/data/outputs/0/endpoint", R"("https://store.example.com")"},
    {"/spec/cache/size", R"("2Gi")"},
    {"/spec/autoscale/metrics", R"([{"type": "Resource", "resource": {"name": "cpu",
        "target": {"type": "Utilization", "averageUtilization": 80}}}])"},
    {"/spec/expose", R"({"http": 8000})"},
    {"/spec/scheduling/gang", R"("all")"},
    {"/spec/after", R"({"worker": "ready"})"},
    {"/spec/expose/domain", R"("example.com")"},
    {"/spec/imagePullSecrets", R"([{"name": "s"}])"},
    {"/spec/run/module", R"("lab.train")"},
    {"/spec/run/workingDir", R"("/work")"},
    {"/spec/run/before", R"(["true"])"},
    {"/spec/run/rendezvous/port", "2345"},
    {"/spec/run/sshPort", "2345"},
    {"/spec/processesPerNode", "4"},
    {"/spec/machine", R"("dgx-h100")"},
    {"/spec/gpu/minMemory", R"("40Gi")"},
    {"/spec/gpu/mig", R"("1g.10gb")"},
    {"/spec/gpu/fraction", "0.5"},
    {"/spec/gpu/memory", R"("10Gi")"},
    {"/spec/gpu/resource", R"("amd.com/gpu")"},
    {"/spec/resources/cpu", "4"},
    {"/spec/resources/memory", R"("32Gi")"},
    {"/spec/resources/ephemeralStorage", R"("10Gi")"},
    {"/spec/resources/sharedMemory", R"("1Gi")"},
    {"/spec/resources/limits/cpu", "16"},
    {"/spec/resources/limits/memory", R"("128Gi")"},
    {"/spec/resources/limits/ephemeralStorage", R"("20Gi")"},
    {"/spec/resources/extended", R"({"example.com/device": 1})"},
    {"/spec/elastic/minNodes", "2"},
    {"/spec/elastic/maxRestarts", "5"},
    {"/spec/placement/affinity",
     R"({"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution":
        [{"weight": 1, "podAffinityTerm": {"topologyKey": "rack"}}]}})"},
    {"/spec/placement/tolerations", R"([{"key": "k", "operator": "Exists"}])"},
    {"/spec/placement/topologySpreadConstraints",
     R"([{"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}])"},
    {"/spec/envFrom", R"([{"secretRef": {"name": "s"}}])"},
    {"/spec/secretEnv/sample/key", R"("other")"},
    {"/spec/storage/sample/mountPath", R"("/other")"},
    {"/spec/storage/sample/create/size", R"("2Gi")"},
    {"/spec/storage/sample/create/accessModes", R"(["ReadWriteMany", "ReadOnlyMany"])"},
    {"/spec/storage/sample/ephemeral",
     R"({"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}})"},
    {"/spec/storage/sample/emptyDir", R"({"sizeLimit": "1Gi"})"},
    {"/spec/storage/sample/hostPath", R"({"path": "/mnt"})"},
    {"/spec/storage/sample/nfs", R"({"server": "s", "path": "/"})"},
    {"/spec/storage/sample/csi", R"({"driver": "d"})"},
    {"/spec/storage/sample/configMap", R"({"name": "c"})"},
    {"/spec/storage/sample/secret", R"({"secretName": "c"})"},
    {"/spec/network/ports", R"([{"containerPort": 9090}])"},
    {"/spec/network/allow/ingress", R"([{"ports": [{"port": 9090}]}])"},
    {"/spec/network/allow/egress", R"([{"ports": [{"port": 443}]}])"},
    {"/spec/files/mountPath", R"("/files")"},
    {"/spec/files/items/0/from", R"("a.txt")"},
    {"/spec/data/inputs/0/uri", R"("hf://a/b")"},
    {"/spec/data/inputs/0/path", R"("/other")"},
    {"/spec/data/outputs/0/uri", R"("hf://a/b")"},
    {"/spec/data/outputs/0/path", R"("/other")"},
    {"/spec/lifecycle/podFailurePolicy",
     R"({"rules": [{"action": "Count", "onPodConditions": [{"type": "X", "status": "True"}]}]})"},
    {"/spec/lifecycle/checkpoint/path", R"("/other")"},
    {"/spec/security/capabilities", R"({"add": ["IPC_LOCK"]})"},
    {"/spec/security/seccompProfile", R"({"type": "Unconfined"})"},
    {"/spec/pod", R"({"spec": {"shareProcessNamespace": true}})"},
    {"/spec/patches/0/kind", R"("Service")"},
    {"/spec/patches/0/patch", R"({"metadata": {"annotations": {"a": "c"}}})"},
    {"/spec/patches/0/target", R"("jobset")"},
};

/// Fields and values that rightly change nothing, with the reason.
const std::map<std::string, std::string> kExceptions = {
    {"/apiVersion", "has one value"},
    {"/kind", "has one value"},
    {"/spec/framework=nemo", "a NeMo script is started as one of PyTorch"},
    {"/spec/data/inputs/0/kind",
     "a prefix in a bucket is one whatever it holds; golden cases show hubs"},
    {"/spec/data/outputs/0/kind", "likewise"},
    {"/spec/run/launcher=torchrun", "is what a PyTorch script gets anyway"},
};

bool begins(const std::string& text, const std::string& prefix) {
  return text == prefix || text.starts_with(prefix + "/");
}

void set(Json& document, const std::string& path, const Json& value) {
  document[Json::json_pointer(path)] = value;
}

void drop(Json& document, const std::string& path) {
  const Json::json_pointer pointer(path);
  if (document.contains(pointer)) document[pointer.parent_pointer()].erase(pointer.back());
}

constexpr std::string_view kRole = "/spec/roles/worker";
constexpr std::string_view kServe = "/spec/serve";

/// Groups that only a role has that is a program of its own.
const std::set<std::string> kOfPrograms = {"files", "elastic", "lifecycle", "network"};
const std::set<std::string> kAbleTargets = {"job", "jobset", "trainjob", "volcano"};

bool is_of_program(const std::string& path) {
  if (!path.starts_with(kRole) || !kAbleTargets.contains(under_test.target)) return false;
  const std::string below = path.substr(kRole.size() + 1);
  return kOfPrograms.contains(below.substr(0, below.find('/')));
}

/// The part of the job that the field is of; "" for the job itself.
std::string_view part_of(const std::string& path) {
  if (path.starts_with(kRole)) return kRole;
  return path.starts_with(kServe) ? kServe : std::string_view();
}

/// A part's field stands for the job's own: `/spec/roles/worker/nodes` is as `/spec/nodes`.
std::string plain(const std::string& path) {
  const std::string_view part = part_of(path);
  return part.empty() ? path : "/spec" + path.substr(part.size());
}

/// Where a context's path is: in the part, for a field of the part.
std::string placed(const std::string& context_path, const std::string& path) {
  const std::string_view part = part_of(path);
  if (part.empty()) return context_path;
  return std::string(part) + context_path.substr(std::string("/spec").size());
}

Json base_for(const std::string& path) {
  Json document = Json::parse(kBase);
  document["spec"]["target"] = under_test.target;
  document["spec"]["framework"] = under_test.framework;
  if (path.starts_with(kServe)) {
    document["spec"]["serve"] = {{"name", "s"}, {"image", "a:1"}, {"credentials", "c"}};
  }
  if (path.starts_with(kRole)) {  // a group that the role has replaces that of the job
    document["spec"]["roles"]["worker"]["run"] = document["spec"]["run"];
    document["spec"]["roles"]["worker"]["resources"] = document["spec"]["resources"];
    if (under_test.kind == "XGBoostJob") {
      document["spec"]["roles"]["master"] = Json::object();
      document["spec"].erase("nodes");
    }
  }
  for (const Context& context : kContexts) {
    if (!begins(plain(path), context.prefix)) continue;
    for (const auto& [where, value] : context.set) {
      std::string text = value;
      if (const std::size_t at = text.find("MAIN"); at != std::string::npos) {
        text.replace(at, 4, under_test.kind);
      }
      set(document, placed(where, path), Json::parse(text));
    }
    for (const std::string& where : context.drop) drop(document, placed(where, path));
  }
  if (is_of_program(path)) {
    Json& role = document["spec"]["roles"]["worker"];
    role["ends"] = "role";
    document["spec"].erase("run");
    if (role.contains("lifecycle")) role["lifecycle"].erase("retries");
    document["spec"]["lifecycle"]["retries"] = 2;
  }
  return document;
}

Json changed_to(const Json& base, const std::string& path, const Json& value) {
  Json document = base;
  for (const Context& context : kContexts) {
    if (plain(path) != context.prefix) continue;
    for (const std::string& where : context.instead_of) drop(document, placed(where, path));
  }
  set(document, path, value);
  return document;
}

std::vector<Json> samples(const std::string& path, const FieldRow& row) {
  if (const auto known = kSamples.find(plain(path)); known != kSamples.end()) {
    return {Json::parse(known->second)};
  }
  switch (row.type) {
    case FieldType::String:
      return {"sample"};
    case FieldType::Number:
      return {3};
    case FieldType::Boolean:
      return {true, false};
    case FieldType::Time:
      return {"45m"};
    case FieldType::Choice: {
      std::vector<Json> words;  // the first is the default where there is a fixed one
      for (std::string_view word : row.words().subspan(1)) words.emplace_back(word);
      return words;
    }
    case FieldType::StringList:
      return {Json::array({"sample"})};
    case FieldType::NumberList:
      return {Json::array({3})};
    case FieldType::StringMap:
      return {Json{{"sample", "value"}}};
    default:
      return {};
  }
}

/// True when the report points at the field or at what holds it, or names it.
bool concerns(const Diagnostic& report, const std::string& text, const std::string& path) {
  const std::string field = Json::json_pointer(path).back();
  const auto names = [&](const std::string& words) {
    return words.find("`" + field + "`") != std::string::npos ||
           words.find("." + field + "`") != std::string::npos;
  };
  if (names(report.message)) return true;
  for (const std::string& note : report.notes) {
    if (names(note)) return true;
  }
  Sink sink;
  SourceMap sources;
  const FileId file = sources.add("job.yaml", text);
  const std::vector<Tree> trees = read_yaml(sources, file, sink);
  const Tree& tree = trees[0];
  NodeId node = tree.root();
  for (Json::json_pointer left(path); !left.empty();) {
    Json::json_pointer rest;
    std::string step = left.back();
    for (left = left.parent_pointer(); !left.empty(); left = left.parent_pointer()) {
      rest = Json::json_pointer("/" + step) / rest;
      step = left.back();
    }
    if (tree[node].is_seq()) {
      node = *tree.children(node).begin();
    } else {
      node = tree.find(node, step);
    }
    left = rest;
  }
  const Node& found = tree[node];
  return report.span.begin < found.span.end && report.span.end >= found.key_span.begin;
}

Built built(const Json& document) {
  return build_files({{"job.yaml", document.dump(1)}, {"a.txt", "text"}}, {"job.yaml"});
}

/// Errors that say nothing about the field but that the sample does not fit it.
bool is_bad_sample(const Diagnostic& report) {
  switch (report.kind) {
    case DiagnosticKind::UnknownField:
    case DiagnosticKind::WrongType:
    case DiagnosticKind::MissingField:
    case DiagnosticKind::NotInEnum:
    case DiagnosticKind::OutOfRange:
    case DiagnosticKind::BadLength:
    case DiagnosticKind::PatternMismatch:
    case DiagnosticKind::BadQuantity:
    case DiagnosticKind::ExclusiveFields:
    case DiagnosticKind::MissingChoice:
    case DiagnosticKind::StagedFileProblem:
      return true;
    default:
      return false;
  }
}

bool has_effect(const Built& without, const Json& changed, const std::string& path) {
  const Built with = built(changed);
  for (const Diagnostic& report : with.reports) {
    INFO(report.message);
    CHECK_FALSE(is_bad_sample(report));
    if (concerns(report, changed.dump(1), path)) return true;
    for (const Label& label : report.labels) {  // of two fields that contradict one another
      if (concerns(Diagnostic(report.kind, label.span, {}), changed.dump(1), path)) return true;
    }
  }
  return with.errors == 0 && with.text != without.text;
}

/// True when the target refuses the field's whole group, in these words: ``cannot express `spec.x`
/// ``.
bool is_refused(const Built& built, const std::string& path) {
  std::string field = plain(path).substr(1);
  std::replace(field.begin(), field.end(), '/', '.');
  for (const Diagnostic& report : built.reports) {
    if (report.kind != DiagnosticKind::NotExpressible) continue;
    const std::size_t open = report.message.find("`spec.") + 1;
    const std::string group = report.message.substr(open, report.message.find('`', open) - open);
    if (field.starts_with(group + ".")) return true;
  }
  return false;
}

void check_field(const std::string& path, const FieldRow& row) {
  if (kExceptions.contains(path)) return;
  const Json base = base_for(path);
  const Built without = built(base);
  std::size_t effects = 0;
  if (is_refused(without, path)) return;
  const std::vector<Json> values = samples(path, row);
  INFO(path);
  REQUIRE(!values.empty());
  CHECK(without.errors == 0);
  for (const Json& value : values) {
    const Json changed = changed_to(base, path, value);
    const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
    const std::string change = plain(path) + "=" + word;
    const bool good = has_effect(without, changed, path) || kExceptions.contains(change) ||
                      under_test.same.contains(change);
    INFO(word);
    if (row.type != FieldType::Boolean) CHECK(good);
    effects += good;
  }
  CHECK(effects > 0);  // of a flag one value is the default
}

void walk(const std::string& path, const FieldTable& table) {
  for (const FieldRow& row : table.fields) {
    const std::string field = path + "/" + std::string(row.name);
    switch (row.type) {
      case FieldType::Struct:
        walk(field, row.group());
        break;
      case FieldType::StructList:
        walk(field + "/0", row.group());
        break;
      case FieldType::StructMap:
        walk(field + (row.name == "roles" ? "/worker" : "/sample"), row.group());
        break;
      default:
        check_field(field, row);
    }
  }
}

}  // namespace

TEST_CASE("every field of a TrainingJob has an effect for each target, or a diagnostic") {
  // A lost peer looks like an error of the program, so on several nodes `infrastructure` is `any`.
  const std::string any = "/spec/lifecycle/retryOn=any";
  const std::string none = "/spec/framework=none";
  const UnderTest targets[] = {
      {"job", "pytorch", "Job", {}},
      {"jaxjob", "jax", "JAXJob", {any, "/spec/framework=jax"}},
      {"paddlejob", "none", "PaddleJob", {any, none, "/spec/framework=paddle"}},
      {"pytorchjob", "pytorch", "PyTorchJob", {any}},
      {"tfjob", "tensorflow", "TFJob", {any, none, "/spec/framework=tensorflow"}},
      {"xgboostjob", "xgboost", "XGBoostJob", {any, none, "/spec/framework=xgboost"}},
  };
  for (const UnderTest& each : targets) {
    under_test = each;
    INFO(each.target);
    walk("", training_job_fields());
  }
}
