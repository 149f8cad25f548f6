#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "source/descriptor.h"

namespace trainyard {

/// Whether an entry of a directory is, by its name, the staging directory of a run.
bool is_staging_name(std::string_view name);

/// A directory `.trainyard-<process>-<number>.tmp` in which one run puts new files before they take
/// their places, and old ones until all of them have. Locked while the run lives: that is how a
/// later run tells what a killed one has left.
class Staging {
 public:
  /// `folder` must outlive it.
  explicit Staging(const Descriptor& folder) : folder_(folder) {}
  Staging(const Staging&) = delete;
  /// Undoes what was not kept, and removes the directory.
  ~Staging();

  /// Removes what killed runs have left in the folder.
  static void sweep(const Descriptor& folder);

  std::optional<FileError> begin();
  /// Writes a new file with permissions `mode` (those of any new file for 0).
  std::optional<FileError> stage(std::string_view text, mode_t mode);
  /// Makes sure that what is staged outlives a power cut.
  std::optional<FileError> sync();
  /// Puts the `item`-th file that was staged to its place.
  std::optional<FileError> place(std::size_t item, int folder, const std::string& name);
  /// Takes a file away.
  std::optional<FileError> take(int folder, const std::string& name);
  /// All is in place.
  void keep() { done_.clear(); }

 private:
  enum class Step { Added, Exchanged, Taken };
  struct Done {
    Step step;
    int folder;
    std::string name;
    std::string staged;
  };
  void undo(const Done& done);

  const Descriptor& folder_;
  Descriptor directory_;
  std::string name_;
  std::vector<Descriptor> files_;  // few are synchronised one by one
  std::size_t staged_ = 0;
  std::size_t taken_ = 0;
  std::vector<Done> done_;
};

}  // namespace trainyard
