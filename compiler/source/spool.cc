#include "source/spool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace trainyard {

Spool::Piece Spool::add(std::string_view text) {
  if (may_store_ && recent_.size() + text.size() > room_) store();
  const Piece piece{stored_ + recent_.size(), text.size()};
  recent_ += text;
  return piece;
}

void Spool::store() {
  if (file_ == nullptr) file_.reset(std::tmpfile());
  std::size_t done = 0;
  while (file_ != nullptr && done < recent_.size()) {
    const ssize_t count = ::pwrite(::fileno(file_.get()), recent_.data() + done,
                                   recent_.size() - done, static_cast<off_t>(stored_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  may_store_ = file_ != nullptr && done == recent_.size();
  stored_ += done;
  recent_.erase(0, done);
}

char* Spool::copy(Piece piece, char* to) const {
  while (piece.size > 0 && piece.begin < stored_) {
    const std::size_t wanted = std::min<std::uint64_t>(piece.size, stored_ - piece.begin);
    const ssize_t count =
        ::pread(::fileno(file_.get()), to, wanted, static_cast<off_t>(piece.begin));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw std::system_error(count < 0 ? errno : EIO, std::generic_category(),
                              "a temporary file cannot be read");
    }
    to += count;
    piece.begin += static_cast<std::uint64_t>(count);
    piece.size -= static_cast<std::size_t>(count);
  }
  return to + (piece.size == 0 ? 0 : recent_.copy(to, piece.size, piece.begin - stored_));
}

std::string Spool::text(Piece piece) const {
  std::string result(piece.size, '\0');
  copy(piece, result.data());
  return result;
}

}  // namespace trainyard
