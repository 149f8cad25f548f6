#include "driver/validate/kustomization_patches.h"

#include <algorithm>
#include <array>
#include <optional>

#include "check/typos.h"
#include "diag/words.h"
#include "driver/session/read_root.h"
#include "driver/validate/inline_patch.h"
#include "driver/validate/kustomization_files.h"
#include "manifest/inventory.h"
#include "manifest/kinds.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Lists by which a kustomization takes objects from elsewhere, or changes their names.
constexpr auto kElsewhere = std::to_array<std::string_view>(
    {"components", "generators", "transformers", "helmCharts", "helmChartInflationGenerator"});

/// Fields that leave objects as they are, but for names, namespaces and images, or that are
/// followed here.
constexpr auto kHarmless = std::to_array<std::string_view>(
    {"apiVersion", "kind", "metadata", "resources", "bases", "namespace", "namePrefix",
     "nameSuffix", "images", "configMapGenerator", "secretGenerator", "generatorOptions", "patches",
     "patchesStrategicMerge", "replicas"});
/// Those that add to them what no check asks for, so that a patch may find more than is seen here.
constexpr auto kAdding = std::to_array<std::string_view>(
    {"labels", "commonLabels", "commonAnnotations", "buildMetadata"});

/// Kinds whose `replicas` kustomize sets (api/internal/konfig/builtinpluginconsts/replicas.go).
constexpr auto kReplicated = std::to_array<std::string_view>(
    {"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"});

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

/// Whether a patch may give an object another name or kind.
bool may_rename(View kustomization) {
  if (has_items(get(kustomization, "replacements")) || has_items(get(kustomization, "vars"))) {
    return true;
  }
  for (std::string_view key : {"patches", "patchesJson6902"}) {
    for (View each : items_at(kustomization, key)) {
      const std::string_view text = string_at(each, "patch");
      if (get(each, "options") || text.find("/metadata/name") != text.npos) return true;
    }
  }
  return false;
}

/// The names of what generators make, or add keys to.
std::set<std::string> names_in(View generators) {
  std::set<std::string> names;
  for (View each : Items(generators)) names.emplace(string_at(each, "name"));
  return names;
}

/// Whether a JSON patch gives an object another name or kind.
bool renames(View operations) {
  return std::ranges::any_of(Items(operations), [](View each) {
    const std::string_view path = string_at(each, "path");
    return path == "/metadata/name" || path == "/kind" || path == "/metadata" || path == "";
  });
}

std::string_view namespace_of(std::string_view written) {
  return written.empty() ? "default" : written;
}

std::string name_of(std::string_view kind, std::string_view name) {
  return (kind.empty() ? "object" : std::string(kind)) + " " + shown(name);
}

}  // namespace

KustomizationPatches::KustomizationPatches(const std::vector<InputPart>& inputs, Session& session)
    : session_(session), sink_(&session.sink), layer_(session.schemas) {
  for (const InputPart& each : inputs) {
    if (!each.part) files_.emplace(without_steps(each.path), each.file);
  }
}

const std::deque<Document>* KustomizationPatches::documents(const std::string& path,
                                                            const std::string& reader) {
  const auto [found, is_new] = documents_.try_emplace(path);
  if (!is_new) return found->second.is_read ? &found->second.documents : nullptr;
  const auto input = files_.find(path);
  if (input == files_.end() && outside_root(session_, reader, path, {})) return nullptr;
  Sink unused;  // the check of the file reports what is wrong with the text
  const InputPart part{path, true, input == files_.end() ? kNoFile : input->second, {}};
  const PartRead read = for_each_document_of(
      part, session_.env, session_.sources, unused, session_.limits, Ambiguity::Kubernetes,
      [&](Document& document) { found->second.documents.push_back(std::move(document)); });
  found->second.is_read = read.file != kNoFile && unused.all().empty();
  return found->second.is_read ? &found->second.documents : nullptr;
}

