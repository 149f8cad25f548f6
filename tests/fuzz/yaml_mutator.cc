// Changes documents by their shape: a line together with the deeper lines below it is one subtree.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Lines = std::vector<std::string>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::size_t indent(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

struct Subtree {
  std::size_t first;
  std::size_t end;
};

class Mutation {
 public:
  Mutation(std::string_view text, unsigned seed) : lines_(split(text)), random_(seed) {}

  std::string apply() {
    if (lines_.empty()) return {};
    const Subtree one = any();
    const Subtree other = any();
    switch (number(5)) {
      case 0:
        erase(one);
        break;
      case 1:
        insert(other.first, copy(one), indent(lines_[other.first]));
        break;
      case 2:
        replace(one, copy(other));
        break;
      case 3:
        lines_[one.first] = key_of(lines_[one.first]) + value_of(lines_[other.first]);
        break;
      default:
        shift(one, number(2) == 0 ? 2 : -2);
    }
    std::string text;
    for (const std::string& line : lines_) text += line;
    return text;
  }

 private:
  std::size_t number(std::size_t below) { return random_() % below; }

  Subtree any() {
    const std::size_t first = number(lines_.size());
    std::size_t end = first + 1;
    while (end < lines_.size() && indent(lines_[end]) > indent(lines_[first])) ++end;
    return {first, end};
  }

  Lines copy(Subtree part) const {
    const auto begin = lines_.begin();
    return {begin + static_cast<std::ptrdiff_t>(part.first),
            begin + static_cast<std::ptrdiff_t>(part.end)};
  }

  void erase(Subtree part) {
    const auto begin = lines_.begin();
    lines_.erase(begin + static_cast<std::ptrdiff_t>(part.first),
                 begin + static_cast<std::ptrdiff_t>(part.end));
  }

  void insert(std::size_t at, Lines part, std::size_t depth) {
    const std::size_t own = indent(part.front());
    for (std::string& line : part) {
      const std::size_t below = indent(line) < own ? 0 : indent(line) - own;
      line = std::string(depth + below, ' ') + line.substr(indent(line));
    }
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), part.begin(), part.end());
  }

  void replace(Subtree part, Lines by) {
    const std::size_t depth = indent(lines_[part.first]);
    erase(part);
    insert(part.first, std::move(by), depth);
  }

  void shift(Subtree part, int by) {
    for (std::size_t i = part.first; i < part.end; ++i) {
      if (by > 0) lines_[i].insert(0, "  ");
      if (by < 0 && lines_[i].starts_with("  ")) lines_[i].erase(0, 2);
    }
  }

  static std::string key_of(const std::string& line) {
    const std::size_t colon = line.find(": ");
    return colon == std::string::npos ? line.substr(0, indent(line)) : line.substr(0, colon + 2);
  }
  static std::string value_of(const std::string& line) {
    const std::size_t colon = line.find(": ");
    return colon == std::string::npos ? line.substr(indent(line)) : line.substr(colon + 2);
  }

  Lines lines_;
  std::minstd_rand random_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  if (size < 2 || seed % 3 == 0) return LLVMFuzzerMutate(data, size, max_size);
  // The first byte says what the document is.
  const std::string text =
      Mutation({reinterpret_cast<const char*>(data) + 1, size - 1}, seed / 3).apply();
  const std::size_t length = std::min(text.size(), max_size - 1);
  std::memcpy(data + 1, text.data(), length);
  return length + 1;
}
