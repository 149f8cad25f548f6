#include "golden/files.h"

#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace trainyard::golden {

namespace fs = std::filesystem;

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

Files read_tree(const fs::path& directory) {
  Files files;
  if (!fs::exists(directory)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(directory).generic_string()] = read_file(entry.path());
  }
  return files;
}

void write_tree(const fs::path& directory, const Files& files) {
  for (const auto& [name, text] : files) write_file(directory / name, text);
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "trainyard-golden-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = fs::canonical(name);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      lines.back() += " (no line break)";
      break;
    }
    text.remove_prefix(end + 1);
  }
  return lines;
}

void append(std::string& out, const std::vector<std::string>& lines, std::size_t begin,
            std::size_t end, std::string_view sign) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = begin; i < end; ++i) {
    if (i == begin + kMost) {
      out += "    (" + std::to_string(end - i) + " more)\n";
      break;
    }
    out.append("  ").append(sign).append(lines[i]).append("\n");
  }
}

}  // namespace

std::string difference(std::string_view expected, std::string_view actual) {
  if (expected == actual) return {};
  const auto a = lines_of(expected);
  const auto b = lines_of(actual);
  std::size_t head = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  std::string out = "  line " + std::to_string(head + 1) + ":\n";
  append(out, a, head - std::min<std::size_t>(head, 2), head, " ");
  append(out, a, head, a.size() - tail, "-");
  append(out, b, head, b.size() - tail, "+");
  return out;
}

std::string difference(std::string_view title, const Files& expected, const Files& actual) {
  std::string out;
  const std::string prefix(title);
  for (const auto& [name, text] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end()) {
      out += prefix + name + ": expected, but not there\n";
    } else if (found->second != text) {
      out += prefix + name + ": differs\n" + difference(text, found->second);
    }
  }
  for (const auto& [name, text] : actual) {
    if (expected.contains(name)) continue;
    out += prefix + name + ": there, but not expected\n" + difference("", text);
  }
  return out;
}

}  // namespace trainyard::golden
