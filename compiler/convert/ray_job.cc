#include <algorithm>
#include <string>
#include <vector>

#include "convert/convertible_kinds.h"
#include "convert/gang_membership.h"
#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "convert/synthesized_pod.h"
#include "manifest/embedded_yaml.h"
#include "schema/names.h"
#include "shell/plain_command.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Head and workers are roles; the entrypoint is the program of the job.
class RayReader {
 public:
  explicit RayReader(Conversion& job)
      : job_(job), spec_(get(job.job, "spec")), cluster_(get(spec_, "rayClusterSpec")) {}

  void read() {
    job_.framework = "ray";
    if (!cluster_) {
      job_.ledger.lost(
          get(spec_, "clusterSelector"), "the job runs in an existing Ray cluster",
          "write the pods of a cluster of its own, or submit to that cluster as before");
      return;
    }
    std::int64_t pods = 1;
    for (View group : items_at(cluster_, "workerGroupSpecs")) {
      const View hosts = get(group, "numOfHosts");
      if (integer_of(hosts).value_or(1) > 1) {
        job_.ledger.lost(hosts,
                         "each replica is a group of " + std::string(hosts->text) +
                             " hosts that start and fail together, such as a TPU slice, and a "
                             "spec counts single nodes",
                         "keep this manifest, which `validate` checks; or write a spec for target "
                         "`jobset`, whose `nodes` are the hosts of one slice");
        return;
      }
      pods += pods_of(group);
    }
    job_.pods = pods;
    elastic();
    group(get(cluster_, "headGroupSpec"), "head", 1);
    for (View each : items_at(cluster_, "workerGroupSpecs")) {
      const std::string_view name = role_of(each);
      if (name.empty()) {
        const View at = get(each, "groupName");
        job_.ledger.lost(at ? at : each, "a role cannot have the name of this group of workers",
                         "start it with a letter; go on with lower-case letters, digits and `-`");
        continue;
      }
      group(each, name, pods_of(each));
      worker_numbers(each);
    }
    if (is_false(get(cluster_, "enableInTreeAutoscaling"))) {
      job_.ledger.derived(get(cluster_, "enableInTreeAutoscaling"));
    }
    settle_gang(job_, {"coscheduling", "native"});
    entrypoint();
    frame();
  }

 private:
  static std::int64_t pods_of(View group) {
    return integer_at(group, "replicas").value_or(1) * integer_at(group, "numOfHosts").value_or(1);
  }

  static bool may_name_role(std::string_view name) {
    return name != "head" && !why_not_service_name(name);
  }

  /// The resource by which the program of a build places its actors in the group.
  static bool has_own_resource(View group, View resources) {
    return string_of(resources) ==
           "\"{\\\"" + std::string(string_at(group, "groupName")) + "\\\": 1}\"";
  }

  /// The only group is that of the workers, unless a build has named it. Else "" where no role can
  /// have its name.
  std::string_view role_of(View group) const {
    const View resources = get(get(group, "rayStartParams"), "resources");
    const bool only = get(cluster_, "workerGroupSpecs")->size == 1;
    if (only && !has_own_resource(group, resources)) return "worker";
    const std::string_view name = string_at(group, "groupName");
    return may_name_role(name) ? name : std::string_view();
  }

  /// The range in which the autoscaler of Ray keeps the one group of workers.
  void elastic() {
    const View scaling = get(cluster_, "enableInTreeAutoscaling");
    const View groups = get(cluster_, "workerGroupSpecs");
    if (!is_true(scaling) || !groups || groups->size != 1) return;
    const View workers = *items_at(cluster_, "workerGroupSpecs").begin();
    const View least = get(workers, "minReplicas");
    const View most = get(workers, "maxReplicas");
    if (integer_of(least).value_or(0) < 1 || !integer_of(most)) return;
    job_.gang_pods = 1 + *integer_of(least);
    job_.share_copy({"elastic", "minNodes"}, least);
    job_.share_copy({"elastic", "maxNodes"}, most);
    is_elastic_ = true;
    job_.ledger.derived(scaling);
    const View confined = get(get(cluster_, "autoscalerOptions"), "securityContext");
    if (confined && is_that_of_the_head(confined)) job_.ledger.derived(confined);
  }

