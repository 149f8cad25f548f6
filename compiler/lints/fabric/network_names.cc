// Names and resources of networks that the SR-IOV operator makes, and settings of CNI plugins.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/embedded_yaml.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kGroup = "sriovnetwork.openshift.io";
constexpr std::string_view kPrefix = "openshift.io/";

std::vector<View> policies(CheckContext& context) {
  const Inventory* inventory = context.inventory();
  return inventory == nullptr ? std::vector<View>()
                              : inventory->all(kGroup, "SriovNetworkNodePolicy");
}

std::string_view resource_of(View policy) {
  return string_at(get(policy, "spec"), "resourceName");
}

/// The policy whose resource is nearly called so, where none is.
View policy_meant(std::string_view name, const std::vector<View>& all) {
  View near;
  for (View each : all) {
    const std::string_view known = resource_of(each);
    if (known == name) return {};
    if (is_typo_of(name, known)) near = each;
  }
  return near;
}

void resource_of_network(View object, CheckContext& context) {
  const View name = get(get(object, "spec"), "resourceName");
  if (string_of(name).empty()) return;
  const View near = policy_meant(name->text, policies(context));
  if (!near) return;
  context
      .lint(name, "no policy makes a resource " + shown(name->text) + ", but " +
                      shown(resource_of(near)) + " is made")
      .also(context.place(get(get(near, "spec"), "resourceName")), "the policy");
}

/// How many functions of a card a policy makes; 0 where it is not known.
std::int64_t functions_of(View policy) {
  const View spec = get(policy, "spec");
  const std::int64_t each = integer_at(spec, "numVfs").value_or(0);
  constexpr std::int64_t kMost = 1024;
  if (each < 1 || each > kMost || !has_items(get(get(spec, "nicSelector"), "pfNames"))) return 0;
  std::int64_t all = 0;
  for (View name : items_at(get(spec, "nicSelector"), "pfNames")) {
    const std::string_view text = string_of(name);
    const std::size_t mark = text.find('#');
    if (mark == text.npos) {
      all += each;
      continue;
    }
    const std::size_t dash = std::min(text.find('-', mark), text.size());
    const auto first = plain_number(text.substr(mark + 1, dash - mark - 1));
    const auto last = plain_number(text.substr(std::min(dash + 1, text.size())));
    if (!first || !last || *last < *first || *last > kMost) return 0;
    all += *last - *first + 1;
  }
  return all;
}

void check_amount(View amount, std::string_view name, const std::vector<View>& all,
                  CheckContext& context) {
  View only;
  for (View each : all) {
    if (resource_of(each) != name) continue;
    if (only) return;
    only = each;
  }
  const std::int64_t there = only ? functions_of(only) : 0;
  const auto wanted = plain_number(amount->text);
  if (there == 0 || !wanted || *wanted <= there) return;
  context
      .lint(amount, "the policy makes " + std::to_string(there) + " of " + shown(amount.key()) +
                        " on a node, and a pod asks for " + std::to_string(*wanted))
      .also(context.place(get(get(only, "spec"), "nicSelector")), "the cards and functions");
}

/// k8snetworkplumbingwg/sriov-network-operator: the resource is `openshift.io/` and its name.
void check_resources(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    for (View amount : entries_at(get(each.node, "resources"), "limits")) {
      if (!amount.key().starts_with(kPrefix)) continue;
      const std::string_view name = amount.key().substr(kPrefix.size());
      const std::vector<View> all = policies(context);
      if (const View near = policy_meant(name, all)) {
        context
            .lint(amount, "no policy makes a resource " + shown(amount.key()) + ", but " +
                              shown(std::string(kPrefix) + std::string(resource_of(near))) +
                              " is made")
            .also(context.place(get(get(near, "spec"), "resourceName")), "the policy");
        continue;
      }
      check_amount(amount, name, all, context);
    }
  }
}

/// The network of this name that the operator makes elsewhere; an empty view where one is here.
View network_elsewhere(std::string_view name, std::string_view own, const Inventory& inventory) {
  if (inventory.find("k8s.cni.cncf.io", "NetworkAttachmentDefinition", own, name)) return {};
  View elsewhere;
  struct Maker {
    std::string_view group;
    std::string_view kind;
  };
  constexpr auto makers = std::to_array<Maker>({{kGroup, "SriovNetwork"},
                                                {kGroup, "SriovIBNetwork"},
                                                {"mellanox.com", "HostDeviceNetwork"},
                                                {"mellanox.com", "IPoIBNetwork"},
                                                {"mellanox.com", "MacvlanNetwork"}});
  for (const auto& [group, kind] : makers) {
    for (View each : inventory.named(group, kind, name)) {
      const View space = get(get(each, "spec"), "networkNamespace");
      if (string_of(space).empty() || space->text == own) return {};
      elsewhere = space;
    }
  }
  return elsewhere;
}

