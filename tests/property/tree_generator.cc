#include "property/tree_generator.h"

namespace trainyard {
namespace {

/// Whole texts that some reader takes for something else than a string.
constexpr std::string_view kMistakable[] = {
    "",
    "1",
    "0",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "1E3",
    "1e+3",
    "1.5e3",
    ".5",
    "-.5",
    "5.",
    "+.5",
    "012",
    "0o17",
    "0x1F",
    "0b101",
    "1_000",
    "1_0.5",
    "089",
    "1:30",
    "1:30:45",
    "190:20:30",
    "1:30.5",
    "12:30:45",
    "0:0",
    "60:61",
    "yes",
    "Yes",
    "YES",
    "no",
    "No",
    "on",
    "On",
    "off",
    "OFF",
    "y",
    "Y",
    "n",
    "N",
    "true",
    "True",
    "TRUE",
    "tRue",
    "false",
    "null",
    "Null",
    "NULL",
    "nULL",
    "~",
    "=",
    "<<",
    ".inf",
    "-.Inf",
    ".nan",
    ".NaN",
    "NaN",
    "inf",
    "Infinity",
    "2001-12-14",
    "2001-1-1",
    "2001-12-14t21:59:43.10-05:00",
    "2001-12-14 21:59:43Z",
    "-",
    "--",
    "---",
    "--- a",
    "---a",
    "...",
    "... b",
    "...b",
    ".",
    "..",
    "?",
    "? a",
    "?a",
    ":",
    ": a",
    ":a",
    "a:",
    "a: b",
    "a:b",
    "a #b",
    "a#b",
    "#b",
    "- a",
    "-a",
    "--config",
    "&a",
    "*a",
    "!a",
    "!!str a",
    "|",
    ">",
    "|-",
    "%TAG",
    "@a",
    "`a`",
    "'a'",
    "\"a\"",
    "a'b",
    "a\"b",
    "a\\b",
    "\\",
    "'",
    "\"",
    "{",
    "}",
    "{}",
    "[",
    "[]",
    "]",
    "{a: b}",
    "[a, b]",
    ",",
    ", a",
    "a,b",
    " a",
    "a ",
    " ",
    "  ",
    "\t",
    "\ta",
    "a\t",
    "a\tb",
    "\n",
    "\n\n",
    "\na",
    "a\n",
    "a\n\n",
    "a\n\n\n",
    " \n",
    "\n ",
    " \na",
    "  a\nb",
    "\n  a\nb",
    "a\n  ",
    "a\n \n",
    "a\n\n b\n",
    "\ta\nb",
    "a\n\tb",
    "\t\n",
    "a \nb",
    "a\r\nb",
    "\r",
    "a\rb",
    "# a\nb",
    "--- \na\n",
    "---\n",
    "...\na",
    "a: b\nc: d",
    "- a\n- b\n",
    "%a\nb",
    "\xC2\x85",
    "a\xC2\x85"
    "b",
    "\xE2\x80\xA8",
    "a\xE2\x80\xA9"
    "b\nc",
    "\xEF\xBB\xBF",
    "\xEF\xBB\xBF"
    "a\nb",
    "\xC2\xA0",
    "\xC2\xA0"
    "a",
    "z\xC3\xB6lf",
    "\xE4\xB8\xAD\xE6\x96\x87",
    "\xF0\x9F\x9A\x82",
    "\xE2\x80\xAE"
    "abc",
    "\xEF\xBF\xBE",
    "\x01",
    "\x1B[0m",
    "\x7F",
    "a\bb",
    "0.1.2",
    "1.2.3.4",
    "1-2",
    "1e",
    "e3",
    "0x",
    "0xg",
    "0o8",
    "0b2",
    "1__0",
    "_1",
    "1_",
    "+",
    "+a",
    "-0",
    "00",
    "0.",
    "1.",
    "1.e3",
    "9223372036854775808",
    "18446744073709551616",
    "1e400",
    "123456789012345678901234567890",
    "0777",
    "-012",
    "-0x10",
    "+0b1",
    "$(VAR)",
    "${VAR}",
    "{{ a }}",
    "a, b: c",
    "http://a:80/b#c",
    "a: ",
    "nvidia.com/gpu",
};

constexpr std::string_view kFragments[] = {
    "a",
    "b",
    "word",
    "1",
    "0",
    "-",
    ":",
    ": ",
    " :",
    "#",
    " #",
    "# ",
    " ",
    "  ",
    "'",
    "\"",
    "\\",
    "\\n",
    ",",
    "[",
    "]",
    "{",
    "}",
    "&",
    "*",
    "!",
    "|",
    ">",
    "%",
    "@",
    "`",
    "?",
    "? ",
    "- ",
    "--- ",
    "...",
    "~",
    "=",
    "<<",
    ".",
    "e",
    "_",
    "x",
    "\t",
    "\n",
    "\n",
    "\n\n",
    "\n  ",
    "yes",
    "null",
    "\xC3\xA9",
    "\xE2\x82\xAC",
    "\xF0\x9F\x98\x80",
    "\xC2\x85",
    "\xE2\x80\xA8",
    "\r",
    "\x02",
    "%s",
};

constexpr std::string_view kLineStarts[] = {"",   "",   "",    "  ", " ",  "\t",
                                            "- ", "# ", "---", "? ", ": ", "..."};
constexpr std::string_view kLineTexts[] = {
    "", "", "echo hi", "if x: y", "a # b", "set -e", "end ", "\"q\"", "\xC3\xBC", "x\ty", "    "};

constexpr std::string_view kInts[] = {"0",
                                      "1",
                                      "-1",
                                      "42",
                                      "8080",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "18446744073709551615",
                                      "1000000000000"};
constexpr std::string_view kFloats[] = {
    "1.0",  "-0.5",  "1.5e+3", "2.5e-10",  "0.1",         "3.141592653589793",
    ".inf", "-.inf", ".nan",   "1.0e+100", "12345678.875"};

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  }
  out += static_cast<char>(0x80 | (c & 0x3F));
}

}  // namespace

