#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// What a call of `git` came to.
struct GitRun {
  int code = -1;  // of its exit; -1 where it could not be started
  std::string out;
  std::string err;
};
/// Calls `git` with these arguments and this standard input. It reads only, and opens no
/// connection.
using RunGit =
    std::function<GitRun(const std::vector<std::string>& arguments, const std::string& input)>;

/// What a user compares: the state before, and the state after where that is none of the work tree.
struct GitRange {
  std::string before;
  std::string after;  // "" for the files as they are
  bool from_merge_base = false;
};
/// `main`, `main..HEAD` or `main...HEAD`; an empty side is HEAD, as Git has it.
GitRange git_range(const std::string& word);

/// The commits of a range, as hashes, in the repository of `path`. Nothing, and an error in the
/// session's sink, where `path` is in no repository, or has no such commit.
struct GitCommits {
  std::string before;
  std::string after;  // "" for none
};
std::optional<GitCommits> git_commits(Session& session, const RunGit& git, const std::string& path,
                                      const GitRange& range);

/// What a directory or file held at a commit: its YAML and JSON files, named `WORD:path`, where
/// `word` is how the user called the commit. Links and hidden files are passed over.
std::vector<InputPart> git_inputs(Session& session, const RunGit& git, const std::string& path,
                                  const std::string& commit, const std::string& word);

}  // namespace trainyard
