#include "driver/survey/discovery_signs.h"

#include <algorithm>
#include <set>

#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_discovery();  // made by the build from templates/discovery.yaml

namespace {

std::vector<std::string_view> texts_at(View map, std::string_view key) {
  std::vector<std::string_view> texts;
  for (const View each : items_at(map, key)) texts.push_back(string_of(each));
  return texts;
}

KindToSurvey kind_in(View entry) {
  return {.group = string_at(entry, "group"),
          .kind = string_at(entry, "kind"),
          .resource = string_at(entry, "resource"),
          .is_for_discover = string_at(entry, "needs") == "discover",
          .is_listed = !is_false(get(entry, "listed")),
          .field_selector = string_at(entry, "selector"),
          .version = string_at(entry, "version")};
}

Operator operator_called(std::string_view name) {
  const auto names = words(Operator{});
  return static_cast<Operator>(std::ranges::find(names, name) - names.begin());
}

DiscoverySigns read_signs(View file) {
  DiscoverySigns signs;
  for (const View each : items_at(file, "kinds")) signs.kinds.push_back(kind_in(each));
  for (const View each : items_at(file, "operators")) {
    signs.operators.push_back({operator_called(string_at(each, "name")), string_at(each, "kind"),
                               string_at(each, "image")});
  }
  signs.pool_labels = texts_at(file, "poolLabels");
  signs.further_labels = texts_at(file, "furtherLabels");
  signs.cluster_names = texts_at(file, "clusterNames");
  signs.fabrics = texts_at(file, "fabrics");
  for (const View each : items_at(file, "plugins")) {
    signs.plugins.push_back({string_at(each, "fabric"), string_at(each, "image")});
  }
  for (const View each : items_at(file, "deviceModes")) {
    signs.device_modes.push_back({string_at(each, "mode"), texts_at(each, "fabrics")});
  }
  for (const View each : items_at(file, "gitops")) {
    signs.gitops.push_back({string_at(each, "tool"), string_at(each, "kind")});
  }
  for (const View each : items_at(file, "provisioners")) {
    signs.provisioners.push_back({texts_at(each, "accessModes"), texts_at(each, "names")});
  }
  return signs;
}

}  // namespace

std::string name_of(const KindToSurvey& kind) {
  std::string name(kind.kind);
  if (!kind.group.empty()) name += "." + std::string(kind.group);
  if (!kind.version.empty()) name += "/" + std::string(kind.version);
  return name;
}

const DiscoverySigns& discovery_signs() {
  static const Tree tree = embedded_tree(embedded_discovery(), "discovery.yaml");
  static const DiscoverySigns signs = read_signs({tree, tree.root()});
  return signs;
}

/// A kind that the server does not know makes `kubectl get` fail as a whole: the call asks for
/// those alone that the server lists.
std::string dump_call() {
  constexpr std::size_t kWidth = 72;
  std::vector<std::string> lines = {"customresourcedefinitions"};
  std::set<std::string> told;
  for (const KindToSurvey& each : discovery_signs().kinds) {
    const std::string plural(each.resource.substr(0, each.resource.find('.')));
    if (!each.is_for_discover || !each.is_listed || !told.insert(plural).second) continue;
    if (lines.back().size() + plural.size() > kWidth) {
      lines.push_back(plural);
    } else {
      lines.back() += "|" + plural;
    }
  }
  std::string call =
      "kubectl get -A -o yaml > dump.yaml $(kubectl api-resources --verbs=list -o name | grep -E";
  for (const std::string& line : lines) call += " \\\n      -e '^(" + line + ")([.]|$)'";
  return call + " | paste -sd, -)";
}

}  // namespace trainyard
