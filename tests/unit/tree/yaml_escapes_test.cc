#include "tree/yaml_escapes.h"

#include <catch2/catch_test_macros.hpp>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

TEST_CASE("the escapes for next line and no-break space are read as UTF-8") {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("a.yaml", "k: \"\xc3\x85\\N\xe2\x82\xa0\\_\\\\N\"\n");
  const std::vector<Tree> documents = read_yaml(sources, file, sink);
  REQUIRE_FALSE(sink.has_errors());
  REQUIRE(documents.size() == 1);
  const View root(documents[0], documents[0].root());
  CHECK(root["k"].text() == "\xc3\x85\xc2\x85\xe2\x82\xa0\xc2\xa0\\N");
}

TEST_CASE("such an escape is distinguished from an escaped backslash") {
  CHECK(has_latin1_escape(R"(\N)"));
  CHECK(has_latin1_escape(R"(a\\\_)"));
  CHECK_FALSE(has_latin1_escape(R"(\\N)"));
  CHECK_FALSE(has_latin1_escape(R"(\n)"));
  CHECK_FALSE(has_latin1_escape("\\"));
  CHECK_FALSE(has_latin1_escape(""));
}

}  // namespace
}  // namespace trainyard
