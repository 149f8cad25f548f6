#include "driver/function/run_function.h"

#include <algorithm>
#include <map>
#include <memory>

#include "driver/build/compile.h"
#include "driver/build/compile_platform.h"
#include "driver/build/object_identity.h"
#include "driver/build/variants.h"
#include "driver/function/kept_text.h"
#include "driver/function/results.h"
#include "driver/validate/validate.h"
#include "emit/artifact.h"
#include "tree/typed_fields.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

/// What tells objects apart: group, kind, namespace and name.
std::string identity_of(View object) {
  const std::string_view version = string_at(object, "apiVersion");
  const View metadata = get(object, "metadata");
  const std::size_t slash = version.find('/');
  std::string text(slash == version.npos ? std::string_view() : version.substr(0, slash));
  for (std::string_view each :
       {string_at(object, "kind"), string_at(metadata, "namespace"), string_at(metadata, "name")}) {
    text += "/" + std::string(each);
  }
  return text;
}

bool is_made_by_us(View object) {
  return string_at(get(get(object, "metadata"), "labels"), "app.kubernetes.io/managed-by") ==
         "trainyard";
}

/// An object that was made, as the text of an item.
struct MadeObject {
  std::string identity;
  std::string label;  // `Job/llama`
  std::string text;
  Span place;  // of the name in its spec
};

/// Objects of one spec, with the file that they are to lie in.
class MadeTexts {
 public:
  MadeTexts(const ObjectSet& objects, std::string path) : path_(std::move(path)) {
    std::string text;
    write_objects(objects, text);
    Sink sink;
    trees_ = read_yaml(sources_, sources_.add("made", text), sink, {}, Ambiguity::Kubernetes);
  }

  std::vector<MadeObject> take(Span place) {
    std::vector<MadeObject> made;
    for (Tree& tree : trees_) {
      std::string identity = identity_of(View(tree, tree.root()));
      note_place(tree, std::to_string(made.size()));
      const View root(tree, tree.root());
      std::string label(string_at(root, "kind"));
      label += "/" + std::string(string_at(get(root, "metadata"), "name"));
      MadeObject object{std::move(identity), std::move(label), {}, place};
      std::string document;
      write_yaml(tree, tree.root(), document);
      object.text = as_item(document);
      made.push_back(std::move(object));
    }
    return made;
  }

 private:
  void note_place(Tree& tree, const std::string& index) {
    const NodeId metadata = tree.find(tree.root(), "metadata");
    NodeId annotations = tree.find(metadata, "annotations");
    if (annotations == kNoNode) {
      annotations = tree.add_map();
      tree.append(metadata, "annotations", annotations);
    }
    // Orchestrators before v1 of the contract know the names without `internal.`.
    for (const std::string_view prefix :
         {"internal.config.kubernetes.io/", "config.kubernetes.io/"}) {
      const auto add = [&](std::string_view name, const std::string& value) {
        tree.append(annotations, tree.intern(std::string(prefix) + std::string(name)),
                    tree.add_string(tree.intern(value)));
      };
      add("index", index);
      add("path", path_);
    }
  }

  std::string path_;
  SourceMap sources_;
  std::vector<Tree> trees_;
};

class Function {
 public:
  Function(Session& session, const ResourceList& list) : session_(session), list_(list) {}

  std::string run() {
    if (list_.options.validate) {
      check_items();
    } else {
      make_all();
    }
    const bool is_changed = !list_.options.validate && !session_.sink.has_errors();
    return text(is_changed ? changed_items() : items_as_they_are());
  }

 private:
  void check_items() {
    ValidateRequest request;
    for (const FunctionItem& each : list_.items) {
      if (each.is_ours() || (!each.is_local && !each.is_settings())) {
        request.inputs.push_back(each.input);
      }
    }
    request.cluster = cluster_path();
    request.target = list_.options.target;
    request.kubernetes = list_.options.kubernetes;
    if (!request.inputs.empty()) validate(session_, request);
  }

  /// The Cluster of the options, else the one among the items.
  std::string cluster_path() const {
    if (!list_.options.cluster.empty()) return list_.options.cluster;
    if (is_cluster(list_.config)) return list_.config->input;
    for (const FunctionItem& each : list_.items) {
      if (each.is_ours() && each.kind == "Cluster") return each.input;
    }
    return {};
  }

  static bool is_cluster(const std::optional<FunctionItem>& item) {
    return item && item->kind == "Cluster";
  }

  void make_all() {
    const std::string cluster = cluster_path();
    if (!cluster.empty()) {
      cluster_ = read_cluster(session_, cluster);
      if (cluster_ == nullptr) return;
    }
    for (const FunctionItem& each : list_.items) make(each);
    if (list_.config) make(*list_.config);
    note_collisions();
  }

