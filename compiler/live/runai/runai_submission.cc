#include "live/runai/runai_submission.h"

#include <algorithm>
#include <array>

#include "diag/words.h"
#include "live/applied_set.h"
#include "tree/json.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// How a parameter comes into the API.
enum class Form {
  Same,      // its value, as it is
  Number,    // a text with a quantity becomes a number
  Words,     // a text becomes a list of its words
  Commas,    // a list in a text, by commas in the place of semicolons
  Values,    // the entries of `values`, whose names stand in `fields`, become fields of their own
  Items,     // the entries of `items` become a list
  Together,  // it is read with another parameter
  None,      // the API has no such field: `to` says why
};

struct Row {
  std::string_view parameter;
  Form form;
  std::string_view to;           // a path below `spec`
  std::string_view key = {};     // of Items: the field that gets the name of an item
  std::string_view fields = {};  // of Items: of a value, `ours>theirs` where the names differ
};

// Where the API calls a thing by another name: run.ai_trainingworkloads against TrainingSpecSpec
// and DistributedSpecSpec of the document.
constexpr auto kRows = std::to_array<Row>({
    {"usage", Form::Together, ""},
    {"name", Form::Together, ""},
    {"namePrefix", Form::Together, ""},
    {"baseWorkload", Form::None, "the API knows templates by their IDs alone"},
    {"username", Form::None, "the user is the one of the token"},
    {"userId", Form::None, "the user is the one of the token"},
    {"mpi", Form::None, "target `runai-distributed` makes MPI jobs"},
    {"processes", Form::None, "target `runai-distributed` makes MPI jobs"},
    {"slotsPerWorker", Form::None, "target `runai-distributed` makes MPI jobs"},
    {"jobType", Form::Together, ""},
    {"workers", Form::Same, "numWorkers"},
    {"pyTorchJob", Form::Values, "", "", "minReplicas maxReplicas"},
    {"mpiJob", Form::Values, "", "", "slotsPerWorker sshAuthMountPath"},
    {"runPolicy", Form::Values, "", "", "cleanPodPolicy"},
    {"nonPreemptible", Form::Together, ""},
    {"completions", Form::Same, "completions"},
    {"parallelism", Form::Same, "parallelism"},
    {"active", Form::Together, ""},
    {"image", Form::Same, "image"},
    {"imagePullPolicy", Form::Same, "imagePullPolicy"},
    {"command", Form::Same, "command"},
    {"arguments", Form::Same, "args"},
    {"workingDir", Form::Same, "workingDir"},
    {"stdin", Form::Same, "stdin"},
    {"tty", Form::Same, "tty"},
    {"gpu", Form::Together, ""},
    {"gpuMemory", Form::Together, ""},
    {"gpuLimit", Form::Number, "compute.gpuPortionLimit"},
    {"migProfile", Form::None, "the API requests parts of a GPU by portion or memory alone"},
    {"cpu", Form::Number, "compute.cpuCoreRequest"},
    {"cpuLimit", Form::Number, "compute.cpuCoreLimit"},
    {"memory", Form::Same, "compute.cpuMemoryRequest"},
    {"memoryLimit", Form::Same, "compute.cpuMemoryLimit"},
    {"largeShm", Form::Same, "compute.largeShmRequest"},
    {"extendedResources", Form::Items, "compute.extendedResources", "resource", ">quantity"},
    {"nodePools", Form::Words, "nodePools"},
    {"nodePool", Form::Words, "nodePools"},
    {"nodeType", Form::Same, "nodeType"},
    {"podAffinity", Form::Together, ""},
    {"podAffinitySchedulingRule", Form::Together, ""},
    {"podAffinityTopology", Form::Together, ""},
    {"tolerations", Form::Items, "tolerations", "name", "key operator value effect seconds"},
    {"preemptionLimit", Form::None, "the API has no limit of preemptions"},
    {"terminateAfterPreemption", Form::Same, "terminateAfterPreemption"},
    {"backoffLimit", Form::Same, "backoffLimit"},
    {"autoDeletionTimeAfterCompletionSeconds", Form::Same,
     "autoDeletionTimeAfterCompletionSeconds"},
    {"terminationGracePeriodSeconds", Form::Same, "terminationGracePeriodSeconds"},
    {"environment", Form::Items, "environmentVariables", "name", ">value"},
    {"labels", Form::Items, "labels", "name", ">value"},
    {"annotations", Form::Items, "annotations", "name", ">value"},
    {"hostNetwork", Form::Same, "security.hostNetwork"},
    {"hostIpc", Form::Same, "security.hostIpc"},
    {"serviceType", Form::Together, ""},
    {"ports", Form::Items, "ports", "name", "container serviceType external toolType toolName"},
    {"exposedUrls", Form::Items, "exposedUrls", "name",
     "container url authorizationType authorizedUsers authorizedGroups toolType toolName"},
    {"runAsUser", Form::Together, ""},
    {"runAsUid", Form::Same, "security.runAsUid"},
    {"runAsGid", Form::Same, "security.runAsGid"},
    {"supplementalGroups", Form::Commas, "security.supplementalGroups"},
    {"runAsNonRoot", Form::Same, "security.runAsNonRoot"},
    {"allowPrivilegeEscalation", Form::Same, "security.allowPrivilegeEscalation"},
    {"capabilities", Form::Same, "security.capabilities"},
    {"seccompProfileType", Form::Same, "security.seccompProfileType"},
    {"createHomeDir", Form::Same, "createHomeDir"},
    {"pvcs", Form::Items, "storage.pvc", "name", "claimName existingPvc path readOnly ephemeral"},
    {"nfs", Form::Items, "storage.nfs", "name", "server path mountPath readOnly"},
    {"volumes", Form::Items, "storage.hostPath", "name", "path mountPath readOnly"},
    {"mountPropagation", Form::Together, ""},
    {"configMapVolumes", Form::Items, "storage.configMapVolume", "name",
     "name>configMap mountPath"},
    {"secretVolumes", Form::Items, "storage.secretVolume", "name", "name>secret mountPath"},
    {"emptyDirVolumes", Form::Items, "storage.emptyDirVolume", "name", "path"},
    {"gitSync", Form::Items, "storage.git", "name", "repository branch revision path"},
    {"s3", Form::Items, "storage.s3", "name", "bucket path url"},
});

