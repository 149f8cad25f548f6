#include <algorithm>
#include <optional>
#include <string>

#include "convert/convertible_kinds.h"
#include "convert/launcher.h"
#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "convert/synthesized_pod.h"
#include "shell/plain_command.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSecret = "SECRET:";

/// Fields of the workload, most of which are wrapped in `value` or `items`.
class RunAiPod {
 public:
  RunAiPod(Conversion& job, ConvertedRole& role, View spec)
      : job_(job), role_(role), spec_(spec), pod_(job) {}

  /// The template that the fields come to.
  View make() {
    container();
    environment();
    resources();
    storage();
    placement();
    security();
    own_fields();
    ports();
    if (const View grace = value("terminationGracePeriodSeconds")) {
      pod_.copy(pod_.spec, "terminationGracePeriodSeconds", grace);
    }
    return pod_.view();
  }

  void read() {
    const View made = make();
    read_pod_template(job_, role_, made);
    share_of_a_gpu();
  }

 private:
  View value(std::string_view field) const { return get(get(spec_, field), "value"); }

  /// Calls `use` with the key and the value of each item; one that drops what a policy brings is
  /// left for the report.
  template <class Use>
  void each_item(std::string_view field, Use use) const {
    for (View each : entries_at(get(spec_, field), "items")) {
      const View content = get(each, "value");
      if (content && !is_true(get(each, "deleted"))) use(each->key, content);
    }
  }

  void container() {
    pod_.copy(pod_.container, "image", value("image"));
    pod_.copy(pod_.container, "imagePullPolicy", value("imagePullPolicy"));
    pod_.copy(pod_.container, "workingDir", value("workingDir"));
    pod_.words("command", value("command"));
    pod_.words("args", value("arguments"));
    each_item("labels", [&](std::string_view key, View text) {
      if (key == "priorityClassName") return job_.share_copy({"scheduling", "priority"}, text);
      pod_.copy(job_.map_at(pod_.metadata, "labels"), key, text);
    });
    each_item("annotations", [&](std::string_view key, View text) {
      pod_.copy(job_.map_at(pod_.metadata, "annotations"), key, text);
    });
    if (const View secret = value("imagePullSecrets")) {
      const NodeId item = job_.map();
      pod_.copy(item, "name", secret);
      job_.maker.tree.append(job_.list_at(pod_.spec, "imagePullSecrets"), item);
    }
  }