  void make(const FunctionItem& item) {
    if (!item.is_ours() || (item.kind != "TrainingJob" && item.kind != "Cluster")) return;
    std::vector<Document> documents =
        read_inputs({item.input}, session_.env, session_.sources, session_.sink, session_.limits,
                    Ambiguity::Refuse);
    for (Document& each : documents) {
      if (item.kind == "Cluster") {
        platform(each, made_[&item]);
      } else {
        jobs(each, made_[&item]);
      }
    }
  }

  void jobs(Document& document, std::vector<MadeObject>& made) {
    for_each_variant(session_, document, [&](Document& variant) {
      if (!compile(session_, variant, cluster_.get(), list_.options.target, compilation_)) return;
      const Plan& plan = compilation_.plan;
      const std::string folder = plan.ns->empty() ? "" : std::string(*plan.ns) + "/";
      const Span place = variant.root()["metadata"]["name"]->span;
      add(compilation_.objects, "jobs/" + folder + std::string(*plan.job) + ".yaml", place, made);
    });
  }

  void platform(Document& document, std::vector<MadeObject>& made) {
    const auto compiled = compile_platform(session_, document);
    if (compiled == nullptr) return;
    const Text& name = compiled->cluster->cluster.metadata->name;
    add(compiled->objects, "platform/" + std::string(*name) + ".yaml", name.span, made);
  }

  static void add(const ObjectSet& objects, const std::string& path, Span place,
                  std::vector<MadeObject>& made) {
    std::ranges::move(MadeTexts(objects, path).take(place), std::back_inserter(made));
  }

  /// Two objects of one name, or one of a name that an item has which is not ours.
  void note_collisions() {
    std::map<std::string, Span> places;
    for (const FunctionItem& each : list_.items) {
      if (each.is_ours() || is_made_by_us(each.object)) continue;
      places.emplace(identity_of(each.object), each.object->span);
    }
    const auto note = [&](const FunctionItem& item) {
      for (const MadeObject& each : made_[&item]) {
        const auto [other, is_new] = places.emplace(each.identity, each.place);
        if (is_new) continue;
        session_.sink
            .report(DiagnosticKind::NameCollision, each.place,
                    "`" + each.label + "` is among the items already, or made twice")
            .also(other->second, "the first one");
      }
    };
    for (const FunctionItem& each : list_.items) note(each);
    if (list_.config) note(*list_.config);
  }

  std::vector<std::string> items_as_they_are() const {
    std::vector<std::string> texts;
    for (const FunctionItem& each : list_.items) {
      texts.push_back(kept_text(each.object, session_.sources));
    }
    return texts;
  }

  std::vector<std::string> changed_items() {
    std::map<std::string, bool> made;
    for (const auto& [item, objects] : made_) {
      for (const MadeObject& each : objects) made[each.identity] = true;
    }
    std::vector<std::string> texts;
    for (const FunctionItem& each : list_.items) {
      const bool is_spec =
          each.is_ours() &&
          (each.kind == "TrainingJob" || each.kind == "Cluster" || each.kind == "TrainingJobLayer");
      const bool is_replaced =
          is_made_by_us(each.object) && made.contains(identity_of(each.object));
      if ((!is_spec || each.is_local) && !is_replaced) {
        texts.push_back(kept_text(each.object, session_.sources));
      }
      for (MadeObject& object : made_[&each]) texts.push_back(std::move(object.text));
    }
    if (list_.config) {
      for (MadeObject& object : made_[&*list_.config]) texts.push_back(std::move(object.text));
    }
    return texts;
  }

  /// The list with these items.
  std::string text(const std::vector<std::string>& items) {
    std::string text = "apiVersion: " + std::string(string_at(list_.root(), "apiVersion")) +
                       "\nkind: ResourceList\n";
    text += items.empty() ? "items: []\n" : "items:\n";
    for (const std::string& each : items) text += each;
    if (const View config = get(list_.root(), "functionConfig")) {
      Tree tree;
      const NodeId map = tree.add_map();
      tree.append(map, "functionConfig", tree.copy(config.tree(), config.id()));
      write_yaml(tree, map, text);
    }
    const std::vector<Diagnostic> found = session_.sink.sorted();
    if (!found.empty()) text += "results:\n" + results_yaml(found, session_.sources, list_);
    return text;
  }

  Session& session_;
  const ResourceList& list_;
  std::unique_ptr<ClusterDocument> cluster_;
  Compilation compilation_;
  std::map<const FunctionItem*, std::vector<MadeObject>> made_;
};

}  // namespace

void put_in_front(const ResourceList& list, FilesInFront& files) {
  for (const FunctionItem& each : list.items) files.files[each.input] = item_text(each);
  if (list.config) files.files[list.config->input] = item_text(*list.config);
}

std::string run_function(Session& session, const ResourceList& list) {
  return Function(session, list).run();
}

}  // namespace trainyard