constexpr auto kFrameworks = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"PyTorchJob", "PyTorch"},
    {"MPIJob", "MPI"},
    {"TFJob", "TF"},
    {"XGBoostJob", "XGBoost"},
    {"JAXJob", "JAX"},
});

constexpr std::string_view kSecretMark = "SECRET:";

/// What stands in front of the first separator, which is taken away with it.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

/// The name that the API has for a field of an item; "" where it has none.
std::string_view their_name(std::string_view fields, std::string_view ours) {
  while (!fields.empty()) {
    std::string_view pair = take_until(fields, ' ');
    const std::string_view name = take_until(pair, '>');
    if (name == ours) return pair.empty() ? name : pair;
  }
  return {};
}

/// One spec: that of the workers, or that of the master.
class SpecWriter {
 public:
  SpecWriter(RunaiSubmission& to, View from, std::string_view from_path, std::string_view to_path)
      : to_(to), tree_(to.body), from_(from), from_path_(from_path), to_path_(to_path) {
    root_ = tree_.add_map();
  }

  NodeId write() {
    for (const View parameter : Items(from_)) {
      const auto row = std::ranges::find(kRows, parameter.key(), &Row::parameter);
      if (row == kRows.end()) {
        problem(parameter.key(), "the API has no such field, as far as its document says");
      } else {
        write(*row, parameter);
      }
    }
    write_together();
    return root_;
  }

 private:
  void problem(std::string_view parameter, std::string why) {
    to_.problems.push_back({from_path_ + "." + std::string(parameter), std::move(why)});
  }

  View value(std::string_view parameter) const { return get(get(from_, parameter), "value"); }