const KustomizationPatches::Resources& KustomizationPatches::of_folder(const std::string& folder) {
  const auto [found, is_new] = folders_.try_emplace(folder);
  Resources& result = found->second;
  if (!is_new) return result;
  result.is_whole = false;  // until it is known, also for one that names itself
  for (std::string_view name : {"kustomization.yaml", "kustomization.yml", "Kustomization"}) {
    const std::string path = folder + std::string(name);
    if (!session_.env.files.exists(path)) continue;
    const std::deque<Document>* own = documents(path, path);
    if (own == nullptr || own->size() != 1 || !own->front().root()->is_map()) return result;
    const View kustomization = own->front().root();
    Resources all = listed(kustomization, folder);
    if (all.is_whole && !may_rename(kustomization)) {
      Sink* const told = std::exchange(sink_, &unheard_);
      lay_all_over(kustomization, folder, all);
      sink_ = told;
    } else {
      all.is_whole = false;
    }
    rename(kustomization, all);
    return folders_[folder] = std::move(all);
  }
  return result;
}

void KustomizationPatches::rename(View kustomization, Resources& all) {
  const std::string prefix(string_at(kustomization, "namePrefix"));
  const std::string suffix(string_at(kustomization, "nameSuffix"));
  const std::string_view name_space = string_at(kustomization, "namespace");
  bool is_harmless = true;
  bool is_exact = true;
  for (View entry : Items(kustomization)) {
    const bool adds = is_one_of(entry.key(), kAdding);
    is_exact = is_exact && !adds;
    is_harmless = is_harmless && (adds || is_one_of(entry.key(), kHarmless));
  }
  for (KustomizedObject& each : all.all) {
    each.names.push_back(prefix + each.names.back() + suffix);
    if (!name_space.empty()) each.namespaces.emplace_back(name_space);
    each.is_exact = each.is_exact && is_exact;
    if (!is_harmless) each.now = View();
  }
}

KustomizationPatches::Resources KustomizationPatches::listed(View kustomization,
                                                             const std::string& folder) {
  Resources result;
  for (std::string_view key : kElsewhere) {
    if (has_items(get(kustomization, key))) result.is_whole = false;
  }
  for (std::string_view key : {"resources", "bases"}) {
    for (View each : items_at(kustomization, key)) {
      listed_folders_.insert(without_steps(folder + std::string(string_of(each))) + "/");
      if (result.is_whole) add(string_of(each), folder, result);
    }
  }
  if (result.is_whole) add_generated(kustomization, result);
  return result;
}

void KustomizationPatches::add(std::string_view name, const std::string& folder, Resources& to) {
  const std::string path = without_steps(folder + std::string(name));
  if (!is_local_resource(name)) {
    to.is_whole = false;
  } else if (session_.env.files.is_directory(path)) {
    const Resources& base = of_folder(path + "/");
    to.is_whole = base.is_whole && layer_.may_go_through(8 * base.all.size());
    if (to.is_whole) to.all.insert(to.all.end(), base.all.begin(), base.all.end());
  } else if (const std::deque<Document>* all = documents(path, folder + "kustomization.yaml")) {
    for (const Document& each : *all) add_object(each.root(), to);
  } else {
    to.is_whole = false;
  }
}

void KustomizationPatches::add_object(View object, Resources& to) {
  if (!object->is_map()) return;
  if (is_list(object)) {
    for (View item : items_at(object, "items")) add_object(item, to);
    return;
  }
  const View metadata = get(object, "metadata");
  const std::string_view name = string_at(metadata, "name");
  const std::string_view kind = string_at(object, "kind");
  const std::string_view api_version = string_at(object, "apiVersion");
  const std::string_view name_space = string_at(metadata, "namespace");
  if (!is_plain_name(name) || !is_plain_name(kind) || !is_plain_name(api_version) ||
      (!name_space.empty() && !is_plain_name(name_space))) {
    to.is_whole = false;
    return;
  }
  to.all.push_back({std::string(api_version),
                    std::string(kind),
                    {std::string(name)},
                    {std::string(name_space)},
                    object,
                    object});
}

void KustomizationPatches::add_generated(View kustomization, Resources& to) {
  for (const auto& [key, kind] :
       {std::pair("configMapGenerator", "ConfigMap"), std::pair("secretGenerator", "Secret")}) {
    for (View made : items_at(kustomization, key)) {
      const std::string_view name = string_at(made, "name");
      const std::string_view behavior = string_at(made, "behavior");
      const std::string_view name_space = string_at(made, "namespace");
      if (!is_plain_name(name)) {
        to.is_whole = false;
      } else if (behavior != "merge" && behavior != "replace") {
        to.all.push_back({"v1", kind, {std::string(name)}, {std::string(name_space)}, {}, {}});
      }
    }
  }
}

