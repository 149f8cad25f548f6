#include "driver/session/inputs.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "driver/session/config.h"
#include "driver/session/walked_inputs.h"
#include "emit/ownership.h"
#include "emit/provenance.h"
#include "rules/rule_context.h"
#include "source/glob.h"

namespace trainyard {
namespace {

bool is_document(std::string_view name) {
  if (name.ends_with(kProvenanceSuffix)) return false;  // what `build` writes beside its output
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

/// Whether a walk would not come by: the file or a folder on the way to it is hidden.
bool is_hidden(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.starts_with('.') && part != "." && part != "..") return true;
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
  return false;
}

/// Whether a line begins with this key, in quotes or not.
bool is_line_of(std::string_view line, std::string_view key) {
  const std::string_view quote = line.substr(0, line.find_first_not_of("\"'"));
  line.remove_prefix(quote.size());
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  if (line.starts_with(quote)) line.remove_prefix(quote.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.starts_with(':');
}

constexpr std::string_view kCloudFormation = "AWSTemplateFormatVersion:";

/// Whether a JSON text has `"kind": "Job"`. That of another program may have the word alone, such
/// as the vocabulary of a tokenizer, and what Python prints has `'kind': 'Job'`.
bool names_kind(std::string_view text) {
  constexpr std::string_view kKind = "\"kind\"";
  for (std::size_t at = text.find(kKind); at != text.npos; at = text.find(kKind, at + 1)) {
    const std::size_t value = text.find_first_not_of("\" \t:", at + kKind.size());
    if (value != text.npos && text[value] >= 'A' && text[value] <= 'Z') return true;
  }
  return false;
}

/// Whether a text may hold a Kubernetes object or a document of ours. Says yes where it cannot tell
/// without reading the text as YAML.
bool may_be_manifest(std::string_view text) {
  const bool has_version = text.find("apiVersion") != std::string_view::npos;
  if (!has_version && text.find("kind") == std::string_view::npos) return false;
  if (!has_version && text.starts_with('{')) return names_kind(text);
  // Of CloudFormation: its tags and the manifests within its texts are none of ours.
  if (text.find(kCloudFormation) != text.npos &&
      (text.starts_with(kCloudFormation) ||
       text.find("\n" + std::string(kCloudFormation)) != text.npos)) {
    return false;
  }
  // Of cloud-init, which splits one file into several.
  if (text.starts_with("MIME-Version:") || text.starts_with("Content-Type: multipart/")) {
    return false;
  }
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("---") && line.find_first_not_of(" \t\r", 3) != line.npos) return true;
    constexpr std::string_view kOtherWays = "{?&!\xef";  // flow, explicit keys, marks
    if (!line.empty() && kOtherWays.find(line.front()) != kOtherWays.npos) return true;
    if (is_line_of(line, "apiVersion") || is_line_of(line, "kind")) return true;
  }
  return false;
}

/// A file that a merge left as one branch had it (`trainyard merge-driver`).
void report_unmerged(const SourceMap& sources, FileId file, Sink& sink) {
  const std::string_view text = sources.text(file);
  const std::string_view mark = unmerged_mark(text);
  if (mark.empty()) return;
  const auto begin = static_cast<std::uint32_t>(mark.data() - text.data());
  sink.report(DiagnosticKind::ConflictMarker,
              {file, begin, begin + static_cast<std::uint32_t>(mark.size())},
              "two branches changed this generated file, and Git kept the text of one of them")
      .note("`trainyard render` writes what the merged specs make");
}

/// Reports what a reader said of a file that is no manifest.
void pass_over(const Sink& reading, Sink& sink) {
  const auto conflict = [](const Diagnostic& each) {
    return each.kind == DiagnosticKind::ConflictMarker;
  };
  for (const Diagnostic& each : reading.all()) {
    if (conflict(each)) sink.report(each);
  }
  const auto fault = std::ranges::find_if_not(reading.all(), conflict);
  if (fault == reading.all().end()) return;
  Diagnostic note = *fault;
  note.severity = Severity::Note;
  note.note("the file holds nothing like a Kubernetes object; Trainyard ignores it");
  sink.report(std::move(note));
}

/// Patterns begin with the real path of the folder of the config that has them. Of a link, they fit
/// its own path or the one that it leads to.
bool is_excluded(const std::string& path, const Env& env) {
  if (env.excluded.empty()) return false;
  const std::string folder = folder_of(path);
  const auto of_folder = env.files.real_path(folder.empty() ? "." : folder);
  const std::string own = of_folder.value_or(folder) + '/' + path.substr(folder.size());
  const std::string real = env.files.real_path(path).value_or(path);
  return std::ranges::any_of(env.excluded, [&](const std::string& each) {
    return fits_glob(each, real) || fits_glob(each, own);
  });
}

/// Goes through a directory and all below it.
class DirectoryWalk {
 public:
  using Wanted = std::function<bool(const std::string&)>;

