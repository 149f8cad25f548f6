#include "driver/plan/sync_units.h"

#include <algorithm>
#include <utility>

#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// `./rendered/nlp/` is `rendered/nlp`.
std::string plain_path(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path == "." ? std::string() : std::string(path);
}

bool holds(std::string_view path, std::string_view directory) {
  if (path.empty() || directory == path) return true;
  return directory.starts_with(path) && directory[path.size()] == '/';
}

std::string name_of(View object) {
  return std::string(string_at(object, "kind")) + "/" +
         std::string(string_at(object["metadata"], "name"));
}

bool is_kustomization(View object) {
  return group_of(string_at(object, "apiVersion")) == "kustomize.toolkit.fluxcd.io" &&
         string_at(object, "kind") == "Kustomization";
}

/// fluxcd/kustomize-controller docs/spec/v1/kustomizations.md: `prune` is required.
SyncUnit of_kustomization(View object) {
  const View spec = object["spec"];
  return {plain_path(string_at(spec, "path")), name_of(object), is_true(get(spec, "force")),
          !is_false(get(spec, "prune")), false};
}

/// argoproj/argo-cd docs/user-guide/auto_sync.md: automated syncs prune only where they are told
/// to.
SyncUnit of_application(View object) {
  const View spec = object["spec"];
  const View policy = get(spec, "syncPolicy");
  const View automated = get(policy, "automated");
  const bool server_side = std::ranges::any_of(items_at(policy, "syncOptions"), [](View each) {
    return string_of(each) == "ServerSideApply=true";
  });
  return {plain_path(string_at(get(spec, "source"), "path")), name_of(object), false,
          !automated || is_true(get(automated, "prune")), server_side};
}

}  // namespace

SyncUnits::SyncUnits(SyncTool tool, const ObjectTree& tree) {
  for (const TreeObject& each : tree.objects()) {
    const std::string_view group = group_of(string_at(each.object, "apiVersion"));
    if (tool == SyncTool::Flux && is_kustomization(each.object)) {
      units_.push_back(of_kustomization(each.object));
    }
    if (tool == SyncTool::Flux && group == "fluxcd.controlplane.io") {
      for (View step : items_at(each.object["spec"], "steps")) {
        for (View resource : items_at(step, "resources")) {
          if (is_kustomization(resource)) units_.push_back(of_kustomization(resource));
        }
      }
    }
    if (tool == SyncTool::ArgoCd && group == "argoproj.io" && each.kind() == "Application" &&
        get(get(each.object["spec"], "source"), "path")) {
      units_.push_back(of_application(each.object));
    }
  }
}

const SyncUnit* SyncUnits::of(std::string_view directory) const {
  const std::string plain = plain_path(directory);
  const SyncUnit* found = nullptr;
  for (const SyncUnit& each : units_) {
    const bool is_nearer = found == nullptr || each.path.size() > found->path.size();
    if (is_nearer && holds(each.path, plain)) found = &each;
  }
  return found;
}

}  // namespace trainyard
