// What submits the program of a RayJob.
// ray-project/kuberay ray-operator/controllers/ray/rayjob_controller.go, common/job.go

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "diag/words.h"
#include "effective/job_pods.h"
#include "effective/ray_cluster.h"
#include "manifest/ray_objects.h"
#include "source/source_map.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

std::string_view mode_of(View job) {
  const std::string_view mode = string_at(get(job, "spec"), "submissionMode");
  return mode.empty() ? "K8sJobMode" : mode;
}

std::string job_id(View job) {
  const std::string_view given = string_at(get(job, "spec"), "jobId");
  return given.empty() ? std::string(name_of(job)) + "-" + std::string(kRandom)
                       : std::string(given);
}

/// A text in quotes of Go, in front of a shell.
std::string quoted_for_shell(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const char* const escape = c == '"'    ? "\\\""
                               : c == '\\' ? "\\\\"
                               : c == '\n' ? "\\n"
                               : c == '\r' ? "\\r"
                               : c == '\t' ? "\\t"
                                           : nullptr;
    escape != nullptr ? result += escape : result += c;
  }
  return result + "\"";
}

/// A string of JSON as Go writes it, safe for pages of HTML.
std::string json_string(std::string_view text) {
  std::string result;
  for (const char c : quoted(text)) {
    const char* const escape = c == '<'   ? "\\u003c"
                               : c == '>' ? "\\u003e"
                               : c == '&' ? "\\u0026"
                                          : nullptr;
    escape != nullptr ? result += escape : result += c;
  }
  return result;
}

/// JSON in one line, with the keys in their order.
std::string json(View value) {
  if (value->is_seq()) {
    std::string text;
    for (View each : Items(value)) text += (text.empty() ? "" : ",") + json(each);
    return "[" + text + "]";
  }
  if (value->is_map()) {
    std::map<std::string_view, View> entries;
    for (View each : Items(value)) entries.emplace(each->key, each);
    std::string text;
    for (const auto& [key, entry] : entries) {
      text += (text.empty() ? "" : ",") + json_string(key) + ":" + json(entry);
    }
    return "{" + text + "}";
  }
  if (value->kind == Kind::String) return json_string(value->text);
  return value->kind == Kind::Null ? "null" : std::string(value->text);
}

/// What a text of YAML is in JSON; nothing when it cannot be read.
std::string as_json(View yaml) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(std::string(yaml->key), std::string(yaml->text));
  const std::vector<Tree> trees = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  if (sink.has_errors() || trees.empty()) return {};
  return json(View(trees.front(), trees.front().root()));
}

std::string six_decimals(View number) {
  double value = 0;
  std::from_chars(number->text.data(), number->text.data() + number->text.size(), value);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 6);
  return std::string(text, end.ptr);
}

/// The words behind `ray job submit` of one RayJob.
class Submission {
 public:
  explicit Submission(const RayCluster& cluster)
      : cluster_(cluster), spec_(get(cluster.object, "spec")) {}

  std::string failure;

  std::string from_job(const std::string& dashboard) {
    const std::string address = "--address http://" + dashboard;
    const std::string id = job_id(cluster_.object);
    const std::string rest = options();
    return "if ! ray job status " + address + " " + id + " >/dev/null 2>&1 ; then ray job submit " +
           address + " --no-wait" + rest + " fi ; ray job logs " + address + " --follow " + id;
  }

  std::string from_head() {
    const std::string port = std::to_string(dashboard_port());
    const std::string address = "http://127.0.0.1:" + port;
    const std::string rest = options();
    return "until python -c \"import urllib.request; "
           "r=urllib.request.urlopen('http://localhost:" +
           port +
           "/api/gcs_healthz', timeout=10); exit(0 if b'success' in r.read() else 1)\" "
           ">/dev/null 2>&1 ; do echo \"Waiting for Ray Dashboard GCS to become healthy at " +
           address + " ...\" ; sleep 2 ; done ; ray job submit --address " + address + rest;
  }

  /// At which the head's own ports, or those that KubeRay gives it, have the dashboard.
  std::int64_t dashboard_port() const {
    for (View each : items_at(ray_container(cluster_.head()), "ports")) {
      if (string_at(each, "name") == "dashboard") {
        return integer_at(each, "containerPort").value_or(8265);
      }
    }
    return 8265;
  }