  void write(const Row& row, View parameter) {
    const View value = get(parameter, "value");
    switch (row.form) {
      case Form::Together:
        return;
      case Form::None:
        return problem(row.parameter, std::string(row.to));
      case Form::Values:
        return write_values(row, parameter);
      case Form::Items:
        return write_items(row, parameter);
      default:
        break;
    }
    if (!value) return problem(row.parameter, "it has no `value`");
    write_value(row, value);
  }

  void write_value(const Row& row, View value) {
    if (row.form == Form::Number) return write_number(row, value);
    NodeId made = kNoNode;
    if (row.form == Form::Words) {
      made = tree_.add_seq();
      std::string_view rest = value.text();
      while (!rest.empty()) {
        const std::string_view word = take_until(rest, ' ');
        if (!word.empty()) tree_.append(made, string(word));
      }
    } else if (row.form == Form::Commas) {
      std::string text(value.text());
      std::ranges::replace(text, ';', ',');
      made = string(text);
    } else {
      made = tree_.copy(value.tree(), value.id());
    }
    put(row.to, made, row.parameter);
  }

  void write_number(const Row& row, View value) {
    const auto amount = Quantity::parse(value.text());
    if (!amount) return problem(row.parameter, "this is no amount");
    put(row.to, number(*amount), row.parameter);
  }

  void write_values(const Row& row, View parameter) {
    for (const View each : Items(get(parameter, "values"))) {
      const std::string field = std::string(row.parameter) + ".values." + std::string(each.key());
      const std::string_view name = their_name(row.fields, each.key());
      const View value = get(each, "value");
      if (name.empty() || !value) {
        problem(field, "the API has no such field, as far as its document says");
      } else {
        put(name, tree_.copy(value.tree(), value.id()), field);
      }
    }
  }

  void write_items(const Row& row, View parameter) {
    const NodeId list = tree_.add_seq();
    for (const View item : Items(get(parameter, "items"))) {
      const std::string field = std::string(row.parameter) + ".items." + std::string(item.key());
      const View value = get(item, "value");
      if (!value) {
        problem(field, "the item has no `value`");
      } else if (row.parameter == "labels" && item.key() == "priorityClassName") {
        put("priorityClass", string(value.text()), field);
      } else {
        write_item(row, list, item.key(), value, field);
      }
    }
    if (tree_[list].size != 0) put(row.to, list, row.parameter);
  }

  void write_item(const Row& row, NodeId list, std::string_view key, View value,
                  const std::string& field) {
    const NodeId made = tree_.add_map();
    tree_.append(list, made);
    tree_.append(made, row.key, string(key));
    note(std::string(row.to) + "[" + std::string(key) + "]", field);
    if (row.fields.starts_with('>')) {
      const bool is_secret =
          row.parameter == "environment" && value.text().starts_with(kSecretMark);
      if (is_secret) return write_reference(made, value.text());
      return tree_.append(made, row.fields.substr(1), string(value.text()));
    }
    for (const View each : Items(value)) {
      const std::string_view name = their_name(row.fields, each.key());
      if (name.empty()) {
        problem(field + "." + std::string(each.key()),
                "the API has no such field, as far as its document says");
        continue;
      }
      const NodeId copied = tree_.copy(each.tree(), each.id());
      tree_.append(made, name, copied);
    }
    if (row.parameter == "ports") finish_port(made);
    if (row.parameter == "volumes") finish_host_path(made);
  }

  /// `SECRET:name,key`
  void write_reference(NodeId made, std::string_view text) {
    text.remove_prefix(kSecretMark.size());
    const NodeId reference = tree_.add_map();
    tree_.append(made, "secret", reference);
    tree_.append(reference, "name", string(take_until(text, ',')));
    tree_.append(reference, "key", string(text));
  }

  /// The API wants a type of each port; the one within the cluster exposes least.
  void finish_port(NodeId port) {
    if (tree_.find(port, "serviceType") != kNoNode) return;
    const std::string_view stated = value("serviceType").text();
    tree_.append(port, "serviceType", string(stated.empty() ? "ClusterIP" : stated));
  }

