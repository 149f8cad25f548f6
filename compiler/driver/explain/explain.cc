#include "driver/explain/explain.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/glyph.h"
#include "diag/kind.h"
#include "diag/suggest.h"
#include "driver/explain/explain_names.h"
#include "driver/explain/field_page.h"
#include "driver/explain/find_kind.h"
#include "driver/explain/list.h"
#include "driver/session/session.h"
#include "rules/rule_context.h"
#include "schema/describe.h"
#include "tree/json.h"

namespace trainyard {
namespace {

/// A topic that contains a word, and the call that explains it: `explain spec.network`.
struct FoundTopic {
  std::string call;
  std::string sentence;
};

struct FoundTopics {
  std::string text;  // for people, without all of them when there are many; "" for none
  std::vector<FoundTopic> all;
};

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

/// All topics whose text contains the words, but not their name: fields of a TrainingJob
/// and a Cluster, and rows of `trainyard list`.
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

Explanation failed(std::string error) {
  Explanation result;
  result.error = std::move(error);
  return result;
}

Explanation wrong_call(std::string error) {
  Explanation result = failed(std::move(error));
  result.call_wrong = true;
  return result;
}

void add(std::string text, const Tree& tree, NodeId topic, Explanation& all) {
  if (!all.text.empty()) all.text += '\n';
  all.text += text;
  if (!all.topics.empty()) all.topics += ", ";
  write_json(tree, topic, all.topics, 0);
}

Explanation explained(const Page& page) {
  Explanation result;
  Tree tree;
  add(page_text(page), tree, add_page(tree, page), result);
  return result;
}

/// The topics that contain a word; nothing if none does.
Explanation mentions(Session& session, std::string_view word) {
  const FoundTopics found = topics_about(session, word);
  Explanation result;
  if (found.all.empty()) return result;
  Tree tree;
  const NodeId topic = tree.add_map();
  tree.append(topic, "sort", tree.add_string("word"));
  tree.append(topic, "name", tree.add_string(tree.intern(word)));
  const NodeId rows = tree.add_seq();
  for (const FoundTopic& each : found.all) {
    const NodeId row = tree.add_map();
    tree.append(row, "call", tree.add_string(tree.intern(each.call)));
    tree.append(row, "sentence", tree.add_string(tree.intern(each.sentence)));
    tree.append(rows, row);
  }
  tree.append(topic, "mentions", rows);
  add(found.text, tree, topic, result);
  return result;
}

struct NamedTopic {
  std::string_view word;  // `rule`
  std::vector<std::string> (*names)(Session&);
  Page (*explain)(Session&, std::string_view name);  // empty when there is none of that name
  bool by_name_alone = true;                         // also without the word in front
};

constexpr NamedTopic kNamedTopics[] = {
    {"rule", rule_names, explain_rule},
    {"check", check_names, explain_check},
    {"target", target_names, explain_target},
    {"machine", machine_names, explain_machine},
    {"fabric", fabric_names, explain_fabric},
    {"diagnostic", diagnostic_names, explain_diagnostic},
    {"group", group_names, explain_group, false},
};

const NamedTopic* find_topic(std::string_view word) {
  for (const NamedTopic& topic : kNamedTopics) {
    if (topic.word == word) return &topic;
  }
  return nullptr;
}

/// Kind and path of `batch/v1/Job.spec.template`: a slash of a key is behind a bracket.
std::pair<std::string_view, std::string_view> split_kind(std::string_view text) {
  const std::size_t keys = std::min(text.find('['), text.size());
  const std::size_t slash = text.substr(0, keys).rfind('/');
  const std::size_t from = slash == std::string_view::npos ? 0 : slash;
  const std::size_t end = std::min(text.find_first_of(".[", from), text.size());
  std::string_view path = text.substr(end);
  if (path.starts_with('.')) path.remove_prefix(1);
  return {text.substr(0, end), path};
}

Explanation explain_field(Session& session, std::string_view kind_name, std::string_view path) {
  const KindChoice choice = find_kind(session, kind_name);
  if (choice.kind == nullptr) return failed(choice.error);
  FieldHelp help = describe_field(*choice.pack, *choice.kind, path);
  if (!help.ok()) return failed(help.error);
  Tree tree;
  const NodeId topic = add_field(tree, session, *choice.pack, *choice.kind, help);
  const std::string example = std::string(View(tree, topic)["example"].text());
  if (!example.empty()) {
    help.text += "\nexample:\n";
    for (std::string_view rest = example; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      help.text.append("  ").append(rest.substr(0, end)).append("\n");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  if (!choice.others.empty()) {
    help.text += "\nThe name also means";
    for (const std::string& other : choice.others) {
      help.text += (&other == &choice.others.front() ? " " : ", ") + code(other);
    }
    help.text += ".\n";
  }
  Explanation result;
  add(help.text, tree, topic, result);
  return result;
}

/// The fields at the top of a TrainingJob, or those of its `spec`.
std::vector<std::string> fields(Session& session, bool of_spec) {
  const SchemaPack& pack = session.schemas;
  const SchemaKind* kind = pack.find("trainyard/v1alpha1", "TrainingJob");
  std::vector<std::string> names;
  if (kind == nullptr) return names;
  SchemaId id = kind->schema;
  if (of_spec) id = pack.property(pack[id], "spec").value_or(kAnySchema);
  for (const SchemaProperty& each : pack.properties(pack[id])) {
    names.emplace_back(pack.text(each.name));
  }
  return names;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string unknown_topic(Session& session, std::string_view topic) {
  std::vector<std::string> names = fields(session, false);
  for (const std::string& field : fields(session, true)) names.push_back(field);
  for (const NamedTopic& each : kNamedTopics) {
    names.emplace_back(each.word);
    if (!each.by_name_alone) continue;
    for (const std::string& name : each.names(session)) names.push_back(name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string error = "there is no topic " + code(topic);
  const std::string likely = guess(topic, views);
  if (!likely.empty()) return error + ": " + likely;
  return error + "; `trainyard explain` lists all topics, docs/glossary.md explains words";
}

/// A single word: whatever has that name.
Explanation explain_word(Session& session, const std::string& word) {
  const auto [first, rest] = split_kind(word);
  if (first == "config") return explain_field(session, "trainyard/v1alpha1/Config", rest);
  if (contains(fields(session, false), first)) return explain_field(session, "TrainingJob", word);
  // Machines of some vendors are called what a kind and a field could be: `BM.GPU.H100.8`.
  if (const Page page = explain_machine(session, word); !page.empty()) return explained(page);
  const bool is_kind = !first.empty() && (first.find('/') != std::string_view::npos ||
                                          (first[0] >= 'A' && first[0] <= 'Z'));
  if (is_kind) {
    Explanation kind = explain_field(session, first, rest);
    if (kind.error.empty() || first != word) return kind;
    const Explanation about = mentions(session, word);
    return about.text.empty() ? kind : about;
  }

  Explanation all;
  if (contains(fields(session, true), first)) {
    all = explain_field(session, "TrainingJob", "spec." + word);
    if (!all.error.empty()) return all;
  }
  for (const NamedTopic& topic : kNamedTopics) {
    if (!topic.by_name_alone) continue;
    const Page page = topic.explain(session, word);
    Tree tree;
    if (!page.empty()) add(page_text(page), tree, add_page(tree, page), all);
  }
  if (all.text.empty()) all = mentions(session, word);
  if (all.text.empty()) return failed(unknown_topic(session, word));
  return all;
}

Explanation explain_named(Session& session, const NamedTopic& topic, const std::string& name) {
  const Page page = topic.explain(session, name);
  if (!page.empty()) return explained(page);
  const std::vector<std::string> names = topic.names(session);
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string error = "there is no " + std::string(topic.word) + " " + code(name);
  const std::string likely = guess(name, views);
  if (!likely.empty()) return failed(error + ": " + likely);
  return failed(error + "; `trainyard list " + std::string(topic.word) + "s` shows all");
}

Explanation overview(Session& session) {
  Explanation field = explain_field(session, "TrainingJob", "spec");
  field.text +=
      "\nmore:\n"
      "  trainyard explain spec.network      a field of a TrainingJob\n"
      "  trainyard explain Cluster.spec      a field of a Cluster\n"
      "  trainyard explain config            a field of the file `.trainyard.yaml`\n"
      "  trainyard explain Job.spec.template a field of any kind of `trainyard list schemas`\n"
      "  trainyard explain rule NAME         what a rule does and why (`trainyard list rules`)\n"
      "  trainyard explain check NAME        what is wanted beyond the schemas (`trainyard list "
      "checks`)\n"
      "  trainyard explain target NAME       what a target cannot express\n"
      "  trainyard explain machine NAME      what is known of a machine\n"
      "  trainyard explain fabric NAME       which machines have a fabric\n"
      "  trainyard explain diagnostic NAME   what the name behind a message means\n"
      "  trainyard explain WORD              all that speaks of a word, such as `shm` or `efa`\n"
      "  trainyard explain pod FILE          a pod as the cluster's controllers will make it\n";
  return field;
}

}  // namespace

Explanation explain_topic(Session& session, const ExplainRequest& request) {
  const std::vector<std::string>& topic = request.topic;
  if (!request.kind.empty()) {
    if (topic.size() > 1) return wrong_call("with `--kind` there is one field at most");
    return explain_field(session, request.kind, topic.empty() ? "" : topic[0]);
  }
  if (topic.empty()) return overview(session);
  if (topic.size() == 1) return explain_word(session, topic[0]);
  const NamedTopic* named = find_topic(topic[0]);
  if (named == nullptr || topic.size() > 2) {
    std::string words;
    for (const std::string& each : topic) words += (words.empty() ? "" : " ") + each;
    Explanation about = mentions(session, words);
    if (!about.text.empty()) return about;
    return wrong_call(
        "expected a field, or `rule`, `check`, `target`, `machine`, `fabric`, `diagnostic` or "
        "`group` and a name; no text has " +
        code(words));
  }
  return explain_named(session, *named, topic[1]);
}

}  // namespace trainyard
