#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace trainyard {

/// A key, an item or a word of a YAML text, with its place.
struct OutlineNode {
  enum class Kind : std::uint8_t {
    Document,
    Entry,  // a key, with or without a value
    Item,   // of a list
    Word,   // a text that may become a key: `netw`
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  Kind kind = Kind::Document;
  std::uint32_t parent = kNone;
  std::uint32_t children = 0;
  std::uint32_t number = 0;  // among the items of its list
  std::size_t column = 0;    // of the key or the dash
  std::size_t begin = 0;     // of the key, the dash or the word
  std::size_t end = 0;
  std::size_t value = 0;  // the scalar or flow collection on its line; empty where there is none
  std::size_t value_end = 0;
  std::size_t last = 0;  // the end of all that is below it
};

/// The keys and items of a YAML text by its lines and indentation, also where it is half-typed and
/// no reader takes it. It knows no anchors, and believes what it sees: only the compiler judges.
class Outline {
 public:
  explicit Outline(std::string_view text);

  const std::vector<OutlineNode>& nodes() const { return nodes_; }
  const OutlineNode& operator[](std::uint32_t node) const { return nodes_[node]; }
  std::string_view text() const { return text_; }

  /// The innermost node whose key or value has the offset in it or at its end.
  std::optional<std::uint32_t> at(std::size_t offset) const;
  bool is_on_key(std::uint32_t node, std::size_t offset) const;
  /// Without quotes.
  std::string_view key(std::uint32_t node) const;
  std::string_view value(std::uint32_t node) const;

  std::uint32_t document_of(std::uint32_t node) const;
  std::optional<std::uint32_t> child(std::uint32_t parent, std::string_view key) const;
  /// The value of a key of a document: `kind`.
  std::string_view heading(std::uint32_t document, std::string_view key) const;
  /// From the one below the document to the node itself.
  std::vector<std::uint32_t> path(std::uint32_t node) const;

 private:
  std::string_view text_;
  std::vector<OutlineNode> nodes_;
};

/// A scalar as it is written, without its quotes.
std::string_view without_quotes(std::string_view scalar);

}  // namespace trainyard
