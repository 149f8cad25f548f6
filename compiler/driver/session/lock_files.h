#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/session/read_root.h"
#include "source/origin.h"
#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

struct Session;
struct ObjectSet;

/// The name under which a lock file is found.
inline constexpr std::string_view kLockName = "trainyard.lock";

/// What a lock file says of one image.
struct LockedImage {
  std::string_view digest;  // `sha256:...`
  Span place;               // of the digest in the file
};

/// A lock file that was read.
struct LockFile {
  std::string path;
  Tree tree;
  std::map<std::string, LockedImage, std::less<>> images;  // by the image as specs spell it
  bool sound = false;
  std::vector<Diagnostic> faults;  // of one that is not sound
};

/// How a run wants images to be pinned.
struct LockSettings {
  std::string file;       // of `--lock`; "" to look for one beside each spec and above
  bool off = false;       // `--no-lock`
  bool required = false;  // `--locked`: an image without a digest is an error
};

/// The lock files of a run, each read once.
struct Locks {
  LockSettings settings;
  std::map<std::string, std::unique_ptr<LockFile>> by_path;
  std::map<std::string, std::string> by_folder;  // what was found there; "" for none
};

/// An image in finished objects.
struct ImageUse {
  NodeId node = kNoNode;  // the text that names it, or the end of its name
  std::string image;
  std::size_t elsewhere = 0;  // characters of the name that stand in another text
};

/// The images of containers, of volumes, and of the kinds that name them elsewhere.
std::vector<ImageUse> images_of(const ObjectSet& objects);
/// Whether an image is named by its digest.
bool has_digest(std::string_view image);
/// `sha256:` and 64 digits, lower case; or the same for sha512.
bool is_digest(std::string_view text);

/// Holds the text of a lock file to its schema. What is wrong goes to the session's sink.
void check_lock(Session& session, const Tree& lock);

/// Reads a lock file. It is not sound, with errors in the session's sink, when it is wrong, or when
/// a search found a link out of the root.
std::unique_ptr<LockFile> read_lock(Session& session, const std::string& path, NamedBy named_by);

/// Gives the images of a job's objects the digests that the lock file for its spec has:
/// `name:tag@sha256:...`. Errors go to the session's sink.
void pin_images(Session& session, const std::string& spec_path, ObjectSet& objects,
                Origins& origins);

}  // namespace trainyard