void check_networks(const Pod& pod, CheckContext& context) {
  const View list = get(get(pod.metadata, "annotations"), "k8s.v1.cni.cncf.io/networks");
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  std::string_view rest = string_of(list);
  if (rest.empty() || rest.starts_with('[') || own.empty()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    name = name.substr(0, name.find('@'));
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    const View space =
        name.find('/') == name.npos ? network_elsewhere(name, own, *inventory) : View();
    if (!space) continue;
    context
        .lint(list, "network " + shown(name) + " is made in namespace " + shown(space->text) +
                        ", and the pods are in " + shown(own))
        .also(context.place(space), "where it is made");
  }
}

void networks(const Pod& pod, CheckContext& context) {
  check_resources(pod, context);
  check_networks(pod, context);
}

/// Why a text is no network such as `10.56.0.0/24`; a range may begin with an address and a `-`.
bool is_network(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == text.npos) return false;
  const auto bits = plain_number(text.substr(slash + 1));
  const bool is_v6 = text.find(':') != text.npos;
  return bits && *bits >= 0 && *bits <= (is_v6 ? 128 : 32);
}

void check_addresses(View ipam, const TextYaml& yaml, CheckContext& context) {
  const std::string_view type = string_at(ipam, "type");
  if (has_items(ipam) && type.empty()) {
    context.lint(yaml.place(ipam.first()), "`ipam` says no `type`: no plugin gives out addresses");
  }
  const View range = get(ipam, "range");
  if (type != "whereabouts" || string_of(range).empty() || is_network(range->text)) return;
  context.lint(yaml.place(range), shown(range->text) + " is no network such as `10.56.0.0/24`");
}

void check_plugin(View plugin, const TextYaml& yaml, CheckContext& context) {
  constexpr auto modes = std::to_array<std::string_view>({"bridge", "private", "vepa", "passthru"});
  const View mode = get(plugin, "mode");
  if (string_at(plugin, "type") == "macvlan" && !string_of(mode).empty() &&
      std::ranges::find(modes, mode->text) == modes.end()) {
    context.lint(yaml.place(mode), "macvlan has no mode " + shown(mode->text) +
                                       "; expected `bridge`, `private`, `vepa` or `passthru`");
  }
  check_addresses(get(plugin, "ipam"), yaml, context);
}

/// containernetworking/cni libcni/conf.go: a configuration names its plugin, or has a list of them.
void settings_of_networks(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View config = get(spec, "config");
  const View ipam = get(spec, "ipam");
  const View text = config ? config : ipam;
  if (string_of(text).find('{') == std::string_view::npos ||
      text->text.find("{{") != std::string_view::npos) {
    return;
  }
  const TextYaml yaml(text);
  const View root = yaml.root();
  if (!root || !root->is_map() || !has_items(root)) return;
  if (!config) return check_addresses(root, yaml, context);
  const View plugins = get(root, "plugins");
  if (!plugins && string_at(root, "type").empty()) {
    context.lint(yaml.place(root.first()), "the configuration names no plugin: it has no `type`");
  }
  check_plugin(root, yaml, context);
  for (View each : items_at(root, "plugins")) check_plugin(each, yaml, context);
}

constexpr Check kChecks[] = {
    {.name = "sriov-resource",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "sriovnetwork.openshift.io SriovNetwork SriovIBNetwork",
     .sentence = "Networks and pods of SR-IOV name resources that a policy makes, and pods "
                 "networks of their namespace.",
     .source = "k8snetworkplumbingwg/sriov-network-operator README.md, api/v1/helper.go "
               "RenderNetAttDef",
     .pod = networks,
     .object = resource_of_network,
     .severity = Severity::Warning,
     .because = "No node offers the device, or the network is not found: the pods do not start.",
     .fix =
         "write the `resourceName` of the policy, in pods with `openshift.io/` in front, and let "
         "`networkNamespace` be that of the pods"},
    {.name = "network-settings",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "k8s.cni.cncf.io NetworkAttachmentDefinition; sriovnetwork.openshift.io SriovNetwork "
           "SriovIBNetwork; mellanox.com MacvlanNetwork HostDeviceNetwork IPoIBNetwork",
     .sentence = "A network names its plugins, and these take their settings.",
     .source = "containernetworking/cni libcni/conf.go; containernetworking/plugins "
               "plugins/main/macvlan/macvlan.go modeFromString; k8snetworkplumbingwg/whereabouts "
               "pkg/config/config.go",
     .object = settings_of_networks,
     .severity = Severity::Warning,
     .because = "The plugin ends with an error, and pods stay in `ContainerCreating`.",
     .fix = "give the plugin and its addresses a `type`, and a range as `10.56.0.0/24`"},
};

}  // namespace

const std::span<const Check> network_name_lints = kChecks;

}  // namespace trainyard
