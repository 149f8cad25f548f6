#include "driver/format/text_layout.h"

#include <algorithm>

#include "diag/glyph.h"
#include "tree/json.h"
#include "tree/tree.h"

namespace trainyard {
namespace {

std::string capitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
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

/// Cells, each with its lines, one row after the other.
class TextTable {
 public:
  explicit TextTable(const Table& table) {
    std::vector<std::vector<std::string>> titles;
    for (const Column& column : table.columns) {
      if (column.in_text) titles.push_back({capitals(column.title)});
    }
    rows_.push_back(std::move(titles));
    for (const auto& row : table.rows) {
      rows_.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Column& column = table.columns[i];
        if (column.in_text) rows_.back().push_back(lines_of(joined(row[i]), column.width));
      }
    }
  }

  std::string text() const {
    std::string out;
    for (const auto& row : rows_) append(row, out);
    return out;
  }

 private:
  std::size_t width(std::size_t column) const {
    std::size_t widest = 0;
    for (const auto& row : rows_) {
      for (const std::string& line : row[column]) widest = std::max(widest, columns_of(line));
    }
    return widest;
  }

  void append(const std::vector<std::vector<std::string>>& row, std::string& out) const {
    std::size_t height = 1;
    for (const auto& cell : row) height = std::max(height, cell.size());
    for (std::size_t line = 0; line < height; ++line) {
      std::string text;
      std::size_t column_end = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (line < row[i].size()) {
          text.append(column_end - columns_of(text), ' ');
          text += row[i][line];
        }
        column_end += width(i) + 2;
      }
      out += text + "\n";
    }
  }

  std::vector<std::vector<std::vector<std::string>>> rows_;
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
  for (const Column& column : table.columns) out += " " + markdown_cell(column.title) + " |";
  out += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) out += " --- |";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (const auto& cell : row) out += " " + markdown_cell(joined(cell)) + " |";
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
