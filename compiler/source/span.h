#pragma once

#include <cstdint>

namespace trainyard {

/// Index of a file in a SourceMap.
using FileId = std::uint32_t;
inline constexpr FileId kNoFile = 0xffffffff;

/// A half-open range of bytes in one file. Line and column are computed only by a renderer.
struct Span {
  FileId file = kNoFile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool known() const { return file != kNoFile; }
  std::uint32_t size() const { return end - begin; }
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace trainyard
