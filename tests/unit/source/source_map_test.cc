#include "source/source_map.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("a position is one-based and counts code points") {
  SourceMap sources;
  const FileId file = sources.add("a.yaml", "one\nzwölf: 2\n\nlast");
  CHECK(sources.position(file, 0).line == 1);
  CHECK(sources.position(file, 0).column == 1);
  const Position after_umlaut = sources.position(file, 8);  // the `l` behind the two bytes of `ö`
  CHECK(after_umlaut.line == 2);
  CHECK(after_umlaut.column == 4);
  CHECK(sources.position(file, 1000).line == 4);
  CHECK(sources.position(file, 1000).column == 5);
}

TEST_CASE("a line has no line break, neither LF nor CRLF") {
  SourceMap sources;
  const FileId file = sources.add("a.yaml", "one\r\ntwo\n");
  CHECK(sources.line(file, 1) == "one");
  CHECK(sources.line(file, 2) == "two");
  CHECK(sources.line(file, 3).empty());
  CHECK(sources.line(file, 99).empty());
  CHECK(sources.line_count(file) == 2);
}

TEST_CASE("spans stay valid while files are added") {
  SourceMap sources;
  const FileId first = sources.add("a", "alpha");
  const std::string_view text = sources.text(Span{first, 0, 5});
  for (int i = 0; i < 1000; ++i) sources.add("b", "x");
  CHECK(text == "alpha");
  CHECK(sources.text(Span{first, 2, 400}) == "pha");
}

TEST_CASE("columns are right in lines longer than a block, also behind an earlier long line") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "aö";
  text += '\n';
  for (int i = 0; i < 5000; ++i) text += "日";
  SourceMap sources;
  const FileId file = sources.add("a.yaml", text);
  CHECK(sources.position(file, 14997).column == 9999);
  CHECK(sources.position(file, 15001 + 3 * 4999).line == 2);
  CHECK(sources.position(file, 15001 + 3 * 4999).column == 5000);
  CHECK(sources.position(file, 8192).column == sources.position(file, 8191).column + 1);
  CHECK(sources.position(file, 0xffffffff).column == 5001);
}
