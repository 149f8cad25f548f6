#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/spool.h"

namespace trainyard {

/// The objects of all jobs as one stream, written a block at a time.
class BuiltStream {
 public:
  BuiltStream() = default;
  /// `head`, and then `parts` of the spool, one for each job, in this order.
  BuiltStream(std::string head, Spool spool, std::vector<Spool::Piece> parts);

  bool empty() const { return head_.empty() && parts_.empty(); }
  /// All of it.
  std::string whole() const;
  /// The next bytes of it, good until the next call; none at the end. Asks for no more memory.
  std::string_view next();

 private:
  std::string head_;
  Spool spool_;
  std::vector<Spool::Piece> parts_;
  std::size_t next_ = 0;          // in `parts_`
  std::unique_ptr<char[]> room_;  // of what `next` gives
  std::size_t room_size_ = 0;
};

}  // namespace trainyard
