#include "shell/word_view.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "diag/sink.h"
#include "shell/command_line.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// The text of the source at each word of the script under `a`; "-" where it is not known.
std::string places(const std::string& yaml) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("a.yaml", yaml);
  const std::vector<Tree> trees = read_yaml(sources, file, sink);
  REQUIRE(trees.size() == 1);
  std::string all;
  for (const ShellWord& word : argument_words({View(trees[0], trees[0].root())["a"]})) {
    if (word.text == "\n") continue;
    const auto span = place_of_word(word.at, sources);
    const Position at = span ? sources.position(file, span->begin) : Position();
    all += span ? std::to_string(at.line) + ":" + std::to_string(at.column) + " " +
                      std::string(sources.text(*span)) + "; "
                : "-; ";
  }
  return all;
}

}  // namespace

TEST_CASE("a word of a script has the place where it is written") {
  CHECK(places("a: |\n  set -e\n  # set\n\n    b --c=1 \\\n  'd e'\n") ==
        "2:3 set; 2:7 -e; 5:5 b; 5:7 --c=1; 6:3 'd e'; ");
  CHECK(places("a: >-\n  b  c\n  d\n\n  e\n") == "2:3 b; 2:6 c; 3:3 d; 5:3 e; ");
  CHECK(places("a: \"set; b 'c d'\"\n") == "1:5 set; 1:10 b; 1:12 'c d'; ");
  CHECK(places("a: b c\n  d # e\n") == "1:4 b; 1:6 c; 2:3 d; ");
  CHECK(places("a: |\r\n  b\r\n  c\r\n") == "2:3 b; 3:3 c; ");
}

TEST_CASE("no place is made up for a word that the source writes otherwise") {
  CHECK(places("a: \"b \\u0063 \\n d\"\n") == "1:5 b; -; -; ");
  CHECK(places("a: 'b ''c'' d'\n") == "1:5 b; -; -; ");
}

TEST_CASE("an argument that is one word is known as a whole") {
  CHECK(places("a: --nnodes=2\n") == "-; ");
}