  void finish_host_path(NodeId volume) {
    const View stated = value("mountPropagation");
    if (!stated) return;
    tree_.append(volume, "mountPropagation", string(is_true(stated) ? "HostToContainer" : "None"));
  }

  /// What is read of more than one parameter.
  void write_together() {
    if (get(from_, "usage").text() == "Template") {
      problem("usage", "the API makes templates by other calls than workloads");
    }
    if (is_false(value("active"))) {
      problem("active", "the API has no field that submits a workload suspended");
    }
    if (get(from_, "serviceType") && !get(from_, "ports")) {
      problem("serviceType", "a Service needs a port; set `ports`");
    }
    if (get(from_, "mountPropagation") && !get(from_, "volumes")) {
      problem("mountPropagation",
              "it applies to host path volumes, and the workload has no volumes");
    }
    write_gpus();
    write_affinity();
    write_user();
    write_framework();
    if (const View stated = value("nonPreemptible")) {
      put("preemptibility", string(is_true(stated) ? "non-preemptible" : "preemptible"),
          "nonPreemptible");
    }
  }

  /// Whole GPUs, or a part of one: of several, the API requests no parts.
  void write_gpus() {
    const View memory = value("gpuMemory");
    const View gpu = value("gpu");
    const bool is_part = memory || (gpu && get(from_, "gpuLimit"));
    if (memory) {
      put("compute.gpuDevicesRequest", tree_.add_int(1), "gpuMemory");
      put("compute.gpuRequestType", string("memory"), "gpuMemory");
      put("compute.gpuMemoryRequest", string(memory.text()), "gpuMemory");
    }
    if (!gpu) return;
    const auto amount = Quantity::parse(gpu.text());
    const auto whole = amount ? amount->whole_units() : std::nullopt;
    if (!whole || memory) {
      return problem("gpu", memory ? "`gpuMemory` is set, too; keep one of them"
                                   : "expected a number of GPUs");
    }
    if (*amount == Quantity::of(*whole) && !is_part) {
      return put("compute.gpuDevicesRequest", tree_.add_int(*whole), "gpu");
    }
    if (*whole > 1) return problem("gpu", "the API requests no parts of several GPUs");
    put("compute.gpuDevicesRequest", tree_.add_int(1), "gpu");
    put("compute.gpuRequestType", string("portion"), "gpu");
    put("compute.gpuPortionRequest", number(*amount), "gpu");
  }

  void write_affinity() {
    const View key = value("podAffinityTopology");
    if (!key) {
      if (get(from_, "podAffinity")) problem("podAffinity", "the API wants a topology beside it");
      return;
    }
    const bool is_hard = value("podAffinitySchedulingRule").text() == "hard";
    put("podAffinity.type", string(is_hard ? "Required" : "Preferred"),
        "podAffinitySchedulingRule");
    put("podAffinity.key", string(key.text()), "podAffinityTopology");
  }

  void write_user() {
    if (get(from_, "runAsUid") || get(from_, "runAsGid") || get(from_, "supplementalGroups")) {
      put("security.uidGidSource", string("custom"), "runAsUser");
    } else if (is_true(value("runAsUser"))) {
      problem("runAsUser", "the API wants `runAsUid` or `runAsGid` beside it");
    }
  }

  void write_framework() {
    const std::string_view type = get(from_, "jobType").text();
    if (type.empty()) return;
    for (const auto& [ours, theirs] : kFrameworks) {
      if (ours == type) return put("distributedFramework", string(theirs), "jobType");
    }
    problem("jobType", "the API knows no framework of " + shown(type));
  }

  NodeId string(std::string_view text) { return tree_.add_string(tree_.intern(text)); }

  /// As Go writes a number: the control plane gives it back so.
  NodeId number(const Quantity& amount) {
    const auto whole = amount.whole_units();
    if (whole && amount == Quantity::of(*whole)) return tree_.add_int(*whole);
    return tree_.add(Kind::Float, tree_.intern(number_text(amount.approximate())));
  }

