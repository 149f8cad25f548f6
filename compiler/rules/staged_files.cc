#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"
#include "source/base64.h"
#include "source/characters.h"
#include "source/sha256.h"
#include "tree/utf8.h"

namespace trainyard {
namespace {

constexpr std::string_view kVolume = "files";
constexpr std::size_t kLargest = 1024 * 1024;  // kubernetes/api core/v1/types.go MaxSecretSize
constexpr std::size_t kLargestApplied =
    256 * 1024;  // of the annotation that client-side apply writes
// What is left of that is for names, labels and the escapes of JSON.
constexpr std::size_t kFull = kLargestApplied / 4 * 3;
// Each pod gets all files from the API server: more than this is data, and no part of a job.
constexpr std::size_t kMost = 8 * kLargest;
constexpr std::int64_t kExecutable = 493;  // 0755

/// The files of one ConfigMap.
using Bundle = std::vector<const LoadedFile*>;

bool is_key_character(char c) {
  return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
}

/// A ConfigMap key for a path; `items` gives the file its real place again.
std::string key_for(std::string_view path) {
  std::string key;
  for (char c : path) key += is_key_character(c) ? c : '-';
  if (key.starts_with("..")) key[0] = '-';
  return key;
}

/// False, with an error, when two files claim one key.
bool no_collisions(RuleContext& context) {
  std::map<std::string, const LoadedFile*> by_key;
  bool good = true;
  for (const LoadedFile& file : context.in.files) {
    const auto [other, is_new] = by_key.emplace(key_for(file.path), &file);
    if (is_new) continue;
    context
        .report(DiagnosticKind::StagedFileProblem, file.span,
                code(file.path) + " and " + code(other->second->path) +
                    " would share the ConfigMap key " + code(other->first))
        .also(other->second->span, "the other file");
    good = false;
  }
  return good;
}

/// As it stands in the object, where bytes that are no text are base64.
std::size_t stored_size(const LoadedFile& file) {
  return is_utf8_text(file.bytes) ? file.bytes.size() : (file.bytes.size() + 2) / 3 * 4;
}

std::size_t stored_size(const Bundle& bundle) {
  std::size_t total = 0;
  for (const LoadedFile* file : bundle) total += stored_size(*file);
  return total;
}

std::string bytes(std::size_t count) {
  return std::to_string(count) + " bytes";
}

/// False, with an error, when a ConfigMap cannot hold a file, or there are too many files.
bool can_be_held(RuleContext& context, Span where) {
  std::size_t total = 0;
  bool good = true;
  for (const LoadedFile& file : context.in.files) {
    total += file.bytes.size();
    if (file.bytes.size() <= kLargest) continue;
    good = false;
    context
        .report(DiagnosticKind::StagedFileProblem, file.span,
                code(file.path) + " has " + bytes(file.bytes.size()) + ", a ConfigMap holds " +
                    std::to_string(kLargest))
        .note("put large files into the image, or on a volume");
  }
  if (good && total > kMost) {
    good = false;
    context
        .report(DiagnosticKind::StagedFileProblem, where,
                "the files have " + bytes(total) + " together; expected at most " +
                    std::to_string(kMost))
        .note("each pod gets them from the API server; put data into the image, or on a volume");
  }
  return good;
}

/// One ConfigMap where all files can be applied in one; else several, each as full as can be
/// applied. A workload without a pod template mounts one at a directory.
std::vector<Bundle> bundles(const RuleContext& context) {
  std::vector<Bundle> result(1);
  for (const LoadedFile& file : context.in.files) result.front().push_back(&file);
  const std::size_t total = stored_size(result.front());
  if (total <= kLargestApplied) return result;
  if (!context.in.target->pod_template && total <= kLargest) return result;
  result.assign(1, {});
  std::size_t filled = 0;
  for (const LoadedFile& file : context.in.files) {
    const std::size_t size = stored_size(file);
    if (!result.back().empty() && filled + size > kFull) {
      result.emplace_back();
      filled = 0;
    }
    result.back().push_back(&file);
    filled += size;
  }
  return result;
}

void warn_of_size(RuleContext& context, const Bundle& bundle, Span where) {
  const std::size_t size = stored_size(bundle);
  if (size <= kLargestApplied) return;
  const bool one = bundle.size() == 1;
  context
      .report(DiagnosticKind::StagedFilesLarge, one ? bundle.front()->span : where,
              (one ? code(bundle.front()->path) + " has " + bytes(size)
                   : "the files have " + bytes(size) + " together") +
                  ", which a client-side `kubectl apply` refuses")
      .note(
          "apply with `kubectl apply --server-side`, which has no copy of the object in an "
          "annotation");
}

std::string content_hash(const Bundle& bundle) {
  Sha256 hash;
  for (const LoadedFile* file : bundle) {
    hash.update_field(file->path);
    hash.update_field(file->bytes);
    hash.update_field(file->executable ? "x" : "");
  }
  return hash.finish_hex();
}

ConfigMapPlan config_map_of(RuleContext& context, const Bundle& bundle, OriginId origin) {
  ConfigMapPlan config_map;
  config_map.name = context.text(*context.plan.name, "-files-", content_hash(bundle).substr(0, 8));
  config_map.origin = context.because({origin, context.plan.name.origin});
  for (const LoadedFile* file : bundle) {
    const std::string_view key = context.text(key_for(file->path));
    const OriginId from = context.from(file->span);
    if (is_utf8_text(file->bytes)) {
      config_map.text.push_back({key, context.text(file->bytes), from});
    } else {
      config_map.binary.push_back({key, context.text(base64(file->bytes)), from});
    }
  }
  return config_map;
}

NodeId volume_items(RuleContext& context, const Bundle& bundle) {
  Tree& tree = context.tree();
  const NodeId items = tree.add_seq();
  for (const LoadedFile* file : bundle) {
    const OriginId origin = context.from(file->span);
    const NodeId item = tree.add_map(origin);
    tree.append(item, "key", tree.add_string(context.text(key_for(file->path)), origin));
    tree.append(item, "path", tree.add_string(context.text(file->path), origin));
    if (file->executable) tree.append(item, "mode", tree.add_int(kExecutable, origin));
    tree.append(items, item);
  }
  return items;
}

NodeId config_map_source(RuleContext& context, const ConfigMapPlan& config_map,
                         const Bundle& bundle) {
  Tree& tree = context.tree();
  const NodeId source = tree.add_map(config_map.origin);
  tree.append(source, "name", tree.add_string(config_map.name, config_map.origin));
  tree.append(source, "items", volume_items(context, bundle));
  return source;
}

/// Several ConfigMaps come together in one directory.
NodeId projected_source(RuleContext& context, std::span<const ConfigMapPlan> config_maps,
                        std::span<const Bundle> files, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId list = tree.add_seq(origin);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const NodeId entry = tree.add_map(origin);
    tree.append(entry, "configMap", config_map_source(context, config_maps[i], files[i]));
    tree.append(list, entry);
  }
  const NodeId source = tree.add_map(origin);
  tree.append(source, "sources", list);
  return source;
}

/// Programs may share files: equal content has one name.
void add(Plan& plan, ConfigMapPlan config_map) {
  const auto same = std::ranges::find(plan.config_maps, config_map.name, &ConfigMapPlan::name);
  if (same == plan.config_maps.end()) plan.config_maps.push_back(std::move(config_map));
}

void stage(RuleContext& context, const Files& files, Span where) {
  const OriginId origin = context.because({context.from(where), context.plan.name.origin});
  const std::vector<Bundle> parts = bundles(context);
  std::vector<ConfigMapPlan> config_maps;
  for (const Bundle& bundle : parts) {
    warn_of_size(context, bundle, where);
    config_maps.push_back(config_map_of(context, bundle, context.from(where)));
  }
  for (Role& role : context.plan.roles) {
    if (parts.size() == 1) {
      context.add_volume(role, kVolume, "configMap",
                         config_map_source(context, config_maps.front(), parts.front()), origin);
    } else {
      context.add_volume(role, kVolume, "projected",
                         projected_source(context, config_maps, parts, origin), origin);
    }
    VolumeMount mount;
    mount.volume = kVolume;
    mount.path = files.mount_path ? *files.mount_path : std::string_view("/src");
    mount.read_only = true;
    mount.origin = files.mount_path ? context.from(files.mount_path)
                                    : context.because({context.by_default("spec.files.mountPath"),
                                                       context.from(context.spec.files)});
    context.add_mount(role, mount);
  }
  for (ConfigMapPlan& each : config_maps) add(context.plan, std::move(each));
}

void run(RuleContext& context) {
  const Located<Files>& files = context.spec.files;
  if (!files || context.in.files.empty()) return;
  if (!no_collisions(context) || !can_be_held(context, files.span)) return;
  stage(context, *files, files.span);
}

}  // namespace

extern const Rule staged_files_rule{
    "staged-files",
    Rule::Phase::Infer,
    "Files travel in immutable ConfigMaps named by their content, as many as it takes to apply "
    "them, with their directories kept.",
    "A name made from the content means that a changed file is a new object and never one that "
    "running pods share; a ConfigMap holds 1 MiB, client-side apply 256 KiB (argoproj/argo-cd "
    "docs/user-guide/sync-options.md).",
    "spec.files plan.name target.pod",
    "plan.configMaps role.volumes role.mounts",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
