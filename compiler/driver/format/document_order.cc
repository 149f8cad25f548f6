#include "driver/format/document_order.h"

#include <algorithm>
#include <memory>
#include <string>

#include "tree/embedded_tree.h"
#include "tree/tree.h"

namespace trainyard {

std::string_view embedded_document_schemas();  // made by the build from schemas/trainyard/

namespace {

/// A schema as its file has it: the pack sorts properties by their names.
class SchemaOrder {
 public:
  static std::shared_ptr<const SchemaOrder> open(std::string_view kind) {
    auto order = std::make_shared<SchemaOrder>();
    order->tree_ =
        embedded_tree(embedded_document_schemas(), "v1alpha1/" + std::string(kind) + ".yaml");
    if (order->tree_.size() == 0) return nullptr;
    // A kind may have all its fields of another one: `trainyard/v1alpha1/TrainingJob`.
    const std::string_view other = order->root()["x-trainyard-ref"].text();
    if (!other.empty()) return open(other.substr(other.rfind('/') + 1));
    return order;
  }

  std::size_t rank(std::string_view path, std::string_view key) const {
    std::size_t position = 0;
    const View properties = at(path)["properties"];
    if (!properties) return 0;
    for (NodeId id : tree_.children(properties.id())) {
      if (tree_[id].key == key) return position;
      ++position;
    }
    return position;
  }

 private:
  View root() const { return View(tree_, tree_.root()); }

  View resolved(View schema) const {
    constexpr std::string_view kLocal = "#/$defs/";
    for (int hops = 0; hops < 8; ++hops) {
      const std::string_view reference = schema["$ref"].text();
      if (!reference.starts_with(kLocal)) break;
      schema = root()["$defs"][reference.substr(kLocal.size())];
    }
    return schema;
  }

  /// The schema of the map at `path`; of nothing where the path leads out of the schema.
  View at(std::string_view path) const {
    View schema = resolved(root());
    while (!path.empty() && schema) {
      if (path.starts_with("[]")) {
        schema = resolved(schema["items"]);
        path.remove_prefix(2);
        continue;
      }
      if (path.starts_with('.')) path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      const View named = schema["properties"][path.substr(0, end)];
      schema = resolved(named ? named : schema["additionalProperties"]);
      path.remove_prefix(end);
    }
    return schema;
  }

  Tree tree_;
};

}  // namespace

std::function<std::size_t(std::string_view path, std::string_view key)> document_order(
    std::string_view kind) {
  const std::shared_ptr<const SchemaOrder> order = SchemaOrder::open(kind);
  if (order == nullptr) return nullptr;
  return [order](std::string_view path, std::string_view key) { return order->rank(path, key); };
}

}  // namespace trainyard
