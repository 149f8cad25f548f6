#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emit/moulded_text.h"

namespace trainyard {

/// The objects of all jobs as one stream, which is put together while it is written.
class BuiltStream {
 public:
  BuiltStream() = default;
  /// `head`, and then the parts of `text` in this order.
  BuiltStream(std::string head, MouldedText text, std::vector<std::size_t> order);

  bool empty() const { return head_.empty() && order_.empty(); }
  /// All of it.
  std::string whole() const;
  /// The next bytes of it, good until the next call; none at the end. Asks for no more memory.
  std::string_view next();

 private:
  std::string head_;
  MouldedText text_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;          // in `order_`
  std::unique_ptr<char[]> room_;  // of what `next` gives
  std::size_t room_size_ = 0;
};

}  // namespace trainyard
