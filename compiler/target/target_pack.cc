#include "target/target_pack.h"

#include <utility>

#include "target/decode_target.h"
#include "tree/tree_image.h"
#include "tree/yaml_reader.h"

namespace trainyard {

std::vector<Tree> read_template(const TemplateFiles::File& file, SourceMap& sources, FileId& id,
                                Sink& sink) {
  id = sources.add_view(file.name, file.text);
  if (file.image.empty()) return read_yaml(sources, id, sink);
  std::vector<Tree> documents;
  Tree tree = load_tree_image(file.image, file.text, id);
  if (tree.root() != kNoNode) documents.push_back(std::move(tree));
  return documents;
}

std::optional<Tree> TargetLibrary::read(std::string_view path, Span asked_by, Sink& sink) {
  const auto file = files_.find(path);
  if (!file) {
    sink.report(DiagnosticKind::BadTargetPack, asked_by,
                "there is no template file `" + std::string(path) + "`");
    return std::nullopt;
  }
  FileId id = kNoFile;
  const std::size_t errors = sink.error_count();
  std::vector<Tree> documents = read_template(*file, sources_, id, sink);
  if (sink.error_count() != errors) return std::nullopt;
  if (documents.size() != 1 || !documents[0][documents[0].root()].is_map()) {
    sink.report(DiagnosticKind::BadTargetPack, Span{id, 0, 0},
                "a template file holds one document, which is a map");
    return std::nullopt;
  }
  return std::move(documents[0]);
}

TargetLibrary::Entry* TargetLibrary::load_facts(std::string_view name, Sink& sink) {
  if (const auto known = entries_.find(name); known != entries_.end()) return known->second.get();
  const std::string path = std::string(name) + "/target.yaml";
  if (!files_.find(path)) return nullptr;
  auto entry = std::make_unique<Entry>();
  if (auto tree = read(path, {}, sink)) {
    entry->tree = std::move(*tree);
    const std::size_t errors = sink.error_count();
    const View pack(entry->tree, entry->tree.root());
    entry->pack.facts = decode_target_facts(pack, sink);
    for (NodeId id : entry->tree.children(pack["limits"].id())) {
      auto shared = read(entry->tree[id].text, entry->tree[id].span, sink);
      if (!shared) continue;
      const Tree& kept = entry->shared.emplace_back(std::move(*shared));
      add_shared_limits(View(kept, kept.root()), entry->pack.facts, sink);
    }
    if (!entry->pack.facts.name.empty() && entry->pack.facts.name != name) {
      sink.report(DiagnosticKind::BadTargetPack, entry->pack.facts.span,
                  "`name` must be `" + std::string(name) + "`, as the folder is called");
    }
    entry->broken = sink.error_count() != errors;
  } else {
    entry->broken = true;
  }
  return entries_.emplace(std::string(name), std::move(entry)).first->second.get();
}

const TargetFacts* TargetLibrary::facts(std::string_view name, Sink& sink) {
  const Entry* entry = load_facts(name, sink);
  return entry == nullptr || entry->broken ? nullptr : &entry->pack.facts;
}

const TargetPack* TargetLibrary::pack(std::string_view name, Sink& sink) {
  Entry* entry = load_facts(name, sink);
  if (entry == nullptr || entry->broken || !entry->pack.facts.available) return nullptr;
  if (entry->templates_loaded) return &entry->pack;
  entry->templates_loaded = true;
  const View pack(entry->tree, entry->tree.root());
  if (const View pod = pack["pod"]) {
    entry->pack.pod = load_template(pod.text(), Use::Pod, pod->span, sink);
    entry->broken = entry->pack.pod == nullptr;
  }
  for (NodeId id : entry->tree.children(pack["documents"].id())) {
    entry->pack.documents.push_back(load_document(entry->pack.facts, View(entry->tree, id), sink));
    if (entry->pack.documents.back().form == nullptr) entry->broken = true;
  }
  if (entry->pack.documents.empty()) {
    sink.report(DiagnosticKind::BadTargetPack, pack->span, "the target has no `documents`");
    entry->broken = true;
  }
  return entry->broken ? nullptr : &entry->pack;
}

/// A path, or `{file: <path>, since: <release>, before: <release>}`.
DocumentTemplate TargetLibrary::load_document(const TargetFacts& facts, View entry, Sink& sink) {
  if (entry->is_scalar()) {
    return {load_template(entry.text(), Use::Document, entry->span, sink), {}};
  }
  DocumentTemplate result;
  for (NodeId id : entry.tree().children(entry.id())) {
    const Node& value = entry.tree()[id];
    if (value.key == "file") {
      result.form = load_template(value.text, Use::Document, value.span, sink);
    } else if ((value.key == "since" || value.key == "before") && release(value.text)) {
      (value.key == "since" ? result.span.since : result.span.before) = value.text;
    } else {
      sink.report(DiagnosticKind::BadTargetPack, value.key_span,
                  "a document is a path, or a map of `file` and the releases `since` and `before`");
      result.form = nullptr;
      return result;
    }
  }
  if (result.form == nullptr || !facts.op.empty()) return result;
  sink.report(DiagnosticKind::BadTargetPack, entry->span,
              "releases of what? The pack names no `operator`");
  result.form = nullptr;
  return result;
}

const PlatformPack* TargetLibrary::platform(Sink& sink) {
  if (!std::exchange(platform_loaded_, true)) {
    platform_tree_ = read("cluster/cluster.yaml", {}, sink);
    platform_broken_ =
        !platform_tree_ || !load_platform(View(*platform_tree_, platform_tree_->root()), sink);
  }
  return platform_broken_ ? nullptr : &platform_;
}

bool TargetLibrary::load_platform(View pack, Sink& sink) {
  const std::size_t errors = sink.error_count();
  const Tree& tree = pack.tree();
  for (NodeId id : tree.children(pack.id())) {
    if (tree[id].key == "documents" || tree[id].key == "apis") continue;
    sink.report(
        DiagnosticKind::BadTargetPack, tree[id].key_span,
        "unknown field `" + std::string(tree[id].key) + "`; expected `documents` and `apis`");
  }
  for (NodeId id : tree.children(pack["documents"].id())) {
    const Node& path = tree[id];
    const Template* document = load_template(path.text, Use::Platform, path.span, sink);
    if (document != nullptr) platform_.documents.push_back(document);
  }
  for (NodeId id : tree.children(pack["apis"].id())) {
    const View row(tree, id);
    platform_.apis.push_back({row["operator"].text(), row["since"].text(), row["version"].text()});
  }
  return sink.error_count() == errors;
}

const Template* TargetLibrary::load_template(std::string_view path, Use use, Span asked_by,
                                             Sink& sink) {
  // A file may be asked for in both uses, though it cannot be right in both.
  std::pair<std::string, Use> key(path, use);
  if (const auto known = templates_.find(key); known != templates_.end()) {
    return known->second.get();
  }
  std::unique_ptr<Template> compiled;
  if (auto tree = read(path, asked_by, sink)) {
    std::vector<std::string_view> scope;
    if (use == Use::Pod) scope.push_back("role");
    const FieldSet& fields = use == Use::Platform ? platform_fields() : job_fields();
    if (auto result = Template::compile(std::move(*tree), std::move(scope), sink, fields)) {
      compiled = std::make_unique<Template>(std::move(*result));
    }
  }
  return templates_.emplace(std::move(key), std::move(compiled)).first->second.get();
}

}  // namespace trainyard
