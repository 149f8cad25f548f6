#include "driver/validate/directory_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "driver/session/config.h"
#include "driver/validate/kustomization_files.h"
#include "driver/validate/kustomization_patches.h"
#include "driver/validate/template_files.h"
#include "emit/ownership.h"
#include "emit/provenance.h"
#include "manifest/kinds.h"
#include "source/characters.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

/// Whether a file of a chart is for Helm alone; `path` begins at the chart.
bool is_for_helm(std::string_view path) {
  if (path == "Chart.yaml") return true;
  constexpr auto kFolders = std::to_array<std::string_view>({"templates/", "ci/", "files/"});
  if (std::ranges::any_of(kFolders, [&](auto each) { return path.starts_with(each); })) return true;
  return path.find('/') == path.npos && path.starts_with("values");
}

/// The files that a kustomization lays over others or is run by, as it writes them.
/// kubernetes-sigs/kustomize api/types/kustomization.go
void each_part(View kustomization, const auto& found) {
  const auto paths_in = [&](std::string_view key) {
    const View list = kustomization[key];
    if (!list || !list->is_seq()) return;
    for (NodeId id : list.tree().children(list.id())) {
      const View item(list.tree(), id);
      const View path = item->is_map() ? item["path"] : item;
      if (path && path->kind == Kind::String && path->text.find('\n') == path->text.npos) {
        found(path->text);
      }
    }
  };
  for (std::string_view key :
       {"patches", "patchesStrategicMerge", "patchesJson6902", "replacements", "configurations",
        "generators", "transformers", "validators"}) {
    paths_in(key);
  }
}

bool is_kustomization(std::string_view path) {
  const std::string_view name = last_step(path);
  return name == "kustomization.yaml" || name == "kustomization.yml";
}