bool KustomizationPatches::is_called(const KustomizedObject& resource, const Called& called) const {
  if (resource.kind != called.kind || resource.api_version != called.api_version ||
      !is_one_of(called.name, resource.names)) {
    return false;
  }
  const SchemaKind* kind = session_.schemas.find(called.api_version, called.kind);
  if (kind == nullptr || kind->namespaced == 0) return true;
  return std::ranges::any_of(resource.namespaces, [&](const std::string& each) {
    return namespace_of(each) == namespace_of(called.name_space);
  });
}

void KustomizationPatches::tell(Span place, std::string message, const Called& called,
                                const Resources& resources) {
  Diagnostic told(DiagnosticKind::KustomizeRefuses, place, std::move(message));
  note_alike(called, resources, told);
  sink_->report(std::move(told));
}

void KustomizationPatches::note_alike(const Called& called, const Resources& resources,
                                      Diagnostic& told) {
  for (const KustomizedObject& each : resources.all) {
    const bool is_kind = each.kind == called.kind;
    const bool is_named = is_one_of(called.name, each.names);
    if (is_kind && is_named && each.api_version != called.api_version) {
      told.note("there is one of `" + each.api_version + "`");
    } else if (is_kind && is_named) {
      told.note("there is one in " + (each.namespaces.back().empty()
                                          ? std::string("no namespace")
                                          : "namespace " + shown(each.namespaces.back())));
    } else if (is_kind && is_typo_of_name(called.name, each.names.back())) {
      told.note("did you mean " + shown(each.names.back()) + "?");
    } else {
      continue;
    }
    break;
  }
}

void KustomizationPatches::lose_all(Resources& resources) {
  for (KustomizedObject& each : resources.all) layer_.lose(each);
}

void KustomizationPatches::merge_patch(View patch, Span place, Resources& resources) {
  const View metadata = get(patch, "metadata");
  const Called called{string_at(patch, "apiVersion"), string_at(patch, "kind"),
                      string_at(metadata, "name"), string_at(metadata, "namespace")};
  if (!is_plain_name(called.name) || !is_plain_name(called.kind) ||
      !is_plain_name(called.api_version)) {
    return lose_all(resources);
  }
  bool is_there = false;
  for (KustomizedObject& each : resources.all) {
    if (!is_called(each, called)) continue;
    is_there = true;
    layer_.merge(each, patch);
  }
  if (is_there || !resources.is_whole) return;
  tell(place,
       "kustomize refuses this patch: no " + name_of(called.kind, called.name) +
           " is among the resources",
       called, resources);
}

bool KustomizationPatches::tell_unknown_operation(View patch, Span place) {
  constexpr auto known =
      std::to_array<std::string_view>({"add", "remove", "replace", "move", "copy", "test"});
  for (View each : Items(patch)) {
    const View operation = get(each, "op");
    if (string_of(operation).empty() || is_one_of(operation->text, known)) continue;
    sink_->report(DiagnosticKind::KustomizeRefuses, place,
                  "kustomize refuses this patch: there is no operation " + shown(operation->text));
    return true;
  }
  return false;
}

void KustomizationPatches::json_patch(View patch, View target, Span place, Resources& resources) {
  const PatchTarget wanted(target);
  bool is_any = false;
  for (KustomizedObject& each : resources.all) {
    if (!wanted.may_select(each)) continue;
    if (!is_any && tell_unknown_operation(patch, place)) return;
    is_any = true;
    if (renames(patch)) resources.is_whole = false;
    if (wanted.is_exact(each) && !renames(patch)) {
      const std::string fault = layer_.operate(each, patch);
      if (!fault.empty() && !wanted.name.empty()) {
        sink_->report(
            DiagnosticKind::KustomizeRefuses, place,
            "kustomize refuses this patch: " + name_of(each.kind, wanted.name) + " " + fault);
      }
    } else {
      layer_.lose(each);
    }
  }
  // Without resources of its own it patches what another program renders.
  const std::string_view name = wanted.name;
  if (is_any || name.empty() || resources.all.empty() || !resources.is_whole) return;
  Diagnostic told(
      DiagnosticKind::NoEffect, get(target, "name")->span,
      "this patch changes nothing: no " + name_of(wanted.kind, name) + " is among the resources");
  note_alike({{}, wanted.kind, name, {}}, resources, told);
  // Flux adds components of its own to a kustomization.
  if (told.notes.empty()) told.severity = Severity::Note;
  sink_->report(std::move(told));
}

