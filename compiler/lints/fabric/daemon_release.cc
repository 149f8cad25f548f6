// The daemon of GPUDirect-TCPXO in a pod against the plugin that its nodes have.

#include <optional>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "plan/release.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kDaemonImage = "gpudirect-tcpxo/tcpgpudmarxd-dev";
/// Its name really ends in `tcpx`.
constexpr std::string_view kPluginImage = "gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev";
constexpr std::string_view kFabric = "gke-tcpxo";

/// The tag of an image whose repository ends in `repository`; "" for other images and for none.
std::string_view tag_of(std::string_view image, std::string_view repository) {
  image = image.substr(0, image.find('@'));
  const std::size_t at = image.find(repository);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = image.substr(at + repository.size());
  return rest.starts_with(':') ? rest.substr(1) : std::string_view();
}

struct Plugin {
  std::string_view version;
  Span place;
};

/// A container that installs the plugin: of the pod itself, or of the DaemonSet for all nodes.
std::optional<Plugin> installed_by(View pod_spec, CheckContext& context) {
  for (std::string_view list : {"initContainers", "containers"}) {
    for (View each : items_at(pod_spec, list)) {
      const View image = get(each, "image");
      const std::string_view tag = tag_of(string_of(image), kPluginImage);
      if (!tag.empty()) return Plugin{tag, context.place(image)};
    }
  }
  return std::nullopt;
}

std::optional<Plugin> stated_by_cluster(CheckContext& context) {
  if (context.cluster() == nullptr) return std::nullopt;
  const auto* settings = find(*context.cluster()->spec->network->fabrics, kFabric);
  if (settings == nullptr || !(*settings)->version) return std::nullopt;
  return Plugin{*(*settings)->version, (*settings)->version.span};
}

/// What pods of these nodes load, nearest first.
std::optional<Plugin> plugin_of(const Pod& pod, CheckContext& context) {
  if (const auto own = installed_by(pod.spec, context)) return own;
  if (const auto stated = stated_by_cluster(context)) return stated;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return std::nullopt;
  for (View set : inventory->all("apps", "DaemonSet")) {
    if (!set) continue;
    const View spec = get(get(get(set, "spec"), "template"), "spec");
    if (const auto found = installed_by(spec, context)) return found;
  }
  return std::nullopt;
}

void daemon_release(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View image = get(each.node, "image");
    const std::string_view daemon = tag_of(string_of(image), kDaemonImage);
    const auto runs = release(daemon);
    if (!runs) continue;
    const auto plugin = plugin_of(pod, context);
    if (!plugin) return;
    const std::string_view fitting = tcpxo_daemon_for(plugin->version);
    const auto wanted = release(fitting);
    if (!wanted || *runs <= *wanted) continue;
    context
        .lint(image, "the daemon " + shown(daemon) + " is newer than the plugin " +
                         shown(plugin->version) + " of GPUDirect-TCPXO, whose daemon is " +
                         shown(fitting))
        .also(plugin->place, "the plugin");
  }
}

constexpr Check kChecks[] = {
    {.name = "tcpxo-daemon-release",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "The daemon of GPUDirect-TCPXO is no newer than the plugin of its nodes.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo/README.md, "
               "releases; NVIDIA/aicr docs/integrator",
     .pod = daemon_release,
     .severity = Severity::Warning,
     .because = "Both are released together, and nodes are upgraded first: an older daemon is "
                "supported there, a newer one is not.",
     .fix = "take the daemon that was released with the plugin, or upgrade the plugin first"},
};

}  // namespace

const std::span<const Check> daemon_release_lints = kChecks;

}  // namespace trainyard
