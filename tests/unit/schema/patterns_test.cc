#include "schema/patterns.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

TEST_CASE("the amounts that definitions take are those of their pattern, however they are seen") {
  const std::string pattern =
      R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";
  const std::string another = pattern + "()";  // the same language, and not known by sight
  Patterns patterns;
  std::size_t matches = 0;
  std::size_t texts = 0;
  for (const char* number : {"", "0", "8", "08", "64", "1.5", ".5", "1.", "+1", "-1", "1e3", "e"}) {
    for (const char* unit :
         {"",   "n",  "u",  "m",  "k",  "K",  "M", "G",   "T",   "P",   "E",  "Ki", "Mi",
          "Gi", "Ti", "Pi", "Ei", "mi", "ki", "i", "Gib", "Gi ", " Gi", "\n", "x"}) {
      const std::string text = std::string(number) + unit;
      INFO("`" << text << "`");
      const Patterns::Result result = patterns.match(pattern, text);
      CHECK(result == patterns.match(another, text));
      matches += result == Patterns::Result::Match;
      ++texts;
    }
  }
  CHECK(matches > texts / 4);
  CHECK(matches < texts);
}