void KustomizationPatches::lay_over(View patch, View target, Span place, Resources& resources) {
  patch_files_.insert(patch->span.file);
  if (!layer_.may_go_through(resources.all.size())) return;
  if (patch->is_seq() && target) return json_patch(patch, target, place, resources);
  if (patch->is_seq()) {
    sink_->report(DiagnosticKind::KustomizeRefuses, place,
                  "kustomize refuses this patch: a list of operations needs a `target`");
  } else if (target) {
    const PatchTarget wanted(target);
    for (KustomizedObject& each : resources.all) {
      if (!wanted.may_select(each)) continue;
      wanted.is_exact(each) && patch->is_map() ? layer_.merge(each, patch) : layer_.lose(each);
    }
  } else if (patch->is_map()) {
    merge_patch(patch, place, resources);
  }
}

void KustomizationPatches::lay_text_over(View text, View target, Resources& resources) {
  const InlinePatches patches(text, session_.sources);
  const std::vector<View> all = patches.all();
  if (all.empty()) lose_all(resources);
  if (all.size() > 1 && target) {
    sink_->report(DiagnosticKind::KustomizeRefuses, text->span,
                  "kustomize refuses several patches in one entry that has a `target`");
    return;
  }
  for (View patch : all) {
    const View name = patch->is_map() ? get(get(patch, "metadata"), "name") : View();
    lay_over(patch, target, name ? name->span : text->span, resources);
    if (patch->is_map()) tell_unknown_fields(patch, session_, fields_);
  }
}

void KustomizationPatches::lay_file_over(View path, View target, const std::string& folder,
                                         Resources& resources) {
  if (!is_local_resource(string_of(path))) return lose_all(resources);
  const std::string whole = without_steps(folder + std::string(string_of(path)));
  const std::deque<Document>* all =
      session_.env.files.exists(whole) ? documents(whole, folder + "kustomization.yaml") : nullptr;
  if (all == nullptr) return lose_all(resources);
  for (const Document& each : *all) lay_over(each.root(), target, path->span, resources);
}

void KustomizationPatches::set_replicas(View kustomization, Resources& resources) {
  if (get(kustomization, "configurations")) return lose_all(resources);
  const std::string prefix(string_at(kustomization, "namePrefix"));
  const std::string suffix(string_at(kustomization, "nameSuffix"));
  for (View item : items_at(kustomization, "replicas")) {
    const View name = get(item, "name");
    if (!is_plain_name(string_of(name))) continue;
    const KustomizedObject* found = nullptr;
    bool is_replicated = false;
    for (KustomizedObject& each : resources.all) {
      const bool is_meant = is_one_of(string_of(name), each.names) ||
                            prefix + each.names.back() + suffix == string_of(name);
      if (!is_meant) continue;
      if (found == nullptr) found = &each;
      if (!is_one_of(each.kind, kReplicated)) continue;
      is_replicated = true;
      layer_.set_replicas(each, get(item, "count"));
    }
    if (is_replicated || !resources.is_whole) continue;
    const std::string what = found == nullptr ? "no resource is called " + shown(string_of(name))
                                              : name_of(found->kind, string_of(name)) + " is none";
    sink_->report(DiagnosticKind::KustomizeRefuses, name->span,
                  "kustomize sets the replicas of a Deployment, StatefulSet, ReplicaSet or "
                  "ReplicationController: " +
                      what);
  }
}

