#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "admission/name_checks.h"
#include "admission/ports.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateProbe";

void http_get(View action, CheckContext& context) {
  // A path that is left out is `/`; the API server sets that before it looks.
  constexpr auto schemes = std::to_array<std::string_view>({"HTTP", "HTTPS"});
  context.allow(get(action, "scheme"), "scheme of a probe", schemes);
  check_port_or_name(get(action, "port"), context);
  for (View header : items_at(action, "httpHeaders")) {
    const View name = get(header, "name");
    if (name && name.kind() == Kind::String &&
        (name->text.empty() || name->text.find_first_of(" :\t") != std::string_view::npos)) {
      context.refuse(name, shown(name->text) + " is no name of an HTTP header");
    }
  }
}

void exec(View action, CheckContext& context) {
  const View command = get(action, "command");
  if (has_items(command)) return;
  context.refuse(action, "`exec` has no command; expected one with its arguments, as a list");
}

void sleep(View action, std::optional<std::int64_t> grace, CheckContext& context) {
  const View seconds = get(action, "seconds");
  const auto value = integer_of(seconds);
  if (!value || !grace) return;
  // kubernetes/kubernetes pkg/features: PodLifecycleSleepActionAllowZero is on from 1.33.
  const std::int64_t least = context.before(33) ? 1 : 0;
  if (*value >= least && *value <= *grace) return;
  context.refuse(seconds, "a pause of " + std::to_string(*value) + " seconds is not between " +
                              std::to_string(least) + " and the " + std::to_string(*grace) +
                              " seconds of `terminationGracePeriodSeconds`");
}

void handler(View holder, std::optional<std::int64_t> grace, CheckContext& context) {
  constexpr auto kinds =
      std::to_array<std::string_view>({"exec", "httpGet", "tcpSocket", "grpc", "sleep"});
  std::vector<View> given;
  for (std::string_view kind : kinds) {
    if (const View found = get(holder, kind)) given.push_back(found);
  }
  if (given.empty()) {
    context.refuse(holder, shown(holder.key()) +
                               " does nothing; expected one of `exec`, `httpGet`, "
                               "`tcpSocket` or `grpc`");
    return;
  }
  if (given.size() > 1) {
    context.refuse_key(given[1], shown(holder.key()) + " does two things, " + shown(given[0]->key) +
                                     " and " + shown(given[1]->key) + "; expected one");
  }
  const View action = given[0];
  if (!action->is_map()) return;
  if (action.key() == "exec") return exec(action, context);
  if (action.key() == "httpGet") return http_get(action, context);
  if (action.key() == "sleep") return sleep(action, grace, context);
  const View port = get(action, "port");
  if (!port) return;
  if (action.key() == "grpc") return check_port_number(port, context);
  check_port_or_name(port, context);
}

std::optional<std::int64_t> grace_period(const Pod& pod) {
  const View grace = get(pod.spec, "terminationGracePeriodSeconds");
  if (!grace) return 30;  // the default
  return integer_of(grace);
}

void probe_handlers(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    if (container.role == ContainerRole::Init) continue;  // may have none
    for (std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      const View probe = get(container.node, key);
      if (probe && probe->is_map()) handler(probe, grace_period(pod), context);
    }
  }
}

void probe_numbers(const Pod& pod, CheckContext& context) {
  constexpr auto fields =
      std::to_array<std::string_view>({"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                       "successThreshold", "failureThreshold"});
  for (const PodContainer& container : pod.containers) {
    for (std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      const View probe = get(container.node, key);
      for (std::string_view field : fields) {
        const View value = get(probe, field);
        if (integer_of(value).value_or(0) < 0) {
          context.refuse(value, shown(field) + " cannot be negative");
        }
      }
      const View successes = get(probe, "successThreshold");
      if (key != "readinessProbe" && integer_of(successes).value_or(1) > 1) {
        context.refuse(successes,
                       "one success is all that " + shown(key) + " waits for; expected 1");
      }
      const View grace = get(probe, "terminationGracePeriodSeconds");
      if (key == "readinessProbe" && grace) {
        context.refuse_key(grace,
                           "a readiness probe ends no container, so it has no "
                           "`terminationGracePeriodSeconds`");
      } else if (integer_of(grace).value_or(1) <= 0) {
        context.refuse(grace, "`terminationGracePeriodSeconds` must be above 0");
      }
    }
  }
}

void lifecycle(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    if (container.role == ContainerRole::Init) continue;  // may have none
    for (std::string_view key : {"postStart", "preStop"}) {
      const View hook = get(get(container.node, "lifecycle"), key);
      if (hook && hook->is_map()) handler(hook, grace_period(pod), context);
    }
  }
}

/// Ports that operators add to a container that has none of the name: kubeflow/training-operator
/// pkg/apis (`pytorchjob-port` ...), ray-project/kuberay
/// ray-operator/controllers/ray/common/pod.go.
bool is_added(std::string_view port, View object) {
  return port.ends_with("job-port") ||
         (port == "metrics" && string_at(object, "apiVersion").starts_with("ray.io/"));
}

/// The kubelet looks a name up among the ports of the container, and takes it for a number then.
void named_ports(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      for (std::string_view kind : {"httpGet", "tcpSocket"}) {
        const View port = get(get(get(container.node, key), kind), "port");
        const std::string_view name = string_of(port);
        if (name.empty() || name.find_first_not_of("0123456789") == std::string_view::npos) {
          continue;
        }
        const Items ports = items_at(container.node, "ports");
        const bool there =
            std::ranges::any_of(ports, [&](View each) { return string_at(each, "name") == name; });
        if (there || is_added(name, context.object())) continue;
        context.lint(port, "no port of container " + shown(string_at(container.node, "name")) +
                               " is called " + shown(name));
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "probe-handlers",
     .group = CheckGroup::Core,
     .sentence = "A probe does exactly one thing: a command, an HTTP request, a connection.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateHandler",
     .pod = probe_handlers},
    {.name = "probe-numbers",
     .group = CheckGroup::Core,
     .sentence = "Times and thresholds of probes are not negative; liveness and startup probes "
                 "want one success.",
     .source = kSource,
     .pod = probe_numbers},
    {.name = "lifecycle-handlers",
     .group = CheckGroup::Core,
     .sentence = "What runs after the start or before the end of a container does exactly one "
                 "thing, and a pause is within the grace period.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateLifecycle",
     .pod = lifecycle},
    {.name = "probe-port",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "A probe asks at a port that its container has.",
     .source = "kubernetes/kubernetes pkg/probe/util.go ResolveContainerPort",
     .pod = named_ports,
     .severity = Severity::Warning,
     .because = "The probe fails each time: the pod never gets ready, or is started again and "
                "again.",
     .fix = "name a port of the container, or write its number"},
};

}  // namespace

constinit const std::span<const Check> pod_probe_checks = kChecks;

}  // namespace trainyard
