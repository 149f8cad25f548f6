#include "driver/format/difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "diag/foreign_text.h"
#include "diag/glyph.h"
#include "diag/secrets.h"

namespace trainyard {
namespace {

using Lines = std::vector<std::string_view>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// The text with a mask in the place of every secret, and as many lines as before.
std::string without_secrets_by_line(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  for (const CredentialFinding& secret : find_secrets(text)) {
    result += text.substr(at, secret.begin - at);
    for (const std::string_view line :
         split(text.substr(secret.begin, secret.end - secret.begin))) {
      result += line.substr(0, line.find_first_not_of(" \t"));
      result += kSecretMask;
      if (line.ends_with('\n')) result += '\n';
    }
    at = secret.end;
  }
  return result += text.substr(at);
}

struct Edit {
  char mark;  // ' ', '-' or '+'
  std::string_view line;
};

/// Shows secrets as masks in what was found by comparing the texts with them: a difference has only
/// parts of a text, in which a secret cannot always be told by what stands around it.
void mask(std::vector<Edit>& script, const Lines& old_lines, const Lines& new_lines) {
  std::size_t i = 0;
  std::size_t j = 0;
  for (Edit& edit : script) {
    const std::string_view old_line = edit.mark != '+' ? old_lines[i++] : edit.line;
    const std::string_view new_line = edit.mark != '-' ? new_lines[j++] : edit.line;
    edit.line = old_line != edit.line ? old_line : new_line;
  }
}

/// The shortest edit script by the longest common subsequence. Where the texts are too long for the
/// table, all that lies between their common head and tail is one change.
std::vector<Edit> edits(const Lines& a, const Lines& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t n = a.size() - head - tail;
  const std::size_t m = b.size() - head - tail;
  std::vector<Edit> result;
  for (std::size_t i = 0; i < head; ++i) result.push_back({' ', a[i]});

  constexpr std::size_t kLargestTable = 4'000'000;
  std::size_t i = 0;
  std::size_t j = 0;
  if (n * m <= kLargestTable) {
    std::vector<std::uint32_t> common((n + 1) * (m + 1), 0);
    const auto at = [&](std::size_t x, std::size_t y) -> std::uint32_t& {
      return common[x * (m + 1) + y];
    };
    for (std::size_t x = n; x-- > 0;) {
      for (std::size_t y = m; y-- > 0;) {
        at(x, y) = a[head + x] == b[head + y] ? at(x + 1, y + 1) + 1
                                              : std::max(at(x + 1, y), at(x, y + 1));
      }
    }
    while (i < n && j < m) {
      if (a[head + i] == b[head + j]) {
        result.push_back({' ', a[head + i]});
        ++i, ++j;
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        result.push_back({'-', a[head + i++]});
      } else {
        result.push_back({'+', b[head + j++]});
      }
    }
  }
  for (; i < n; ++i) result.push_back({'-', a[head + i]});
  for (; j < m; ++j) result.push_back({'+', b[head + j]});
  for (std::size_t k = a.size() - tail; k < a.size(); ++k) result.push_back({' ', a[k]});
  return result;
}

std::string range(std::size_t start, std::size_t count) {
  return std::to_string(count == 0 ? start : start + 1) + "," + std::to_string(count);
}

}  // namespace

std::string difference(std::string_view old_name, std::string_view new_name,
                       std::string_view old_text, std::string_view new_text) {
  if (old_text == new_text) return {};
  constexpr std::size_t kContext = 3;
  const Lines a = split(old_text);
  const Lines b = split(new_text);
  std::vector<Edit> script = edits(a, b);
  const std::string old_shown = without_secrets_by_line(old_text);
  const std::string new_shown = without_secrets_by_line(new_text);
  mask(script, split(old_shown), split(new_shown));

  std::string out = "--- " + foreign_text(old_name) + "\n+++ " + foreign_text(new_name) + "\n";
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  std::size_t at = 0;
  while (at < script.size()) {
    // To the next change, then a hunk that takes in changes with little between them.
    std::size_t change = at;
    while (change < script.size() && script[change].mark == ' ') ++change;
    if (change == script.size()) break;
    const std::size_t begin = std::max(at, change < kContext ? 0 : change - kContext);
    old_line += begin - at;
    new_line += begin - at;
    std::size_t last = change;
    for (std::size_t k = change; k < script.size() && k <= last + 2 * kContext; ++k) {
      if (script[k].mark != ' ') last = k;
    }
    const std::size_t end = std::min(script.size(), last + kContext + 1);
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (std::size_t k = begin; k < end; ++k) {
      old_count += script[k].mark != '+';
      new_count += script[k].mark != '-';
      body += script[k].mark;
      body += printable_lines(script[k].line);
      if (!script[k].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    out += "@@ -" + range(old_line, old_count) + " +" + range(new_line, new_count) + " @@\n" + body;
    old_line += old_count;
    new_line += new_count;
    at = end;
  }
  return out;
}

std::vector<ChangedLine> changed_lines(std::string_view old_text, std::string_view new_text) {
  std::vector<ChangedLine> result;
  std::uint32_t old_line = 1;  // the next one
  std::uint32_t new_line = 1;
  std::uint32_t replaced = 1;  // the next old line that a new one can take the place of
  for (const Edit& edit : edits(split(old_text), split(new_text))) {
    if (edit.mark == '-') {
      ++old_line;
      continue;
    }
    if (edit.mark == '+') {
      result.push_back({replaced, new_line++});
      replaced = std::min(replaced + 1, old_line);
      continue;
    }
    ++new_line;
    replaced = ++old_line;
  }
  return result;
}

}  // namespace trainyard