void KustomizationPatches::check_generators(View kustomization, const Resources& resources) {
  for (const auto& [key, kind] :
       {std::pair("configMapGenerator", "ConfigMap"), std::pair("secretGenerator", "Secret")}) {
    for (View made : items_at(kustomization, key)) {
      const View behavior = get(made, "behavior");
      if (string_of(behavior) != "merge" && string_of(behavior) != "replace") continue;
      const Called called{"v1", kind, string_at(made, "name"), string_at(made, "namespace")};
      const bool is_there = std::ranges::any_of(resources.all, [&](const KustomizedObject& each) {
        return each.kind == kind && is_one_of(called.name, each.names);
      });
      if (is_there || !is_plain_name(called.name)) continue;
      tell(behavior->span,
           "kustomize cannot " + std::string(string_of(behavior)) + " " +
               name_of(kind, called.name) + ": none is among the resources",
           called, resources);
    }
  }
}

void KustomizationPatches::lay_all_over(View kustomization, const std::string& folder,
                                        Resources& resources) {
  for (View each : items_at(kustomization, "patchesStrategicMerge")) {
    const bool is_text = string_of(each).find('\n') != std::string_view::npos;
    is_text ? lay_text_over(each, View(), resources)
            : lay_file_over(each, View(), folder, resources);
  }
  for (View each : items_at(kustomization, "patches")) {
    const View target = get(each, "target");
    if (const View text = get(each, "patch")) lay_text_over(text, target, resources);
    if (const View path = get(each, "path")) lay_file_over(path, target, folder, resources);
  }
  set_replicas(kustomization, resources);
}

/// Other objects may refer to one that is patched.
bool KustomizationPatches::keep(View kustomization, const std::string& folder,
                                const Resources& resources) {
  Overlay overlay{folder,
                  {},
                  names_in(get(kustomization, "configMapGenerator")),
                  names_in(get(kustomization, "secretGenerator")),
                  fields_.all(),
                  std::move(patch_files_)};
  bool is_referred = false;
  for (const KustomizedObject& each : resources.all) {
    if (!each.as_written && each.kind == "ConfigMap")
      overlay.config_maps.insert(each.names.front());
    if (!each.as_written && each.kind == "Secret") overlay.secrets.insert(each.names.front());
    is_referred = is_referred || (each.is_patched && Inventory::takes(each.api_version, each.kind));
  }
  for (const KustomizedObject& each : resources.all) {
    if (!each.now || !(each.is_patched || is_referred)) continue;
    const View before = layer_.copy(each.as_written);
    if (layer_.is_used_up()) return false;
    overlay.objects.push_back(
        {before, each.now.is_at(each.as_written) ? before : each.now, each.replaces_lists});
  }
  if (overlay.objects.empty()) return false;
  overlays_.push_back(std::move(overlay));
  return true;
}

void KustomizationPatches::report_all(const std::vector<Diagnostic>& found) {
  for (const Diagnostic& each : found) session_.sink.report(each);
}

bool KustomizationPatches::check(View kustomization, const std::string& folder) {
  if (string_at(kustomization, "kind") == "Component") return false;
  Resources resources = listed(kustomization, folder);
  if (!resources.is_whole || may_rename(kustomization)) return false;
  patch_files_ = {kustomization->span.file};
  fields_.clear();  // those of the bases
  layer_.follows = !has_items(get(kustomization, "patchesJson6902"));
  const std::size_t errors = session_.sink.error_count();
  check_generators(kustomization, resources);
  lay_all_over(kustomization, folder, resources);
  const bool is_built = session_.sink.error_count() == errors;
  const bool is_kept = layer_.follows && is_built && keep(kustomization, folder, resources);
  if (!is_kept) report_all(fields_.all());
  if (layer_.is_used_up()) {
    session_.sink.report(DiagnosticKind::LeftOut, kustomization->span,
                         "the patches of kustomizations go through too many values; the checks "
                         "leave out what this one makes");
  }
  return layer_.follows;
}

/// What is missing in the base of another kustomization may come there.
Overlays KustomizationPatches::take() {
  std::erase_if(overlays_, [this](const Overlay& each) {
    const bool is_base = listed_folders_.contains(without_steps(each.folder) + "/");
    if (is_base) report_all(each.unknown_fields);
    return is_base;
  });
  return {std::move(layer_.trees), std::move(overlays_)};
}

}  // namespace trainyard
