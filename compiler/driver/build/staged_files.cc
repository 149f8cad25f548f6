#include "driver/build/staged_files.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "source/glob.h"

namespace trainyard {
namespace {

constexpr std::size_t kLargestFile = 4 * 1024 * 1024;  // far above what a ConfigMap holds
constexpr std::size_t kMostFiles = 1000;

std::string directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash + 1));
}

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

/// What of a pattern names one place: the directories before its first wildcard, or all of it.
std::string before_wildcard(std::string_view pattern) {
  if (!has_wildcard(pattern)) return std::string(pattern);
  return directory_of(pattern.substr(0, pattern.find_first_of("*?")));
}

std::string linked_away(const std::string& path) {
  return "`" + path + "` leads out of the directory of the spec through a link";
}

/// Finds and reads the files of a spec, or of one role that has files of its own.
class Stager {
 public:
  Stager(Session& session, const Document& document, std::string_view role,
         std::vector<LoadedFile>& out)
      : session_(session), document_(document), role_(role), out_(out) {}

  void items(const Files& files) {
    for (const auto& each : *files.items) item(*each);
  }

 private:
  void item(const StagedFile& file) {
    if (file.content) {
      if (!file.path) {
        problem(file.content.span, "`content` needs a `path`");
        return;
      }
      add(std::string(*file.path), std::string(*file.content), file, file.path.span);
      return;
    }
    if (!file.from) return;  // decoding has said so
    asked_by_ = file.from.span;
    start_beside(file.from.span);
    const std::string from(*file.from);
    if (escapes(from) && !session_.env.load_outside) {
      outside(file.from.span, "`" + from + "` leads out of the directory of the spec");
    } else if (links_away(before_wildcard(from))) {
      outside(file.from.span, linked_away(from));
    } else if (has_wildcard(from)) {
      matching(from, file);
    } else if (session_.env.files.is_directory(base_ + from)) {
      directory(from, file);
    } else {
      single(from, file);
    }
  }

  /// Paths are relative to the file that has them: to the spec, or to what it extends.
  void start_beside(Span place) {
    const bool own = !place.known() || place.file == document_.file;
    std::string base =
        directory_of(own ? std::string_view(document_.path) : session_.sources.name(place.file));
    if (root_ && base == base_) return;
    base_ = std::move(base);
    root_ = session_.env.files.real_path(base_.empty() ? "." : base_);
    if (root_ && !root_->ends_with('/')) *root_ += '/';
  }

  static bool escapes(std::string_view path) {
    return path.starts_with('/') || path == ".." || path.starts_with("../") ||
           path.find("/../") != std::string_view::npos || path.ends_with("/..");
  }

  /// The author of a spec says which files are read, but only of those beside it: a build server
  /// must not hand out its own.
  bool links_away(const std::string& from) const {
    if (session_.env.load_outside) return false;
    const auto real = session_.env.files.real_path(base_ + from);
    return real && !(root_ && (*real + "/").starts_with(*root_));
  }

  void single(const std::string& from, const StagedFile& file) {
    const std::string path = file.path ? std::string(*file.path) : tidy(from);
    read(from, path, file);
  }

  /// `conf/` stands for what is in the directory and `conf` for the directory itself, as for rsync.
  void directory(const std::string& from, const StagedFile& file) {
    std::string folder = from;
    while (folder.ends_with('/')) folder.pop_back();
    std::string prefix;
    if (file.path) {
      prefix = std::string(*file.path) + "/";
    } else if (!from.ends_with('/')) {
      prefix = tidy(folder) + "/";
    }
    for (const std::string& below : files_below(folder + "/")) {
      read(folder + "/" + below, prefix + below, file);
    }
  }

