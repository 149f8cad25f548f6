#include "driver/format/difference.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

TEST_CASE("equal texts have no difference") {
  CHECK(difference("a", "b", "one\ntwo\n", "one\ntwo\n").empty());
  CHECK(difference("a", "b", "", "").empty());
}

TEST_CASE("a changed line comes with three lines of context") {
  CHECK(difference("old", "new", "1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nX\n6\n7\n8\n") ==
        "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
}

TEST_CASE("a file that appears or goes is all plus or all minus") {
  CHECK(difference("/dev/null", "new", "", "a\nb\n") ==
        "--- /dev/null\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(difference("old", "/dev/null", "a\n", "") ==
        "--- old\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
}

TEST_CASE("changes far apart are hunks of their own, with line numbers that count both sides") {
  std::string old_text;
  for (int i = 1; i <= 30; ++i) old_text += std::to_string(i) + "\n";
  std::string new_text = "0\n" + old_text;
  new_text.replace(new_text.find("25\n"), 3, "");
  CHECK(difference("o", "n", old_text, new_text) ==
        "--- o\n+++ n\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n"
        "@@ -22,7 +23,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n");
}

TEST_CASE("a last line without a line break is marked as such") {
  CHECK(difference("o", "n", "a", "a\n") ==
        "--- o\n+++ n\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST_CASE("a difference shows no secret") {
  CHECK(difference("o", "n", "DB_PASSWORD: hunter2xyz\n", "DB_PASSWORD: hunter3xyz\n") ==
        "--- o\n+++ n\n@@ -1,1 +1,1 @@\n-DB_PASSWORD: ••••\n+DB_PASSWORD: ••••\n");
}

TEST_CASE("a difference shows no secret that only the lines around it tell") {
  const std::string head = "kind: Secret\nmetadata:\n  name: a\n";
  const std::string rest = "#\n#\n#\nstringData:\n  one: hunter2xyz\n";
  const std::string shown = difference("o", "n", head + rest + "a:  1\n", head + rest + "a: 1\n");
  CHECK(shown.find("hunter2xyz") == std::string::npos);
  CHECK(shown.find("   one: ••••\n-a:  1\n+a: 1\n") != std::string::npos);
}

TEST_CASE("a secret of several lines leaves a difference its lines") {
  const std::string key =
      "a: |\n  -----BEGIN PRIVATE KEY-----\n  abc\n  -----END PRIVATE KEY-----\n";
  CHECK(difference("o", "n", key + "b:  1\n", key + "b: 1\n") ==
        "--- o\n+++ n\n@@ -2,4 +2,4 @@\n   ••••\n   ••••\n   ••••\n-b:  1\n+b: 1\n");
}

TEST_CASE("a difference shows no secret that is written with escapes") {
  const std::string token = "ghp_" + std::string(36, 'a');
  CHECK(difference("o", "n", "a: \"\\x67" + token.substr(1) + "\"\n", "a: " + token + "\n") ==
        "--- o\n+++ n\n@@ -1,1 +1,1 @@\n-a: \"••••\"\n+a: ••••\n");
}

TEST_CASE("a changed line is reported with the line that it takes the place of") {
  const auto lines = [](std::string_view before, std::string_view after) {
    std::string all;
    for (const ChangedLine& each : changed_lines(before, after)) {
      all += std::to_string(each.old_line) + ">" + std::to_string(each.new_line) + " ";
    }
    return all;
  };
  CHECK(lines("a\nb\nc\n", "a\nX\nc\n") == "2>2 ");
  CHECK(lines("a\nb\nc\nd\n", "a\nX\nY\nd\n") == "2>2 3>3 ");
  CHECK(lines("a\nb\n", "a\nX\nY\nb\n") == "2>2 2>3 ");
  CHECK(lines("a\nb\nc\n", "a\nc\nX\n") == "4>3 ");
  CHECK(lines("a\nb\n", "a\n").empty());
  CHECK(lines("a\n", "a\n").empty());
}
