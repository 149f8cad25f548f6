#include "driver/validate/looked_for_files.h"

#include <algorithm>

namespace trainyard {
namespace {

constexpr std::string_view kBlanks = " \t\r-{";

/// What follows a key at the beginning of a line, or after its dash; "" for another line.
std::string_view after_key(std::string_view line, std::string_view key) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return line.starts_with(key) ? line.substr(key.size()) : std::string_view();
}

bool is_operation(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return line.starts_with("assert:") || line.starts_with("error:");
}

std::string in_folder_of(std::string_view path, std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  std::string_view folder = path.substr(0, path.rfind('/') + 1);
  while (name.starts_with("../") && !folder.empty()) {
    name.remove_prefix(3);
    folder = folder.substr(0, folder.substr(0, folder.size() - 1).rfind('/') + 1);
  }
  return std::string(folder) + std::string(name);
}

}  // namespace

std::set<std::string> looked_for_files(std::string_view path, std::string_view text) {
  std::set<std::string> found;
  if (text.find("chainsaw.kyverno.io/") == text.npos) return found;
  bool is_looked_for = false;  // in this line, by itself or by the one before it
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool begins = is_operation(line);
    if (begins) line.remove_prefix(line.find(':') + 1);
    std::string_view name = begins || is_looked_for ? after_key(line, "file:") : "";
    is_looked_for = begins;
    name = name.substr(0, name.find_first_of("#}"));
    const std::size_t first = name.find_first_not_of(" \"'");
    if (first == name.npos) continue;
    const std::size_t last = name.find_last_not_of(" \"'\r");
    found.insert(in_folder_of(path, name.substr(first, last - first + 1)));
  }
  return found;
}

}  // namespace trainyard