  void note(const std::string& to, std::string_view parameter) {
    to_.sources.emplace_back(to_path_ + "." + to, from_path_ + "." + std::string(parameter));
  }

  /// Sets a field, such as `security.hostIpc`.
  void put(std::string_view path, NodeId made, std::string_view parameter) {
    note(std::string(path), parameter);
    NodeId map = root_;
    for (;;) {
      const std::string_view key = take_until(path, '.');
      if (path.empty()) return tree_.append(map, tree_.intern(key), made);
      NodeId next = tree_.find(map, key);
      if (next == kNoNode) {
        next = tree_.add_map();
        tree_.append(map, tree_.intern(key), next);
      }
      map = next;
    }
  }

  RunaiSubmission& to_;
  Tree& tree_;
  View from_;
  std::string from_path_;
  std::string to_path_;
  NodeId root_;
};

/// The API keeps labels and annotations of pods alone.
void check_metadata(View workload, RunaiSubmission& to) {
  const View metadata = workload["metadata"];
  const View of_pods = get(get(workload["spec"], "labels"), "items");
  for (const View each : Items(get(metadata, "labels"))) {
    const bool is_ours = each.key() == "project" || each.key() == kPartOf;
    if (is_ours || get(of_pods, each.key())) continue;
    to.problems.push_back({"metadata.labels[" + std::string(each.key()) + "]",
                           "the API keeps labels of pods, under `spec.pod.metadata`, alone"});
  }
  for (const View each : Items(get(metadata, "annotations"))) {
    if (each.key().starts_with("trainyard/")) continue;
    to.problems.push_back({"metadata.annotations[" + std::string(each.key()) + "]",
                           "the API keeps annotations of pods, under `spec.pod.metadata`, alone"});
  }
}

}  // namespace

bool is_runai_workload(std::string_view api_version, std::string_view kind) {
  return api_version.starts_with("run.ai/") &&
         (kind == "TrainingWorkload" || kind == "DistributedWorkload");
}

RunaiSubmission runai_submission(View workload) {
  RunaiSubmission made;
  const bool is_distributed = workload["kind"].text() == "DistributedWorkload";
  made.sort = is_distributed ? RunaiSort::Distributed : RunaiSort::Training;
  const View spec = workload["spec"];
  const View prefix = get(get(spec, "namePrefix"), "value");
  made.is_prefix = static_cast<bool>(prefix);
  made.name = made.is_prefix ? prefix.text() : get(get(spec, "name"), "value").text();
  if (made.name.empty()) made.name = workload["metadata"]["name"].text();
  const NodeId root = made.body.add_map();
  made.body.set_root(root);
  made.body.append(root, "spec", SpecWriter(made, spec, "spec", "spec").write());
  if (is_distributed) {
    const View master = get(workload, "masterSpec");
    if (master) {
      const NodeId written = SpecWriter(made, master, "masterSpec", "masterSpec").write();
      made.body.append(root, "masterSpec", written);
    } else {
      made.body.append(root, "masterSpecSameAsWorker", made.body.add_bool(true));
    }
  }
  check_metadata(workload, made);
  return made;
}

std::string RunaiSubmission::text(std::string_view project, std::string_view cluster) const {
  std::string fields;
  write_json(body, body.root(), fields, 0);
  return "{\"name\":" + quoted(name) + (is_prefix ? ",\"useGivenNameAsPrefix\":true" : "") +
         ",\"projectId\":" + quoted(project) + ",\"clusterId\":" + quoted(cluster) + "," +
         fields.substr(1);
}

std::string RunaiSubmission::source_of(std::string_view field) const {
  const std::pair<std::string, std::string>* best = nullptr;
  for (const auto& each : sources) {
    const bool fits = field.starts_with(each.first) &&
                      (field.size() == each.first.size() || field[each.first.size()] == '.' ||
                       field[each.first.size()] == '[');
    if (fits && (best == nullptr || each.first.size() > best->first.size())) best = &each;
  }
  return best == nullptr ? std::string() : best->second;
}

std::vector<std::string_view> runai_parameters() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.parameter);
  return names;
}

}  // namespace trainyard