  /// Where nothing else has a place for it, a build says so by the variable of torchrun.
  bool takes_restarts(std::string_view name, View text) {
    if (name != "PET_MAX_RESTARTS" || !job_.shared_at({"elastic", "maxNodes"})) return false;
    const bool plain = text->text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!plain || text->text.empty() || text->text.size() > 6) return false;
    job_.share({"elastic", "maxRestarts"}, job_.number(std::stoll(std::string(text->text))), text);
    return true;
  }

  void environment() {
    each_item("environment", [&](std::string_view name, View text) {
      if (takes_restarts(name, text)) return;
      const std::size_t comma = text->text.find(',');
      if (!text->text.starts_with(kSecret) || comma == std::string_view::npos) {
        return pod_.variable(name, job_.maker.copy(text));
      }
      const NodeId reference = job_.map();
      job_.maker.put(reference, "name",
                     job_.text(text->text.substr(kSecret.size(), comma - kSecret.size())));
      job_.maker.put(reference, "key", job_.text(text->text.substr(comma + 1)));
      const NodeId entry = job_.map();
      job_.maker.put(entry, "name", job_.text(name));
      job_.maker.put(job_.map_at(entry, "valueFrom"), "secretKeyRef", reference);
      job_.maker.tree.append(job_.list_at(pod_.container, "env"), entry);
      job_.ledger.carried(text);
    });
  }

  void resources() {
    struct Amount {
      std::string_view field;
      std::string_view list;
      std::string_view resource;
    };
    constexpr Amount kAmounts[] = {{"cpu", "requests", "cpu"},
                                   {"cpuLimit", "limits", "cpu"},
                                   {"memory", "requests", "memory"},
                                   {"memoryLimit", "limits", "memory"},
                                   {"gpuDevices", "limits", "nvidia.com/gpu"}};
    for (const Amount& each : kAmounts) {
      if (const View amount = value(each.field)) {
        pod_.resource(each.list, each.resource, job_.maker.copy(amount));
      }
    }
    const View gpu = value("gpu");
    if (gpu && gpu->text.find('.') == std::string_view::npos) {
      pod_.resource("limits", "nvidia.com/gpu", job_.maker.copy(gpu));
    }
    if (const View profile = value("migProfile")) {
      pod_.resource("limits", "nvidia.com/mig-" + std::string(profile->text), job_.text("1"));
      job_.ledger.carried(profile);
    }
    each_item("extendedResources", [&](std::string_view name, View amount) {
      pod_.resource("limits", name, job_.maker.copy(amount));
    });
    const View shared = value("largeShm");
    if (is_true(shared)) {
      const NodeId source = job_.map();
      job_.maker.put(source, "medium", job_.text("Memory"));
      pod_.volume("shared-memory", "emptyDir", source, job_.text("/dev/shm"), false);
    }
    job_.ledger.carried(shared);
  }

  /// A part of one GPU takes the place of the number that the template would have.
  void share_of_a_gpu() {
    const View gpu = value("gpu");
    const View memory = value("gpuMemory");
    const bool fraction = gpu && gpu->text.find('.') != std::string_view::npos;
    if (!fraction && !memory) return;
    const NodeId fields = job_.map_at(role_.fields, "gpu");
    job_.maker.put(role_.fields, "gpusPerNode", job_.number(1));
    if (fraction) {
      job_.maker.put(fields, "fraction",
                     job_.maker.tree.add(Kind::Float, job_.maker.tree.intern(gpu->text)));
      job_.ledger.carried(gpu);
    } else {
      job_.carry(fields, "memory", memory);
    }
  }

  void storage() {
    each_item("pvcs", [&](std::string_view key, View claim) {
      const View name = get(claim, "claimName");
      if (!name || name->text.empty() || is_false(get(claim, "existingPvc"))) return;
      const NodeId source = job_.map();
      pod_.copy(source, "claimName", name);
      mount(volume_name(key), "persistentVolumeClaim", source, claim, "path");
      job_.ledger.derived(get(claim, "existingPvc"));
    });
    each_item("nfs", [&](std::string_view key, View share) {
      const NodeId source = job_.map();
      pod_.copy(source, "server", get(share, "server"));
      pod_.copy(source, "path", get(share, "path"));
      mount(volume_name(key), "nfs", source, share, "mountPath");
    });
    each_item("volumes", [&](std::string_view key, View directory) {
      const NodeId source = job_.map();
      pod_.copy(source, "path", get(directory, "path"));
      mount(volume_name(key), "hostPath", source, directory, "mountPath");
    });
    each_item("emptyDirVolumes", [&](std::string_view key, View directory) {
      mount(volume_name(key), "emptyDir", job_.map(), directory, "path");
    });
    each_item("configMapVolumes", [&](std::string_view key, View from) {
      const NodeId source = job_.map();
      pod_.copy(source, "name", get(from, "name"));
      mount(volume_name(key), "configMap", source, from, "mountPath");
    });
    each_item("secretVolumes", [&](std::string_view key, View from) {
      const NodeId source = job_.map();
      pod_.copy(source, "secretName", get(from, "name"));
      mount(volume_name(key), "secret", source, from, "mountPath");
    });
  }

  /// Keys are anything; names of volumes are labels of DNS.
  static std::string volume_name(std::string_view key) {
    std::string name;
    for (char c : key) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '-';
      name += plain ? c : lower;
    }
    while (name.starts_with('-')) name.erase(0, 1);
    while (name.ends_with('-')) name.pop_back();
    return name.empty() ? "volume" : name.substr(0, 63);
  }

  void mount(const std::string& name, std::string_view source, NodeId value, View item,
             std::string_view path) {
    const View read_only = get(item, "readOnly");
    const View where = get(item, path);
    if (!where) return;
    pod_.volume(name, source, value, job_.maker.copy(where), is_true(read_only));
    job_.ledger.carried(read_only);
  }

  /// What only Run:ai has, by the same names.
  void own_fields() {
    for (std::string_view field :
         {"gpuLimit", "nodePool", "preemptionLimit", "terminateAfterPreemption", "createHomeDir",
          "hostIpc", "stdin", "tty", "mountPropagation", "serviceType"}) {
      job_.share_copy({"runai", field}, value(field));
    }
    for (std::string_view field : {"exposedUrls", "gitSync", "s3"}) {
      const NodeId items = job_.map();
      each_item(field, [&](std::string_view key, View item) { job_.carry(items, key, item); });
      if (job_.maker.tree[items].size != 0) job_.share({"runai", field}, items, {});
    }
    const View topology = value("podAffinityTopology");
    const View rule = value("podAffinitySchedulingRule");
    if (!topology || is_false(value("podAffinity"))) return;
    job_.ledger.derived(value("podAffinity"));
    job_.share_copy({"runai", "podAffinity", "topologyKey"}, topology);
    if (rule && (rule->text == "hard" || rule->text == "soft")) {
      job_.share({"runai", "podAffinity", "mode"},
                 job_.text(rule->text == "hard" ? "required" : "preferred"), rule);
    }
  }

  void ports() {
    const View type = value("serviceType");
    each_item("ports", [&](std::string_view, View port) {
      const NodeId item = job_.map();
      pod_.copy(item, "containerPort", get(port, "container"));
      job_.maker.tree.append(job_.list_at(pod_.container, "ports"), item);
      const View own = get(port, "serviceType");
      if (type && own && own->text == type->text) job_.ledger.derived(own);
    });
  }

  /// One pool is a label of nodes; several are an order of preference.
  void pools() {
    const View pools = value("nodePools");
    if (!pools) return;
    if (pools->text.find(' ') == std::string_view::npos) {
      return pod_.copy(job_.map_at(pod_.spec, "nodeSelector"), "runai/node-pool", pools);
    }
    const NodeId names = job_.list();
    for (const std::string& each : split_words(pools->text)) {
      job_.maker.tree.append(names, job_.text(each));
    }
    job_.share({"runai", "nodePools"}, names, pools);
  }

  void placement() {
    pools();
    if (const View type = value("nodeType")) {
      pod_.copy(job_.map_at(pod_.spec, "nodeSelector"), "run.ai/type", type);
    }
    each_item("tolerations", [&](std::string_view, View given) {
      const NodeId item = job_.map();
      for (std::string_view key : {"key", "operator", "value", "effect"}) {
        pod_.copy(item, key, get(given, key));
      }
      pod_.copy(item, "tolerationSeconds", get(given, "seconds"));
      job_.maker.tree.append(job_.list_at(pod_.spec, "tolerations"), item);
    });
    pod_.copy(pod_.spec, "hostNetwork", value("hostNetwork"));
  }

  void security() {
    const NodeId pod = job_.map();
    const NodeId own = job_.map();
    const bool as_user = is_true(value("runAsUser"));
    if (as_user) {
      pod_.copy(pod, "runAsUser", value("runAsUid"));
      pod_.copy(pod, "runAsGroup", value("runAsGid"));
    }
    if (as_user && value("runAsUid")) job_.ledger.derived(value("runAsUser"));
    pod_.copy(pod, "runAsNonRoot", value("runAsNonRoot"));
    groups(pod);
    if (const View type = value("seccompProfileType")) {
      pod_.copy(job_.map_at(pod, "seccompProfile"), "type", type);
    }
    pod_.copy(own, "allowPrivilegeEscalation", value("allowPrivilegeEscalation"));
    const View added = value("capabilities");
    if (is_for_sshd(added)) {
      for (View each : Items(added)) job_.ledger.derived(each);
    } else if (has_items(added)) {
      pod_.copy(job_.map_at(own, "capabilities"), "add", added);
    }
    if (job_.maker.tree[pod].size != 0) job_.maker.put(pod_.spec, "securityContext", pod);
    if (job_.maker.tree[own].size != 0) job_.maker.put(pod_.container, "securityContext", own);
  }

  /// What a build gives the workers of mpirun, which run sshd.
  bool is_for_sshd(View added) const {
    if (!job_.ours || role_.name != "worker" || !added || added->size != 1) return false;
    const bool by_mpirun = string_at(get(job_.job, "spec"), "jobType") == "MPIJob";
    return by_mpirun && (*Items(added).begin())->text == "NET_BIND_SERVICE";
  }

  void groups(NodeId pod) {
    const View ids = value("supplementalGroups");
    if (!ids || ids->text.find_first_not_of("0123456789;,") != std::string_view::npos) return;
    std::string_view rest = ids->text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(";,"), rest.size());
      if (end != 0 && end < 10) {
        job_.maker.tree.append(
            job_.list_at(pod, "supplementalGroups"),
            job_.maker.tree.add(Kind::Int, job_.maker.tree.intern(rest.substr(0, end))));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    job_.ledger.carried(ids);
  }

  Conversion& job_;
  ConvertedRole& role_;
  View spec_;
  MadePod pod_;
};

