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
    copy(out_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void put_spaces(std::size_t count) {
    // As many as nearly always do are written by a few instructions; what is too many is
    // overwritten.
    room_for(count < kFewSpaces ? kFewSpaces : count);
    char* const to = out_.data() + used_;
    count <= kFewSpaces ? std::memset(to, ' ', kFewSpaces) : std::memset(to, ' ', count);
    used_ += count;
  }

 private:
  static constexpr std::size_t kFirstStep = 4096;
  static constexpr std::size_t kFewSpaces = 32;

  /// Most pieces are words: those are copied without a call, by two moves that may overlap.
  static void copy(char* to, const char* from, std::size_t size) {
    if (size > 16) {
      std::memcpy(to, from, size);
    } else if (size >= 8) {
      ends<8>(to, from, size);
    } else if (size >= 4) {
      ends<4>(to, from, size);
    } else {
      for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
    }
  }
  template <std::size_t width>
  static void ends(char* to, const char* from, std::size_t size) {
    char first[width];
    char last[width];
    std::memcpy(first, from, width);
    std::memcpy(last, from + size - width, width);
    std::memcpy(to, first, width);
    std::memcpy(to + size - width, last, width);
  }

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
