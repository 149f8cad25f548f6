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

/// A directory that links lead to again, such as its own parent, counts once.
void walk(const std::string& directory, Env& env, std::set<std::string>& visited,
          std::vector<std::string>& found) {
  if (!visited.insert(env.files.real_path(directory).value_or(directory)).second) return;
  const std::string prefix = directory.ends_with('/') ? directory : directory + '/';
  for (const std::string& name : env.files.list(directory)) {
    if (name.starts_with('.')) continue;
    if (name.ends_with('/')) {
      walk(prefix + name.substr(0, name.size() - 1), env, visited, found);
    } else if (is_document(name) && !is_excluded(prefix + name, env)) {
      found.push_back(prefix + name);
    }
  }
}

void report_unreadable(const std::string& path, const FileError& error, Span asked_by, Sink& sink) {
  DiagnosticKind kind = DiagnosticKind::FileUnreadable;
  if (error.reason == FileError::Reason::NotFound) kind = DiagnosticKind::FileNotFound;
  if (error.reason == FileError::Reason::TooLarge) kind = DiagnosticKind::FileTooLarge;
  sink.report(kind, asked_by, "`" + path + "`: " + error.message);
}

}  // namespace

std::vector<std::string> expand_paths(const std::vector<std::string>& paths, Env& env, Sink& sink) {
  std::vector<std::string> result;
  for (const std::string& path : paths) {
    if (path == "-" || !env.files.is_directory(path)) {
      if (!is_excluded(path, env)) result.push_back(path);
      continue;
    }
    const std::size_t before = result.size();
    std::set<std::string> visited;
    walk(path, env, visited, result);
    std::sort(result.begin() + static_cast<std::ptrdiff_t>(before), result.end());
    if (result.size() == before) {
      sink.report(DiagnosticKind::NoInput, {}, "no YAML or JSON file below `" + path + "`");
    }
  }
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
