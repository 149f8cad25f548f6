#include "editor/text_positions.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "editor/file_uri.h"
#include "editor/open_documents.h"

using namespace trainyard;

TEST_CASE("a position outside of the text is at its nearest end") {
  const std::string text = "ab\ncd";
  const LineIndex lines(text);
  CHECK(lines.offset(text, {0, 99}, PositionUnit::Utf16) == 2);
  CHECK(lines.offset(text, {7, 0}, PositionUnit::Utf16) == 5);
  CHECK(lines.position(text, 99, PositionUnit::Utf16) == EditorPosition{1, 2});
}

TEST_CASE("characters are counted in the unit that was agreed on") {
  const std::string text = "a\xC3\xA9\xF0\x9F\x98\x80z";  // a, é, an emoji, z
  const LineIndex lines(text);
  CHECK(lines.position(text, 7, PositionUnit::Utf16).character == 4);
  CHECK(lines.position(text, 7, PositionUnit::Utf8).character == 7);
  CHECK(lines.position(text, 7, PositionUnit::Utf32).character == 3);
  for (const PositionUnit unit : {PositionUnit::Utf16, PositionUnit::Utf8, PositionUnit::Utf32}) {
    for (const std::size_t offset : {0UL, 1UL, 3UL, 7UL, 8UL}) {
      CHECK(lines.offset(text, lines.position(text, offset, unit), unit) == offset);
    }
  }
  // Within the emoji: at its beginning.
  CHECK(lines.offset(text, {0, 3}, PositionUnit::Utf16) == 3);
}

TEST_CASE("a line ends with any line break") {
  const std::string text = "a\r\nb\rc\n\nd";
  const LineIndex lines(text);
  CHECK(lines.count() == 5);
  CHECK(lines.position(text, 3, PositionUnit::Utf8) == EditorPosition{1, 0});
  CHECK(lines.position(text, 2, PositionUnit::Utf8) == EditorPosition{0, 1});
  CHECK(lines.position(text, 5, PositionUnit::Utf8) == EditorPosition{2, 0});
  CHECK(lines.position(text, 8, PositionUnit::Utf8) == EditorPosition{4, 0});
}

TEST_CASE("paths and URIs lead to each other") {
  CHECK(path_of_uri("file:///a/b%20c/%C3%A9.yaml") == "/a/b c/\xC3\xA9.yaml");
  CHECK(uri_of_path("/a/b c/\xC3\xA9.yaml") == "file:///a/b%20c/%C3%A9.yaml");
  CHECK(path_of_uri("untitled:Untitled-1") == "untitled:Untitled-1");
  CHECK(path_of_uri("file:///a%zz%2") == "/a%zz%2");
  CHECK(path_of_uri("file://host/a") == "/a");
}

TEST_CASE("a change of a document that is not open changes nothing") {
  MemoryFileSystem disk;
  OpenDocuments documents(disk);
  CHECK(documents.change("file:///a", 2, {std::nullopt, {}, "x"}, PositionUnit::Utf16) == nullptr);
}

TEST_CASE("changes replace the text between two positions") {
  MemoryFileSystem disk;
  disk.files["a.yaml"] = "on disk";
  OpenDocuments documents(disk);
  documents.open("file:///a.yaml", 1, "one\ntwo\n");
  const auto change = [&](std::optional<EditorPosition> begin, EditorPosition end,
                          std::string_view text) {
    return documents.change("file:///a.yaml", 2, {begin, end, text}, PositionUnit::Utf16)->text;
  };
  CHECK(change(EditorPosition{0, 3}, {1, 0}, "-") == "one-two\n");
  CHECK(change(EditorPosition{0, 7}, {0, 7}, "!") == "one-two!\n");
  CHECK(change(EditorPosition{0, 5}, {0, 2}, "x") ==
        "one-txwo!\n");  // the end before the beginning
  CHECK(change(std::nullopt, {}, "all") == "all");
  CHECK(documents.read("/a.yaml", 100).text == "all");
  CHECK(documents.read("/b/../a.yaml", 100).text == "all");
  CHECK(documents.read("/a.yaml", 2).error->reason == FileError::Reason::TooLarge);
  documents.close("file:///a.yaml");
  CHECK(documents.read("/a.yaml", 100).text == "on disk");
}
