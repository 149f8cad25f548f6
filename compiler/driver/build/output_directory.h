#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"
#include "emit/artifact.h"

namespace trainyard {

/// What one job comes to in an output directory.
struct JobOutput {
  std::string name;
  std::string ns;      // "" where the job leaves it to `kubectl`
  std::string text;    // its objects
  std::string causes;  // its map of causes; "" when none is wanted
};

/// The files of these jobs, sorted, and the kustomization that lists them. A job has `<name>.yaml`;
/// jobs of one name in several namespaces have `<namespace>.<name>.yaml`.
std::vector<Artifact> lay_out(std::vector<JobOutput> jobs);

/// An output directory and what is to be in it.
class OutputDirectory {
 public:
  /// With `maps`, maps of causes are among the files; without, those that lie there belong to
  /// someone's earlier call and are left alone as long as they are right.
  OutputDirectory(Session& session, std::string path, std::vector<Artifact> files, bool maps);
  OutputDirectory(const OutputDirectory&) = delete;

  struct Changes {
    std::vector<std::string> written;  // paths
    std::vector<std::string> removed;
    bool failed = false;  // a file could not be written
  };
  /// Brings the directory up to date. Nothing is touched when a file of someone else is in the way.
  Changes write();

  /// What `write` would change, as a diff; "" when nothing.
  std::string difference() const;

 private:
  std::string full(std::string_view name) const;
  std::string on_disk(std::string_view name) const;
  bool is_current(const Artifact& file) const;
  bool is_ours(std::string_view name) const;
  bool outlived_its_file(std::string_view map) const;
  std::vector<std::string> stale() const;
  bool nothing_foreign();
  void failed(std::string_view name, const FileError& error, Changes& changes);

  Session& session_;
  std::string path_;
  std::vector<Artifact> files_;
  std::map<std::string_view, const Artifact*> made_;  // by name
  bool maps_;
};

}  // namespace trainyard
