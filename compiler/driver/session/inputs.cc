#include "driver/session/inputs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "driver/session/glob.h"
#include "emit/provenance.h"

namespace trainyard {
namespace {

bool is_document(std::string_view name) {
  if (name.ends_with(kProvenanceSuffix)) return false;  // what `build` writes beside its output
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

/// Patterns begin with the real path of the folder of the config that has them.
bool is_excluded(const std::string& path, const Env& env) {
  if (env.excluded.empty()) return false;
  const std::string real = env.files.real_path(path).value_or(path);
  return std::ranges::any_of(env.excluded,
                             [&real](const std::string& each) { return fits_glob(each, real); });
}

/// Finds the documents below a directory.
class DocumentWalk {
 public:
  DocumentWalk(Env& env, Sink& sink, std::vector<std::string>& found)
      : env_(env), sink_(sink), found_(found) {}

  /// Goes nowhere outside of a directory from now on.
  void stay_inside(const std::string& directory, std::vector<std::string>& links) {
    inside_ = env_.files.real_path(directory);
    links_ = &links;
  }

  /// A directory that links lead to again, such as its own parent, counts once.
  void below(const std::string& directory) {
    if (leads_out(directory)) return;
    if (!visited_.insert(env_.files.real_path(directory).value_or(directory)).second) return;
    const std::string prefix = directory.ends_with('/') ? directory : directory + '/';
    const Listing listing = env_.files.list(directory);
    if (listing.error) report_unreadable(directory, *listing.error, {}, sink_);
    for (const std::string& name : listing.names) {
      if (name.starts_with('.')) continue;
      if (name.ends_with('/')) {
        below(prefix + name.substr(0, name.size() - 1));
      } else if (is_document(name) && !is_excluded(prefix + name, env_) &&
                 !leads_out(prefix + name)) {
        found_.push_back(prefix + name);
      }
    }
  }

 private:
  bool leads_out(const std::string& path) {
    if (!inside_) return false;
    const std::string real = env_.files.real_path(path).value_or(path);
    const std::string root = inside_->ends_with('/') ? *inside_ : *inside_ + '/';
    if (real == *inside_ || real.starts_with(root)) return false;
    links_->push_back(path);
    return true;
  }

  Env& env_;
  Sink& sink_;
  std::vector<std::string>& found_;
  std::set<std::string> visited_;
  std::optional<std::string> inside_;  // without links
  std::vector<std::string>* links_ = nullptr;
};

void files_below(const std::string& directory, DocumentWalk& walk, Sink& sink,
                 std::vector<std::string>& found) {
  const std::size_t before = found.size();
  const std::size_t errors = sink.error_count();
  walk.below(directory);
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
  if (found.size() == before && sink.error_count() == errors) {
    sink.report(DiagnosticKind::NoInput, {}, "no YAML or JSON file below `" + directory + "`");
  }
}

}  // namespace

void report_unreadable(const std::string& path, const FileError& error, Span asked_by, Sink& sink) {
  DiagnosticKind kind = DiagnosticKind::FileUnreadable;
  if (error.reason == FileError::Reason::NotFound) kind = DiagnosticKind::FileNotFound;
  if (error.reason == FileError::Reason::TooLarge) kind = DiagnosticKind::FileTooLarge;
  if (error.reason == FileError::Reason::Other) kind = DiagnosticKind::InputFailed;
  sink.report(kind, asked_by, "`" + path + "`: " + error.message);
}

std::vector<std::string> expand_paths(const std::vector<std::string>& paths, Env& env, Sink& sink) {
  std::vector<std::string> result;
  for (const std::string& path : paths) {
    if (path == "-" || !env.files.is_directory(path)) {
      if (!is_excluded(path, env)) result.push_back(path);
      continue;
    }
    DocumentWalk walk(env, sink, result);
    files_below(path, walk, sink, result);
  }
  return result;
}

std::vector<std::string> files_inside(const std::string& directory, Env& env, Sink& sink,
                                      std::vector<std::string>& links) {
  std::vector<std::string> result;
  DocumentWalk walk(env, sink, result);
  walk.stay_inside(directory, links);
  files_below(directory, walk, sink, result);
  return result;
}

FileId read_source(const std::string& path, Env& env, SourceMap& sources, Sink& sink,
                   const ReadLimits& limits, Span asked_by) {
  const bool is_stdin = path == "-";
  FileRead read = is_stdin ? env.read_stdin(limits.bytes) : env.files.read(path, limits.bytes);
  if (read.error) {
    report_unreadable(is_stdin ? "<stdin>" : path, *read.error, asked_by, sink);
    return kNoFile;
  }
  return sources.add(is_stdin ? "<stdin>" : path, std::move(read.text));
}

std::vector<InputPart> input_files(const std::vector<std::string>& paths, Env& env, Sink& sink) {
  const std::set<std::string_view> named(paths.begin(), paths.end());
  std::vector<InputPart> files;
  for (std::string& path : expand_paths(paths, env, sink)) {
    const bool from_directory = !named.contains(path);
    files.push_back({std::move(path), from_directory, kNoFile, {}});
  }
  return files;
}

std::vector<InputPart> open_inputs(const std::vector<std::string>& paths, Env& env,
                                   SourceMap& sources, Sink& sink, const ReadLimits& limits) {
  std::vector<InputPart> files = input_files(paths, env, sink);
  for (InputPart& each : files) each.file = read_source(each.path, env, sources, sink, limits);
  std::erase_if(files, [](const InputPart& each) { return each.file == kNoFile; });
  return files;
}

PartRead for_each_document_of(const InputPart& input, Env& env, SourceMap& sources, Sink& sink,
                              const ReadLimits& limits, Ambiguity ambiguity,
                              const std::function<void(Document&)>& use) {
  PartRead result{input.file, {}};
  if (result.file == kNoFile) result.file = read_source(input.path, env, sources, sink, limits);
  if (result.file == kNoFile) return result;
  Document document;
  const auto take = [&](Tree& tree) {
    document.path = input.path;
    document.file = result.file;
    document.from_directory = input.from_directory;
    document.tree = std::move(tree);
    document.api_version = document.root()["apiVersion"].text();
    document.kind = document.root()["kind"].text();
    use(document);
    tree = std::move(document.tree);  // its memory serves the next document
  };
  if (input.part) {
    result.part = read_yaml_part(sources, result.file, *input.part, sink, limits, ambiguity, take);
  } else {
    read_each_yaml(sources, result.file, sink, limits, ambiguity, take);
  }
  return result;
}

void for_each_document(const std::vector<std::string>& paths, Env& env, SourceMap& sources,
                       Sink& sink, const ReadLimits& limits, Ambiguity ambiguity,
                       const std::function<void(Document&)>& use) {
  for (const InputPart& file : input_files(paths, env, sink)) {
    for_each_document_of(file, env, sources, sink, limits, ambiguity, use);
  }
}

std::vector<Document> read_inputs(const std::vector<std::string>& paths, Env& env,
                                  SourceMap& sources, Sink& sink, const ReadLimits& limits,
                                  Ambiguity ambiguity) {
  std::vector<Document> result;
  for_each_document(paths, env, sources, sink, limits, ambiguity,
                    [&result](Document& document) { result.push_back(std::move(document)); });
  return result;
}

}  // namespace trainyard
