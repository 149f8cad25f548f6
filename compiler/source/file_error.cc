#include "source/file_error.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

namespace trainyard {
namespace {

using Reason = FileError::Reason;

struct Known {
  int code;
  Reason reason;
  std::string_view message;
};

constexpr Known kKnown[] = {
    {ENOENT, Reason::NotFound, "no such file or directory"},
    {ENOTDIR, Reason::NotFound, "a part of the path is not a directory"},
    {EISDIR, Reason::IsDirectory, "is a directory"},
    {EACCES, Reason::NotPermitted, "permission denied"},
    {EPERM, Reason::NotPermitted, "permission denied"},
    {ELOOP, Reason::NotAFile, "too many symbolic links"},
    {ENOSPC, Reason::Other, "no space left on the device"},
    {EDQUOT, Reason::Other, "the disk quota is used up"},
    {EFBIG, Reason::Other, "the file is larger than the limit of the system"},
    {EROFS, Reason::Other, "the file system is read-only"},
    {ENAMETOOLONG, Reason::Other, "the file name is too long"},
    {EMFILE, Reason::Other, "too many open files"},
    {ENFILE, Reason::Other, "too many open files"},
    {EIO, Reason::Other, "input/output error"},
    {EINTR, Reason::Other, "interrupted"},
    {EWOULDBLOCK, Reason::Other, "another trainyard has been writing there for too long"},
};

}  // namespace

FileError error_from(int code) {
  const Known* known = std::ranges::find(kKnown, code, &Known::code);
  if (known == std::end(kKnown)) return {Reason::Other, "system error " + std::to_string(code)};
  return {known->reason, std::string(known->message)};
}

}  // namespace trainyard
