#include "tree/yaml_writer.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace trainyard;

namespace {

std::string write(const Tree& tree, NodeId root) {
  std::string out;
  write_yaml(tree, root, out);
  return out;
}

/// The value as it stands behind `k: `, in the middle of a document.
std::string value(Kind kind, std::string_view text) {
  Tree tree;
  const NodeId map = tree.add_map();
  tree.append(map, "k", tree.add(kind, text));
  tree.append(map, "z", tree.add(Kind::Null));
  const std::string out = write(tree, map);
  REQUIRE(out.starts_with("k: "));
  REQUIRE(out.ends_with("\nz: null\n"));
  return out.substr(3, out.size() - 3 - std::string_view("\nz: null\n").size());
}

std::string string_value(std::string_view text) {
  return value(Kind::String, text);
}

}  // namespace

TEST_CASE("blocks look as kubectl and kustomize print them") {
  Tree tree;
  const NodeId root = tree.add_map();
  const NodeId containers = tree.add_seq();
  const NodeId container = tree.add_map();
  const NodeId args = tree.add_seq();
  const NodeId matrix = tree.add_seq();
  const NodeId row = tree.add_seq();
  const NodeId labels = tree.add_map();
  tree.append(root, "kind", tree.add_string("Pod"));
  tree.append(root, "labels", labels);
  tree.append(labels, "app", tree.add_string("x"));
  tree.append(root, "containers", containers);
  tree.append(containers, container);
  tree.append(container, "name", tree.add_string("main"));
  tree.append(container, "args", args);
  tree.append(args, tree.add_string("--config"));
  tree.append(args, tree.add_string("a b"));
  tree.append(container, "resources", tree.add_map());
  tree.append(root, "matrix", matrix);
  tree.append(matrix, row);
  tree.append(row, tree.add_int(1));
  tree.append(row, tree.add_int(2));
  tree.append(matrix, tree.add_seq());
  CHECK(write(tree, root) ==
        "kind: Pod\n"
        "labels:\n"
        "  app: x\n"
        "containers:\n"
        "- name: main\n"
        "  args:\n"
        "  - --config\n"
        "  - a b\n"
        "  resources: {}\n"
        "matrix:\n"
        "- - 1\n"
        "  - 2\n"
        "- []\n");
}

TEST_CASE("a string is quoted exactly when a reader would take it for something else") {
  for (const char* text :
       {"1",    "-1",   "012",  "0x1F", "0o17", "0b1", "1_000", "1e3",        "1.0",  ".5",
        "1:30", ".inf", ".nan", "yes",  "No",   "on",  "off",   "y",          "n",    "true",
        "null", "~",    "",     "=",    "<<",   "-",   "---",   "2001-12-14", "a: b", "a #b",
        " a",   "a ",   "key:", "- a",  "? a",  "@a",  "`a",    "&a",         "*a",   "!a",
        "|",    ">",    "%a",   "[a",   "{a",   "#a",  ",a",    "Null",       "FALSE"}) {
    CHECK(string_value(text) == '"' + std::string(text) + '"');
  }
  for (const char* text :
       {"a",    "a:b",         "a#b",       "--config",      "-a",   "10Gi",
        "500m", "1.2.3",       "v1",        "http://a:80/b", "$(X)", "nvidia.com/gpu",
        "a b",  "z\xC3\xB6lf", "yesterday", "nulls",         "a\"b", "a'b",
        "a\\b", "1.5Gi"}) {
    CHECK(string_value(text) == text);
  }
}

TEST_CASE("texts that hold quotes or backslashes are single-quoted where nothing needs an escape") {
  CHECK(string_value("{\"a\": 1}") == "'{\"a\": 1}'");
  CHECK(string_value("\\n: 'x'") == "'\\n: ''x'''");
  CHECK(string_value("\"a\"\t") == "\"\\\"a\\\"\\t\"");
}

TEST_CASE("what a reader could not see is escaped") {
  CHECK(string_value("a\rb") == "\"a\\rb\"");
  CHECK(string_value(std::string_view("\0", 1)) == "\"\\u0000\"");
  CHECK(string_value("\x1B[0m") == "\"\\u001b[0m\"");
  CHECK(string_value("\xC2\x85") == "\"\\u0085\"");
  CHECK(string_value("\xE2\x80\xA8") == "\"\\u2028\"");
  CHECK(string_value("\xE2\x80\xAE"
                     "evil") == "\"\\u202eevil\"");
  CHECK(string_value("\xEF\xBB\xBF"
                     "a") == "\"\\ufeffa\"");
  CHECK(string_value("bad \xFF utf-8 \xC3") == "\"bad \\ufffd utf-8 \\ufffd\"");
}

