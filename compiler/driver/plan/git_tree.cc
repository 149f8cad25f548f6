#include "driver/plan/git_tree.h"

#include <string_view>
#include <utility>

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "emit/provenance.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

/// The folder in which git is called for a path, and the path from there; "" for the folder itself.
struct GitPlace {
  std::string folder;
  std::string name;
};

GitPlace place_of(Session& session, const std::string& path) {
  if (session.env.files.is_directory(path)) return {path, ""};
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string first_line(std::string_view text) {
  return foreign_text(text.substr(0, text.find('\n')));
}

/// Reports a call that failed where it should not have.
void report_failure(Session& session, const GitRun& run) {
  if (run.code == -1) {
    session.sink.report(DiagnosticKind::InputFailed, {}, "`git` cannot be started: " + run.err)
        .note("`--git` needs Git; `--old DIR` compares with a directory");
  } else {
    session.sink.report(DiagnosticKind::InputFailed, {}, "`git` failed: " + first_line(run.err));
  }
}

/// The hash of a commit; "" and an error where there is none.
std::string commit_of(Session& session, const RunGit& git, const std::string& folder,
                      const std::string& word) {
  const GitRun run = git(
      {"-C", folder, "rev-parse", "--verify", "--quiet", "--end-of-options", word + "^{commit}"},
      "");
  if (run.code == 0 && !run.out.empty()) return run.out.substr(0, run.out.find('\n'));
  if (run.code == -1) {
    report_failure(session, run);
  } else {
    session.sink
        .report(DiagnosticKind::UnknownReference, {},
                "the repository of " + shown(folder) + " has no commit " + shown(word))
        .note("in CI, fetch it first: a shallow clone has the last commit alone");
  }
  return {};
}

bool is_document(std::string_view path) {
  for (std::string_view rest = path; !rest.empty();) {
    if (rest.starts_with('.')) return false;  // hidden
    const std::size_t slash = rest.find('/');
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  if (path.ends_with(kProvenanceSuffix)) return false;
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

/// An entry of a tree of Git.
struct GitFile {
  std::string hash;
  std::string path;
};

/// `100644 blob HASH\tPATH` and a zero byte for each.
std::vector<GitFile> files_in(std::string_view listing) {
  std::vector<GitFile> files;
  while (!listing.empty()) {
    const std::string_view entry = listing.substr(0, listing.find('\0'));
    listing.remove_prefix(std::min(entry.size() + 1, listing.size()));
    const std::size_t tab = entry.find('\t');
    if (tab == std::string_view::npos || !entry.starts_with("100")) continue;
    const std::string_view path = entry.substr(tab + 1);
    const std::string_view words = entry.substr(0, tab);
    if (!is_document(path)) continue;
    files.push_back({std::string(words.substr(words.rfind(' ') + 1)), std::string(path)});
  }
  return files;
}

/// The next answer of `cat-file --batch`: `HASH blob SIZE`, the bytes, and a line break.
std::optional<std::string_view> next_blob(std::string_view& rest) {
  const std::string_view head = rest.substr(0, rest.find('\n'));
  const std::string_view digits = head.substr(std::min(head.rfind(' ') + 1, head.size()));
  const auto size = read_number<std::size_t>(digits);
  const std::size_t begin = head.size() + 1;
  if (!size || begin + *size >= rest.size()) return std::nullopt;
  const std::string_view text = rest.substr(begin, *size);
  rest.remove_prefix(begin + *size + 1);
  return text;
}

}  // namespace

GitRange git_range(const std::string& word) {
  const std::size_t dots = word.find("..");
  if (dots == std::string::npos) return {word, "", false};
  const bool three = word.compare(dots, 3, "...") == 0;
  const std::string before = word.substr(0, dots);
  const std::string after = word.substr(dots + (three ? 3 : 2));
  return {before.empty() ? "HEAD" : before, after.empty() ? "HEAD" : after, three};
}

std::optional<GitCommits> git_commits(Session& session, const RunGit& git, const std::string& path,
                                      const GitRange& range) {
  const std::string folder = place_of(session, path).folder;
  const GitRun repository = git({"-C", folder, "rev-parse", "--git-dir"}, "");
  if (repository.code != 0) {
    if (repository.code == -1) {
      report_failure(session, repository);
    } else {
      session.sink
          .report(DiagnosticKind::UnknownReference, {}, shown(path) + " is in no Git repository")
          .note("git says: " + first_line(repository.err));
    }
    return std::nullopt;
  }
  GitCommits commits{commit_of(session, git, folder, range.before), ""};
  if (!range.after.empty()) commits.after = commit_of(session, git, folder, range.after);
  if (commits.before.empty() || commits.after.empty() != range.after.empty()) return std::nullopt;
  if (!range.from_merge_base) return commits;
  const GitRun base = git({"-C", folder, "merge-base", commits.before, commits.after}, "");
  if (base.code != 0) {
    session.sink.report(
        DiagnosticKind::UnknownReference, {},
        shown(range.before) + " and " + shown(range.after) + " have no commit in common");
    return std::nullopt;
  }
  commits.before = base.out.substr(0, base.out.find('\n'));
  return commits;
}

std::vector<InputPart> git_inputs(Session& session, const RunGit& git, const std::string& path,
                                  const std::string& commit, const std::string& word) {
  const GitPlace place = place_of(session, path);
  std::vector<std::string> list = {"-C", place.folder, "ls-tree", "-r", "-z", commit};
  if (!place.name.empty()) list.insert(list.end(), {"--", place.name});
  const GitRun listing = git(list, "");
  if (listing.code != 0) {
    report_failure(session, listing);
    return {};
  }
  const std::vector<GitFile> files = files_in(listing.out);
  std::string asked;
  for (const GitFile& each : files) asked += each.hash + "\n";
  const GitRun blobs = git({"-C", place.folder, "cat-file", "--batch"}, asked);
  std::vector<InputPart> inputs;
  std::string_view rest = blobs.out;
  for (const GitFile& each : files) {
    const auto text = blobs.code == 0 ? next_blob(rest) : std::nullopt;
    if (!text) {
      report_failure(session, blobs);
      return {};
    }
    const std::string folder = place.folder == "." ? "" : place.folder + "/";
    const std::string name = word + ":" + folder + each.path;
    inputs.push_back({name, place.name.empty(), session.sources.add(name, std::string(*text)), {}});
  }
  return inputs;
}

}  // namespace trainyard
