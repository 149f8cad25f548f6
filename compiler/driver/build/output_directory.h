#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/build/kustomization_entries.h"
#include "driver/build/run_sources.h"
#include "driver/session/session.h"
#include "emit/artifact.h"
#include "emit/ownership.h"
#include "source/spool.h"

namespace trainyard {

/// What one job comes to in an output directory.
struct JobOutput {
  std::string name;    // of its file, without `.yaml`; may begin with folders
  std::string ns;      // "" where the job leaves it to `kubectl`
  std::string source;  // as its record says it
  std::string text;    // its objects, below a sealed record
  std::string map;     // its map of causes; "" when none is wanted
  FileCauses causes = {};
};

/// The same with its texts in a spool.
struct KeptOutput {
  std::string name;
  std::string ns;
  Spool::Piece text;
  Spool::Piece map;
  FileCauses causes;
};

/// A file that is to be in the directory.
struct OutputFile {
  std::string path;  // below the directory
  Spool::Piece text;
  FileCauses causes = {};
};

/// The files of these jobs, sorted. A job has `<name>.yaml`; jobs of one name in several namespaces
/// have `<namespace>.<name>.yaml`.
std::vector<OutputFile> lay_out(std::vector<KeptOutput> jobs);

/// What a run does with a file in its output directory. "Made" is a file that the run makes.
///
///   state       what the file is                                made        not made
///   Absent      not there                                       written     -
///   Current     what the run makes, but for its line breaks     left        -
///   Ours        its source is among the inputs, text intact *   replaced    removed
///   Edited      its text is not the recorded one                error       kept, told
///   Others      its source is not among the inputs              error       kept, told
///   Unrecorded  has our header alone: an older trainyard's      error **    kept, told
///   Foreign     has no header of ours                           error       left
///
///   *  in the tree of a fleet: the record names the fleet
///   ** replaced where the record is all that is new
///
/// A run that prunes takes Edited, Others and Unrecorded for Ours. What is removed must also stand
/// in kustomization.yaml, if there is one: a file that does not is a copy. When more than half of
/// the files with our header in one folder would go, and more than one, the user has to agree.
///
/// kustomization.yaml belongs to all runs into the directory: it lists what this run makes, and of
/// what it listed before that which stays. One that was edited is left alone as long as it lists
/// just that; else it is an error, unless it has entries alone and loses nothing. So a build
/// resolves a conflict of Git in it. A run that lists nothing removes it. A map of causes goes with
/// the file that it is of.
enum class FileState { Absent, Current, Ours, Edited, Others, Unrecorded, Foreign };

/// The part of an output directory that belongs to a fleet.
struct FleetTree {
  std::string fleet;                 // its name, which the files record
  std::vector<std::string> folders;  // below the directory: nothing else is looked at; "" for all
};

struct OutputRequest {
  std::string path;
  std::optional<FleetTree> tree;  // folders of files, without a kustomization
  bool maps = false;              // maps of causes are among the files
  bool prune = false;             // all with our header is ours
  bool yes = false;               // to remove more than half
  bool findings = false;          // of a check
  bool kustomization = true;      // list the files in a kustomization.yaml
};

/// An output directory and what is to be in it.
class OutputDirectory {
 public:
  OutputDirectory(Session& session, OutputRequest request, RunSources sources,
                  std::vector<OutputFile> files, Spool spool);
  OutputDirectory(const OutputDirectory&) = delete;

  struct Changes {
    std::vector<std::string> written;  // paths
    std::vector<std::string> removed;
    std::vector<std::string> kept;
    std::vector<std::string> told;  // a line for people about each that is kept
  };
  /// Brings the directory up to date: all of it, or nothing of it with errors in the sink.
  Changes write();

  struct Check {
    std::string difference;            // what `write` would change, as a diff; "" when nothing
    std::vector<std::string> told;     // a line for each file, with why
    std::vector<Diagnostic> findings;  // one for each file, when they are asked for
  };
  Check check();

 private:
  /// A file in the directory, or one that is to be there.
  struct Look {
    FileState state = FileState::Absent;
    bool has_header = false;
    bool has_conflict = false;  // an unresolved one of Git
    std::string source;         // that is recorded
    std::string fleet;          // the same
  };

  bool open(FolderUse use);
  bool look();
  void list_folder(std::set<std::string, std::less<>>& names);
  void list_tree(const std::string& folder, int depth, std::set<std::string, std::less<>>& names);
  bool is_of_this_run(const Owner& owner) const;
  std::string origin_of(const Look& look) const;
  Look look_at(const std::string& name, const OutputFile* made);
  Look look_at_map(const std::string& name, const std::string& text, const OutputFile* made) const;
  bool may_be_removed(const std::string& name, const Look& look) const;
  void choose_stale();
  void choose_stale_maps();
  void make_kustomization();
  void drop_kustomization();
  bool lists_rightly(const std::vector<std::string>& wanted) const;
  void report_conflicts();
  void refuse_great_loss();
  void refuse_changed_claims();
  void tell_kept(Changes& changes) const;
  std::vector<const OutputFile*> to_write() const;
  void check_file(const std::string& name, const OutputFile* made, Check& result);
  std::string full(std::string_view name) const;
  void failed(std::string_view name, const FileError& error);

  Session& session_;
  OutputRequest request_;
  RunSources sources_;
  std::vector<OutputFile> files_;
  Spool spool_;                                         // of their texts
  std::map<std::string_view, const OutputFile*> made_;  // by name
  std::unique_ptr<Folder> folder_;                      // null where there is none yet
  std::map<std::string, Look, std::less<>> looks_;      // by name; of files that may be ours
  std::optional<KustomizationEntries> listed_;          // of the kustomization that is there
  std::vector<std::string> stale_;                      // to be removed
  std::optional<OutputFile> kustomization_;             // when there is to be one
  bool broken_ = false;                                 // the directory cannot be read
};

}  // namespace trainyard