TEST_CASE("multi-line text becomes a literal block with the right header") {
  CHECK(string_value("a\nb\n") == "|\n  a\n  b");
  CHECK(string_value("a\nb") == "|-\n  a\n  b");
  CHECK(string_value("a\n\n") == "|+\n  a\n");
  CHECK(string_value("a\n\nb\n") == "|\n  a\n\n  b");
  CHECK(string_value("  a\nb\n") == "|2\n    a\n  b");
  CHECK(string_value("\na\n") == "|2\n\n  a");
  CHECK(string_value("\ta\n") == "|2\n  \ta");
  CHECK(string_value("a\n\tb\n") == "|\n  a\n  \tb");
  CHECK(string_value("\n") == "\"\\n\"");
  CHECK(string_value("a\r\nb\n") == "\"a\\r\\nb\\n\"");
}

TEST_CASE("a text that ends in empty lines is quoted at the end of a document") {
  Tree tree;
  const NodeId root = tree.add_seq();
  tree.append(root, tree.add_string("a\n\n"));
  CHECK(write(tree, root) == "- \"a\\n\\n\"\n");
}

TEST_CASE("numbers are written so that all readers agree") {
  for (const auto& [text, expected] : std::vector<std::pair<const char*, const char*>>{
           {"42", "42"},
           {"-7", "-7"},
           {"+5", "5"},
           {"-0", "0"},
           {"0x10", "16"},
           {"0o17", "15"},
           {"012", "10"},
           {"089", "89"},
           {"0b101", "5"},
           {"1_000", "1000"},
           {"-0x10", "-16"},
           {"18446744073709551616", "18446744073709551616"},
           {"0xFFFFFFFFFFFFFFFFF", "295147905179352825855"},
           {"1:30", "\"1:30\""}}) {
    CHECK(value(Kind::Int, text) == expected);
  }
  for (const auto& [text, expected] : std::vector<std::pair<const char*, const char*>>{
           {"1.5", "1.5"},
           {".5", "0.5"},
           {"-.5", "-0.5"},
           {"5.", "5.0"},
           {"1e3", "1.0e+3"},
           {"1E-3", "1.0e-3"},
           {"1.5e+3", "1.5e+3"},
           {"+1.5", "1.5"},
           {".Inf", ".inf"},
           {"-.INF", "-.inf"},
           {".NaN", ".nan"},
           {"007.5", "7.5"},
           {"1", "1.0"},
           {"0.1234567890123456789012345", "0.1234567890123456789012345"},
           {"x", "\"x\""}}) {
    CHECK(value(Kind::Float, text) == expected);
  }
  CHECK(value(Kind::Bool, "true") == "true");
  CHECK(value(Kind::Null, "") == "null");
}

TEST_CASE("keys are quoted like values, and very long ones have the explicit form") {
  Tree tree;
  const NodeId root = tree.add_map();
  const std::string long_key(1200, 'k');
  const NodeId list = tree.add_seq();
  tree.append(list, tree.add_int(1));
  tree.append(root, "yes", tree.add_int(1));
  tree.append(root, "a\nb", tree.add_int(2));
  tree.append(root, long_key, list);
  CHECK(write(tree, root) == "\"yes\": 1\n\"a\\nb\": 2\n? " + long_key + "\n:\n  - 1\n");
}

TEST_CASE("every node's place in the text is known, in order") {
  Tree tree;
  const NodeId root = tree.add_map();
  const NodeId list = tree.add_seq();
  const NodeId item = tree.add_map();
  const NodeId name = tree.add_string("x");
  const NodeId text = tree.add_string("a\nb\n");
  tree.append(root, "list", list);
  tree.append(list, item);
  tree.append(item, "name", name);
  tree.append(root, "text", text);

  std::string out = "# before\n";
  std::vector<WrittenNode> written;
  write_yaml(tree, root, out, &written);
  const auto part = [&](std::size_t i) {
    return out.substr(written[i].begin, written[i].end - written[i].begin);
  };
  REQUIRE(written.size() == 5);
  CHECK(written[0].node == root);
  CHECK(part(0) == "list:\n- name: x\ntext: |\n  a\n  b");
  CHECK(written[1].node == list);
  CHECK(part(1) == "list:\n- name: x");
  CHECK(written[2].node == item);
  CHECK(part(2) == "name: x");
  CHECK(written[3].node == name);
  CHECK(part(3) == "name: x");
  CHECK(written[4].node == text);
  CHECK(part(4) == "text: |\n  a\n  b");
}

TEST_CASE("a scalar or an empty collection can be a whole document") {
  Tree tree;
  CHECK(write(tree, tree.add_map()) == "{}\n");
  CHECK(write(tree, tree.add_seq()) == "[]\n");
  CHECK(write(tree, tree.add_string("--- a")) == "\"--- a\"\n");
  CHECK(write(tree, tree.add_string("a\nb\n")) == "\"a\\nb\\n\"\n");
}