  DirectoryWalk(const std::string& directory, Env& env, Sink& sink, const Wanted& wanted)
      : env_(env), sink_(sink), wanted_(wanted), roots_(env) {
    root_ = roots_.of_folder(directory.ends_with('/') ? directory : directory + '/');
    folder(directory, 0);
  }

  std::vector<std::string> found;

 private:
  static constexpr int kDeepest = 64;

  void folder(const std::string& path, int depth) {
    // A directory that links lead to again, such as its own parent, counts once.
    if (depth > kDeepest || !visited_.insert(env_.files.real_path(path).value_or(path)).second) {
      return;
    }
    const std::string prefix = path.ends_with('/') ? path : path + '/';
    const Listing listing = env_.files.list(path);
    if (listing.error) report_unreadable(path, *listing.error, {}, sink_);
    for (const std::string& name : listing.names) {
      if (name == kConfigName) report_ignored_config(prefix + name, env_, sink_);
      if (name.starts_with('.')) continue;
      const bool is_directory = name.ends_with('/');
      const std::string whole = prefix + name.substr(0, name.size() - (is_directory ? 1 : 0));
      if (!is_directory && !wanted_(whole)) continue;
      if (listing.is_link(name) && (leads_nowhere(whole) || leads_out(whole, is_directory))) {
        continue;
      }
      if (is_directory) {
        folder(whole, depth + 1);
      } else {
        found.push_back(whole);
      }
    }
  }

  /// A link whose file is gone, or is in another checkout.
  bool leads_nowhere(const std::string& path) {
    if (env_.files.exists(path)) return false;
    Diagnostic report(DiagnosticKind::FileNotFound, {},
                      code(path) + " is a link to a file that is not there; Trainyard ignores it");
    report.severity = Severity::Note;
    sink_.report(std::move(report));
    return true;
  }

  bool leads_out(const std::string& path, bool is_directory) {
    const auto real = env_.files.real_path(path);
    if (env_.load_outside || !real || root_.holds(*real)) return false;
    if (is_excluded(path, env_)) return true;
    Diagnostic report(DiagnosticKind::OutsideRoot, {},
                      code(path) + " is a link to " + code(*real) + ", outside of " +
                          roots_.described(root_) +
                          (is_directory ? ": it is not followed" : ": it is not read"));
    if (is_directory) report.severity = Severity::Warning;
    report.note("`--load-outside` reads what links lead to");
    sink_.report(std::move(report));
    return true;
  }

  Env& env_;
  Sink& sink_;
  const Wanted& wanted_;
  ReadRoots roots_;
  ReadRoot root_;
  std::set<std::string> visited_;
};

}  // namespace

void report_unreadable(const std::string& path, const FileError& error, Span asked_by, Sink& sink) {
  DiagnosticKind kind = DiagnosticKind::FileUnreadable;
  if (error.reason == FileError::Reason::NotFound) kind = DiagnosticKind::FileNotFound;
  if (error.reason == FileError::Reason::TooLarge) kind = DiagnosticKind::FileTooLarge;
  if (error.reason == FileError::Reason::Other) kind = DiagnosticKind::InputFailed;
  sink.report(kind, asked_by, "`" + path + "`: " + error.message);
}

bool is_walked_input(const std::string& path, const Env& env) {
  return is_document(path) && !is_excluded(path, env);
}

std::vector<std::string> files_below(const std::string& directory, Env& env, Sink& sink,
                                     const std::function<bool(const std::string&)>& wanted) {
  DirectoryWalk walk(directory, env, sink, wanted);
  std::ranges::sort(walk.found);
  return std::move(walk.found);
}

