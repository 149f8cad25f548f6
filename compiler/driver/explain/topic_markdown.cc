#include "driver/explain/topic_markdown.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "driver/format/text_layout.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A list of texts, or one.
std::string text_of(View value) {
  if (!value || !value->is_seq()) return value ? std::string(value.text()) : std::string();
  std::string all;
  for (const View each : Items(value)) all += (all.empty() ? "" : ", ") + std::string(each.text());
  return all;
}

/// A table of maps, without the columns that no row has.
std::string table_of(View list,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> columns) {
  if (!has_items(list)) return {};
  Table table;
  std::vector<std::string_view> keys;
  for (const auto& [key, title] : columns) {
    const Items rows(list);
    const std::string_view wanted = key;
    const bool is_there = std::any_of(
        rows.begin(), rows.end(), [wanted](View row) { return static_cast<bool>(row[wanted]); });
    if (!is_there) continue;
    keys.push_back(key);
    table.columns.push_back({std::string(title), std::string(key)});
  }
  for (const View row : Items(list)) {
    std::vector<std::vector<std::string>> cells;
    for (const std::string_view key : keys) cells.push_back({text_of(row[key])});
    table.rows.push_back(std::move(cells));
  }
  return table_markdown(table) + "\n";
}

/// A map of texts as a table of two columns.
std::string table_of_map(View map, std::string_view first, std::string_view second) {
  if (!has_items(map)) return {};
  Table table{"", {{std::string(first), ""}, {std::string(second), ""}}, {}};
  for (const View each : Items(map)) {
    table.rows.push_back({{std::string(each.key())}, {text_of(each)}});
  }
  return table_markdown(table) + "\n";
}

std::string paragraph(std::string_view text) {
  return text.empty() ? std::string() : std::string(text) + "\n\n";
}

std::string head(View topic) {
  const std::string_view path = string_at(topic, "path");
  std::string text = "## `" + std::string(path.empty() ? string_at(topic, "name") : path) + "`\n\n";
  const std::string_view kind = string_at(topic, "kind");
  if (kind.empty()) return text + std::string(string_at(topic, "sort")) + "\n\n";
  text += std::string(kind) + ", " + std::string(string_at(topic, "type"));
  if (is_true(topic["required"])) text += ", required";
  return text + "\n\n";
}

std::string topic_markdown(View topic) {
  std::string text = head(topic) + paragraph(string_at(topic, "description"));
  if (topic["allowed"]) text += "One of: " + text_of(topic["allowed"]) + "\n\n";
  if (topic["default"]) text += "Default: `" + text_of(topic["default"]) + "`\n\n";
  text += table_of_map(topic["facts"], "fact", "value");
  if (topic["limits"] && topic["limits"]->is_map()) {
    text += table_of_map(topic["limits"], "limit", "value");
  } else {
    text += table_of(topic["limits"], {{"field", "cannot express"}, {"because", "because"}});
  }
  text += table_of(topic["fields"], {{"name", "field"},
                                     {"type", "type"},
                                     {"default", "default"},
                                     {"allowed", "one of"},
                                     {"description", "what it is"}});
  for (const View part : items_at(topic, "parts")) {
    text += "### " + std::string(string_at(part, "sort")) + " `" +
            std::string(string_at(part, "name")) + "`\n\n" +
            table_of_map(part["facts"], "fact", "value");
  }
  text += table_of(topic["mentions"], {{"call", "call"}, {"sentence", "what it explains"}});
  text += table_of(topic["refusedBy"],
                   {{"target", "target without it"}, {"field", "field"}, {"because", "because"}});
  const std::string_view example = string_at(topic, "example");
  if (!example.empty()) text += "```yaml\n" + std::string(example) + "```\n\n";
  return text;
}

}  // namespace

std::string topics_markdown(std::string_view topics) {
  SourceMap sources;
  Sink sink;
  const std::string list = "[" + std::string(topics) + "]";
  const auto tree = read_json(sources, sources.add("topics", list), sink);
  std::string text;
  if (!tree) return text;
  for (const View each : Items(View(*tree, tree->root()))) text += topic_markdown(each);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace trainyard
