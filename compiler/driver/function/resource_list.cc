#include "driver/function/resource_list.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "diag/words.h"
#include "driver/session/inputs.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

constexpr std::string_view kGroup = "config.kubernetes.io/";

/// Annotations that say where an item lies, and what to do with it, and are no part of it.
bool is_of_orchestrators(std::string_view annotation) {
  const std::string_view domain = annotation.substr(0, annotation.find('/'));
  return domain.ends_with("config.kubernetes.io") || domain.ends_with("config.k8s.io") ||
         domain.ends_with("kpt.dev");
}

/// A copy of an item without annotations of orchestrators.
NodeId plain_copy(Tree& tree, View object) {
  const NodeId root = tree.copy(object.tree(), object.id());
  const NodeId metadata = tree.find(root, "metadata");
  const NodeId annotations = tree.find(metadata, "annotations");
  if (annotations == kNoNode || !tree[annotations].is_map()) return root;
  std::vector<NodeId> gone;
  for (NodeId each : tree.children(annotations)) {
    if (is_of_orchestrators(tree[each].key)) gone.push_back(each);
  }
  for (NodeId each : gone) tree.remove(annotations, each);
  if (tree[annotations].size == 0) tree.remove(metadata, annotations);
  return root;
}

class Reader {
 public:
  explicit Reader(Session& session) : session_(session) {}

  std::unique_ptr<ResourceList> run() {
    std::vector<Document> documents =
        read_inputs({"-"}, session_.env, session_.sources, session_.sink, session_.limits,
                    Ambiguity::Kubernetes);
    if (session_.sink.has_errors()) return nullptr;
    if (documents.size() != 1 || !is_list(documents.front())) {
      no_list(documents);
      return nullptr;
    }
    auto list = std::make_unique<ResourceList>();  // views lead into its tree
    list->tree = std::move(documents.front().tree);
    take_items(*list);
    take_config(*list);
    if (session_.sink.has_errors()) return nullptr;
    return list;
  }

 private:
  static bool is_list(const Document& document) {
    return document.kind == "ResourceList" && document.api_version.starts_with(kGroup);
  }

  void no_list(const std::vector<Document>& documents) {
    std::string found = std::to_string(documents.size()) + " documents";
    if (documents.empty()) found = "nothing";
    Span where;
    if (documents.size() == 1) {
      const View root = documents.front().root();
      where = root->span;
      found = root->is_map() && !documents.front().kind.empty()
                  ? "kind " + in_backticks(documents.front().kind)
                  : word_with_article(root.kind()) + " without a `kind`";
      if (const View kind = root["kind"]) where = kind->span;
    }
    session_.sink
        .report(DiagnosticKind::NotATrainingJob, where,
                "standard input holds " + found +
                    "; expected one `ResourceList` of `config.kubernetes.io/v1`")
        .note("kustomize and kpt call `trainyard fn`; `trainyard build` compiles files");
  }

  void take_items(ResourceList& list) {
    const View items = get(list.root(), "items");
    if (items && !items->is_seq()) {
      session_.sink
          .report(DiagnosticKind::WrongType, items->span,
                  "found " + word_with_article(items.kind()) + "; expected a list of objects")
          .at("items");
      return;
    }
    for (View each : items_at(list.root(), "items")) {
      const std::string place = "items[" + std::to_string(list.items.size()) + "]";
      list.items.push_back(item(each, place, true));
    }
  }

  /// Reports what every object has to have.
  FunctionItem item(View object, const std::string& place, bool needs_name) {
    FunctionItem item;
    item.object = object;
    if (!object->is_map()) {
      session_.sink
          .report(DiagnosticKind::WrongType, object->span,
                  "found " + word_with_article(object.kind()) + "; expected an object")
          .at(place);
      return item;
    }
    const View metadata = get(object, "metadata");
    const View annotations = get(metadata, "annotations");
    const auto annotation = [&](const std::string& name) {
      const std::string_view text =
          string_at(annotations, "internal." + std::string(kGroup) + name);
      return text.empty() ? string_at(annotations, std::string(kGroup) + name) : text;
    };
    item.api_version = string_at(object, "apiVersion");
    item.kind = string_at(object, "kind");
    item.name = string_at(metadata, "name");
    if (item.name.empty()) item.name = string_at(metadata, "generateName");
    item.ns = string_at(metadata, "namespace");
    item.file = annotation("path");
    item.index = annotation("index");
    item.is_local = string_at(annotations, std::string(kGroup) + "local-config") == "true";
    if (item.kind.empty() || item.api_version.empty()) {
      missing(object, place, item.kind.empty() ? "kind" : "apiVersion", "");
    } else if (item.name.empty() && needs_name && !item.is_settings()) {
      missing(object, place, "metadata.name", item.kind);
    }
    item.input = input_name(item);
    return item;
  }

