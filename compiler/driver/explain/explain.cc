#include "driver/explain/explain.h"

#include <algorithm>
#include <optional>
#include <set>

#include "diag/kind.h"
#include "diag/suggest.h"
#include "driver/explain/explain_names.h"
#include "driver/explain/find_kind.h"
#include "driver/explain/find_topics.h"
#include "driver/format/text_layout.h"
#include "rules/rule_context.h"
#include "schema/describe.h"

namespace trainyard {
namespace {

Explanation failed(std::string error) {
  return {"", std::move(error), false};
}

struct NamedTopic {
  std::string_view word;  // `rule`
  std::vector<std::string> (*names)(Session&);
  std::string (*explain)(Session&, std::string_view name);  // "" when there is none of that name
};

constexpr NamedTopic kNamedTopics[] = {
    {"rule", rule_names, explain_rule},       {"check", check_names, explain_check},
    {"target", target_names, explain_target}, {"machine", machine_names, explain_machine},
    {"fabric", fabric_names, explain_fabric}, {"diagnostic", diagnostic_names, explain_diagnostic},
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
  if (!choice.others.empty()) {
    help.text += "\nThe name also means";
    for (const std::string& other : choice.others) {
      help.text += (&other == &choice.others.front() ? " " : ", ") + code(other);
    }
    help.text += ".\n";
  }
  return {help.text, "", false};
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
    for (const std::string& name : each.names(session)) names.push_back(name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string error = "nothing is known about " + code(topic);
  if (const auto near = suggest(topic, views)) {
    return error + ": did you mean " + code(*near) + "?";
  }
  return error + "; `trainyard explain` says what there is";
}

/// A single word: whatever has that name.
Explanation explain_word(Session& session, const std::string& word) {
  const auto [first, rest] = split_kind(word);
  if (first == "config") return explain_field(session, "trainyard/v1alpha1/Config", rest);
  if (contains(fields(session, false), first)) return explain_field(session, "TrainingJob", word);
  // Machines of some vendors are called what a kind and a field could be: `BM.GPU.H100.8`.
  if (std::string text = explain_machine(session, word); !text.empty()) return {text, "", false};
  const bool is_kind = !first.empty() && (first.find('/') != std::string_view::npos ||
                                          (first[0] >= 'A' && first[0] <= 'Z'));
  if (is_kind) {
    Explanation kind = explain_field(session, first, rest);
    if (kind.error.empty() || first != word) return kind;
    const std::string about = topics_about(session, word);
    return about.empty() ? kind : Explanation{about, "", false};
  }

  Explanation all;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) all.text += (all.text.empty() ? "" : "\n") + text;
  };
  if (contains(fields(session, true), first)) {
    Explanation field = explain_field(session, "TrainingJob", "spec." + word);
    if (!field.error.empty()) return field;
    add(field.text);
  }
  for (const NamedTopic& topic : kNamedTopics) add(topic.explain(session, word));
  if (all.text.empty()) all.text = topics_about(session, word);
  if (all.text.empty()) return failed(unknown_topic(session, word));
  return all;
}

Explanation explain_named(Session& session, const NamedTopic& topic, const std::string& name) {
  std::string text = topic.explain(session, name);
  if (!text.empty()) return {text, "", false};
  const std::vector<std::string> names = topic.names(session);
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string error = "there is no " + std::string(topic.word) + " " + code(name);
  if (const auto near = suggest(name, views)) {
    return failed(error + ": did you mean " + code(*near) + "?");
  }
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
    if (topic.size() > 1) return {"", "with `--kind` there is one field at most", true};
    return explain_field(session, request.kind, topic.empty() ? "" : topic[0]);
  }
  if (topic.empty()) return overview(session);
  if (topic.size() == 1) return explain_word(session, topic[0]);
  const NamedTopic* named = find_topic(topic[0]);
  if (named == nullptr || topic.size() > 2) {
    return {"",
            "expected a field, or `rule`, `check`, `target`, `machine`, `fabric` or `diagnostic` "
            "and a name",
            true};
  }
  return explain_named(session, *named, topic[1]);
}

}  // namespace trainyard
