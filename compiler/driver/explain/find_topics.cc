#include "driver/explain/find_topics.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "diag/glyph.h"
#include "driver/explain/list.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostRows = 12;  // of one sort
constexpr std::size_t kWidth = 44;
constexpr std::size_t kLongest = 90;
constexpr int kDeepest = 6;  // fields of Kubernetes below `spec.pod` have a help of their own

/// In small letters, with a blank for each dash: `flight-recorder` finds "flight recorder".
std::string folded(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) {
    return c == '-' ? ' ' : static_cast<char>(std::tolower(c));
  });
  return result;
}

/// Whether a text has the word as one, also as a part of `gke-tcpxo`, `/dev/shm` or of a plural.
bool speaks_of(std::string_view text, std::string_view word) {
  const std::string small = folded(text);
  const auto is_letter = [&](std::size_t at) {
    return at < small.size() && std::isalpha(static_cast<unsigned char>(small[at])) != 0;
  };
  for (std::size_t at = small.find(word); at != small.npos; at = small.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if (end < small.size() && small[end] == 's') ++end;
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(end)) return true;
  }
  return false;
}

std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  return std::string(text.substr(0, end == text.npos ? text.size() : end + 1));
}

/// The fields of one kind, each once.
class Fields {
 public:
  Fields(const SchemaPack& pack, std::string_view word, std::string prefix)
      : pack_(pack), word_(word), prefix_(std::move(prefix)) {}

  std::vector<FoundTopic> found;

  void walk(SchemaId schema, const std::string& path, int depth) {
    schema = entered(schema);
    if (schema == kAnySchema || depth > kDeepest) return;
    for (const bool last : {false, true}) {
      for (const SchemaProperty& each : pack_.properties(pack_[schema])) {
        const std::string_view name = pack_.text(each.name);
        if ((name == "roles") != last) continue;  // they repeat what the whole job has
        field(each, (path.empty() ? "" : path + ".") + std::string(name), depth);
      }
    }
  }

 private:
  void field(const SchemaProperty& each, const std::string& path, int depth) {
    const std::string_view name = pack_.text(each.name);
    const std::string_view description = pack_.text(pack_[each.schema].description);
    const bool speaks = speaks_of(name, word_) || speaks_of(description, word_);
    if (speaks && seen_.insert(std::string(name) + '\n' + std::string(description)).second) {
      found.push_back({"explain " + prefix_ + path, first_sentence(description)});
    }
    walk(each.schema, path, depth + 1);
  }

  /// The schema with the fields: of a list's items, or of the values of a map.
  SchemaId entered(SchemaId id) const {
    while (id != kAnySchema) {
      const SchemaNode& node = pack_[id];
      if (node.items != kNoLimit) {
        id = node.items;
      } else if (node.properties.count == 0 && node.additional != kNoLimit) {
        id = node.additional;
      } else {
        break;
      }
    }
    return id;
  }

  const SchemaPack& pack_;
  std::string_view word_;
  std::string prefix_;
  std::set<std::string> seen_;  // roles have the fields of the whole job once more
};

std::vector<FoundTopic> fields_about(const SchemaPack& pack, std::string_view kind,
                                     std::string_view word, std::string prefix) {
  const SchemaKind* found = pack.find("trainyard/v1alpha1", kind);
  Fields fields(pack, word, std::move(prefix));
  if (found != nullptr) fields.walk(found->schema, "", 0);
  return std::move(fields.found);
}

/// Rows of a list whose name or sentence has the word.
std::vector<FoundTopic> rows_about(Session& session, std::string_view list, std::string_view word) {
  std::vector<FoundTopic> found;
  const auto table = list_table(session, list);
  if (!table) return found;
  const auto column = std::ranges::find_if(table->columns, [](const Column& each) {
    return each.key == "sentence" || each.key == "summary";
  });
  const auto place = static_cast<std::size_t>(column - table->columns.begin());
  for (const auto& row : table->rows) {
    const std::string& name = row.front().front();
    std::string sentence;
    if (place < row.size() && row[place].size() == 1) sentence = row[place].front();
    if (!speaks_of(name + ' ' + sentence, word)) continue;
    found.push_back(
        {"explain " + std::string(list.substr(0, list.size() - 1)) + " " + name, sentence});
  }
  return found;
}

std::string cut(const std::string& sentence) {
  if (sentence.size() <= kLongest) return sentence;
  return sentence.substr(0, glyph_start(sentence, kLongest)) + "…";
}

void print(const std::vector<FoundTopic>& topics, std::string& out) {
  const std::size_t shown = std::min(topics.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    std::string line = "  trainyard " + topics[i].call;
    if (!topics[i].sentence.empty()) {
      line.resize(std::max(line.size() + 2, kWidth), ' ');
      line += cut(topics[i].sentence);
    }
    out += line + "\n";
  }
  if (shown < topics.size()) {
    out += "  and " + std::to_string(topics.size() - shown) + " more like these\n";
  }
}

}  // namespace

FoundTopics topics_about(Session& session, std::string_view word) {
  constexpr std::size_t kShortest = 3;
  if (word.size() < kShortest) return {};
  const std::string wanted = folded(word);
  FoundTopics found;
  const auto add = [&](std::vector<FoundTopic> some) {
    print(some, found.text);
    std::ranges::move(some, std::back_inserter(found.all));
  };
  add(fields_about(session.schemas, "TrainingJob", wanted, ""));
  add(fields_about(session.schemas, "Cluster", wanted, "Cluster."));
  for (std::string_view list :
       {"fabrics", "machines", "targets", "rules", "checks", "diagnostics"}) {
    add(rows_about(session, list, wanted));
  }
  if (!found.all.empty()) {
    found.text.insert(0, "there is no topic " + code(word) + "; related topics:\n");
  }
  return found;
}

}  // namespace trainyard
