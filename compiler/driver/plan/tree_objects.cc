#include "driver/plan/tree_objects.h"

#include <utility>

#include "diag/words.h"
#include "driver/validate/directory_parts.h"
#include "manifest/kinds.h"
#include "manifest/metadata.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string label_of(View object) {
  return std::string(string_at(object, "kind")) + "/" + std::string(metadata_name(object).text());
}

/// What belongs into a tree of manifests, or is found in one, and is no object.
bool is_left_out(const Document& document) {
  return is_no_object(document) ||
         (document.from_directory &&
          (document.api_version.starts_with("trainyard/") || is_something_else(document)));
}

/// A document of ours that a user has named.
bool is_spec(const Document& document, Sink& sink) {
  if (!document.api_version.starts_with("trainyard/")) return false;
  sink.report(DiagnosticKind::UnknownKind, document.root()["kind"]->span,
              "a " + std::string(document.kind) + " is no object of a cluster")
      .note("`trainyard build -o DIR` makes the tree that a plan compares");
  return true;
}

/// The directory of a file; "." for one beside the call.
std::string unit_of(std::string_view path, const UnitNames& names) {
  std::string whole(path);
  if (path.starts_with(names.from)) whole = names.to + std::string(path.substr(names.from.size()));
  const std::size_t slash = whole.rfind('/');
  return slash == std::string::npos ? "." : whole.substr(0, slash);
}

}  // namespace

std::string object_key(View object, std::string_view name_space) {
  const std::string_view own = metadata_namespace(object);
  std::string key(group_of(string_at(object, "apiVersion")));
  for (const std::string_view part :
       {string_at(object, "kind"), own.empty() ? name_space : own, metadata_name(object).text()}) {
    key += '/';
    key += part;
  }
  return key;
}

const TreeObject* ObjectTree::find(const std::string& key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &objects_[found->second];
}

void ObjectTree::read(Session& session, const std::vector<InputPart>& inputs, ObjectSource source,
                      const UnitNames& names) {
  const std::size_t first = documents_.size();
  for (const InputPart& input : inputs) {
    for_each_document_of(input, session.env, session.sources, session.sink, session.limits,
                         Ambiguity::Kubernetes,
                         [&](Document& document) { documents_.push_back(std::move(document)); });
  }
  const std::vector<SchemaSource> schemas = session.schema_sources();
  for (std::size_t i = first; i < documents_.size(); ++i) {
    Document& document = documents_[i];
    if (is_left_out(document) || is_spec(document, session.sink)) continue;
    name_items(document.tree, document.tree.root(), schemas);
    const View root = document.root();
    if (!is_list(root)) {
      take(session, root, document, source, names);
      continue;
    }
    for (const View item : items_at(root, "items")) take(session, item, document, source, names);
  }
}

void ObjectTree::take(Session& session, View object, const Document& document, ObjectSource source,
                      const UnitNames& names) {
  const View name = metadata_name(object);
  if (!name || string_at(object, "kind").empty() || string_at(object, "apiVersion").empty()) {
    session.sink
        .report(DiagnosticKind::MissingField, object->span,
                "an object needs `apiVersion`, `kind` and `metadata.name` to be in a plan")
        .note("what has `generateName` is created again by every sync");
    return;
  }
  TreeObject found{object, document.path, object_key(object, ""), unit_of(document.path, names)};
  const auto [at, is_new] = places_.try_emplace(found.key, objects_.size());
  if (is_new) {
    objects_.push_back(std::move(found));
    return;
  }
  TreeObject& other = objects_[at->second];
  Diagnostic twice(DiagnosticKind::NameCollision, name->span,
                   shown(label_of(object)) + " is there twice");
  twice.also(metadata_name(other.object)->span, "the first one");
  if (source == ObjectSource::Dump) {
    twice.severity = Severity::Warning;
    twice.note("the last one counts");
    other = std::move(found);
  }
  session.sink.report(std::move(twice));
}

}  // namespace trainyard