/// What workload and job have in common besides their pods.
void read_frame(Conversion& job) {
  const View spec = get(job.job, "spec");
  const auto value = [&](std::string_view field) { return get(get(spec, field), "value"); };
  constexpr std::string_view kPrefix = "runai-";
  job.share({"scheduling", "system"}, job.text("runai"), {});
  job.has_template = false;
  const View name_space = get(get(job.job, "metadata"), "namespace");
  if (!job.ours && name_space && name_space->text.starts_with(kPrefix)) {
    job.share({"scheduling", "queue"}, job.text(name_space->text.substr(kPrefix.size())), {});
  }
  if (const View name = value("name")) {
    job.maker.put(job.metadata, "name", job.maker.copy(name));
    job.ledger.carried(name);
    job.ledger.derived(get(get(job.job, "metadata"), "name"));
    job.name = name->text;
  }
  const View usage = get(spec, "usage");
  if (usage && usage->text == "Submit" && !job.ours) {
    job.ledger.derived(usage);
  } else {
    job.share_copy({"runai", "usage"}, usage);
  }
  job.share_copy({"runai", "baseWorkload"}, get(spec, "baseWorkload"));
  for (std::string_view field : {"namePrefix", "username", "userId"}) {
    job.share_copy({"runai", field}, value(field));
  }
  if (const View stays = value("nonPreemptible"); is_true(stays) || is_false(stays)) {
    job.share({"scheduling", "preemptible"}, job.truth(is_false(stays)), stays);
  }
  read_seconds(job, value("autoDeletionTimeAfterCompletionSeconds"), "ttl");
  if (is_true(value("active"))) job.ledger.derived(value("active"));
  if (is_false(value("active"))) {
    job.share({"lifecycle", "suspend"}, job.truth(true), value("active"));
  }
}

