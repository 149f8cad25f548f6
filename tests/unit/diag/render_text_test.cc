#include <catch2/catch_test_macros.hpp>
#include <string>

#include "diag/render.h"
#include "growth.h"

using namespace trainyard;
using trainyard::testing::growth;
using trainyard::testing::kMostGrowth;

namespace {

/// Sources and diagnostics that name their places by the text that stands there.
struct Report {
  SourceMap sources;
  std::vector<Diagnostic> list;

  FileId file(std::string name, std::string text) {
    return sources.add(std::move(name), std::move(text));
  }
  Span find(FileId id, std::string_view what) const {
    const std::size_t at = sources.text(id).find(what);
    REQUIRE(at != std::string_view::npos);
    return {id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + what.size())};
  }
  Diagnostic& add(Span span, std::string message) {
    list.emplace_back(DiagnosticKind::UnknownField, span, std::move(message));
    return list.back();
  }
  std::string text(bool colour = false) const { return render_text(list, sources, colour); }
};

std::string without_escapes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a diagnostic shows its line with a caret under the span") {
  Report r;
  const FileId f = r.file("job.yaml", "spec:\n  gpuPerNode: 8\n");
  r.add(r.find(f, "gpuPerNode"), "unknown field `gpuPerNode`")
      .with_label("not a field of spec")
      .at("spec.gpuPerNode")
      .note("fields are listed by `trainyard explain spec`")
      .fix(r.find(f, "gpuPerNode"), "gpusPerNode", "write `gpusPerNode`");
  CHECK(r.text() ==
        "job.yaml:2:3: error: unknown field `gpuPerNode` [unknown-field]\n"
        " 2 |   gpuPerNode: 8\n"
        "   |   ^^^^^^^^^^ not a field of spec\n"
        "   = field: spec.gpuPerNode\n"
        "   = note: fields are listed by `trainyard explain spec`\n"
        "   = help: write `gpusPerNode`\n"
        " 2 -   gpuPerNode: 8\n"
        " 2 +   gpusPerNode: 8\n");
}

TEST_CASE("a diagnostic without a place is one line, and its remarks follow") {
  Report r;
  r.add({}, "no input").note("name a file\nor `-`");
  r.list.emplace_back(DiagnosticKind::UncheckedCel, Span{}, "2 rules");
  CHECK(r.text() ==
        "error: no input [unknown-field]\n"
        "   = note: name a file\n"
        "           or `-`\n"
        "\n"
        "note: 2 rules [unchecked-cel]\n");
}

TEST_CASE("labels of the same line stand below it, the main mark first") {
  Report r;
  const FileId f = r.file("a.yaml", "{one: 1, two: 2}\n");
  r.add(r.find(f, "two"), "m").with_label("here").also(r.find(f, "one"), "and here");
  CHECK(r.text() ==
        "a.yaml:1:10: error: m [unknown-field]\n"
        " 1 | {one: 1, two: 2}\n"
        "   |          ^^^ here\n"
        "   |  --- and here\n");
}

TEST_CASE("labels of other lines come in the order of the file, with a mark for what is left out") {
  Report r;
  const FileId f =
      r.file("a.yaml", "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\nh: 8\ni: 9\nj: 10\n");
  r.add(r.find(f, "b"), "m").also(r.find(f, "j"), "last").also(r.find(f, "a"), "first");
  CHECK(r.text() ==
        "a.yaml:2:1: error: m [unknown-field]\n"
        "  1 | a: 1\n"
        "    | - first\n"
        "  2 | b: 2\n"
        "    | ^\n"
        "    ...\n"
        " 10 | j: 10\n"
        "    | - last\n");
}

TEST_CASE("labels and fixes in other files have their own excerpts") {
  Report r;
  const FileId f = r.file("a.yaml", "a: 1\n");
  const FileId g = r.file("b.yaml", "\n\nb: 2\n");
  r.add(r.find(f, "a"), "m")
      .also(r.find(g, "b"), "there")
      .also({}, "nowhere")
      .fix(r.find(g, "2"), "3", "write 3");
  CHECK(r.text() ==
        "a.yaml:1:1: error: m [unknown-field]\n"
        " 1 | a: 1\n"
        "   | ^\n"
        "   ::: b.yaml:3:1\n"
        " 3 | b: 2\n"
        "   | - there\n"
        "   = note: nowhere\n"
        "   = help: write 3\n"
        "   ::: b.yaml:3:4\n"
        " 3 - b: 2\n"
        " 3 + b: 3\n");
}

