#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace trainyard {

/// A number as text, and the room for it.
class NumberText {
 public:
  explicit NumberText(std::int64_t number)
      : end_(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr) {}
  std::string_view view() const { return {digits_, static_cast<std::size_t>(end_ - digits_)}; }

 private:
  char digits_[24];
  char* end_;
};

}  // namespace trainyard
