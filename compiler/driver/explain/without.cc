#include "driver/explain/without.h"

#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::string_view kTable = "without.yaml";

void join(std::string_view word, std::string& out) {
  if (!out.empty()) out += ", ";
  out += word;
}

bool has_word(View list, std::string_view word) {
  if (!list) return false;
  for (View each = list.first(); each; each = each.next()) {
    if (each.text() == word) return true;
  }
  return false;
}

/// The keys of all rows that name the check.
std::string rows_with(View rows, std::string_view check) {
  std::string out;
  if (!rows) return out;
  for (View row = rows.first(); row; row = row.next()) {
    if (has_word(row["checks"], check)) join(row.key(), out);
  }
  return out;
}

}  // namespace

OwnTable::OwnTable(Session& session, std::string_view name)
    : sources_(std::make_unique<SourceMap>()) {
  const auto file = session.templates.find(name);
  if (!file) return;
  Sink sink;
  trees_ = read_yaml(*sources_, sources_->add_view(file->name, file->text), sink, session.limits);
}

View OwnTable::root() const {
  return trees_.empty() ? View() : View(trees_.front(), trees_.front().root());
}

std::string told_without(Session& session, std::string_view rule) {
  const OwnTable table(session, kTable);
  const View row = table.root()["rules"][rule];
  if (row["because"]) return "no check: " + std::string(row["because"].text());
  std::string out;
  if (!row["checks"]) return out;
  for (View each = row["checks"].first(); each; each = each.next()) join(each.text(), out);
  return out;
}

std::string avoided_by(Session& session, std::string_view check) {
  const OwnTable table(session, kTable);
  const std::string rules = rows_with(table.root()["rules"], check);
  const std::string fields = rows_with(table.root()["constants"], check);
  std::string out;
  if (!rules.empty()) out = "avoids it by " + rules;
  if (!fields.empty()) out += (out.empty() ? "writes " : "; writes ") + fields;
  return out;
}

}  // namespace trainyard
