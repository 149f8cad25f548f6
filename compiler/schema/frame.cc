#include "schema/frame.h"

#include "source/characters.h"

namespace trainyard {
namespace {

bool is_plain_key(std::string_view key) {
  if (key.empty()) return false;
  for (char c : key) {
    const bool word = is_alphanumeric(c);
    if (!word && c != '-' && c != '_' && c != '$') return false;
  }
  return true;
}

void append_step(const Tree& tree, const Frame& at, std::string& path) {
  if (at.in_list()) {
    path += "[" + std::to_string(at.index) + "]";
    return;
  }
  append_key(tree[at.node].key, path);
}

void append_path(const Tree& tree, const Frame& at, std::string& path) {
  if (at.up == nullptr) return;
  append_path(tree, *at.up, path);
  append_step(tree, at, path);
}

}  // namespace

void append_key(std::string_view key, std::string& path) {
  if (!is_plain_key(key)) {
    path.append("[\"").append(key).append("\"]");
    return;
  }
  if (!path.empty()) path += '.';
  path += key;
}

std::string path_of(const Tree& tree, const Frame& at) {
  std::string path;
  append_path(tree, at, path);
  return path;
}

}  // namespace trainyard
