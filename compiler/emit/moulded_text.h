#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/arena.h"
#include "tree/yaml_writer.h"

namespace trainyard {

/// What the texts of objects of one form have in common: the text of the first ones, and where its
/// scalars stand.
struct FormText {
  std::string text;
  std::vector<ScalarPlace> scalars;  // in the order of the text
};

/// A scalar that a text has in place of that of its form.
struct OtherScalar {
  std::uint32_t scalar = 0;  // index in FormText::scalars
  std::uint32_t size = 0;    // of its own text, in bytes
};

/// The text of a form with other scalars in it: these, by rising index, whose own texts stand in
/// `texts` one after the other.
struct FilledForm {
  const FormText* form = nullptr;
  std::span<const OtherScalar> others;
  std::string_view texts;

  /// Bytes of it.
  std::size_t size() const;
  /// Writes it to where there is room for it; gives the place behind it.
  char* write(char* to) const;
};

/// A long text of many parts. Parts of a known form are held as what they have of their own, and
/// put together when they are written: of the text of a fleet that is a sixth, and memory that is
/// new to a process costs as much as filling it.
class MouldedText {
 public:
  MouldedText() = default;
  MouldedText(MouldedText&&) = default;
  MouldedText& operator=(MouldedText&&) = default;

  std::size_t parts() const { return parts_.size(); }

  void add(std::string_view text);
  /// Adds the text of `form` with these in it.
  void add(std::shared_ptr<const FormText> form, std::span<const OtherScalar> others,
           std::string_view texts);
  /// Adds the parts of another text behind its own.
  void add(MouldedText&& other);

  /// Bytes of a part when it is written.
  std::size_t size(std::size_t part) const { return parts_[part].size; }
  /// Writes a part to where there is room for it; gives the place behind it.
  char* write(std::size_t part, char* to) const;

 private:
  struct Part {
    std::shared_ptr<const FormText> form;  // null: `texts` is all
    std::span<const OtherScalar> others;
    std::string_view texts;
    std::size_t size = 0;
  };

  std::span<const OtherScalar> kept(std::span<const OtherScalar> others);

  std::vector<Part> parts_;
  std::vector<Arena> memory_;  // of what the parts have of their own; the last one is filled
};

}  // namespace trainyard