  /// A build confines the autoscaler as it does the program.
  bool is_that_of_the_head(View confined) const {
    const View head = get(get(get(cluster_, "headGroupSpec"), "template"), "spec");
    return std::ranges::any_of(items_at(head, "containers"), [&](View container) {
      const View own = get(container, "securityContext");
      return own && equal(own.tree(), own.id(), confined.tree(), confined.id());
    });
  }

  void group(View from, std::string_view name, std::int64_t pods) {
    ConvertedRole role;
    role.name = name;
    role.pods = std::max<std::int64_t>(pods, 1);
    job_.roles.push_back(role);
    read_pod_template(job_, job_.roles.back(), get(from, "template"));
    if (!job_.ours) keep_words(job_.roles.back(), get(get(from, "template"), "spec"));
    const bool works = name == "head" && string_at(get(from, "rayStartParams"), "num-cpus") != "0";
    if (job_.ours && works) {
      ConvertedRole& head = job_.roles.back();
      head.says_gpus = true;
      if (head.gpus == 0) {
        job_.maker.put(head.fields, "processesPerNode",
                       job_.number(std::max<std::int64_t>(head.processes, 1)));
      }
    }
    const View parameters = get(from, "rayStartParams");
    if (parameters && parameters->size == 0) job_.ledger.derived(parameters);
    if (const View own = get(parameters, "resources"); own && has_own_resource(from, own)) {
      job_.ledger.derived(own);
    }
    const View scaling = get(from, "scaleStrategy");  // the operator's, empty until it scales
    if (scaling && scaling->size == 0) job_.ledger.derived(scaling);
    for (View each : Items(parameters)) {
      const bool no_work = name == "head" && each->key == "num-cpus" && each->text == "0";
      if (each->key == "dashboard-host" || each->key == "block" || no_work) {
        job_.ledger.derived(each);
      }
    }
    if (works && !job_.ours && job_.roles.back().gpus == 0) head_works(from, parameters);
  }

  /// KubeRay starts Ray behind the words of a container: they are no program of the job.
  void keep_words(ConvertedRole& role, View pod_spec) {
    const NodeId run = job_.maker.tree.find(role.fields, "run");
    if (run == kNoNode) return;
    job_.maker.tree.remove(role.fields, run);
    role.launcher = "none";
    role.program = ProgramKind::Image;
    const View container = training_container(pod_spec, job_.container);
    for (std::string_view key : {"command", "args", "workingDir"}) {
      if (get(container, key)) {
        job_.carry(own_container_of(job_, role.fields), key, get(container, key));
      }
    }
  }

  /// Without GPUs it is there for the program alone.
  void head_works(View head, View parameters) {
    const View pod = get(get(head, "template"), "spec");
    const bool settled =
        has_items(parameters) && std::ranges::all_of(Items(parameters), [&](View each) {
          return job_.ledger.fate(each) != Fate::Open;
        });
    const View at = settled ? parameters : get(training_container(pod, job_.container), "name");
    job_.ledger.lost(
        at,
        "the head takes tasks of Ray, as far as its CPUs go, and a build keeps them "
        "to the workers",
        "ask for what the tasks need in `roles.worker`, or set `num-cpus` in `patches`");
  }

