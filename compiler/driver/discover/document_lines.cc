#include "driver/discover/document_lines.h"

#include "diag/words.h"
#include "driver/format/format_files.h"
#include "tree/scalar.h"

namespace trainyard {
namespace {

constexpr std::size_t kWidth = 100;

/// Control characters of a cluster must not begin a line of their own.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

}  // namespace

void DocumentLines::line(std::size_t depth, std::string_view text, std::string_view comment) {
  text_.append(2 * depth, ' ');
  text_ += text;
  if (!comment.empty()) text_ += "  # " + on_one_line(comment);
  text_ += '\n';
}

void DocumentLines::entry(std::size_t depth,
                          const std::vector<std::pair<std::string, std::string>>& fields,
                          std::string_view comment) {
  const std::string all = "- " + flow_map(fields);
  if (2 * depth + all.size() <= kWidth) return line(depth, all, comment);
  for (const auto& field : fields) {
    const bool is_first = &field == &fields.front();
    line(is_first ? depth : depth + 1,
         (is_first ? "- " : "") + yaml_text(field.first) + ": " + field.second,
         is_first ? comment : "");
  }
}

void DocumentLines::comment(std::size_t depth, std::string_view text) {
  const std::string all = on_one_line(text);
  std::string_view rest = all;
  const std::size_t room = kWidth - 2 * depth - 2;
  while (!rest.empty()) {
    std::size_t end = rest.size();
    if (end > room) {
      end = rest.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) end = rest.size();
    }
    text_.append(2 * depth, ' ');
    text_ += "# " + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(end);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
}

std::string laid_out(const std::string& document) {
  MemoryFileSystem files;
  Env env{files, [&document](std::size_t) {
            FileRead read;
            read.text = document;
            return read;
          }};
  Session session(env);
  std::string text = format_files(session, {{"-"}, false}).stream;
  return session.sink.has_errors() ? document : text;
}

std::string yaml_text(std::string_view text) {
  const bool is_plain =
      plain_is_string(text) && text.find_first_of(",[]{}#:&*!|>'\"%@`?") == std::string_view::npos;
  return is_plain ? std::string(text) : quoted(text);
}

std::string flow_map(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out;
  for (const auto& [key, value] : entries) {
    out += (out.empty() ? "" : ", ") + yaml_text(key) + ": " + value;
  }
  return "{" + out + "}";
}

std::string flow_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& each : items) out += (out.empty() ? "" : ", ") + each;
  return "[" + out + "]";
}

}  // namespace trainyard