/// Flux has a Kustomization of its own.
bool is_of_kustomize(const Document& document) {
  return document.api_version.empty() ||
         document.api_version.starts_with("kustomize.config.k8s.io/");
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

/// kustomize reads its file strictly, but for the case of letters in names of fields.
void check_fields(const Document& document, Session& session) {
  const SchemaKind* kind = session.schemas.find("kustomize.config.k8s.io/v1beta1", "Kustomization");
  std::vector<Violation> violations =
      session.checker.check(kind->schema, document.tree, document.tree.root());
  std::erase_if(violations, [&](const Violation& each) {
    return each.kind == DiagnosticKind::UnknownField &&
           same_but_for_case(View(document.tree, each.node).key(), each.suggestion);
  });
  report(violations, document.tree, session.schemas.text(kind->source), session.sink,
         &session.sources);
}

/// Where something begins, for a note about all of it.
void note(FileId file, std::string message, Session& session) {
  session.sink.report(DiagnosticKind::LeftToDo, {file, 0, 0}, std::move(message));
}

/// What the kustomizations of the inputs say of files, by their paths.
struct Kustomized {
  std::set<std::string> parts;  // that are laid over others
  struct List {
    std::string kustomization;
    std::set<std::string> resources;
    std::vector<std::string> images;
    bool has_patches = false;
  };
  std::vector<List> lists;

  /// Whether a file lies at or below a kustomization, and is a resource of none.
  bool holds(std::string_view path) const {
    const bool is_listed = std::ranges::any_of(lists, [&](const List& each) {
      return each.resources.contains(without_steps(std::string(path)));
    });
    return !is_listed && std::ranges::any_of(lists, [&](const List& each) {
      return path.starts_with(folder_of(each.kustomization));
    });
  }
};

/// As kubebuilder and kustomize name patches: `manager_auth_proxy_patch.yaml`, `patches/a.yaml`.
bool is_named_as_patch(std::string_view path) {
  return last_step(path).find("patch") != path.npos || path.find("/patches/") != path.npos;
}

/// A kustomization, or the Chart.yaml of a chart.
struct Marker {
  InputPart file;
  bool is_input = true;  // else it was found above an input
};

bool is_marker(std::string_view path) {
  return is_kustomization(path) || last_step(path) == "Chart.yaml";
}

/// Those among the inputs, and those above them.
std::vector<Marker> markers(const std::vector<InputPart>& inputs, bool look_above,
                            Session& session) {
  std::vector<Marker> result;
  std::set<std::string> seen;
  for (const InputPart& input : inputs) {
    if (!is_marker(input.path)) continue;
    result.push_back({input});
    seen.insert(input.path);
  }
  if (!look_above) return result;
  std::set<std::string> folders;
  for (const InputPart& input : inputs) {
    std::string folder = folder_of(input.path);
    while (input.from_directory && folders.insert(folder).second) {
      for (std::string_view name : {"Chart.yaml", "kustomization.yaml", "kustomization.yml"}) {
        const std::string path = folder + std::string(name);
        if (seen.contains(path) || !session.env.files.exists(path)) continue;
        result.push_back({{path, true, kNoFile, {}}, false});
      }
      const bool is_top = folder.empty() || folder == "/";
      if (is_top || session.env.files.exists(folder + ".git")) break;
      folder = folder_of(folder.substr(0, folder.size() - 1));
    }
  }
  return result;
}

Kustomized read_kustomizations(const std::vector<InputPart>& inputs,
                               const std::vector<Marker>& markers, Session& session,
                               Overlays* overlays) {
  std::set<std::string> known;
  for (const InputPart& input : inputs) {
    if (input.from_directory) known.insert(without_steps(input.path));
  }
  Kustomized result;
  KustomizationPatches patches(inputs, session);
  for (const auto& [input, is_input] : markers) {
    if (!is_kustomization(input.path)) continue;
    Kustomized::List& list = result.lists.emplace_back();
    list.kustomization = input.path;
    Sink unused;  // the check of the file reports what is wrong with the text
    std::size_t own = 0;
    bool is_followed = false;
    for_each_document_of(
        input, session.env, session.sources, unused, session.limits, Ambiguity::Kubernetes,
        [&](Document& document) {
          if (!document.root()->is_map()) return;
          if (is_input && input.from_directory && is_of_kustomize(document)) {
            check_kustomization_files(document.root(), folder_of(input.path), session);
            check_fields(document, session);
            is_followed = patches.check(document.root(), folder_of(input.path));
          }
          for (std::string_view key : {"patches", "patchesStrategicMerge", "patchesJson6902"}) {
            list.has_patches = list.has_patches || has_items(get(document.root(), key));
          }
          for (View made : items_at(document.root(), "configMapGenerator")) {  // merges, replaces
            list.has_patches = list.has_patches || get(made, "behavior");
          }
          each_part(document.root(), [&](std::string_view path) {
            std::string whole = without_steps(folder_of(input.path) + std::string(path));
            if (!known.contains(whole)) return;
            result.parts.insert(std::move(whole));
            ++own;
          });
          for (View item : items_at(document.root(), "images")) {
            list.images.emplace_back(string_at(item, "name"));
          }
          for (View item : items_at(document.root(), "resources")) {
            const std::string folder = folder_of(input.path);
            list.resources.insert(without_steps(folder + std::string(string_of(item))));
          }
        });
    if (own == 0 || !is_input || is_followed) continue;
    note(input.file,
         "lays " + std::to_string(own) + (own == 1 ? " file" : " files") +
             " over others, which is no manifest by itself; Trainyard ignores it: validate what "
             "`kustomize build` makes",
         session);
  }
  if (overlays != nullptr) *overlays = patches.take();
  return result;
}

bool has_kustomization(const std::string& folder, Session& session) {
  return session.env.files.exists(folder + "kustomization.yaml") ||
         session.env.files.exists(folder + "kustomization.yml");
}

/// Files of a directory that trainyard has written into and that is applied as it is.
void add_output_directories(const std::vector<InputPart>& inputs, Session& session,
                            std::vector<AppliedTogether>& result) {
  std::map<std::string, std::vector<FileId>, std::less<>> by_folder;
  std::set<std::string> outputs;
  for (const InputPart& input : inputs) {
    const std::string folder = folder_of(input.path);
    by_folder[folder].push_back(input.file);
    if (has_record(session.sources.text(input.file))) outputs.insert(folder);
  }
  for (const std::string& folder : outputs) {
    if (!has_kustomization(folder, session)) result.push_back({"", by_folder[folder]});
  }
}

std::vector<AppliedTogether> applied_together(const std::vector<InputPart>& inputs,
                                              const Kustomized& kustomized, Session& session) {
  std::vector<AppliedTogether> result;
  std::map<std::string, FileId, std::less<>> by_path;
  for (const InputPart& input : inputs) by_path.emplace(without_steps(input.path), input.file);
  for (const Kustomized::List& list : kustomized.lists) {
    AppliedTogether together{list.kustomization, {}, list.images};
    for (const std::string& path : list.resources) {
      const auto found = by_path.find(path);
      if (found != by_path.end()) together.files.push_back(found->second);
      if (!list.has_patches) continue;
      for (const auto& [file, id] : by_path) {  // a resource may be a folder with a base
        if (file == path || file.starts_with(path + "/")) together.patched.push_back(id);
      }
    }
    result.push_back(std::move(together));
  }
  add_output_directories(inputs, session, result);
  return result;
}

/// The first folder that is named for a release of two numbers or more: `v1.2`, `version-v0.1.0`.
std::string_view folder_of_release(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789";
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/')) {
    const std::string_view folder = path.substr(0, end);
    path.remove_prefix(end + 1);
    std::string_view rest = folder;
    for (std::string_view word : {"version", "release", "-", "v"}) {
      if (rest.starts_with(word)) rest.remove_prefix(word.size());
    }
    const std::size_t dot = rest.find_first_not_of(kDigits);
    if (dot == 0 || dot == rest.npos || rest[dot] != '.') continue;
    rest.remove_prefix(dot + 1);
    if (!rest.empty() && rest.find_first_not_of("0123456789.x") == rest.npos) return folder;
  }
  return {};
}

}  // namespace

