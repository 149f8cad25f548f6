// Health expressions of Flux. The first sign that holds decides, so an expression is a chain of
// choices, a line for each sign. CEL has no sum: what the table adds up is asked of each item.

#include <algorithm>

#include "kind/health.h"

namespace trainyard {
namespace {

/// A path of the table: of a field, or of a field in each item of a list or entry of a map.
struct Path {
  std::string at;     // the field, or the collection: `status.?conditions`
  std::string field;  // in an item, `.?ready`; "" for a field
  bool is_list = false;

  bool has_items() const { return !field.empty(); }
};

std::string optional_fields(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    text += ".?" + std::string(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return text;
}

/// `a[].b` and `a.*.b` below `root`, which is a variable.
Path path_of(std::string_view root, std::string_view path) {
  const std::size_t list = path.find("[].");
  const std::size_t map = path.find(".*.");
  const std::size_t end = std::min({list, map, path.size()});
  Path result;
  result.at = std::string(root) + optional_fields(path.substr(0, end));
  if (end < path.size()) result.field = optional_fields(path.substr(end + 3));
  result.is_list = list != path.npos;
  return result;
}

Path path_of_object(std::string_view path) {
  const std::size_t dot = path.find('.');
  return path_of(path.substr(0, dot), path.substr(dot + 1));
}

std::string or_value(const std::string& optional, std::string_view value) {
  return optional + ".orValue(" + std::string(value) + ")";
}

std::string collection(const Path& path) {
  return or_value(path.at, path.is_list ? "[]" : "{}");
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string text;
  for (const std::string& each : texts) {
    text += (text.empty() ? "" : std::string(between)) + each;
  }
  return text;
}

/// The sum of the fields of one item, which is `item` of a list, or has the key `item` in a map.
std::string sum_in_item(const std::vector<Path>& paths, std::string_view item) {
  std::vector<std::string> terms;
  for (const Path& each : paths) {
    const std::string at =
        each.is_list ? std::string(item) : each.at + "[?" + std::string(item) + "]";
    terms.push_back(or_value(at + each.field, "0"));
  }
  return joined(terms, " + ");
}

/// Whether the counts reach what one path wants; "" where CEL cannot say.
std::string reaches(const std::vector<Path>& counts, const Path& wanted) {
  const Path& first = counts.front();
  if (!wanted.has_items() && !first.has_items()) {
    std::vector<std::string> terms;
    for (const Path& each : counts) terms.push_back(or_value(each.at, "0"));
    return joined(terms, " + ") + " >= " + or_value(wanted.at, "0");
  }
  if (!wanted.has_items()) {
    return collection(first) + ".exists(i, " + sum_in_item(counts, "i") +
           " >= " + or_value(wanted.at, "0") + ")";
  }
  if (!first.has_items()) return {};
  if (!wanted.is_list) {
    return collection(wanted) + ".all(k, " + sum_in_item(counts, "k") +
           " >= " + or_value(wanted.at + "[?k]" + wanted.field, "1") + ")";
  }
  if (wanted.at == first.at) {
    return collection(wanted) + ".all(w, " + sum_in_item(counts, "w") +
           " >= " + or_value("w" + wanted.field, "1") + ")";
  }
  return collection(wanted) + ".all(w, " + collection(first) + ".exists(i, i.name == w.name && " +
         sum_in_item(counts, "i") + " >= " + or_value("w" + wanted.field, "1") + "))";
}

std::string none_there(const std::vector<Path>& paths) {
  std::vector<std::string> texts;
  for (const Path& each : paths) {
    const std::string has = "!" + each.at + ".hasValue()";
    if (std::ranges::find(texts, has) == texts.end()) texts.push_back(has);
  }
  return joined(texts, " && ");
}

/// As the table has it: what the status does not count, or nothing says to be wanted, is enough.
std::string enough(const JobKind& kind, const StatusSign& sign) {
  std::vector<Path> counts;
  for (std::string_view each : sign.all) counts.push_back(path_of("status", each));
  std::vector<Path> wanted;
  std::vector<std::string> ways;
  for (std::string_view each : kind.wanted) {
    const Path path = path_of_object(each);
    const std::string way = reaches(counts, path);
    if (way.empty()) continue;
    wanted.push_back(path);
    ways.push_back(kind.wanted.size() == 1 ? way : path.at + ".hasValue() && " + way);
  }
  if (ways.empty()) return {};
  ways.insert(ways.begin(), none_there(wanted));
  if (none_there(counts) != ways.front()) ways.insert(ways.begin(), none_there(counts));
  return joined(ways, " ||\n    ");
}

std::string test_of(const JobKind& kind, const StatusSign& sign) {
  const auto quoted = [](std::string_view text) { return "'" + std::string(text) + "'"; };
  std::string test;
  if (!sign.condition.empty()) {
    test = "status.?conditions.orValue([]).exists(c, c.type == " + quoted(sign.condition) +
           " && c.status == " + quoted(sign.is);
    if (!sign.reason.empty()) test += " && c.reason == " + quoted(sign.reason);
    test += ")";
  } else if (!sign.field.empty()) {
    test = or_value("status" + optional_fields(sign.field), "''") + " == " + quoted(sign.is);
  } else {
    const Path path = path_of("status", sign.some);
    test = path.has_items() ? collection(path) + ".exists(i, " + sum_in_item({path}, "i") + " > 0)"
                            : or_value(path.at, "0") + " > 0";
  }
  const std::string all = sign.all.empty() ? std::string() : enough(kind, sign);
  return all.empty() ? test : test + " && (\n    " + all + ")";
}

/// Whether the first sign that holds has a phase for which Flux has this word.
std::string expression(const JobKind& kind, std::string_view word, FluxGate gate) {
  std::vector<std::pair<std::string, bool>> choices;
  for (const StatusSign& sign : kind.signs) {
    choices.emplace_back(test_of(kind, sign), flux_word(kind, sign.phase, gate) == word);
  }
  // The last sign decides by itself, and one that would say no there says nothing.
  while (!choices.empty() && !choices.back().second) choices.pop_back();
  if (choices.empty()) return "false";
  std::string text;
  for (const auto& [test, is_so] : choices) {
    const bool is_last = &test == &choices.back().first;
    text += test + (is_last ? "" : is_so ? " ? true :\n" : " ? false :\n");
  }
  return text;
}

}  // namespace

FluxHealth flux_health(const JobKind& kind, FluxGate gate) {
  return {std::string(kind.group) + "/" + std::string(kind.version), std::string(kind.kind),
          expression(kind, "Failed", gate), expression(kind, "Current", gate)};
}

}  // namespace trainyard
