#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace trainyard {

/// An enumeration of the language: `words(E{})` lists how its values are written, in their order.
template <class E>
concept Word = std::is_enum_v<E> && requires(E value) {
  { words(value) } -> std::convertible_to<std::span<const std::string_view>>;
};

/// How a value is written.
template <Word E>
std::string_view spelling(E value) {
  return words(value)[static_cast<std::size_t>(value)];
}

/// The value that is written so.
template <Word E>
std::optional<E> from_spelling(std::string_view text) {
  const std::span<const std::string_view> all = words(E{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace trainyard