std::vector<AppliedTogether> leave_out_parts(std::vector<InputPart>& inputs, bool look_above,
                                             Session& session, Overlays* overlays) {
  const std::vector<Marker> all = markers(inputs, look_above, session);
  std::set<std::string> charts;
  for (const auto& [input, is_input] : all) {
    if (!input.from_directory || last_step(input.path) != "Chart.yaml") continue;
    charts.insert(folder_of(input.path));
    if (!is_input) continue;
    note(input.file,
         "a Helm chart: Trainyard ignores its templates; validate what `helm template` makes of "
         "them",
         session);
  }
  const Kustomized kustomized = read_kustomizations(inputs, all, session, overlays);
  const auto of_chart = [&](const InputPart& input) {
    return std::ranges::any_of(charts, [&](const std::string& chart) {
      return input.path.starts_with(chart) && is_for_helm(input.path.substr(chart.size()));
    });
  };
  const auto is_loose_patch = [&](const InputPart& input) {
    if (!is_named_as_patch(input.path) || !kustomized.holds(input.path)) return false;
    note(input.file, "named as a patch, and no kustomization lists it; Trainyard ignores it",
         session);
    return true;
  };
  // The names of the charts are parts of paths that go.
  std::vector<InputPart> kept;
  for (const InputPart& input : inputs) {
    const bool goes = input.from_directory &&
                      (of_chart(input) || kustomized.parts.contains(without_steps(input.path)) ||
                       is_loose_patch(input));
    if (!goes) kept.push_back(input);
  }
  inputs = std::move(kept);
  return applied_together(inputs, kustomized, session);
}

bool is_no_object(const Document& document) {
  if (document.api_version.starts_with("kustomize.config.k8s.io/")) return true;
  if (document.root()->kind == Kind::Null) return true;  // which kubectl passes over
  const std::string_view name = last_step(document.path);
  if (name == kConfigName) return true;  // which is read where it is looked for
  if (is_kustomization(document.path) && (document.kind.empty() || document.api_version.empty())) {
    return true;
  }
  return name.ends_with(kProvenanceSuffix) && document.root()["entries"];
}

