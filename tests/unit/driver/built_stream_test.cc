// A stream that is written block by block.
#include "driver/build/built_stream.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace trainyard;

namespace {

BuiltStream stream_of(std::string head, const std::vector<std::string>& texts) {
  Spool spool;
  std::vector<Spool::Piece> parts;
  for (const std::string& text : texts) parts.push_back(spool.add(text));
  return {std::move(head), std::move(spool), std::move(parts)};
}

/// As a command writes it.
std::string written(BuiltStream& stream) {
  std::string all;
  for (std::string_view text = stream.next(); !text.empty(); text = stream.next()) all += text;
  return all;
}

}  // namespace

TEST_CASE("a stream has its head and then its parts in their order", "[driver]") {
  BuiltStream stream = stream_of("# head\n", {"three\n", "one\n", "two\n"});
  CHECK_FALSE(stream.empty());
  CHECK(stream.whole() == "# head\nthree\none\ntwo\n");
  CHECK(written(stream) == "# head\nthree\none\ntwo\n");
  CHECK(stream.next().empty());
}

TEST_CASE("a part may be longer than all that is written at once", "[driver]") {
  const std::string small(1000, 'a');
  const std::string large(3'000'000, 'b');
  std::vector<std::string> texts(200, small);
  texts[100] = large;
  std::string wanted = "head";
  for (const std::string& text : texts) wanted += text;
  BuiltStream stream = stream_of("head", texts);
  CHECK(stream.whole() == wanted);
  CHECK(written(stream) == wanted);
}

TEST_CASE("a stream of nothing is empty", "[driver]") {
  BuiltStream none;
  CHECK(none.empty());
  CHECK(none.whole().empty());
  CHECK(none.next().empty());
  BuiltStream head = stream_of("# head\n", {});
  CHECK(written(head) == "# head\n");
}
