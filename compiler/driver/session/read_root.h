#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/session/env.h"
#include "source/span.h"

namespace trainyard {

struct Session;

/// Who named a file. What the command line names may be anywhere, and may be a pipe or a device.
/// What a document names, or a search finds, must be a regular file below a root.
enum class NamedBy : std::uint8_t { CommandLine, Document };

/// The folder below which everything must lie that a document names.
///
/// It is the first of these that exists, with symbolic links resolved:
///   1. the nearest folder, at or above the document's, that has a `.git`;
///   2. the directory of the command line below which the document lies;
///   3. the document's own folder.
/// The folder of standard input is the one in which the program was called.
///
/// The root holds for all that reads files on behalf of a document: `extends`, policies, schemas
/// and the Cluster of a config file, policies of a Cluster, staged files, maps of causes. A config
/// or lock file that is found must lie below it, too, and so must each file of an input directory.
/// `--load-outside` lifts the limit.
struct ReadRoot {
  enum class Sort : std::uint8_t { Repository, Directory, Folder } sort = Sort::Folder;
  std::string path;  // absolute, without links and without a slash at its end, except of `/`

  /// Whether a path, absolute and without links, is the root or lies below it.
  bool holds(std::string_view real) const;
};

/// Finds roots, and asks the file system once for each folder and each path.
class ReadRoots {
 public:
  explicit ReadRoots(Env& env) : env_(&env) {}

  /// The root of a document, by its path as it was given; `-` for standard input.
  const ReadRoot& of_document(const std::string& document);
  /// The root for what lies in a folder; "" is the folder in which the program was called.
  const ReadRoot& of_folder(const std::string& folder);

  /// Where a path leads that `document` names; `path` starts where the program was called.
  struct Place {
    bool allowed = true;
    std::string real;  // where a link leads; "" where the path has none, or nothing is there
  };
  Place place_of(const std::string& document, const std::string& path);

  /// The highest folder in which a search upward from `folder` looks, absolute: that of the
  /// repository; else the one in which the program was called, where `folder` is below it; else the
  /// root.
  std::string top_of_search(const std::string& folder);

  /// The absolute path without links; nothing when nothing is there.
  const std::optional<std::string>& real_path(const std::string& path);

  /// As messages call a root: "the repository `..`", from the folder in which the program was
  /// called.
  std::string described(const ReadRoot& root);

 private:
  /// The nearest folder with a `.git`, at or above an absolute one; "" for none.
  const std::string& repository_of(const std::string& real);
  /// Without links as far as it exists, the rest by its text.
  std::string lexical(const std::string& path);

  Env* env_;
  std::map<std::string, ReadRoot> by_folder_;
  std::map<std::string, std::string> repositories_;
  std::map<std::string, std::optional<std::string>> real_;
};

/// With its slash at the end; "" for the folder that the program was called in.
std::string folder_of(std::string_view path);

/// Notes which of these inputs are directories: roots of what lies below them.
void note_directories(Env& env, const std::vector<std::string>& inputs);

/// What is wrong when `document` names a path that is not below its root; nothing when it may.
std::optional<Diagnostic> outside_root(Session& session, const std::string& document,
                                       const std::string& path, Span asked_by);
/// Whether a document may name this path. Reports at `asked_by`, or at no place, when it may not.
bool may_read(Session& session, const std::string& document, const std::string& path,
              Span asked_by);

}  // namespace trainyard
