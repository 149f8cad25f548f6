#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct LockRequest {
  std::vector<std::string> inputs;  // files, directories, `-`
  std::string cluster;              // as in a build
  std::string target;
  std::string file;                  // the lock file; "" for the nearest one, else a new one
  std::vector<std::string> digests;  // `IMAGE=DIGEST`
  std::string from;                  // a file of such lines, or `-`; "" for none
  bool check = false;                // write nothing
  bool prune = false;                // drop what no image of the inputs needs
};

struct LockResult {
  std::string path;                      // of the lock file
  std::vector<std::string> missing;      // images that have no digest then, sorted
  std::vector<std::string> unused;       // images of the file that no job of the inputs has
  std::vector<std::string> wrong_words;  // what is wrong with a digest that was given
  bool written = false;
};

/// Notes in a lock file the digests that the user gives for images of the jobs of the inputs. No
/// registry is asked. Nothing is written when anything is wrong, or nothing changes.
LockResult lock_images(Session& session, const LockRequest& request);

}  // namespace trainyard