/// A start of the job is one of all its pods.
void read_limit(Conversion& job, View limit, std::int64_t pods) {
  const auto count = integer_of(limit);
  if (!count) return;
  const std::int64_t retries = *count / pods;
  if (retries > 0) job.share({"lifecycle", "retries"}, job.number(retries), {});
  if (*count % pods != 0) {
    job.ledger.lost(limit, "it is no whole number of starts of " + std::to_string(pods) + " pods",
                    "set `lifecycle.retries`, which counts starts of the whole job");
  }
  job.share({"lifecycle", "retryOn"}, job.text(*count > 0 ? "any" : "never"), {});
  job.ledger.carried(limit);
}

void read_training(Conversion& job) {
  const View spec = get(job.job, "spec");
  read_frame(job);
  ConvertedRole role;
  job.roles.push_back(role);
  RunAiPod(job, job.roles.front(), spec).read();
  read_limit(job, get(get(spec, "backoffLimit"), "value"), job.pods);
  const auto value = [&](std::string_view field) { return get(get(spec, field), "value"); };
  for (std::string_view field : {"completions", "parallelism"}) {
    const bool usual = integer_of(value(field)) == 1 && !job.ours;
    usual ? job.ledger.derived(value(field)) : job.share_copy({"runai", field}, value(field));
  }
  if (is_true(value("mpi"))) {
    job.ledger.derived(value("mpi"));
    job.share_copy({"runai", "mpi", "workers"}, value("processes"));
    job.share_copy({"runai", "mpi", "slotsPerWorker"}, value("slotsPerWorker"));
  }
}

struct JobType {
  std::string_view word;
  std::string_view framework;
};
constexpr JobType kJobTypes[] = {{"PyTorchJob", "pytorch"},
                                 {"MPIJob", "mpi"},
                                 {"TFJob", "tensorflow"},
                                 {"XGBoostJob", "xgboost"},
                                 {"JAXJob", "jax"}};

