#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// Texts that a run keeps until its end, when it knows that all is good. They are in memory while
/// they are few, and then in a temporary file without a name, so that memory does not grow with
/// them. Where there is no such file, or its disk is full, they stay in memory.
class Spool {
 public:
  /// Where a text is.
  struct Piece {
    std::uint64_t begin = 0;
    std::size_t size = 0;
  };

  /// `room` is how many bytes stay in memory.
  explicit Spool(std::size_t room = std::size_t{8} << 20U) : room_(room) {}

  Piece add(std::string_view text);
  /// Copies a text to `to`, which has room for it; returns its end there. Throws std::system_error
  /// when the file cannot be read.
  char* copy(Piece piece, char* to) const;
  std::string text(Piece piece) const;

  /// Bytes in memory.
  std::size_t in_memory() const { return recent_.size(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void store();

  std::size_t room_;
  std::string recent_;        // what is not in the file
  std::uint64_t stored_ = 0;  // bytes in the file, which come before
  bool may_store_ = true;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace trainyard
