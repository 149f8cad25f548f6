#include "convert/run_ai_pod.h"

#include <algorithm>
#include <string>

#include "convert/pod_template_reader.h"
#include "convert/synthesized_pod.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSecret = "SECRET:";

/// Fields of the workload. Most are wrapped in `value` or `items`.
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
    for (const std::string& each : shell_words_or_whole(pools->text)) {
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
  SynthesizedPod pod_;
};

}  // namespace

View run_ai_pod(Conversion& job, ConvertedRole& role, View spec) {
  return RunAiPod(job, role, spec).make();
}

void read_run_ai_pod(Conversion& job, ConvertedRole& role, View spec) {
  RunAiPod(job, role, spec).read();
}

}  // namespace trainyard