  void matching(const std::string& pattern, const StagedFile& file) {
    std::size_t found = 0;
    const std::string start = before_wildcard(pattern);
    for (const std::string& below : files_below(start)) {
      const std::string path = start + below;
      if (!fits_glob(tidy(pattern), tidy(path))) continue;
      ++found;
      read(path, tidy(path), file);
    }
    if (found == 0) problem(file.from.span, "no file matches `" + pattern + "`");
  }

  /// Paths below a directory of the spec's, sorted; hidden files are left out.
  std::vector<std::string> files_below(const std::string& folder) {
    std::vector<std::string> result;
    std::set<std::string> visited;
    walk(folder, "", visited, result);
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Each directory once, wherever links lead. One that leads away is reported when it is read.
  void walk(const std::string& folder, const std::string& below, std::set<std::string>& visited,
            std::vector<std::string>& result) {
    const std::string here = base_ + folder + below;
    const std::string path = here.empty() ? "." : here;
    if (result.size() > kMostFiles) return;
    if (!visited.insert(session_.env.files.real_path(path).value_or(path)).second) return;
    const Listing listing = session_.env.files.list(path);
    if (listing.error) problem(asked_by_, "`" + path + "`: " + listing.error->message);
    for (const std::string& name : listing.names) {
      if (name.starts_with('.')) continue;
      if (!name.ends_with('/')) {
        result.push_back(below + name);
      } else if (links_away(folder + below + name)) {
        result.push_back(below + name.substr(0, name.size() - 1));
      } else {
        walk(folder, below + name, visited, result);
      }
    }
  }

  static std::string tidy(std::string path) {
    while (path.starts_with("./")) path.erase(0, 2);
    return path;
  }

  void read(const std::string& from, std::string path, const StagedFile& file) {
    if (out_.size() >= kMostFiles) {
      if (out_.size() == kMostFiles) {
        problem(file.from.span,
                "more than " + std::to_string(kMostFiles) + " files are to be staged");
      }
      return;
    }
    if (links_away(from)) {
      outside(file.from.span, linked_away(from));
      return;
    }
    FileRead read = session_.env.files.read(base_ + from, kLargestFile);
    if (read.error) {
      problem(file.from.span, "`" + base_ + from + "`: " + read.error->message);
      return;
    }
    add(std::move(path), std::move(read.text), file, file.from.span);
  }

  void add(std::string path, std::string bytes, const StagedFile& file, Span span) {
    if (escapes(path)) {
      problem(span, "`" + path + "` leads out of the mounted directory");
      return;
    }
    for (const LoadedFile& known : out_) {
      if (known.path != path || known.role != role_) continue;
      session_.sink
          .report(DiagnosticKind::StagedFileProblem, span, "`" + path + "` is staged twice")
          .also(known.span, "first here");
      return;
    }
    LoadedFile loaded;
    loaded.path = std::move(path);
    loaded.bytes = std::move(bytes);
    loaded.executable = file.executable.value_or(false);
    loaded.span = span;
    loaded.role = role_;
    out_.push_back(std::move(loaded));
  }

  Diagnostic& problem(Span where, std::string message) {
    return session_.sink.report(DiagnosticKind::StagedFileProblem, where, std::move(message));
  }
  void outside(Span where, std::string message) {
    problem(where, std::move(message)).note("`--load-outside` lifts this limit");
  }

  Session& session_;
  const Document& document_;
  std::string_view role_;
  std::string base_;                 // where paths start
  std::optional<std::string> root_;  // the same without links
  Span asked_by_;                    // the place of the item
  std::vector<LoadedFile>& out_;
};

}  // namespace

void load_staged_files(Session& session, const Document& document, const TrainingJob& job,
                       std::vector<LoadedFile>& out) {
  Stager(session, document, {}, out).items(*job.spec->files);
  for (const auto& role : *job.spec->roles) {
    Stager(session, document, role.key, out).items(*role.value->files);
  }
  std::ranges::sort(out, {}, [](const LoadedFile& file) { return std::tie(file.role, file.path); });
}

}  // namespace trainyard