std::vector<std::string> expand_paths(const std::vector<std::string>& paths, Env& env, Sink& sink) {
  std::vector<std::string> result;
  note_directories(env, paths);
  for (const std::string& path : paths) {
    if (path == "-" || !env.files.is_directory(path)) {
      if (!is_excluded(path, env)) result.push_back(path);
      continue;
    }
    const std::size_t errors = sink.error_count();
    std::vector<std::string> found = files_below(
        path, env, sink, [&env](const std::string& each) { return is_walked_input(each, env); });
    if (found.empty() && sink.error_count() == errors) {
      sink.report(DiagnosticKind::NoInput, {}, "no YAML or JSON file below `" + path + "`");
    }
    std::ranges::move(found, std::back_inserter(result));
  }
  return result;
}

std::vector<std::string> files_inside(const std::string& directory, Env& env, Sink& sink,
                                      std::vector<std::string>& links) {
  const ReadRoot inside{ReadRoot::Sort::Directory, env.files.real_path(directory).value_or("")};
  std::vector<std::string> result;
  for (std::string& path : expand_paths({directory}, env, sink)) {
    const auto real = env.files.real_path(path);
    (real && !inside.holds(*real) ? links : result).push_back(std::move(path));
  }
  return result;
}

namespace {

/// YAML ends a line at a lone carriage return, too: go-yaml/yaml yamlprivateh.go is_break. The
/// readers see a line feed in its place, so all offsets stay.
void end_lines_at_returns(std::string& text) {
  for (std::size_t at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') text[at] = '\n';
  }
}

}  // namespace

FileId read_source(const std::string& path, Env& env, SourceMap& sources, Sink& sink,
                   const ReadLimits& limits, NamedBy named_by, Span asked_by) {
  const bool is_stdin = path == "-";
  const Accept accept = named_by == NamedBy::CommandLine ? Accept::Stream : Accept::RegularFile;
  FileRead read =
      is_stdin ? env.read_stdin(limits.bytes) : env.files.read(path, limits.bytes, accept);
  if (read.error) {
    report_unreadable(is_stdin ? "<stdin>" : path, *read.error, asked_by, sink);
    return kNoFile;
  }
  end_lines_at_returns(read.text);
  return sources.add(is_stdin ? "<stdin>" : path, std::move(read.text));
}

std::vector<InputPart> input_files(const std::vector<std::string>& paths, Env& env, Sink& sink,
                                   NamedInputs named_inputs) {
  const std::set<std::string_view> named(paths.begin(), paths.end());
  std::vector<InputPart> files;
  for (std::string& path : expand_paths(paths, env, sink)) {
    bool from_directory = !named.contains(path);
    if (!from_directory && named_inputs == NamedInputs::AsWalked && path != "-") {
      if (is_hidden(path) || !is_document(path)) continue;
      from_directory = true;
    }
    files.push_back({std::move(path), from_directory, kNoFile, {}});
  }
  return files;
}

std::vector<InputPart> open_inputs(const std::vector<std::string>& paths, Env& env,
                                   SourceMap& sources, Sink& sink, const ReadLimits& limits,
                                   NamedInputs named_inputs) {
  std::vector<InputPart> files = input_files(paths, env, sink, named_inputs);
  for (InputPart& each : files) {
    each.file = read_source(each.path, env, sources, sink, limits, each.named_by());
  }
  std::erase_if(files, [](const InputPart& each) { return each.file == kNoFile; });
  return files;
}

PartRead for_each_document_of(const InputPart& input, Env& env, SourceMap& sources, Sink& sink,
                              const ReadLimits& limits, Ambiguity ambiguity,
                              const std::function<void(Document&)>& use) {
  PartRead result{input.file, {}};
  if (result.file == kNoFile) {
    result.file = read_source(input.path, env, sources, sink, limits, input.named_by());
  }
  if (result.file == kNoFile) return result;
  if (!input.part || input.part->begin == 0) report_unmerged(sources, result.file, sink);
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
  const bool is_other = input.from_directory && !may_be_manifest(sources.text(result.file));
  Sink reading;
  Sink& used = is_other ? reading : sink;
  if (input.part) {
    result.part = read_yaml_part(sources, result.file, *input.part, used, limits, ambiguity, take);
  } else {
    read_each_yaml(sources, result.file, used, limits, ambiguity, take);
  }
  if (is_other) pass_over(reading, sink);
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
