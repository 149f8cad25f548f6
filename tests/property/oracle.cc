#include "property/oracle.h"

#include <sys/wait.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "folders.h"

namespace trainyard {
namespace {

using nlohmann::json;

const std::string kWorkFolder = testing::build_folder().string() + "/oracles";

std::string quoted(const std::string& path) {
  return "'" + path + "'";
}

bool runs(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream in(path);
  std::getline(in, line);
  return line;
}

std::string float_bits(std::string_view text) {
  if (text == ".nan") return "f:nan";
  double value = 0;
  if (text == ".inf") value = HUGE_VAL;
  if (text == "-.inf") value = -HUGE_VAL;
  std::from_chars(text.data(), text.data() + text.size(), value);
  char bits[24];
  std::snprintf(bits, sizeof bits, "f:%016llx",
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return bits;
}

bool fits_64_bits(std::string_view text) {
  std::int64_t small = 0;
  std::uint64_t large = 0;
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, small).ec == std::errc() ||
         std::from_chars(text.data(), end, large).ec == std::errc();
}

json typed(const Tree& tree, NodeId id, BigInts big) {
  const Node& node = tree[id];
  const std::string text(node.text);
  switch (node.kind) {
    case Kind::Null:
      return "n:";
    case Kind::Bool:
      return "b:" + text;
    case Kind::Int:
      return big == BigInts::Floats && !fits_64_bits(text) ? float_bits(text) : "i:" + text;
    case Kind::Float:
      return float_bits(text);
    case Kind::String:
      return "s:" + text;
    case Kind::Seq:
    case Kind::Map:
      break;
  }
  json result = node.is_map() ? json::object() : json::array();
  for (NodeId child : tree.children(id)) {
    if (node.is_map()) {
      result["s:" + std::string(tree[child].key)] = typed(tree, child, big);
    } else {
      result.push_back(typed(tree, child, big));
    }
  }
  return result;
}

}  // namespace

Oracle go_oracle(std::string_view mode) {
  return module_oracle("go", mode);
}

Oracle module_oracle(std::string_view folder, std::string_view mode) {
  (void)runs("mkdir -p " + quoted(kWorkFolder));
  const std::string out = kWorkFolder + "/" + std::string(folder);
  const std::string build = quoted((testing::repository() / "scripts/oracles").string()) + " " +
                            std::string(folder) + " >" + quoted(out + ".path") + " 2>" +
                            quoted(out + ".log");
  const int status = std::system(build.c_str());
  constexpr int kSkipped = 77;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) return {"", first_line(out + ".log")};
  if (status != 0) std::fprintf(stderr, "the oracle does not build; see %s.log\n", out.c_str());
  return {quoted(first_line(out + ".path")) + " " + std::string(mode), ""};
}

Oracle cel_oracle(std::string_view mode) {
  return module_oracle("cel", mode);
}

Oracle python_oracle(bool libyaml) {
  const std::string python = quoted(testing::python_program());
  const std::string script = quoted(testing::repository().string() + "/tests/oracles/documents.py");
  Oracle oracle{python + " " + script + (libyaml ? " libyaml" : ""), ""};
  (void)runs("mkdir -p " + quoted(kWorkFolder));
  if (!runs(python + " -c 'import yaml'")) oracle.missing = "Python has no module `yaml`";
  if (libyaml && !runs(python + " -c 'from yaml import CSafeLoader'")) {
    oracle.missing = "PyYAML was built without libyaml";
  }
  return oracle;
}

std::vector<std::string> ask(const Oracle& oracle, std::string_view name,
                             const std::string& input) {
  const std::string in = kWorkFolder + "/" + std::string(name) + ".in";
  const std::string out = kWorkFolder + "/" + std::string(name) + ".out";
  std::ofstream(in, std::ios::binary) << input;
  const int status = std::system(
      (oracle.command + " <" + quoted(in) + " >" + quoted(out) + " 2>" + quoted(out + ".err"))
          .c_str());
  if (status != 0) return {"the oracle failed; see " + out + ".err"};
  std::vector<std::string> lines;
  std::ifstream answers(out, std::ios::binary);
  for (std::string line; std::getline(answers, line);) lines.push_back(line);
  return lines;
}

std::string typed_json(const Tree& tree, NodeId root, BigInts big) {
  return typed(tree, root, big).dump(-1, ' ', true);
}

bool same_value(const std::string& expected, const std::string& got) {
  if (expected == got) return true;
  const json left = json::parse(expected, nullptr, false);
  const json right = json::parse(got, nullptr, false);
  return !left.is_discarded() && !right.is_discarded() && left == right;
}

}  // namespace trainyard
