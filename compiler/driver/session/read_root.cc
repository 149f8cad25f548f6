#include "driver/session/read_root.h"

#include <algorithm>
#include <filesystem>

#include "driver/session/session.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

std::string parent_of(const std::string& real) {
  const std::size_t slash = real.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : real.substr(0, slash);
}

std::string or_current(const std::string& folder) {
  return folder.empty() ? "." : folder;
}

}  // namespace

std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/') + 1));
}

bool ReadRoot::holds(std::string_view real) const {
  if (path == "/" || real == path) return true;
  return real.starts_with(path) && real[path.size()] == '/';
}

const std::optional<std::string>& ReadRoots::real_path(const std::string& path) {
  const auto [known, is_new] = real_.try_emplace(path);
  if (is_new) known->second = env_->files.real_path(path);
  return known->second;
}

std::string ReadRoots::lexical(const std::string& path) {
  const fs::path whole = fs::path(real_path(".").value_or("/")) / path;
  std::string plain = whole.lexically_normal().string();
  if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

const std::string& ReadRoots::repository_of(const std::string& real) {
  const auto [known, is_new] = repositories_.try_emplace(real);
  if (!is_new) return known->second;
  const std::string marker = real == "/" ? "/.git" : real + "/.git";
  if (env_->files.exists(marker)) {
    known->second = real;
  } else if (real != "/") {
    known->second = repository_of(parent_of(real));
  }
  return known->second;
}

const ReadRoot& ReadRoots::of_folder(const std::string& folder) {
  const auto [known, is_new] = by_folder_.try_emplace(folder);
  ReadRoot& root = known->second;
  if (!is_new) return root;
  const auto& real = real_path(or_current(folder));
  root.path = real ? *real : lexical(or_current(folder));
  if (const std::string& repository = repository_of(root.path); !repository.empty()) {
    root = {ReadRoot::Sort::Repository, repository};
    return root;
  }
  for (const std::string& directory : env_->directories) {
    const ReadRoot wider{ReadRoot::Sort::Directory, directory};
    const bool is_wider =
        root.sort == ReadRoot::Sort::Folder || wider.path.size() < root.path.size();
    if (wider.holds(root.path) && is_wider) root = wider;
  }
  return root;
}

const ReadRoot& ReadRoots::of_document(const std::string& document) {
  return of_folder(document == "-" ? std::string() : folder_of(document));
}

ReadRoots::Place ReadRoots::place_of(const std::string& document, const std::string& path) {
  const ReadRoot& root = of_document(document);
  const auto& real = real_path(path);
  if (!real) return {env_->load_outside || root.holds(lexical(path)), {}};
  if (env_->load_outside || root.holds(*real)) return {};
  return {false, *real == lexical(path) ? std::string() : *real};
}

std::string ReadRoots::top_of_search(const std::string& folder) {
  const ReadRoot& root = of_folder(folder);
  if (root.sort == ReadRoot::Sort::Repository) return root.path;
  const ReadRoot called_in{ReadRoot::Sort::Folder, real_path(".").value_or("/")};
  return called_in.holds(root.path) ? called_in.path : root.path;
}

std::string ReadRoots::described(const ReadRoot& root) {
  const std::string here = real_path(".").value_or("/");
  const std::string path = fs::path(root.path).lexically_relative(here).string();
  const std::string_view sort = root.sort == ReadRoot::Sort::Repository  ? "the repository "
                                : root.sort == ReadRoot::Sort::Directory ? "the input directory "
                                                                         : "the file's folder ";
  return std::string(sort) + code(path.empty() ? root.path : path);
}

void note_directories(Env& env, const std::vector<std::string>& inputs) {
  for (const std::string& path : inputs) {
    if (path == "-" || !env.files.is_directory(path)) continue;
    std::string real = env.files.real_path(path).value_or(path);
    if (std::ranges::find(env.directories, real) == env.directories.end()) {
      env.directories.push_back(std::move(real));
    }
  }
}

std::optional<Diagnostic> outside_root(Session& session, const std::string& document,
                                       const std::string& path, Span asked_by) {
  ReadRoots& roots = session.roots;
  const ReadRoots::Place place = roots.place_of(document, path);
  if (place.allowed) return std::nullopt;
  const std::string link =
      place.real.empty() ? "" : " leads through a link to " + code(place.real) + ", which";
  Diagnostic report(
      DiagnosticKind::OutsideRoot, asked_by,
      code(path) + link + " is outside of " + roots.described(roots.of_document(document)));
  report.note(
      "a file may name only files in its repository or, without one, below the input directory or "
      "in its own folder; `--load-outside` lifts this limit");
  return report;
}

bool may_read(Session& session, const std::string& document, const std::string& path,
              Span asked_by) {
  auto outside = outside_root(session, document, path, asked_by);
  if (!outside) return true;
  session.sink.report(std::move(*outside));
  return false;
}

}  // namespace trainyard