  void worker_numbers(View group) {
    for (std::string_view key : {"groupName", "replicas", "numOfHosts"}) {
      job_.ledger.carried(get(group, key));
    }
    const std::int64_t replicas = integer_at(group, "replicas").value_or(1);
    const View least = get(group, "minReplicas");
    const View most = get(group, "maxReplicas");
    if (is_elastic_) return;
    if (is_true(get(cluster_, "enableInTreeAutoscaling"))) {
      job_.ledger.lost(get(cluster_, "enableInTreeAutoscaling"),
                       "the number of workers of a training job is fixed",
                       "choose `nodes` of the role `worker`");
    }
    for (View each : {least, most}) {
      if (integer_of(each).value_or(replicas) == replicas ||
          !is_true(get(cluster_, "enableInTreeAutoscaling"))) {
        job_.ledger.derived(each);
      }
    }
  }

  void entrypoint() {
    const View line = get(spec_, "entrypoint");
    if (!line || job_.roles.empty()) return;
    if (job_.ours && made_entrypoint(line)) return;
    const auto plain = plain_command(line->text);
    const NodeId run = job_.map();
    const bool expands =
        plain && std::ranges::any_of(*plain, [](const PlainWord& each) { return each.expands; });
    if (plain && !expands) {
      const NodeId words = job_.list_at(run, "command");
      for (const PlainWord& each : *plain) job_.maker.tree.append(words, job_.text(each.text));
    } else {
      job_.maker.put(run, "shell", job_.maker.copy(line));
    }
    packages_by_hand(get(spec_, "runtimeEnvYAML"), run);
    job_.share({"run"}, run, line);
  }

  /// A line that a build has made out of the words of a command.
  bool made_entrypoint(View line) {
    std::string_view text = line->text;
    std::string directory;
    if (text.starts_with("cd ")) {
      const std::size_t end = text.find(" && ");
      if (end == text.npos) return false;
      const auto words = words_of_line(text.substr(3, end - 3));
      if (!words || words->size() != 1) return false;
      directory = words->front();
      text.remove_prefix(end + 4);
    }
    const auto words = words_of_line(text);
    if (!words || words->empty()) return false;
    SynthesizedPod pod(job_);
    const NodeId command = job_.list_at(pod.container, "command");
    for (const std::string& each : *words) job_.maker.tree.append(command, job_.text(each));
    ConvertedRole program;
    program.fields = job_.map();
    PodParts parts{job_, program, {}, {}, job_.maker.view(pod.container)};
    read_command(parts);
    const NodeId run = job_.map_at(program.fields, "run");
    if (program.launcher != "none") {
      job_.maker.put(run, "launcher", job_.text(program.launcher));
    }
    if (!directory.empty()) job_.maker.put(run, "workingDir", job_.text(directory));
    runtime_environment(run);
    // The pods have no program, and the directory of the job.
    for (ConvertedRole& role : job_.roles) {
      const NodeId own = job_.maker.tree.find(role.fields, "run");
      if (own != kNoNode) job_.maker.tree.remove(role.fields, own);
    }
    job_.share({"run"}, run, line);
    return true;
  }

  /// `pip` as people write it, a list of names; beside others that are reported.
  bool packages_by_hand(View given, NodeId run) {
    if (!given) return false;
    const TextYaml text(given);
    const View root = text.root();
    const View pip = get(root, "pip");
    if (!pip || !pip->is_seq()) return false;
    for (View each : Items(pip)) {
      if (!each.is_scalar() || each->text.starts_with('-')) return false;
    }
    for (View each : Items(pip)) {
      job_.maker.tree.append(job_.list_at(run, "packages"), job_.text(std::string(each->text)));
    }
    if (root->size == 1) {
      job_.ledger.carried(given);
    } else {
      job_.ledger.lost(given, "only its `pip` is, as `run.packages`; Ray alone knows the rest",
                       "set `env_vars` under `env`, and put the files of `working_dir` into the "
                       "image or `files`");
    }
    return true;
  }

