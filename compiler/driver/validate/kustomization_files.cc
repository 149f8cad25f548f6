#include "driver/validate/kustomization_files.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "check/typos.h"
#include "diag/words.h"
#include "driver/session/read_root.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Looks for what one kustomization names.
class Search {
 public:
  Search(const std::string& folder, Session& session) : folder_(folder), session_(session) {}

  void file(View at, std::string_view name) {
    if (!is_local_resource(name) || exists(name)) return;
    tell(at, name, "there is no " + shown(name) + " here, and `kustomize build` ends without it");
  }
  /// A file, or a folder with a kustomization of its own.
  void file_or_folder(View at, std::string_view name) {
    if (!is_local_resource(name)) return;
    if (!exists(name)) return file(at, name);
    const std::string path = folder_ + std::string(name);
    if (!session_.env.files.is_directory(path)) return;
    const std::initializer_list<std::string_view> names = {"kustomization.yaml",
                                                           "kustomization.yml", "Kustomization"};
    const bool has_own = std::ranges::any_of(names, [&](std::string_view each) {
      return session_.env.files.exists(path + "/" + std::string(each));
    });
    if (!has_own) {
      tell(at, name,
           "folder " + shown(name) +
               " has no `kustomization.yaml`, and `kustomize build` ends without it");
    }
  }

 private:
  /// Steps up are taken in the path as it is written, and as the links in it lead.
  bool exists(std::string_view name) {
    const std::string whole =
        name.starts_with('/') ? std::string(name) : folder_ + std::string(name);
    return session_.env.files.exists(whole) || session_.env.files.exists(without_steps(whole));
  }
  /// Another program may write it before kustomize runs: controller-gen, `helm dependency build`,
  /// `flux bootstrap`. A name that is spelled almost like a file beside it is a typo.
  void tell(View at, std::string_view name, std::string message) {
    const std::string near = spelled_alike(name);
    Diagnostic told(DiagnosticKind::FileNotFound, at->span, std::move(message));
    told.severity = near.empty() ? Severity::Note : Severity::Warning;
    if (!near.empty()) told.note("did you mean " + shown(near) + "?");
    session_.sink.report(std::move(told));
  }

  /// What lies in the folder of the name and has one typo less.
  std::string spelled_alike(std::string_view name) const {
    const std::string whole = without_steps(folder_ + std::string(name));
    const std::string folder = folder_of(whole);
    const Listing listing = session_.env.files.list(folder.empty() ? "." : folder);
    for (std::string entry : listing.names) {
      if (entry.ends_with('/')) entry.pop_back();
      if (is_typo_of_name(std::string_view(whole).substr(folder.size()), entry)) return entry;
    }
    return {};
  }

  const std::string& folder_;
  Session& session_;
};

/// `name` of `key=name`.
std::string_view file_of(std::string_view source) {
  return source.substr(source.find('=') + 1);
}

bool is_hidden(std::string_view path) {
  return path.substr(path.rfind('/') + 1).starts_with('.');
}

}  // namespace

/// kubernetes-sigs/kustomize api/internal/git/repospec.go NewRepoSpecFromURL
bool is_local_resource(std::string_view name) {
  if (name.empty() || name.find_first_of(":?{}$*@\n") != name.npos) return false;
  if (name.find("//") != name.npos || name.find(".git") != name.npos) return false;
  const std::size_t slash = name.find('/');
  const std::string_view first = name.substr(0, slash);
  const bool is_step = first == "." || first == "..";
  return slash == name.npos || is_step || first.find('.') == first.npos;
}

std::string without_steps(std::string_view path) {
  std::vector<std::string_view> steps;
  const bool absolute = path.starts_with('/');
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view step = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (step.empty() || step == ".") continue;
    if (step == ".." && !steps.empty() && steps.back() != "..") {
      steps.pop_back();
    } else {
      steps.push_back(step);
    }
  }
  std::string result = absolute ? "/" : "";
  for (std::string_view step : steps) {
    if (result.size() > 1 || (!absolute && !result.empty())) result += '/';
    result += step;
  }
  return result;
}

/// kubernetes-sigs/kustomize api/types/kustomization.go, api/internal/target/kusttarget.go
void check_kustomization_files(View kustomization, const std::string& folder, Session& session) {
  Search search(folder, session);
  for (std::string_view key : {"resources", "bases", "components"}) {
    for (View each : items_at(kustomization, key)) search.file_or_folder(each, string_of(each));
  }
  // Texts of other lists may be patches themselves, and folders.
  for (std::string_view key : {"crds", "configurations", "patchesStrategicMerge"}) {
    for (View each : items_at(kustomization, key)) search.file(each, string_of(each));
  }
  for (std::string_view key : {"patches", "patchesJson6902", "replacements"}) {
    for (View each : items_at(kustomization, key)) {
      if (const View path = get(each, "path")) search.file(path, string_of(path));
    }
  }
  for (View made : items_at(kustomization, "configMapGenerator")) {
    for (View each : items_at(made, "files")) search.file(each, file_of(string_of(each)));
    for (View each : items_at(made, "envs")) {
      if (!is_hidden(string_of(each))) search.file(each, string_of(each));
    }
  }
}

}  // namespace trainyard
