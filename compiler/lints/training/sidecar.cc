// Containers beside the training that nothing ends.

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A service, by words of its image's name; it ends only on a signal.
struct Service {
  std::string_view image;
  std::string_view what;
};

// The images of the projects themselves, and of the vendors' daemons.
constexpr Service kServices[] = {
    {"tcpgpudmarxd", "the daemon of a GPU network"},
    {"fastrak", "the daemon of a GPU network"},
    {"proxyv2", "the proxy of a service mesh"},
    {"linkerd/proxy", "the proxy of a service mesh"},
    {"envoyproxy/envoy", "a proxy"},
    {"consul-dataplane", "the proxy of a service mesh"},
    {"kuma-dp", "the proxy of a service mesh"},
    {"cloud-sql-proxy", "a proxy"},
    {"cloudsql-docker/gce-proxy", "a proxy"},
    {"oauth2-proxy", "a proxy"},
    {"fluent-bit", "a shipper of logs"},
    {"fluentd", "a shipper of logs"},
    {"filebeat", "a shipper of logs"},
    {"promtail", "a shipper of logs"},
    {"dcgm-exporter", "an exporter of metrics"},
    {"node-exporter", "an exporter of metrics"},
    {"otel/opentelemetry-collector", "a collector of metrics"},
};

/// The repository of an image, without tag and digest.
std::string_view repository(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    image = image.substr(0, colon);
  }
  return image;
}

/// Whether a name has `part` as words of its own: `fluentd`, and not `myfluentdata`.
bool has_words(std::string_view name, std::string_view part) {
  const auto in_word = [&](std::size_t at) {
    return at < name.size() && std::string_view("/-_.").find(name[at]) == std::string_view::npos;
  };
  for (std::size_t at = name.find(part); at != name.npos; at = name.find(part, at + 1)) {
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + part.size())) return true;
  }
  return false;
}

const Service* service_of(View container) {
  if (string_at(container, "restartPolicy") == "Always") return nullptr;  // told already
  const std::string_view image = repository(string_at(container, "image"));
  for (const Service& each : kServices) {
    if (has_words(image, each.image)) return &each;
  }
  return nullptr;
}

/// Commands that never end by themselves.
bool sleeps(View container) {
  std::string text;
  for (const ShellWord& word : command_words(container)) text.append(word.text).append(" ");
  return contains(text, "sleep infinity ") || contains(text, "sleep inf ") ||
         contains(text, "tail -f /dev/null") || text.starts_with("tensorboard ");
}

bool has_word(View container, std::span<const std::string_view> parts) {
  return std::ranges::any_of(command_words(container), [&](const ShellWord& word) {
    return std::ranges::any_of(parts, [&](auto part) { return contains(word.text, part); });
  });
}

/// By which a script waits for a sign that the training has ended.
bool waits_for_sign(View container) {
  constexpr auto signs =
      std::to_array<std::string_view>({"while", "until", "timeout", "inotifywait"});
  return std::ranges::any_of(command_words(container), [&](const ShellWord& word) {
    return std::ranges::find(signs, word.text) != signs.end();
  });
}

/// Whether something in the pod ends it when the others have ended.
bool ends_others(const Pod& pod) {
  constexpr auto calls =
      std::to_array<std::string_view>({"quitquitquit", "linkerd-await", "scuttle", "/shutdown"});
  if (is_true(get(pod.spec, "shareProcessNamespace"))) return true;
  return std::ranges::any_of(pod.containers,
                             [&](const PodContainer& each) { return has_word(each.node, calls); });
}

View job_set_spec(const Workload& workload) {
  if (workload.kind == "JobSet") return workload.spec;
  return workload.kind.ends_with("TrainingRuntime") ? get(get(workload.spec, "template"), "spec")
                                                    : View();
}

/// Whether the workload waits for the pods of a role to end.
bool is_waited_for(const Workload& workload, const WorkloadRole& role) {
  if (workload.group == "ray.io" || workload.kind == "LeaderWorkerSet") return false;
  if (workload.group == "apps") return false;  // which restarts what has ended
  if (workload.kind == "MPIJob") return role.name == "Launcher";
  const View success = get(job_set_spec(workload), "successPolicy");
  const View targets = get(success, "targetReplicatedJobs");
  if (has_items(targets)) {
    const Items names(targets);
    return std::any_of(names.begin(), names.end(),
                       [&](View name) { return name->text == role.name; });
  }
  if (!workload.is("batch.volcano.sh", "Job")) return true;
  // A task that completes the job takes the others with it.
  bool by_task = false;
  bool own = false;
  for (const WorkloadRole& each : workload.roles) {
    for (View policy : items_at(each.holder, "policies")) {
      if (string_at(policy, "action") != "CompleteJob") continue;
      by_task = true;
      own = own || each.name == role.name;
    }
  }
  return !by_task || own;
}

void sidecars(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec || !is_waited_for(workload, role)) continue;
    for (View container : role.containers) {
      const View policy = get(container, "restartPolicy");
      if (string_of(policy) != "Always") continue;
      context.lint(policy, "container " + shown(string_at(container, "name")) +
                               " is started again whenever it ends: the pod never completes");
    }
    if (role.containers.size() < 2) continue;
    const auto stays = [](View container) { return service_of(container) || sleeps(container); };
    if (std::ranges::all_of(role.containers, stays) || ends_others(role.pod)) continue;
    for (View container : role.containers) {
      if (!stays(container) || waits_for_sign(container)) continue;
      const Service* service = service_of(container);
      const View image = get(container, "image");
      const View name = get(container, "name");
      context.lint(service != nullptr ? image
                   : name             ? name
                                      : container,
                   "container " + shown(string_of(name)) + " is " +
                       std::string(service != nullptr ? service->what : "a service") +
                       ", which goes on when the training has ended: the pod never completes");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "endless-sidecar",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "Containers that serve the training end with it.",
     .source =
         "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go getPhase: a pod succeeds when "
         "all containers have; kubeflow/trainer issues 1637 and 1681; kubernetes/enhancements "
         "KEP-753",
     .workload = sidecars,
     .severity = Severity::Warning,
     .because = "A pod runs as long as one of its containers does: the job keeps its GPUs after "
                "training.",
     .fix = "make it a native sidecar, an entry of `initContainers` with `restartPolicy: Always` "
            "(Kubernetes 1.29), or let the training end it"},
};

}  // namespace

const std::span<const Check> sidecar_lints = kChecks;

}  // namespace trainyard
