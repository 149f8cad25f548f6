#include "driver/format/text_layout.h"

#include <algorithm>

#include "diag/glyph.h"
#include "source/characters.h"
#include "tree/json.h"
#include "tree/tree.h"

namespace trainyard {
namespace {

std::string capitals(std::string text) {
  for (char& c : text) {
    c = to_upper(c);
  }
  return text;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::string wrapped;
  append_wrapped(text, 0, width == 0 ? std::string::npos : width, wrapped);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < wrapped.size();) {
    const std::size_t end = wrapped.find('\n', at);
    lines.push_back(wrapped.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

constexpr std::size_t kLine = 80;
constexpr std::size_t kGap = 2;
constexpr std::size_t kLeast = 30;  // of the last column, which else stands below
constexpr std::size_t kIndent = 4;  // of what stands below

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, columns_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

/// The rows of a table, fitted into a line.
class TextTable {
 public:
  explicit TextTable(const Table& table) {
    rows_.emplace_back();
    for (const Column& column : table.columns) {
      if (!column.in_text) continue;
      rows_.front().push_back(capitals(column.title));
      limits_.push_back(column.width);
    }
    for (const auto& row : table.rows) {
      rows_.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (table.columns[i].in_text) rows_.back().push_back(joined(row[i]));
      }
    }
    fit();
  }

  std::string text() const {
    std::string out;
    for (const auto& row : rows_) append(row, out);
    return out;
  }

 private:
  /// Widths by the texts; then the widest give way, down to their longest words.
  void fit() {
    const std::size_t columns = rows_.front().size();
    std::vector<std::size_t> words(columns);
    widths_.assign(columns, 0);
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < columns; ++i) {
        for (const std::string& line : lines_of(row[i], limits_[i])) {
          widths_[i] = std::max(widths_[i], columns_of(line));
        }
        words[i] = std::max(words[i], longest_word(row[i]));
      }
    }
    std::size_t before_last = 0;
    for (std::size_t i = 0; i + 1 < columns; ++i) before_last += widths_[i] + kGap;
    is_below_ = columns > 1 && before_last + widths_.back() > kLine &&
                before_last + kLeast > kLine && widths_.back() >= kLeast;
    if (is_below_) widths_.back() = kLine - kIndent;
    while (line() > kLine) {
      std::size_t widest = columns;
      for (std::size_t i = 0; i < columns - (is_below_ ? 1 : 0); ++i) {
        const bool can_give = widths_[i] > words[i];
        if (can_give && (widest == columns || widths_[i] > widths_[widest])) widest = i;
      }
      if (widest == columns) return;
      const std::size_t over = line() - kLine;
      const std::size_t give = std::min(over, widths_[widest] - words[widest]);
      widths_[widest] -= give;
    }
  }

  std::size_t line() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < widths_.size() - (is_below_ ? 1 : 0); ++i) {
      sum += widths_[i] + (i == 0 ? 0 : kGap);
    }
    return sum;
  }

  void append(const std::vector<std::string>& row, std::string& out) const {
    const std::size_t columns = row.size() - (is_below_ ? 1 : 0);
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns; ++i) {
      cells.push_back(lines_of(row[i], widths_[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
      std::string text;
      std::size_t column_end = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        if (at < cells[i].size()) {
          text.append(column_end - std::min(column_end, columns_of(text)), ' ');
          text += cells[i][at];
        }
        column_end += widths_[i] + kGap;
      }
      out += text + "\n";
    }
    if (is_below_) append_wrapped(row.back(), kIndent, kLine, out);
  }

  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> limits_;  // of the columns, as the table states them
  std::vector<std::size_t> widths_;
  bool is_below_ = false;  // the last column
};

/// A text as Markdown shows it as it is, within one cell.
std::string markdown_cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') c = ' ';
    if (c == '|' || c == '<' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void append_wrapped(std::string_view text, std::size_t indent, std::size_t width,
                    std::string& out) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const bool paragraph = text.substr(end).starts_with("\n\n");
    text.remove_prefix(std::min(text.find_first_not_of(" \n", end), text.size()));
    const std::size_t size = columns_of(word);
    if (column != 0 && column + 1 + size > width) {
      out += '\n';
      column = 0;
    }
    out.append(column == 0 ? indent : 1, ' ');
    column = (column == 0 ? indent : column + 1) + size;
    out += word;
    if (!paragraph) continue;
    out += "\n\n";
    column = 0;
  }
  if (column != 0) out += '\n';
}

std::string table_text(const Table& table) {
  return TextTable(table).text();
}

std::string table_markdown(const Table& table) {
  std::string out = "|";
  std::string rule = "|";
  for (const Column& column : table.columns) {
    if (!column.in_data) continue;
    out += " " + markdown_cell(column.title) + " |";
    rule += " --- |";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].in_data) out += " " + markdown_cell(joined(row[i])) + " |";
    }
    out += "\n";
  }
  return out;
}

std::string table_json(const Table& table) {
  Tree tree;
  const auto text = [&](const std::string& value) { return tree.add_string(tree.intern(value)); };
  const NodeId list = tree.add_seq();
  for (const auto& row : table.rows) {
    const NodeId object = tree.add_map();
    for (std::size_t i = 0; i < row.size(); ++i) {
      NodeId value = kNoNode;
      if (!table.columns[i].in_data) continue;
      if (table.columns[i].list) {
        value = tree.add_seq();
        for (const std::string& each : row[i]) tree.append(value, text(each));
      } else if (row[i].empty()) {
        value = tree.add(Kind::Null);
      } else if (table.columns[i].number) {
        value = tree.add(Kind::Int, tree.intern(joined(row[i])));
      } else {
        value = text(joined(row[i]));
      }
      tree.append(object, table.columns[i].key, value);
    }
    tree.append(list, object);
  }
  std::string rows;
  write_json(tree, list, rows, 2);
  while (rows.ends_with('\n')) rows.pop_back();
  return "{\"version\": 1, \"" + table.key + "\": " + rows + "}\n";
}

}  // namespace trainyard
