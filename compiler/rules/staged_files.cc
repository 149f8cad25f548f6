#include <algorithm>
#include <map>
#include <string>

#include "rules/context.h"
#include "rules/rule.h"
#include "source/base64.h"
#include "source/sha256.h"
#include "tree/utf8.h"

namespace trainyard {
namespace {

constexpr std::string_view kVolume = "files";
constexpr std::size_t kLargest = 1024 * 1024;  // kubernetes/api core/v1/types.go MaxSecretSize
constexpr std::size_t kLargestApplied =
    256 * 1024;                            // of the annotation that client-side apply writes
constexpr std::int64_t kExecutable = 493;  // 0755

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
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

bool fits(RuleContext& context, Span where) {
  std::size_t total = 0;
  for (const LoadedFile& file : context.in.files) total += file.bytes.size();
  if (total > kLargest) {
    context
        .report(DiagnosticKind::StagedFileProblem, where,
                "the files have " + std::to_string(total) + " bytes together, a ConfigMap holds " +
                    std::to_string(kLargest))
        .note("put large files into the image, or on a volume");
    return false;
  }
  if (total > kLargestApplied) {
    context
        .report(DiagnosticKind::StagedFilesLarge, where,
                "the files have " + std::to_string(total) +
                    " bytes together, which a client-side `kubectl apply` refuses")
        .note(
            "apply with `kubectl apply --server-side`, which has no copy of the object in an "
            "annotation");
  }
  return true;
}

std::string content_hash(std::span<const LoadedFile> files) {
  Sha256 hash;
  for (const LoadedFile& file : files) {
    hash.update_field(file.path);
    hash.update_field(file.bytes);
    hash.update_field(file.executable ? "x" : "");
  }
  return hash.finish_hex();
}

NodeId volume_items(RuleContext& context) {
  Tree& tree = context.tree();
  const NodeId items = tree.add_seq();
  for (const LoadedFile& file : context.in.files) {
    const OriginId origin = context.from(file.span);
    const NodeId item = tree.add_map(origin);
    tree.append(item, "key", tree.add_string(context.text(key_for(file.path)), origin));
    tree.append(item, "path", tree.add_string(context.text(file.path), origin));
    if (file.executable) tree.append(item, "mode", tree.add_int(kExecutable, origin));
    tree.append(items, item);
  }
  return items;
}

void stage(RuleContext& context, const Files& files, OriginId origin) {
  ConfigMapPlan config_map;
  const std::string hash = content_hash(context.in.files).substr(0, 8);
  config_map.name = context.text(*context.plan.name, "-files-", hash);
  config_map.origin = context.because({origin, context.plan.name.origin});
  for (const LoadedFile& file : context.in.files) {
    const std::string_view key = context.text(key_for(file.path));
    const OriginId from = context.from(file.span);
    if (is_utf8_text(file.bytes)) {
      config_map.text.push_back({key, context.text(file.bytes), from});
    } else {
      config_map.binary.push_back({key, context.text(base64(file.bytes)), from});
    }
  }
  for (Role& role : context.plan.roles) {
    Tree& tree = context.tree();
    const NodeId source = tree.add_map(config_map.origin);
    tree.append(source, "name", tree.add_string(config_map.name, config_map.origin));
    tree.append(source, "items", volume_items(context));
    context.add_volume(role, kVolume, "configMap", source, config_map.origin);
    VolumeMount mount;
    mount.volume = kVolume;
    mount.path = files.mount_path ? *files.mount_path : std::string_view("/src");
    mount.read_only = true;
    mount.origin = files.mount_path ? context.from(files.mount_path)
                                    : context.because({context.by_default("spec.files.mountPath"),
                                                       context.from(context.spec.files)});
    context.add_mount(role, mount);
  }
  context.plan.config_maps.push_back(std::move(config_map));
}

void run(RuleContext& context) {
  const Located<Files>& files = context.spec.files;
  if (!files || context.in.files.empty()) return;
  if (!no_collisions(context) || !fits(context, files.span)) return;
  stage(context, *files, context.from(files));
}

}  // namespace

extern const Rule staged_files_rule{
    "staged-files",
    Rule::Phase::Infer,
    "Files travel in an immutable ConfigMap named by their content, with their directories kept.",
    "A name made from the content means that a changed file is a new object and never one that "
    "running pods share; a ConfigMap holds 1 MiB, client-side apply 256 KiB (argoproj/argo-cd "
    "docs/user-guide/sync-options.md).",
    "spec.files plan.name",
    "plan.configMaps role.volumes role.mounts",
    run};

}  // namespace trainyard
