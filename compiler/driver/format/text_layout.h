#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Appends `text` in lines of at most `width` columns, each after `indent` spaces. An empty line of
/// the text stays one; other line breaks are spaces. A word that is wider has a line of its own.
void append_wrapped(std::string_view text, std::size_t indent, std::size_t width, std::string& out);

/// One column of a table.
struct Column {
  std::string title;
  std::string key;        // of the JSON members
  std::size_t width = 0;  // to wrap the text form at; 0 never does
  bool list = false;      // a cell holds any number of texts, and JSON a list
  bool in_text = true;    // too long for the text form otherwise
  bool number = false;    // to JSON
  bool in_data = true;    // else for the text form alone
};

/// Cells are lists of texts; where the column is none, of one.
struct Table {
  std::string key;  // of the JSON document
  std::vector<Column> columns;
  std::vector<std::vector<std::vector<std::string>>> rows;
};

/// Columns below each other, their titles in capitals, in lines of 80 columns where words allow it.
/// Where the last column would have little room, its texts stand below their rows.
std::string table_text(const Table& table);
std::string table_markdown(const Table& table);
/// `{"version": 1, "<key>": [{...}, ...]}`; what is not known is null.
std::string table_json(const Table& table);

}  // namespace trainyard
