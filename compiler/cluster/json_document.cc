#include "cluster/json_document.h"

#include <utility>

#include "diag/sink.h"
#include "tree/json_reader.h"

namespace trainyard {
namespace {

/// Who wrote which field: half of each answer, and of no use here.
constexpr std::string_view kLeftOut = "managedFields";

}  // namespace

std::shared_ptr<JsonDocument> JsonDocument::parse(std::string text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("", std::move(text));
  auto tree = read_json(sources, file, sink, {}, kLeftOut);  // its texts are in its own arena
  if (!tree) return nullptr;
  auto document = std::make_shared<JsonDocument>();
  document->tree_ = std::move(*tree);
  return document;
}

JsonAnswer JsonDocument::read(std::string text) {
  return parse(std::move(text));
}

JsonAnswer JsonDocument::read_list(std::string text, std::string_view api_version,
                                   std::string_view kind) {
  const auto document = parse(std::move(text));
  if (document == nullptr) return nullptr;
  Tree& tree = document->tree_;
  const std::string_view version = tree.intern(api_version);
  const std::string_view name = tree.intern(kind);
  for (NodeId item : tree.children(tree.find(tree.root(), "items"))) {
    if (!tree[item].is_map() || tree.find(item, "kind") != kNoNode) continue;
    tree.append(item, "apiVersion", tree.add_string(version));
    tree.append(item, "kind", tree.add_string(name));
  }
  return document;
}

}  // namespace trainyard