bool is_something_else(const Document& document) {
  const View root = document.root();
  if (!root->is_map()) return true;
  const bool is_chart_index = last_step(document.path) == "index.yaml" && root["entries"];
  if (is_chart_index) return true;  // of a Helm repository
  const View kind_of_it = root["kind"];
  if (root["apiVersion"] && kind_of_it && kind_of_it->kind != Kind::Null) return false;
  // JSON is a body of some other API.
  if (document.path.ends_with(".json")) return true;
  // Settings of Grafana and others have one of the two. Kinds of Kubernetes have a capital.
  const std::string_view kind = root["kind"].text();
  if (!kind.empty() && !(kind.front() >= 'A' && kind.front() <= 'Z')) return true;
  if (!root["metadata"]) return true;
  // Go reads settings whatever the case of their keys, and `operator-sdk` writes `apiversion`.
  if (root["kind"]) return !configured_program(root["apiversion"].text(), kind).empty();
  // Other programs number their formats in the same way: `score.dev/v1b1`.
  const std::string_view version = root["apiVersion"].text();
  if (!version.empty()) {
    const std::string_view group = version.substr(0, version.find('/'));
    return group.find('.') != group.npos && !group.ends_with("k8s.io");
  }
  if (is_named_as_patch(document.path)) return true;
  // An object whose author forgot both has a name, and nothing that objects do not have.
  const View metadata = root["metadata"];
  if (!get(metadata, "name") && !get(metadata, "generateName")) return true;
  return std::ranges::any_of(Items(root), [](View field) {
    constexpr auto kFields = std::to_array<std::string_view>(
        {"metadata", "spec", "status", "data", "stringData", "binaryData", "immutable", "type",
         "rules", "subjects", "roleRef", "webhooks", "secrets", "imagePullSecrets", "subsets"});
    return std::ranges::find(kFields, field.key()) == kFields.end();
  });
}

namespace {

/// As chainsaw and kuttl name parts that they look for in a cluster: `00-assert.yaml`,
/// `01-errors.yaml`. kyverno/chainsaw pkg/discovery; kudobuilder/kuttl pkg/test/utils
bool is_named_as_assertion(std::string_view path) {
  std::string_view name = last_step(path);
  if (name.find("assert") != name.npos) return true;
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  name.remove_prefix(digits);
  return digits > 0 && (name.starts_with("-error.") || name.starts_with("-errors."));
}

/// A Pod that Spark, EMR or Airflow completes with an image before it is one.
/// apache/spark resource-managers/kubernetes/core BasicDriverFeatureStep, podTemplateFile
bool is_pod_to_complete(const Document& document) {
  if (document.kind != "Pod") return false;
  const View spec = get(document.root(), "spec");
  const Items containers = items_at(spec, "containers");
  const auto lacks_image = [](View each) { return !get(each, "image"); };
  const auto is_of_spark = [](View each) {
    return string_at(each, "name").starts_with("spark-kubernetes-") && !get(each, "image");
  };
  if (std::ranges::any_of(containers, is_of_spark)) return true;
  return is_named_as_template(document.path) && spec &&
         (!get(spec, "containers") || std::ranges::any_of(containers, lacks_image));
}

}  // namespace

bool is_part_to_lay_over(const Document& document) {
  // `kubectl patch` gets the name of the object by its command line.
  const std::string_view file = last_step(document.path);
  if (file.find("patch") != file.npos && !get(document.root(), "metadata")) return true;
  const View root = document.root();
  if (is_named_as_assertion(document.path)) return true;
  const View name = get(root, "metadata");
  if (document.kind == "Pod" && !get(name, "name") && !get(name, "generateName")) return true;
  if (is_pod_to_complete(document)) return true;
  if (!document.api_version.starts_with("apps/")) return false;
  constexpr auto kKinds =
      std::to_array<std::string_view>({"Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"});
  if (std::ranges::find(kKinds, document.kind) == kKinds.end()) return false;
  const View spec = get(root, "spec");
  const View pod = get(spec, "template");
  return spec && !get(spec, "selector") && !get(get(pod, "metadata"), "labels");
}

std::string_view folder_of_other_release(const Document& document, Session& session) {
  if (session.input_schemas == nullptr) return {};
  const std::string_view folder = folder_of_release(document.path);
  if (folder.empty()) return {};
  const SchemaPack& own = session.input_schemas->pack;
  const SchemaKind* known = own.find(document.api_version, document.kind);
  if (known == nullptr) return {};
  return folder_of_release(own.text(known->source)) == folder ? std::string_view() : folder;
}

}  // namespace trainyard
