// The least that any compiler of these files must do: read every file of a directory, split it into
// lines, and write as many bytes as the compiler would.
//
//   bench_floor DIR BYTES >OUT

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

void read_file(const char* path, std::string& text) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) std::exit(4);
  char block[65536];
  text.clear();
  for (ssize_t got = 0; (got = read(file, block, sizeof block)) > 0;) {
    text.append(block, static_cast<std::size_t>(got));
  }
  close(file);
}

std::size_t split(std::string_view text) {
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    text.remove_prefix(end + 1);
    ++lines;
  }
  return lines;
}

std::vector<std::string> sorted_files(const char* path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void write_bytes(std::size_t count) {
  std::string block(65536, 'x');
  while (count > 0) {
    const ssize_t put = write(STDOUT_FILENO, block.data(), std::min(count, block.size()));
    if (put <= 0) std::exit(4);
    count -= static_cast<std::size_t>(put);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::size_t bytes = 0;
  std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), bytes);
  std::string text;
  std::size_t lines = 0;
  for (const std::string& file : sorted_files(argv[1])) {
    read_file(file.c_str(), text);
    lines += split(text);
  }
  write_bytes(bytes);
  return lines == 0 ? 1 : 0;
}
