#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace trainyard {

/// Appends to a std::string through a bare pointer: one check of the room per piece, and no call
/// per byte. The string has its true size again when the buffer is gone.
class TextBuffer {
 public:
  explicit TextBuffer(std::string& out) : out_(out), used_(out.size()) {}
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;
  ~TextBuffer() { out_.resize(used_); }

  std::size_t size() const { return used_; }

  void put(char c) {
    room_for(1);
    out_[used_++] = c;
  }
  void put(std::string_view text) {
    if (text.empty()) return;
    room_for(text.size());
    std::memcpy(out_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void put_spaces(std::size_t count) {
    room_for(count);
    std::memset(out_.data() + used_, ' ', count);
    used_ += count;
  }

 private:
  static constexpr std::size_t kFirstStep = 4096;

  void room_for(std::size_t count) {
    if (out_.size() - used_ < count) grow(count);
  }
  void grow(std::size_t count) {
    step_ = step_ == 0 ? kFirstStep : 2 * step_;
    out_.resize(used_ + count + step_);
  }

  std::string& out_;
  std::size_t used_;
  std::size_t step_ = 0;
};

}  // namespace trainyard