 private:
  std::string options() {
    std::string words;
    if (const View environment = get(spec_, "runtimeEnvYAML"); !string_of(environment).empty()) {
      const std::string text = as_json(environment);
      if (text.empty()) failure = "its `runtimeEnvYAML` is not YAML";
      words += " --runtime-env-json " + quoted_for_shell(text);
    }
    if (const View metadata = get(spec_, "metadata"); has_items(metadata) && cluster_.spec) {
      const auto version = ray_version(string_at(cluster_.spec, "rayVersion"));
      if (!version || *version < std::array{2, 6, 0}) {
        failure = "its `metadata` needs `rayVersion` 2.6.0 or later";
      }
      words += " --metadata-json " + quoted_for_shell(json(metadata));
    }
    words += " --submission-id " + job_id(cluster_.object);
    for (const auto& [field, option] :
         {std::pair("entrypointNumCpus", " --entrypoint-num-cpus "),
          std::pair("entrypointNumGpus", " --entrypoint-num-gpus ")}) {
      const View amount = get(spec_, field);
      const std::string text = amount ? six_decimals(amount) : "";
      if (!text.empty() && text != "0.000000") words += option + text;
    }
    const std::string_view resources = string_at(spec_, "entrypointResources");
    if (!resources.empty()) words += " --entrypoint-resources " + quoted_for_shell(resources);
    return words + " -- " + std::string(entrypoint()) + " ;";
  }

  std::string_view entrypoint() const {
    constexpr const char* blank = " \t\r\n";
    std::string_view text = string_at(spec_, "entrypoint");
    text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
    return text.substr(0, text.find_last_not_of(blank) + 1);
  }

  const RayCluster& cluster_;
  View spec_;
};

/// The variables of every container that submits a job.
void tell(PodBuilder& maker, const RayCluster& cluster, NodeId container,
          std::string_view dashboard) {
  const OriginId mark = maker.mark("what the submitter needs");
  append_env(maker, container, "PYTHONUNBUFFERED", "1", mark);
  append_env(maker, container, "RAY_DASHBOARD_ADDRESS", dashboard, mark);
  append_env(maker, container, "RAY_JOB_SUBMISSION_ID", job_id(cluster.object), mark);
  add_token(maker, cluster, container);
}

NodeId own_container(PodBuilder& maker, const RayCluster& cluster) {
  const OriginId mark = maker.mark("submits the job");
  const NodeId made = maker.map(mark);
  maker.put(made, "name", "ray-job-submitter", mark);
  maker.put_copy(made, "image", get(ray_container(cluster.head()), "image"));
  put_resources(maker, made, {"500m", "200Mi"}, {"1", "1Gi"}, mark);
  return made;
}

/// A pod of KubeRay's own, where the job has no template for it.
NodeId own_template(PodBuilder& maker, const RayCluster& cluster) {
  const OriginId mark = maker.mark("submits the job");
  const NodeId made = maker.map(mark);
  const NodeId spec = maker.map_at(made, "spec", mark);
  append_to(maker, spec, "containers", own_container(maker, cluster));
  maker.put(spec, "restartPolicy", "Never", mark);
  return made;
}

}  // namespace

bool ray_job_has_submitter(View job) {
  return string_at(job, "kind") == "RayJob" && mode_of(job) == "K8sJobMode";
}

bool ray_job_has_sidecar(View object) {
  return string_at(object, "kind") == "RayJob" && mode_of(object) == "SidecarMode";
}

NodeId ray_sidecar(PodBuilder& maker, const RayCluster& cluster, std::string& failure) {
  Submission submission(cluster);
  const std::string script = submission.from_head();
  failure = submission.failure;
  if (!failure.empty()) return kNoNode;
  const NodeId made = own_container(maker, cluster);
  run_script(maker, made, "-ce", script, maker.mark("submits the job"));
  tell(maker, cluster, made, "");  // before there is a dashboard
  return made;
}

EffectivePod ray_submitter(PodBuilder& maker, const RayCluster& cluster,
                           KubernetesVersion version) {
  EffectivePod result;
  const View spec = get(cluster.object, "spec");
  const View own = get(spec, "submitterPodTemplate");
  if (!own && !cluster.spec) {
    result.failure = "the submitter runs the image of cluster `" + cluster.name +
                     "`, which already exists and is not a part of the RayJob";
    return result;
  }
  const OriginId mark = maker.mark("Job that submits the RayJob");
  const NodeId job = maker.map(mark);
  maker.put(job, "apiVersion", "batch/v1", mark);
  maker.put(job, "kind", "Job", mark);
  maker.put_copy(job, "metadata", get(cluster.object, "metadata"));
  const NodeId made = own ? maker.copy(own) : own_template(maker, cluster);
  maker.put(maker.map_at(job, "spec", mark), "template", made);
  const NodeId pod_spec = maker.map_at(made, "spec", mark);
  const std::vector<NodeId> all = containers(maker, pod_spec);
  if (all.empty()) {
    result.failure = "the pod has no container that submits the job";
    return result;
  }
  Submission submission(cluster);
  const std::string dashboard =
      cluster.address() + ":" + std::to_string(submission.dashboard_port());
  const std::string script = submission.from_job(dashboard);
  result.failure = submission.failure;
  if (!result.failure.empty()) return result;
  if (!has_items(get(maker.view(all.front()), "command"))) {
    run_script(maker, all.front(), "-ce", script, maker.mark("submits the job"));
  }
  tell(maker, cluster, all.front(), dashboard);
  add_token_volume(maker, cluster, pod_spec);
  return job_pod(maker, maker.view(job), 0, version);
}

}  // namespace trainyard
