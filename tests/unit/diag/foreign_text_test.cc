#include "diag/foreign_text.h"

#include <catch2/catch_test_macros.hpp>

#include "diag/glyph.h"

using namespace trainyard;

TEST_CASE("foreign text does nothing to a terminal") {
  CHECK(foreign_text("a\x1b[2Jb") == "a␛[2Jb");
  CHECK(foreign_text("a\xe2\x80\xae"
                     "b") == "a<U+202E>b");
  CHECK(foreign_text("a\nb\rc") == "a␊b␍c");
  CHECK(foreign_text("a\xff") == "a\xef\xbf\xbd");
  CHECK(foreign_text("deploy/größe.yaml") == "deploy/größe.yaml");
}

TEST_CASE("foreign lines keep their breaks and tabs, and nothing else that a terminal obeys") {
  CHECK(foreign_lines("a:\tb\n\x1b]0;title\x07\r\n") == "a:\tb\n␛]0;title␇␍\n");
  const std::string long_line(5000, 'x');
  CHECK(printable_lines(long_line + "\n") == long_line + "\n");
}

TEST_CASE("foreign text shows no secret") {
  CHECK(foreign_text("wrote ghp_" + std::string(36, 'a') + ".yaml") == "wrote ••••.yaml");
  CHECK(foreign_lines("a: 1\npassword: hunter2word\n") == "a: 1\npassword: ••••\n");
}