TEST_CASE("a label without a main place still has its excerpt") {
  Report r;
  const FileId f = r.file("a.yaml", "a: 1\n");
  r.add({}, "m").also(r.find(f, "1"), "there");
  CHECK(r.text() ==
        "error: m [unknown-field]\n"
        "   ::: a.yaml:1:4\n"
        " 1 | a: 1\n"
        "   |    - there\n");
}

TEST_CASE("the caret lines up behind tabs, wide and combining characters") {
  Report r;
  const FileId f = r.file("a.yaml", "\tx\n日本 x\ne\xcc\x81 x\n");
  r.add({f, 1, 2}, "tab");
  r.add({f, 10, 11}, "wide");
  r.add({f, 16, 17}, "combining");
  CHECK(r.text() ==
        "a.yaml:1:2: error: tab [unknown-field]\n"
        " 1 |     x\n"
        "   |     ^\n"
        "\n"
        "a.yaml:2:4: error: wide [unknown-field]\n"
        " 2 | 日本 x\n"
        "   |      ^\n"
        "\n"
        "a.yaml:3:4: error: combining [unknown-field]\n"
        " 3 | e\xcc\x81 x\n"
        "   |   ^\n");
}

TEST_CASE("the underline of a wide character is two columns and never starts inside one") {
  Report r;
  const FileId f = r.file("a.yaml", "日本\n");
  r.add({f, 4, 6}, "m");
  CHECK(r.text() ==
        "a.yaml:1:3: error: m [unknown-field]\n"
        " 1 | 日本\n"
        "   |   ^^\n");
}

TEST_CASE("nothing in the source, the message or the file's name can command a terminal") {
  Report r;
  const FileId f = r.file("\x1b[2Ja.yaml", "k: \x1b]0;x\x07\xe2\x80\xae\xc2\x9b\xff\x7f\rz" +
                                               std::string(1, '\0') + "\n");
  r.add({f, 3, 4}, "found \x1b[31m\nfaked: error")
      .at("a\nb")
      .with_label("\x1b")
      .note("\x1b\r\t")
      .fix({f, 0, 1}, "\x1b", "\x07");
  const std::string text = r.text();
  CHECK(text ==
        "␛[2Ja.yaml:1:4: error: found ␛[31m␊faked: error [unknown-field]\n"
        " 1 | k: ␛]0;x␇<U+202E><U+009B>�␡␍z␀\n"
        "   |    ^ ␛\n"
        "   = field: a␊b\n"
        "   = note: ␛␍    \n"
        "   = help: ␇\n"
        " 1 - k: ␛]0;x␇<U+202E><U+009B>�␡␍z␀\n"
        " 1 + ␛: ␛]0;x␇<U+202E><U+009B>�␡␍z␀\n");
}

TEST_CASE("an empty span points at the place of insertion") {
  Report r;
  const FileId f = r.file("a.yaml", "ab\n");
  r.add({f, 1, 1}, "m").fix({f, 1, 1}, "X", "insert");
  CHECK(r.text() ==
        "a.yaml:1:2: error: m [unknown-field]\n"
        " 1 | ab\n"
        "   |  ^\n"
        "   = help: insert\n"
        " 1 - ab\n"
        " 1 + aXb\n");
}

TEST_CASE("the end of a file is shown at the end of its last line") {
  Report r;
  const FileId with = r.file("with", "ab\r\n");
  const FileId without = r.file("without", "ab");
  const FileId empty = r.file("empty", "");
  r.add({with, 4, 4}, "m").fix({with, 4, 4}, "c: 1\n", "add `c`");
  r.add({without, 2, 2}, "m");
  r.add({empty, 0, 0}, "m");
  r.add({empty, 70, 90}, "m");
  CHECK(r.text() ==
        "with:1:3: error: m [unknown-field]\n"
        " 1 | ab\n"
        "   |   ^\n"
        "   = help: add `c`\n"
        " 2 + c: 1\n"
        "\n"
        "without:1:3: error: m [unknown-field]\n"
        " 1 | ab\n"
        "   |   ^\n"
        "\n"
        "empty:1:1: error: m [unknown-field]\n"
        " 1 |\n"
        "   | ^\n"
        "\n"
        "empty:1:1: error: m [unknown-field]\n"
        " 1 |\n"
        "   | ^\n");
}

