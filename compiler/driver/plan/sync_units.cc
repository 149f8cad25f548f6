#include "driver/plan/sync_units.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "manifest/pod_templates.h"
#include "source/glob.h"
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

/// The directory that fits a path or pattern and is, or holds, this one; none where it does not.
std::optional<std::string_view> fitting(std::string_view path, std::string_view directory) {
  const std::string_view fixed = path.substr(0, path.find_first_of("*?"));
  if (!directory.starts_with(fixed)) return std::nullopt;
  // As many names as the path has.
  std::size_t end = directory.find('/', fixed.size());
  if (!path.empty() && fixed != path) {
    for (auto deeper = std::ranges::count(path.substr(fixed.size()), '/');
         deeper > 0 && end != std::string_view::npos; --deeper) {
      end = directory.find('/', end + 1);
    }
  }
  const std::string_view found = path.empty() ? path : directory.substr(0, end);
  if (fixed == path ? found != path : !fits_glob(path, found)) return std::nullopt;
  return found;
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
          !is_false(get(spec, "prune"))};
}

/// `spec` is that of an Application, or of the template of a set. argoproj/argo-cd
/// docs/user-guide/auto_sync.md: automated syncs prune only where settings say so.
SyncUnit of_application(std::string name, View spec, std::string_view path) {
  const View policy = get(spec, "syncPolicy");
  const View automated = get(policy, "automated");
  const auto has = [policy](std::string_view option) {
    return std::ranges::any_of(items_at(policy, "syncOptions"),
                               [option](View each) { return string_of(each) == option; });
  };
  return {plain_path(path),
          std::move(name),
          false,
          !automated || is_true(get(automated, "prune")),
          has("ServerSideApply=true"),
          has("ApplyOutOfSyncOnly=true")};
}

/// The Applications of a set have the path of their template. Where that is the path of a
/// directory, there is one for each that the generator finds:
/// argoproj/argo-cd docs/operator-manual/applicationset/Generators-Git.md.
void add_set(View object, std::vector<SyncUnit>& units) {
  const View spec = object["spec"];
  const View made = get(get(spec, "template"), "spec");
  const std::string_view path = string_at(get(made, "source"), "path");
  const auto add = [&](std::string_view at) {
    units.push_back(of_application(name_of(object), made, at));
  };
  if (!path.empty() && path.find("{{") == std::string_view::npos) add(path);
  if (path != "{{.path.path}}" && path != "{{ .path.path }}" && path != "{{path}}") return;
  for (const View generator : items_at(spec, "generators")) {
    for (const View each : items_at(get(generator, "git"), "directories")) {
      if (!is_true(get(each, "exclude"))) add(string_at(each, "path"));
    }
  }
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
    if (tool != SyncTool::ArgoCd || group != "argoproj.io") continue;
    const View spec = each.object["spec"];
    if (const View path = get(get(spec, "source"), "path"); each.kind() == "Application" && path) {
      units_.push_back(of_application(name_of(each.object), spec, string_of(path)));
    }
    if (each.kind() == "ApplicationSet") add_set(each.object, units_);
  }
}

const SyncUnit* SyncUnits::of(std::string_view directory) const {
  const std::string plain = plain_path(directory);
  const SyncUnit* found = nullptr;
  for (const SyncUnit& each : units_) {
    const bool is_nearer = found == nullptr || each.path.size() > found->path.size();
    if (is_nearer && fitting(each.path, plain)) found = &each;
  }
  return found;
}

std::string SyncUnits::directory_of(std::string_view directory) const {
  const SyncUnit* unit = of(directory);
  if (unit == nullptr || unit->path.empty()) return std::string(directory);
  return std::string(*fitting(unit->path, plain_path(directory)));
}

}  // namespace trainyard