/// What the job of an operator has beside its pods.
void read_values(Conversion& job, View spec) {
  const View torch = get(get(spec, "pyTorchJob"), "values");
  const View mpi = get(get(spec, "mpiJob"), "values");
  for (View values : {torch, mpi}) {
    if (values && values->size == 0) job.ledger.derived(values);
  }
  const View least = get(get(torch, "minReplicas"), "value");
  const View most = get(get(torch, "maxReplicas"), "value");
  if (least && most) {
    job.share_copy({"elastic", "minNodes"}, least);
    job.share_copy({"elastic", "maxNodes"}, most);
  }
  const View slots = get(get(mpi, "slotsPerWorker"), "value");
  if (!job.by_mpirun) job.processes = integer_of(slots).value_or(0);
  job.ledger.carried(slots);
  const View path = get(get(mpi, "sshAuthMountPath"), "value");
  if (path && (job.ours || path->text == "/root/.ssh" || path->text == "/home/mpiuser/.ssh")) {
    job.ledger.derived(path);
  }
}

/// The workers are the nodes of the job; what the launcher of a build starts is its program.
void read_mpirun(Conversion& job, View spec, View launcher, std::int64_t workers) {
  job.pods = workers;
  if (job.ours) {
    ConvertedRole none;
    const View front = RunAiPod(job, none, launcher).make();
    const View back = RunAiPod(job, none, spec).make();
    prepare_join(job, front, back);
  }
  if (!job.by_mpirun) job.framework = "mpi";
  read_values(job, spec);
  const auto role = [&](std::string_view name, View pods) {
    ConvertedRole made;
    made.name = name;
    made.pods = name == "launcher" ? 1 : workers;
    made.processes = name == "launcher" ? 0 : job.processes;
    job.roles.push_back(made);
    RunAiPod(job, job.roles.back(), pods).read();
  };
  role("worker", spec);
  role("launcher", launcher);
  join_launcher(job);
}

/// A master and workers, or workers alone.
void read_roles(Conversion& job, View spec, std::int64_t workers) {
  const View master = get(job.job, "masterSpec");
  const bool mpi = job.framework == "mpi";
  job.pods = workers + (mpi || job.framework == "jax" ? 0 : 1);
  read_values(job, spec);
  if (master) {
    ConvertedRole first;
    first.name = mpi ? "launcher" : "master";
    job.roles.push_back(first);
    RunAiPod(job, job.roles.back(), master).read();
  }
  ConvertedRole role;
  role.name = master ? "worker" : "";
  role.pods = master ? workers : job.pods;
  job.roles.push_back(role);
  RunAiPod(job, job.roles.back(), spec).read();
  job.roles_are_even = !mpi && !(job.ours && master);
}

void read_distributed(Conversion& job) {
  const View spec = get(job.job, "spec");
  const View type = get(spec, "jobType");
  read_frame(job);
  const auto* known =
      type ? std::ranges::find(kJobTypes, type->text, &JobType::word) : std::end(kJobTypes);
  if (known != std::end(kJobTypes)) {
    job.framework = known->framework;
    job.ledger.carried(type);
  }
  job.port = 23456;
  // The operator counts the GPUs itself.
  const bool torch = job.framework == "pytorch";
  job.injects = [torch](std::string_view name) { return torch && name == "PET_NPROC_PER_NODE"; };
  const View count = get(get(spec, "workers"), "value");
  const std::int64_t workers = std::max<std::int64_t>(integer_of(count).value_or(1), 1);
  job.ledger.carried(count);
  const View master = get(job.job, "masterSpec");
  if (job.framework == "mpi" && job.ours && master) {
    job.framework = {};
    read_mpirun(job, spec, master, workers);
  } else {
    read_roles(job, spec, workers);
  }
  const View clean = get(get(get(get(spec, "runPolicy"), "values"), "cleanPodPolicy"), "value");
  if (clean && clean->text != "All") job.ledger.derived(clean);
  const bool launches = job.by_mpirun || job.framework == "mpi";
  read_limit(job, get(get(spec, "backoffLimit"), "value"), job.pods + (launches ? 1 : 0));
}

}  // namespace

constinit const ConvertedKind kConvertTrainingWorkload = {"run.ai", "TrainingWorkload", "",
                                                          read_training};
constinit const ConvertedKind kConvertDistributedWorkload = {"run.ai", "DistributedWorkload", "",
                                                             read_distributed};

}  // namespace trainyard
