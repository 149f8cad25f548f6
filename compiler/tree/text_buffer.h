#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace trainyard {

/// Appends to a std::string through a bare pointer: one check of the room per piece, and no call
/// per byte. The string has its true size again when the buffer is gone.
class TextBuffer {
 public:
  explicit TextBuffer(std::string& out) : out_(out), at_(out.data() + out.size()), end_(at_) {}
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;
  ~TextBuffer() { out_.resize(size()); }

  std::size_t size() const { return static_cast<std::size_t>(at_ - out_.data()); }

  void put(char c) {
    room_for(1);
    *at_++ = c;
  }
  void put(std::string_view text) {
    if (text.empty()) return;
    room_for(text.size());
    copy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put_spaces(std::size_t count) {
    // As many as nearly always do are written by a few instructions; what is too many is
    // overwritten.
    room_for(count < kFewSpaces ? kFewSpaces : count);
    count <= kFewSpaces ? std::memset(at_, ' ', kFewSpaces) : std::memset(at_, ' ', count);
    at_ += count;
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
    if (static_cast<std::size_t>(end_ - at_) < count) grow(count);
  }
  void grow(std::size_t count) {
    const std::size_t used = size();
    step_ = step_ == 0 ? kFirstStep : 2 * step_;
    out_.resize(used + count + step_);
    at_ = out_.data() + used;
    end_ = out_.data() + out_.size();
  }

  std::string& out_;
  char* at_;   // where the next piece goes
  char* end_;  // of the room
  std::size_t step_ = 0;
};

}  // namespace trainyard
