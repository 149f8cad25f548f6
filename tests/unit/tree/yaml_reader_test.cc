#include "tree/yaml_reader.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace trainyard;

namespace {

struct Reading {
  explicit Reading(std::string text, Ambiguity ambiguity = Ambiguity::Refuse,
                   const ReadLimits& limits = {}) {
    file = sources.add("in.yaml", std::move(text));
    trees = read_yaml(sources, file, sink, limits, ambiguity);
  }

  const Tree& tree() const { return trees.at(0); }
  View root() const { return View(tree(), tree().root()); }
  std::string text(Span span) const { return std::string(sources.text(span)); }
  /// Kind and place of every diagnostic: "duplicate-key 2:1".
  std::string faults() const {
    std::string result;
    for (const Diagnostic& diagnostic : sink.sorted()) {
      const Position at = sources.position(file, diagnostic.span.begin);
      if (!result.empty()) result += ", ";
      result += std::string(info(diagnostic.kind).name) + ' ' + std::to_string(at.line) + ':' +
                std::to_string(at.column);
    }
    return result;
  }
  std::string message() const { return sink.all().empty() ? "" : sink.all()[0].message; }

  SourceMap sources;
  Sink sink;
  FileId file;
  std::vector<Tree> trees;
};

std::string faults(std::string text, Ambiguity ambiguity = Ambiguity::Refuse,
                   const ReadLimits& limits = {}) {
  return Reading(std::move(text), ambiguity, limits).faults();
}

std::string keys(const Reading& reading, std::string_view map) {
  std::string result;
  const View view = reading.root()[map];
  for (NodeId child : view.tree().children(view.id())) {
    result +=
        std::string(view.tree()[child].key) + '=' + std::string(view.tree()[child].text) + ' ';
  }
  return result;
}

std::string repeat(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("scalars keep kind, style and the very text of their place") {
  const Reading read(
      "# first\n"
      "ü: wört  # c\n"
      "multi: a b\n    c\n"
      "single: 'it''s'\n"
      "double: \"x\\ny\"\n"
      "big: 18446744073709551616\n"
      "float: 0.10\n"
      "yes: no\n",
      Ambiguity::Kubernetes);
  CHECK(read.faults() == "");
  const View root = read.root();
  CHECK(read.text(root["ü"]->span) == "wört");
  CHECK(read.text(root["ü"]->key_span) == "ü");
  CHECK(read.text(root["multi"]->span) == "a b\n    c");
  CHECK(root["multi"].text() == "a b c");
  CHECK(read.text(root["single"]->span) == "'it''s'");
  CHECK(root["single"].text() == "it's");
  CHECK(root["single"]->style == Style::SingleQuoted);
  CHECK(read.text(root["double"]->span) == "\"x\\ny\"");
  CHECK(root["double"].text() == "x\ny");
  CHECK(root["big"]->kind == Kind::Int);
  CHECK(root["big"].text() == "18446744073709551616");
  CHECK(root["float"].text() == "0.10");
  CHECK(root["true"]->kind == Kind::Bool);
  CHECK(root["true"].text() == "false");
}

TEST_CASE("block texts end with their last content line") {
  const Reading read("a: |\n  x\n\n   y\n\n\nb: >2-\n    z\n # out\nc:\n- |+\n d\n\n- e\n");
  CHECK(read.faults() == "");
  CHECK(read.text(read.root()["a"]->span) == "|\n  x\n\n   y");
  CHECK(read.root()["a"].text() == "x\n\n y\n");
  CHECK(read.text(read.root()["b"]->span) == ">2-\n    z");
  const View item(read.tree(), read.root()["c"]->first);
  CHECK(read.text(item->span) == "|+\n d");
  CHECK(item.text() == "d\n\n");
}

TEST_CASE("collections reach from their first to their last child, flow ones to their bracket") {
  const Reading read("a:\n  b: 1\n  c:\n  - x\n  - [x, {z: 1}, ]  # c\nd: {}\ne: [ ]\n");
  CHECK(read.faults() == "");
  const View root = read.root();
  CHECK(read.text(root["a"]->span) == "b: 1\n  c:\n  - x\n  - [x, {z: 1}, ]");
  CHECK(read.text(root["a"]["c"]->span) == "- x\n  - [x, {z: 1}, ]");
  CHECK(read.text(root["d"]->span) == "{}");
  CHECK(read.text(root["e"]->span) == "[ ]");
  CHECK(root["d"]->style == Style::Flow);
  CHECK(root["a"]->style == Style::Block);
}

TEST_CASE("a missing value stands right after its colon or dash") {
  const std::string text = "a:   # c\nb:\n  c :\n  d:\ne: [1]\nf:\n-\n- x\ng: {h: , i}\n";
  const Reading read(text);
  CHECK(read.faults() == "");
  const auto place = [&](View view) {
    CHECK(view->kind == Kind::Null);
    CHECK(view->span.size() == 0);
    return text.substr(0, view->span.begin);
  };
  const View root = read.root();
  CHECK(place(root["a"]) == "a:");
  CHECK(place(root["b"]["c"]).ends_with("c :"));
  CHECK(place(root["b"]["d"]).ends_with("d:"));
  CHECK(place(View(read.tree(), root["f"]->first)).ends_with("f:\n-"));
  CHECK(place(root["g"]["h"]).ends_with("{h:"));
  CHECK(place(root["g"]["i"]).ends_with(", i"));
  CHECK(faults("a:\nnull: 1\n") == "non-string-key 2:1");
}

TEST_CASE("documents follow each other and empty ones are left out") {
  const Reading read("---\na: 1\n---\n# nothing\n---\n- b\n...\n---\n");
  CHECK(read.faults() == "");
  CHECK(read.trees.size() == 2);
  for (const char* text : {"", "\n\n", "# c\n", "---\n", "---\n---\n", "\xef\xbb\xbf"}) {
    INFO(text);
    CHECK(faults(text).starts_with("empty-document 1:"));
  }
  const Reading marked(
      "\xef\xbb\xbf"
      "a: b\n");
  CHECK(marked.faults() == "");
  CHECK(marked.text(marked.root()["a"]->span) == "b");
}

TEST_CASE("a text that is not clean UTF-8 is refused at the first bad byte") {
  CHECK(faults("a: \xff\n") == "invalid-utf8 1:4");
  CHECK(faults("a: \xc0\x80\n") == "invalid-utf8 1:4");
  CHECK(faults("a: \xed\xa0\x80\n") == "invalid-utf8 1:4");
  CHECK(faults("a: \xe2\x82") == "invalid-utf8 1:4");
  CHECK(faults("a: \xf4\x90\x80\x80") == "invalid-utf8 1:4");
  CHECK(faults(std::string("\xff\xfe"
                           "a\0:\0",
                           6)) == "byte-order-mark 1:1");
  CHECK(faults(std::string("\0\0\xfe\xff\0\0\0a", 8)) == "byte-order-mark 1:1");
  CHECK(faults("a: \xef\xbb\xbf"
               "b\n") == "byte-order-mark 1:4");
  CHECK(faults(std::string("a: \0b", 5)) == "control-character 1:4");
  CHECK(faults("a: \x1b[0m\n") == "control-character 1:4");
  CHECK(faults("a: \x7f\n") == "control-character 1:4");
  CHECK(faults("a: \x04\n") == "control-character 1:4");
  CHECK(faults("a: \xf0\x9f\x98\x80 \xc2\x85\n") == "");
}

TEST_CASE("tabs are text within text and an error as indentation") {
  CHECK(faults("a:\n\tb: c\n") == "yaml-tab 2:1");
  CHECK(faults("a:\n  \tb: c\n") == "yaml-tab 2:3");
  CHECK(faults("\ta: b\n") == "yaml-tab 1:1");
  CHECK(faults("a: |\n  \tx\n   \ty\n") == "");
  CHECK(faults("a: [\n\t1,\n\t2]\n") == "");
  CHECK(faults("a: b\t# c\n\t\n\t# d\nc:\td\n") == "");
}

TEST_CASE("a repeated key is named with the place of the first, and its last value counts") {
  const Reading read("a: 1\nb: 2\n\"a\": [3, 4]\nc: 5\na: {d: 6}\n");
  CHECK(read.faults() == "duplicate-key 3:1, duplicate-key 5:1");
  CHECK(read.sink.all()[0].labels.at(0).span.begin == 0);
  CHECK(read.root()->size == 3);
  CHECK(read.root().first().key() == "a");
  CHECK(read.root()["a"]["d"].text() == "6");
  CHECK(read.root()["c"].text() == "5");
  std::string big;
  for (int i = 0; i < 200; ++i) big += "k" + std::to_string(i) + ": 1\n";
  CHECK(faults(big + "k150: 2\n") == "duplicate-key 201:1");
  CHECK(faults("a: {b: 1, b: 2}\nc: [{d: 1, d: 2}]\n") == "duplicate-key 1:11, duplicate-key 2:12");
  CHECK(faults("8: a\n0x8: b\n") == "duplicate-key 2:1");
}

TEST_CASE("where a second object begins in a map, the line that parts documents is proposed") {
  const Reading read(
      "apiVersion: v1\nkind: A\napiVersion: v1\nkind: B\nc: {apiVersion: 1, apiVersion: 2}\n");
  REQUIRE(read.faults() == "duplicate-key 3:1, duplicate-key 4:1, duplicate-key 5:20");
  REQUIRE(read.sink.all()[0].fixes.size() == 1);
  CHECK(read.sink.all()[0].fixes[0].replacement == "---\n");
  CHECK(read.sink.all()[1].fixes.empty());
  CHECK(read.sink.all()[2].fixes.empty());
}

TEST_CASE("keys must be scalars") {
  CHECK(faults("[a]: b\n") == "non-string-key 1:1");
  CHECK(faults("? {a: b}\n: c\nd: e\n") == "non-string-key 1:3");
  CHECK(faults("? - a\n: c\n") == "non-string-key 1:3");
  CHECK(faults("~: b\n") == "non-string-key 1:1");
  CHECK(faults(": b\n") == "non-string-key 1:1");
  CHECK(faults("a: &x [b]\n*x : c\n") == "non-string-key 2:1");
}

TEST_CASE("only the tags of the core schema are read, and they have to fit") {
  const Reading read(
      "a: !!str 12\nb: !!int \"7\"\nc: !!float 1\nd: ! yes\ne: !!map {}\nf: !!null\ng: !!str\n");
  CHECK(read.faults() == "");
  CHECK(read.root()["a"]->kind == Kind::String);
  CHECK(read.root()["b"]->kind == Kind::Int);
  CHECK(read.root()["c"]->kind == Kind::Float);
  CHECK(read.root()["d"]->kind == Kind::String);
  CHECK(read.root()["f"]->kind == Kind::Null);
  CHECK(read.root()["g"]->kind == Kind::String);
  for (const char* tag : {"!foo", "!!binary", "!!set", "!!timestamp", "!<tag:x.org,2000:y>"}) {
    INFO(tag);
    CHECK(faults("a: " + std::string(tag) + " b\n").starts_with("unknown-tag 1:"));
  }
  CHECK(faults("a: !!int b\n").starts_with("unknown-tag"));
  CHECK(faults("a: !!map [b]\n") == "unknown-tag 1:4");
  CHECK(faults("a: !!seq b\n").starts_with("unknown-tag"));
  CHECK(faults("a: !local {b: c}\n") == "unknown-tag 1:4");
}

TEST_CASE("what readers understand differently is refused in our documents, with both readings") {
  for (const char* text : {"yes", "012", "1:30", "1e3", "y", "0o17", "2001-12-14", "=", "1_000"}) {
    INFO(text);
    const Reading read("a:\n- b: " + std::string(text) + "\n");
    CHECK(read.faults() == "ambiguous-scalar 2:6");
    const Diagnostic& report = read.sink.all().at(0);
    CHECK(report.path == "a[0].b");
    CHECK(report.fixes.at(0).replacement == '"' + std::string(text) + '"');
    CHECK(read.text(report.fixes[0].span) == text);
    CHECK(faults("a: '" + std::string(text) + "'\n") == "");
  }
  CHECK(Reading("a: on\n").message() ==
        "unquoted `on` is a boolean to a YAML 1.1 reader and a string to a YAML 1.2 reader; quote "
        "it, or write what is meant");
  CHECK(Reading("a: 010\n").message().find("octal") != std::string::npos);
  CHECK(faults("on: push\n") == "ambiguous-scalar 1:1");
}

TEST_CASE("foreign manifests are read as Kubernetes reads them") {
  const Reading read("a: yes\nb: 0644\nc: 1:30\nd: 1e3\ne: 2001-12-14\nf: 0x1F\ng: 08\n010: h\n",
                     Ambiguity::Kubernetes);
  CHECK(read.faults() == "");
  std::string json;
  for (NodeId child : read.tree().children(read.tree().root())) {
    const Node& node = read.tree()[child];
    json += std::string(node.key) + ' ' + std::string(word(node.kind)) + ' ' +
            std::string(node.text) + '\n';
  }
  CHECK(json ==
        "a boolean true\nb integer 420\nc string 1:30\nd number 1e3\ne string 2001-12-14\n"
        "f integer 31\ng number 8\n8 string h\n");
}

TEST_CASE("aliases are copies") {
  const Reading read("a: &x {b: [1, 2]}\nc: *x\nd: &y text\n*y : e\nf: [*y, *x]\n");
  CHECK(read.faults() == "");
  const View root = read.root();
  CHECK(equal(read.tree(), root["a"].id(), read.tree(), root["c"].id()));
  CHECK(root["a"].id() != root["c"].id());
  CHECK(root["text"].text() == "e");
  CHECK(root["f"]->size == 2);
  CHECK(faults("a: *x\n") == "undefined-alias 1:4");
  CHECK(faults("a: &x 1\n---\na: *x\n") == "undefined-alias 3:4");
  CHECK(faults("a: &x [*x]\n") == "undefined-alias 1:8");
  const Reading typo("base: &defaults {a: 1}\nb: *default\n");
  CHECK(typo.sink.all().at(0).fixes.at(0).replacement == "*defaults");
}

TEST_CASE("merge keys give way to the map's own keys and to earlier maps") {
  const Reading read(
      "b: &b {p: 1, q: 2}\nc: &c {q: 3, r: 4}\n"
      "m:\n  z: 0\n  <<: *b\n  q: 9\n"
      "k:\n  <<: [*b, *c]\n"
      "o: {<<: {x: 1}, x: 2}\n"
      "p: {'<<': 1}\n");
  CHECK(read.faults() == "");
  CHECK(keys(read, "m") == "z=0 p=1 q=9 ");
  CHECK(keys(read, "k") == "p=1 q=2 r=4 ");
  CHECK(keys(read, "o") == "x=2 ");
  CHECK(keys(read, "p") == "<<=1 ");
  CHECK(faults("a:\n  <<: 1\n") == "bad-merge-key 2:7");
  CHECK(faults("a:\n  <<: [{b: 1}, x]\n") == "bad-merge-key 2:16");
  CHECK(faults("a:\n  <<: {b: 1}\n  <<: {c: 1}\n") == "duplicate-key 3:3");
}

TEST_CASE("every budget has its diagnostic and its place") {
  ReadLimits limits;
  limits.bytes = 10;
  CHECK(faults("a: 12345678\n", Ambiguity::Refuse, limits) == "file-too-large 1:1");
  limits = {};
  limits.depth = 3;
  CHECK(faults("a: {b: [1]}\n", Ambiguity::Refuse, limits) == "");
  CHECK(faults("a: {b: [[1]]}\n", Ambiguity::Refuse, limits) == "too-deep 1:9");
  CHECK(faults("a: &x {b: [1]}\n", Ambiguity::Refuse, limits) == "");
  CHECK(faults("a: &x [[1]]\nb: [*x]\n", Ambiguity::Refuse, limits) == "too-deep 2:5");
  limits = {};
  limits.nodes = 5;
  CHECK(faults("[1, 2, 3, 4]\n", Ambiguity::Refuse, limits) == "");
  CHECK(faults("[1, 2, 3, 4, 5]\n", Ambiguity::Refuse, limits) == "too-many-nodes 1:14");
  CHECK(faults("- &x [1, 2]\n- *x\n", Ambiguity::Refuse, limits) == "too-many-nodes 2:3");
}

TEST_CASE("hostile input ends soon and without a crash") {
  constexpr std::size_t kMany = 1'000'000;
  for (const char* piece : {"[", "{", "- ", "? ", "[\n", "{? ", "[{a: "}) {
    INFO(piece);
    CHECK(faults(repeat(piece, kMany / 2)).starts_with("too-deep"));
  }
  CHECK(faults(repeat("[", 50'000'000)) == "too-deep 1:129");
  ReadLimits limits;
  limits.nodes = 50'000;
  const auto limited = [&limits](std::string text) {
    return faults(std::move(text), Ambiguity::Refuse, limits);
  };
  CHECK(limited("[" + repeat("a,", kMany)) == "too-many-nodes 1:1");
  CHECK(limited("[" + repeat(":,", kMany)) == "too-many-nodes 1:1");
  CHECK(limited(repeat("&a ", kMany)) == "too-many-nodes 1:1");
  CHECK(limited(repeat("\"\"", kMany)) == "too-many-nodes 1:1");
  CHECK(limited(repeat("---\n", kMany)) == "too-many-nodes 50002:1");
  CHECK(limited("%F " + repeat("a ", kMany)).starts_with("yaml-syntax 1:1"));
  std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    laughs += name + ": &" + name + " [" + repeat(before + ",", 10) + "]\n";
  }
  CHECK(limited(laughs).starts_with("too-many-nodes 5:"));
  std::string big;
  for (int i = 0; i < 200'000; ++i) big += "k" + std::to_string(i) + ": v\n";
  CHECK(faults(big) == "");
}

TEST_CASE("broken YAML is explained from the text, never in the parser's words") {
  const auto fault = [](const char* text) {
    const Reading read(text);
    CHECK(read.sink.has_errors());
    return read.faults() + ": " + read.message();
  };
  CHECK(fault("a: \"b\nc: d\n") == "yaml-syntax 1:4: this quote is never closed");
  CHECK(fault("a: 'b\n") == "yaml-syntax 1:4: this quote is never closed");
  CHECK(fault("a: [1, 2\nb: c\n") == "yaml-syntax 1:4: `[` is never closed; add `]`");
  CHECK(fault("a:\u00A00\nb: 1\n") ==
        "yaml-syntax 1:3: a character that looks like a space and is none; write a plain space");
  CHECK(fault("a:\n  b: 1\n \u3000c: 2\n") ==
        "yaml-syntax 3:2: a character that looks like a space and is none; write a plain space");
  CHECK(fault("a:\n  b:\u00A00\n  c: 2\n") ==
        "yaml-syntax 2:5: a character that looks like a space and is none; write a plain space");
  CHECK(fault("a: [torchrun, --nnodes=${N}, x]\n") ==
        "yaml-syntax 1:15: a word in brackets cannot hold `{`; quote the word");
  CHECK(fault("a: [x,\n  n=${N}]\n") ==
        "yaml-syntax 2:3: a word in brackets cannot hold `{`; quote the word");
  CHECK(fault("a: {b: c[0]}\n") ==
        "yaml-syntax 1:8: a word in brackets cannot hold `[`; quote the word");
  CHECK(fault("a: [b][c]\n") ==
        "yaml-syntax 1:7: `[` cannot follow a value that is closed; quote all of it");
  CHECK(fault("a: {b: [1}\n") == "yaml-syntax 1:10: `}` where `]` has to close the bracket before");
  CHECK(fault("a: b: c\n") ==
        "yaml-syntax 1:5: a second `:`; a value that holds `: ` must be quoted");
  CHECK(fault("a: 1\n  b: 2\n") ==
        "yaml-syntax 2:3: `b` is indented deeper than the line above, which has a value already");
  CHECK(fault("- a: 1\n\n  # two\n   b: 2\n") ==
        "yaml-syntax 4:4: the indentation of this line fits nothing above it");
  CHECK(fault("a:1\nb: 2\n") == "yaml-syntax 1:2: a space is missing after the colon of `a`");
  CHECK(fault("a: 1\nb\n") == "yaml-syntax 2:1: a key without `:`; write `key: value`");
  CHECK(fault("a: @b\n") == "yaml-syntax 1:4: a value cannot start with `@`; quote it");
  CHECK(fault("a: [1, , 2]\n") == "yaml-syntax 1:8: a list item is missing before this `,`");
  CHECK(fault("a: \"b\"#c\n") == "yaml-syntax 1:7: a comment needs a space before its `#`");
  CHECK(fault("- a\nb: c\n").starts_with("yaml-syntax 2:1: "));
  CHECK(fault("a: b\n  c: d\n").starts_with("yaml-syntax 2:"));
  CHECK(fault("a: \"\\q\"\n") ==
        "yaml-syntax 1:5: an unknown escape in double quotes; write `\\\\` for a backslash");
  CHECK(fault("a:\n    b: 1\n  c: 2\n") ==
        "yaml-syntax 3:3: the indentation of this line fits nothing above it");
  CHECK(fault("--- |\ntext\n") == "yaml-syntax 1:5: the lines of this block text must be indented");
}

TEST_CASE("documents before and behind a broken one are read") {
  const Reading last("a: 1\n---\nb: [\n");
  CHECK(last.trees.size() == 1);
  CHECK(last.faults() == "yaml-syntax 3:4");
  const Reading two("a: 1\n---\nb: [\n---\nc: 2\n---\nd: e: f\n---\ng: \"h\"\n");
  CHECK(two.trees.size() == 3);
  CHECK(two.faults() == "yaml-syntax 3:4, yaml-syntax 7:5");
  const Reading marker("a: |\n  ---\n  b: [\n---\nc: [\n");  // that of a text is none
  CHECK(marker.trees.size() == 1);
  CHECK(marker.faults() == "yaml-syntax 5:4");
}

TEST_CASE("what is open in one document is not closed by the next one") {
  const Reading quote("a: \"1\n---\nb: \"2\"\n");
  CHECK(quote.faults() == "yaml-syntax 1:4");
  CHECK(quote.message() == "this quote is never closed");
  CHECK(quote.trees.size() == 1);
  const Reading bracket("a: [1\n---\nb: [2]\n");
  CHECK(bracket.faults() == "yaml-syntax 1:4");
  CHECK(bracket.message() == "`[` is never closed; add `]`");
  CHECK(bracket.trees.size() == 1);
}

TEST_CASE("many broken documents take linear time and are not all told") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "a: [\n---\n";
  const Reading read(text);
  CHECK(read.trees.empty());
  CHECK(read.sink.error_count() == 100);
}

TEST_CASE("a character that may not be in a file is found wherever it stands") {
  for (std::size_t at = 3; at < 200; ++at) {
    std::string text = "a: " + std::string(200, 'x') + "\n";
    text[at] = '\x04';
    INFO(at);
    CHECK(faults(text) == "control-character 1:" + std::to_string(at + 1));
    text[at] = '\xff';
    CHECK(faults(text) == "invalid-utf8 1:" + std::to_string(at + 1));
    // A character of several bytes may lie across whatever is looked at in one go.
    text.replace(at, 1, "\u00e9");
    CHECK(faults(text).empty());
  }
}

TEST_CASE("a merge conflict is one finding that says where its sides begin") {
  const Reading one(
      "a:\n<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n>>>>>>> topic\nc: 3\n"
      "<<<<<<< HEAD\r\nd: 1\r\n||||||| 4b825dc\r\n=======\r\nd: 2\r\n>>>>>>> topic\r\n");
  CHECK(one.faults() == "conflict-marker 2:1, conflict-marker 8:1");
  CHECK(one.message() ==
        "an unresolved merge conflict of Git: one side (`HEAD`) begins on line 3, the other "
        "(`topic`) on line 5");
  CHECK(one.trees.empty());
}

TEST_CASE("a merge conflict is found in JSON, across documents, and when a marker is gone") {
  CHECK(faults("{\n<<<<<<< HEAD\n\"a\": 1\n=======\n\"a\": 2\n>>>>>>> b\n}\n") ==
        "conflict-marker 2:1");
  CHECK(faults("a: 1\n<<<<<<< HEAD\n---\nb: 1\n=======\n---\nc: 1\n>>>>>>> b\n") ==
        "conflict-marker 2:1");
  CHECK(faults("<<<<<<<\na: 1\n") == "conflict-marker 1:1");
  CHECK(faults("a: 1\n=======\nb: 1\n>>>>>>> topic\n") == "conflict-marker 4:1");
}

TEST_CASE("text that only looks like a merge conflict is text") {
  CHECK(faults("a: |\n  <<<<<<< HEAD\n  =======\n  >>>>>>> b\n").empty());
  CHECK(faults("# <<<<<<< HEAD\na: <<<<<<< HEAD\n").empty());
  CHECK(faults("<<<<<<<< eight: 1\n<<<<<<<close: 2\n").empty());
}

TEST_CASE("a text behind an anchor may stand two columns right of its dash") {
  const std::string text =
      "first:\n- &one |-\n  a: b: c\n   - &no |\n    d\n\n- e\n"
      "more:\n  -   &two >\n    f\n    g\n"
      "  - - &three |\n      h\n"
      "again: [*one, *two, *three]\n";
  const Reading read(text);
  CHECK(read.faults().empty());
  const View first = read.root()["first"];
  const std::vector<NodeId> texts(first.tree().children(first.id()).begin(),
                                  first.tree().children(first.id()).end());
  REQUIRE(texts.size() == 2);
  const View one(read.tree(), texts[0]);
  CHECK(one->text == "a: b: c\n - &no |\n  d");
  CHECK(read.text(one->span).starts_with("|-\n  a"));
  CHECK(read.tree()[texts[1]].text == "e");
  const View again = read.root()["again"];
  std::string all;
  for (NodeId id : again.tree().children(again.id())) {
    all += std::string(read.tree()[id].text) + "|";
  }
  CHECK(all == "a: b: c\n - &no |\n  d|f g\n|h\n|");
  CHECK(read.text(again->span) == "[*one, *two, *three]");
}

TEST_CASE("an anchor makes no fault of a text right") {
  CHECK(faults("a:\n- &one |-\n b\n") == "yaml-syntax 2:8");
  CHECK(faults("a:\n- &one |-\n  b\n c: d: e\n") == "yaml-syntax 3:3");
  CHECK(faults("a: 1\na: 2\nb:\n- &one |\n  c\n") == "duplicate-key 2:1");
}