  void missing(View object, const std::string& place, std::string_view field,
               std::string_view kind) {
    std::string what = kind.empty() ? "an item" : "a " + std::string(kind);
    session_.sink
        .report(DiagnosticKind::MissingField, object->span,
                what + " has no " + in_backticks(field) + ", by which tools tell objects apart")
        .at(place + "." + std::string(field));
  }

  /// Where it lies, so that what it names is found from there; a name that says what it is if
  /// nothing tells where.
  std::string input_name(const FunctionItem& item) {
    std::string name(item.file);
    if (name.empty()) {
      name = std::string(item.kind) + "-" + (item.ns.empty() ? "" : std::string(item.ns) + "-") +
             std::string(item.name);
      std::ranges::replace(name, '/', '-');
      name += ".yaml";
    }
    std::string unique = name;
    std::size_t& before = given_[name];
    while (!inputs_.insert(unique).second) unique = name + "#" + std::to_string(++before);
    return unique;
  }

  void take_config(ResourceList& list) {
    const View config = get(list.root(), "functionConfig");
    if (!config || (config->is_map() && config->size == 0)) return;
    FunctionItem given = item(config, "functionConfig", false);
    if (session_.sink.has_errors()) return;
    const bool is_ours = given.api_version == "trainyard/v1alpha1";
    if (is_ours && (given.kind == "TrainingJob" || given.kind == "Cluster")) {
      // kustomize hands it to a generator as an item, too.
      const bool is_item = std::ranges::any_of(list.items, [&](const FunctionItem& each) {
        return each.api_version == given.api_version && each.kind == given.kind &&
               each.name == given.name && each.ns == given.ns;
      });
      if (!is_item) list.config = std::move(given);
    } else if (is_ours && (given.kind == "Build" || given.kind == "Validate")) {
      list.options.validate = given.kind == "Validate";
      take_options(get(config, "spec"), "functionConfig.spec", false, list.options);
    } else if (given.api_version == "v1" && given.kind == "ConfigMap") {
      take_options(get(config, "data"), "functionConfig.data", true, list.options);
    } else {
      const View kind = config["kind"];
      session_.sink
          .report(DiagnosticKind::UnknownKind, kind ? kind->span : config->span,
                  "a functionConfig of kind " + in_backticks(given.kind) + " in " +
                      in_backticks(given.api_version) +
                      " means nothing here; expected `TrainingJob`, `Cluster`, `Build` or "
                      "`Validate` of `trainyard/v1alpha1`, or a ConfigMap")
          .at("functionConfig.kind");
    }
  }

  void take_options(View map, const std::string& place, bool has_function,
                    FunctionOptions& options) {
    for (View each : Items(map && map->is_map() ? map : View())) {
      const std::string path = place + "." + std::string(each.key());
      const bool is_text = each.kind() == Kind::String || each.kind() == Kind::Bool ||
                           each.kind() == Kind::Float || each.kind() == Kind::Int;
      if (!is_text) {
        session_.sink
            .report(DiagnosticKind::WrongType, each->span,
                    "found " + word_with_article(each.kind()) + "; expected a text")
            .at(path);
      } else if (each.key() == "function" && has_function) {
        options.validate = one_of(each, path, {"build", "validate"}) == "validate";
      } else if (each.key() == "strict") {
        options.strict = one_of(each, path, {"true", "false"}) == "true";
      } else if (std::string* const option = option_of(each.key(), options)) {
        *option = each.text();
      } else {
        std::vector<std::string> names = {"cluster", "kubernetesVersion", "overlay", "strict",
                                          "target"};
        if (has_function) names.insert(names.begin(), "function");
        session_.sink
            .report(DiagnosticKind::UnknownField, each->key_span,
                    "no option is named " + in_backticks(each.key()) + "; there are " +
                        listed(names, "and"))
            .at(path);
      }
    }
  }

  static std::string* option_of(std::string_view key, FunctionOptions& options) {
    if (key == "cluster") return &options.cluster;
    if (key == "overlay") return &options.overlay;
    if (key == "target") return &options.target;
    return key == "kubernetesVersion" ? &options.kubernetes : nullptr;
  }

  std::string_view one_of(View value, const std::string& path, std::array<const char*, 2> words) {
    if (value.text() != words[0] && value.text() != words[1]) {
      session_.sink
          .report(DiagnosticKind::NotInEnum, value->span,
                  "found " + shown(value.text()) + "; expected `" + words[0] + "` or `" + words[1] +
                      "`")
          .at(path);
    }
    return value.text();
  }

  Session& session_;
  std::set<std::string> inputs_;
  std::map<std::string, std::size_t> given_;  // numbers, by the name before them
};

}  // namespace

std::unique_ptr<ResourceList> read_resource_list(Session& session) {
  return Reader(session).run();
}

std::string item_text(const FunctionItem& item) {
  Tree tree;
  const NodeId root = plain_copy(tree, item.object);
  std::string text;
  write_yaml(tree, root, text);
  return text;
}

}  // namespace trainyard
