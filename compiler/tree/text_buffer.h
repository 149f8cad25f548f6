#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace trainyard {

namespace text_buffer {

template <std::size_t width>
void copy_ends(char* to, std::string_view text) {
  char first[width];
  char last[width];
  std::memcpy(first, text.data(), width);
  std::memcpy(last, text.data() + text.size() - width, width);
  std::memcpy(to, first, width);
  std::memcpy(to + text.size() - width, last, width);
}

}  // namespace text_buffer

/// Copies `text` to where there is room for it; gives the place behind it. Most pieces of a
/// document are words: those are copied without a call, by two moves that may overlap.
inline char* copy_text(char* to, std::string_view text) {
  if (text.size() > 32) {
    std::memcpy(to, text.data(), text.size());
  } else if (text.size() >= 16) {
    text_buffer::copy_ends<16>(to, text);
  } else if (text.size() >= 8) {
    text_buffer::copy_ends<8>(to, text);
  } else if (text.size() >= 4) {
    text_buffer::copy_ends<4>(to, text);
  } else {
    for (std::size_t i = 0; i < text.size(); ++i) to[i] = text[i];
  }
  return to + text.size();
}

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
    at_ = copy_text(at_, text);
  }
  /// A text and one more character.
  void put(std::string_view text, char after) {
    room_for(text.size() + 1);
    at_ = copy_text(at_, text);
    *at_++ = after;
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

  void room_for(std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) < count) grow(count);
  }
  [[gnu::cold]] void grow(std::size_t count) {
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
