#pragma once

#include <memory>
#include <string>
#include <vector>

#include "source/descriptor.h"
#include "source/held_signals.h"
#include "source/staging.h"

namespace trainyard {

/// A directory of the machine. Every step is taken from the open directory, so that a directory
/// which becomes a link meanwhile leads to nothing else.
class RealFolder : public Folder {
 public:
  /// With `sweep`, removes what killed runs have left in a directory that is opened for writing.
  static OpenedFolder open(const std::string& path, FolderUse use, bool sweep = true);
  ~RealFolder() override;

  Listing list() override { return list_all(directory_); }
  FileRead read(const std::string& name, std::size_t limit) override;
  std::optional<FailedChange> change(std::span<const FileChange> changes) override;

 private:
  /// The directory that a name is in, and the last part of the name.
  struct Place {
    int folder = -1;
    std::string name;
    std::optional<FileError> error;
  };
  Place find(const std::string& name, bool make);
  std::optional<FileError> make(const std::string& path);
  std::optional<FileError> lock();
  std::optional<FailedChange> stage_and_settle(std::span<const FileChange> changes,
                                               const HeldSignals& signals);
  std::optional<FailedChange> stage(const FileChange& change, Staging& staging);
  std::optional<FailedChange> settle(std::span<const FileChange> changes, Staging& staging);
  void remove_made();
  void close_below();

  struct NewFolder {
    int parent;
    std::string name;
  };

  Descriptor directory_;
  std::vector<std::string> made_;         // paths of directories above, and its own
  std::vector<NewFolder> new_folders_;    // below it, made for a change
  std::vector<Descriptor> below_;         // opened for a change, or to read
  std::vector<std::string> below_names_;  // theirs
};

}  // namespace trainyard