/// splitmix64, after Steele, Lea and Flood.
std::uint64_t TreeGenerator::next() {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

std::string TreeGenerator::fragments(std::uint64_t count) {
  std::string result;
  for (std::uint64_t i = 0; i < count; ++i) result += pick(kFragments);
  return result;
}

std::string TreeGenerator::lines() {
  std::string result;
  const std::uint64_t count = 1 + below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    result.append(pick(kLineStarts)).append(pick(kLineTexts));
    if (i + 1 < count || chance(60)) result += '\n';
  }
  return result;
}

std::string TreeGenerator::code_points() {
  constexpr std::uint32_t kBounds[] = {0x80, 0x80, 0x100, 0x800, 0x3000, 0x10000, 0x110000};
  std::string result;
  const std::uint64_t count = below(8);
  while (result.size() < count) {
    const auto c = static_cast<std::uint32_t>(below(kBounds[below(std::size(kBounds))]));
    if (c < 0xD800 || c > 0xDFFF) append_utf8(result, c);
  }
  return result;
}

std::string TreeGenerator::text() {
  switch (below(8)) {
    case 0:
    case 1:
    case 2:
      return std::string(pick(kMistakable));
    case 3:
      return std::string(pick(kMistakable)).append(fragments(below(3)));
    case 4:
      return code_points();
    case 5:
    case 6:
      return lines();
    default:
      return fragments(below(10));
  }
}

std::string TreeGenerator::key() {
  if (chance(2)) return std::string(500 + below(800), 'k') + text();
  return chance(50) ? "key" + std::to_string(below(1000)) : text();
}

NodeId TreeGenerator::scalar(Tree& tree) {
  switch (below(12)) {
    case 0:
      return tree.add(Kind::Null);
    case 1:
      return tree.add_bool(chance(50));
    case 2:
      return tree.add(Kind::Int, pick(kInts));
    case 3:
      return tree.add(Kind::Float, pick(kFloats));
    default:
      return tree.add_string(tree.intern(text()));
  }
}

NodeId TreeGenerator::collection(Tree& tree, int depth) {
  const bool is_map = chance(60);
  const NodeId id = is_map ? tree.add_map() : tree.add_seq();
  const std::uint64_t count = below(7);
  for (std::uint64_t i = 0; i < count; ++i) {
    const NodeId child = node(tree, depth + 1);
    if (!is_map) {
      tree.append(id, child);
    } else if (const std::string name = key(); tree.find(id, name) == kNoNode) {
      tree.append(id, tree.intern(name), child);
    }
  }
  return id;
}

NodeId TreeGenerator::node(Tree& tree, int depth) {
  return depth < 5 && chance(40) ? collection(tree, depth) : scalar(tree);
}

Tree TreeGenerator::document() {
  Tree tree;
  tree.set_root(chance(10) ? scalar(tree) : collection(tree, 0));
  return tree;
}

}  // namespace trainyard
