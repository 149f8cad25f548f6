#pragma once

#include <string>

namespace trainyard {

/// Why a path could not be read or written; `message` is in fixed words, lower case, because those
/// of the C library depend on the locale.
struct FileError {
  enum class Reason {
    NotFound,
    IsDirectory,
    NotPermitted,
    TooLarge,
    NotAFile,  // a link, a pipe or a device where a plain file is needed
    Other,     // the file system failed
  } reason = Reason::Other;
  std::string message;
};

/// The error of a number of `errno`.
FileError error_from(int code);

}  // namespace trainyard