  /// The packages, in the lines that a build writes.
  void runtime_environment(NodeId run) {
    const View given = get(spec_, "runtimeEnvYAML");
    if (!given) return;
    std::string_view lines = given->text;
    if (packages_by_hand(given, run)) return;
    if (!lines.starts_with("pip:\n")) return;
    lines.remove_prefix(4);
    std::vector<std::string> urls;
    std::vector<std::string> packages;
    std::vector<std::string> options;
    constexpr std::string_view kOptions = "\n  pip_install_options:\n";
    const std::size_t first_option = lines.find(kOptions);
    for (std::size_t at = 0; (at = lines.find("- \"", at)) != lines.npos;) {
      const bool is_option = at > first_option;
      at += 3;
      const std::size_t end = lines.find("\"\n", at);
      if (end == lines.npos) return;
      std::string item(lines.substr(at, end - at));
      at = end + 1;
      if (is_option) {
        options.push_back(std::move(item));
        continue;
      }
      const std::size_t url = item.find("index-url ");
      if (item.starts_with("--") && url != item.npos) {
        urls.push_back(item.substr(url + 10));
      } else {
        packages.push_back(std::move(item));
      }
    }
    // The first two are Ray's own.
    if (options.size() >= 2) options.erase(options.begin(), options.begin() + 2);
    const auto put = [&](NodeId map, std::string_view key, const std::vector<std::string>& items) {
      for (const std::string& each : items) {
        job_.maker.tree.append(job_.list_at(map, key), job_.text(each));
      }
    };
    put(run, "packages", packages);
    if (!urls.empty()) put(job_.map_at(run, "pip"), "indexUrls", urls);
    if (!options.empty()) put(job_.map_at(run, "pip"), "args", options);
    job_.ledger.carried(given);
  }

  void frame() {
    read_seconds(job_, get(spec_, "ttlSecondsAfterFinished"), "ttl");
    read_seconds(job_, get(spec_, "activeDeadlineSeconds"), "deadline");
    read_suspend(job_, get(spec_, "suspend"));
    const View limit = get(spec_, "backoffLimit");
    if (const auto count = integer_of(limit)) {
      if (*count > 0) {
        job_.share_copy({"lifecycle", "retries"}, limit);
        job_.share({"lifecycle", "retryOn"}, job_.text("any"), {});
      }
      job_.ledger.carried(limit);
    }
    if (is_true(get(spec_, "shutdownAfterJobFinishes"))) {
      job_.ledger.derived(get(spec_, "shutdownAfterJobFinishes"));
    }
    const View mode = get(spec_, "submissionMode");
    if (mode && (mode->text == "K8sJobMode" || mode->text == "HTTPMode")) {
      job_.ledger.derived(mode);  // who hands over the entrypoint
    }
    // KubeRay makes other probes for other versions.
    job_.patch("rayjob", {"spec", "rayClusterSpec", "rayVersion"}, get(cluster_, "rayVersion"));
    state();
  }

  /// The Redis that keeps the state of the head; its other settings are reported.
  void state() {
    const View options = get(cluster_, "gcsFaultToleranceOptions");
    const View address = get(options, "redisAddress");
    if (string_of(address).empty()) return;
    const auto carry = [&](std::initializer_list<std::string_view> path, View value) {
      if (string_of(value).empty()) return;
      job_.share_copy(path, value);
      job_.ledger.carried(value);
    };
    carry({"ray", "redis", "address"}, address);
    carry({"ray", "redis", "username"}, get(get(options, "redisUsername"), "value"));
    const View key = get(get(get(options, "redisPassword"), "valueFrom"), "secretKeyRef");
    carry({"ray", "redis", "password", "name"}, get(key, "name"));
    carry({"ray", "redis", "password", "key"}, get(key, "key"));
  }

  Conversion& job_;
  View spec_;
  View cluster_;
  bool is_elastic_ = false;
};

void read(Conversion& job) {
  RayReader(job).read();
}

}  // namespace

constinit const ConvertedKind kConvertRayJob = {"ray.io", "RayJob", "", read};

}  // namespace trainyard