TEST_CASE("a span over several lines is marked to the end of the first") {
  Report r;
  const FileId f = r.file("a.yaml", "a: [1,\n 2]\n");
  r.add({f, 3, 10}, "m").with_label("list");
  r.add({f, 3, 7}, "the line break alone does not count");
  CHECK(r.text() ==
        "a.yaml:1:4: error: m [unknown-field]\n"
        " 1 | a: [1,\n"
        "   |    ^^^… list\n"
        "\n"
        "a.yaml:1:4: error: the line break alone does not count [unknown-field]\n"
        " 1 | a: [1,\n"
        "   |    ^^^\n");
}

TEST_CASE(
    "a word in quotes is replaced by one in quotes, and a number that should have none by one "
    "without") {
  Report r;
  const FileId f = r.file("a.json", R"({"restart":"Nevr","nodes":"3",'a': b})");
  r.add({}, "word").fix(r.find(f, R"("Nevr")"), "Never", "write `Never`");
  r.add({}, "key").fix(r.find(f, R"("restart")"), "restartPolicy", "write `restartPolicy`");
  r.add({}, "single").fix(r.find(f, "'a'"), "c", "write `c`");
  r.add({}, "number").fix(r.find(f, R"("3")"), "3", "write `3`");
  r.add({}, "boolean").fix(r.find(f, R"("3")"), "true", "write `true`");
  r.add({}, "plain").fix(r.find(f, "b"), "c", "write `c`");
  const std::string text = r.text();
  for (const char* line :
       {R"(+ {"restart":"Never","nodes":"3",'a': b})",
        R"(+ {"restartPolicy":"Nevr","nodes":"3",'a': b})",
        R"(+ {"restart":"Nevr","nodes":"3",'c': b})", R"(+ {"restart":"Nevr","nodes":3,'a': b})",
        R"(+ {"restart":"Nevr","nodes":true,'a': b})",
        R"(+ {"restart":"Nevr","nodes":"3",'a': c})"}) {
    INFO(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("a fix shows only the lines that it changes") {
  Report r;
  const FileId f = r.file("a.yaml", "a: 1\nb: 2\nc: 3\n");
  r.add({}, "delete").fix({f, 5, 10}, "", "remove `b`");
  r.add({}, "insert").fix({f, 5, 5}, "x: 0\n", "add `x`");
  r.add({}, "join").fix({f, 3, 8}, "", "join");
  r.add({}, "many").fix({f, 0, 1}, "1\n2\n3\n4\n5\n6\n7\n8", "write many");
  CHECK(r.text() ==
        "error: delete [unknown-field]\n"
        "   = help: remove `b`\n"
        "   ::: a.yaml:2:1\n"
        " 2 - b: 2\n"
        "\n"
        "error: insert [unknown-field]\n"
        "   = help: add `x`\n"
        "   ::: a.yaml:2:1\n"
        " 2 + x: 0\n"
        "\n"
        "error: join [unknown-field]\n"
        "   = help: join\n"
        "   ::: a.yaml:1:4\n"
        " 1 - a: 1\n"
        " 2 - b: 2\n"
        " 1 + a: 2\n"
        "\n"
        "error: many [unknown-field]\n"
        "   = help: write many\n"
        "   ::: a.yaml:1:1\n"
        " 1 - a: 1\n"
        " 1 + 1\n"
        " 2 + 2\n"
        " 3 + 3\n"
        " 4 + 4\n"
        " 5 + 5\n"
        " 6 + 6\n"
        "   ...\n");
}

TEST_CASE("a long line is cut around the caret") {
  Report r;
  const FileId f = r.file("a.yaml", std::string(200, 'a') + "XYZ" + std::string(200, 'b') + "\n");
  r.add({f, 200, 203}, "m").also({f, 0, 1}, "start").also({f, 402, 403}, "end");
  CHECK(r.text() ==
        "a.yaml:1:201: error: m [unknown-field]\n"
        " 1 | …" +
            std::string(30, 'a') + "XYZ" + std::string(67, 'b') + "…\n" + "   | " +
            std::string(31, ' ') + "^^^\n" + " 1 | " + std::string(100, 'a') + "…\n" +
            "   | - start\n" + " 1 | …" + std::string(100, 'b') + "\n" + "   | " +
            std::string(100, ' ') + "- end\n");
}

TEST_CASE("an underline that leaves the window ends in an ellipsis") {
  Report r;
  const FileId f = r.file("a.yaml", std::string(300, 'a'));
  r.add({f, 0, 300}, "m");
  CHECK(r.text() ==
        "a.yaml:1:1: error: m [unknown-field]\n"
        " 1 | " +
            std::string(100, 'a') + "…\n" + "   | " + std::string(100, '^') + "…\n");
}

TEST_CASE("a file of one line of ten megabytes with thousands of errors stays small") {
  Report r;
  const FileId f = r.file("a.yaml", std::string(10'000'000, '['));
  for (std::uint32_t i = 0; i < 2000; ++i) {
    r.add({f, i * 5000, 10'000'000}, "m")
        .also({f, 7, 8}, "x")
        .fix({f, i * 5000, i * 5000 + 1}, "]", "y");
  }
  CHECK(r.text().size() < 2000 * 1000);
  CHECK(render_json(r.list, r.sources).size() < 2000 * 2000);
}

TEST_CASE("the line of a file that is one is not counted through for each error") {
  const double found = growth(250, [](std::size_t errors) {
    Report r;
    const FileId f = r.file("a.yaml", std::string(errors * 5000, '['));
    for (std::uint32_t i = 0; i < errors; ++i) r.add({f, i * 5000, i * 5000 + 1}, "m");
    r.text();
  });
  CHECK(found < kMostGrowth);
}

TEST_CASE("a line of combining marks is cut though it has no width") {
  Report r;
  std::string text = "a";
  for (int i = 0; i < 100'000; ++i) text += "\xcc\x81";
  const FileId f = r.file("a.yaml", text);
  r.add({f, 0, 1}, "m");
  CHECK(r.text().size() < 3000);
}

TEST_CASE("a very long message is cut") {
  Report r;
  r.add({}, std::string(1'000'000, 'x'));
  CHECK(r.text().size() < 3000);
}

TEST_CASE("a note of very many lines is cut") {
  Report r;
  r.add({}, "m").note(std::string(51, '\n'));
  std::string expected = "error: m [unknown-field]\n   = note: \n";
  for (int i = 0; i < 49; ++i) expected += "           \n";
  CHECK(r.text() == expected + "           …\n");
}

TEST_CASE("any span into any bytes is rendered") {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(255 - i);
  bytes += "\xf0\x9f\x98\xf0\x9f\x98\x80\r\n\r\n";
  Report r;
  const FileId f = r.file("a.yaml", bytes);
  const auto size = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t begin = 0; begin <= size + 2; ++begin) {
    for (const std::uint32_t end : {begin, begin + 1, size, begin / 2}) {
      r.list.clear();
      r.add({f, begin, end}, "m").fix({f, begin, end}, "\xff", "f").also({f, end, begin}, "l");
      const std::string text = r.text();
      REQUIRE(text.starts_with("a.yaml:"));
      REQUIRE(text.find_first_of("\x1b\r\x7f\x01") == std::string::npos);
      REQUIRE(without_escapes(r.text(true)) == text);
      REQUIRE_FALSE(render_json(r.list, r.sources).empty());
    }
  }
}

TEST_CASE("colour adds escapes and changes nothing else") {
  Report r;
  const FileId f = r.file("a.yaml", "a: 1\nb: 2\nc: 3\n");
  r.add(r.find(f, "c"), "m")
      .with_label("l")
      .at("p")
      .also(r.find(f, "a"), "x")
      .note("n")
      .fix(r.find(f, "2"), "3", "h");
  r.add({}, "w").severity = Severity::Warning;
  r.add({}, "n").severity = Severity::Note;
  CHECK(r.text(true) != r.text());
  CHECK(without_escapes(r.text(true)) == r.text());
  CHECK(r.text(true).find("\x1b[1;31merror\x1b[0m: \x1b[1mm\x1b[0m [unknown-field]\n") !=
        std::string::npos);
  CHECK(r.text().find('\x1b') == std::string::npos);
}
