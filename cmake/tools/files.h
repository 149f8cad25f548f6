#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace trainyard {

/// The content of a file; empty when it cannot be read, which no file of ours is.
inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes a file and makes the folders above it.
inline bool write_bytes(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << content;
  return out.good();
}

/// The files below a folder, as paths relative to it, sorted.
std::vector<std::string> files_below(const std::filesystem::path& folder);

}  // namespace trainyard
