#include "schema/server_form.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "schema/json_node.h"
#include "source/characters.h"

namespace trainyard {
namespace {

/// Fields of Kubernetes' own kinds that Go leaves out where they are false or "", because they are
/// `omitempty` and no pointers; with pointers they mean the same (kubernetes/api core/v1/types.go,
/// scheduling/v1/types.go).
constexpr auto kLeftOutWhenZero = std::to_array<std::string_view>(
    {"globalDefault", "hostIPC", "hostNetwork", "hostPID", "publishNotReadyAddresses", "readOnly",
     "stdin", "stdinOnce", "subPath", "tty", "value"});

/// Fields that older releases of an operator do not have, whose API server would refuse them; the
/// release in use need not be known.
constexpr auto kOfNewReleases = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"ray.io", "priority"}});  // of a worker group, from KubeRay 1.7 on

class ServerForm {
 public:
  ServerForm(const SchemaPack& pack, FieldCache& fields, const SchemaKind& kind, Tree& tree,
             OriginId origin)
      : pack_(pack),
        fields_(fields),
        tree_(tree),
        origin_(origin),
        group_(pack.text(kind.group)),
        is_of_kubernetes_(pack.text(kind.source).starts_with("kubernetes ")) {}

  /// `is_owned`: the value stands in one that a manager owns as a whole.
  void walk(SchemaId id, NodeId node, bool is_owned) {
    const SchemaNode& schema = pack_[id];
    if (tree_[node].is_seq()) {
      if (schema.items == kNoLimit) return;
      is_owned =
          is_owned || schema.list_type == ListType::None || schema.list_type == ListType::Atomic;
      for (NodeId child : tree_.children(node)) walk(schema.items, child, is_owned);
    } else if (tree_[node].is_map()) {
      is_owned = is_owned || schema.map_type == MapType::Atomic;
      if (is_of_kubernetes_) leave_zeros_out(schema, node);
      if (is_owned) add_defaults(schema, node);
      for (NodeId child : tree_.children(node)) {
        if (tree_[child].size == 0) continue;  // most are scalars
        const SchemaId below = schema_of(schema, tree_[child].key);
        if (below != kNoLimit) walk(below, child, is_owned);
      }
    }
  }

 private:
  SchemaId schema_of(const SchemaNode& schema, std::string_view key) const {
    const SchemaId property = fields_.find(pack_, schema, key);
    return property == kNoLimit ? schema.additional : property;
  }

  void add_defaults(const SchemaNode& schema, NodeId map) {
    for (const SchemaProperty& property : pack_.properties(schema)) {
      const PackText text = pack_[property.schema].default_value;
      const std::string_view name = pack_.text(property.name);
      if (text.size == 0 || tree_.find(map, name) != kNoNode || is_new(name)) continue;
      const NodeId value = add_default(pack_.text(text));
      if (value != kNoNode) tree_.append(map, name, value);
    }
  }

  /// Most defaults are words, which need no parser.
  NodeId add_default(std::string_view json) {
    const bool is_word = json.size() > 2 && json.front() == '"' && json.back() == '"' &&
                         std::ranges::all_of(json.substr(1, json.size() - 2), is_of_words);
    if (is_word) return tree_.add_string(json.substr(1, json.size() - 2), origin_);
    const auto parsed = nlohmann::json::parse(json, nullptr, false);
    return parsed.is_discarded() ? kNoNode : add_json(tree_, parsed, origin_);
  }

  static bool is_of_words(char c) { return is_alphanumeric(c); }

  bool is_new(std::string_view name) const {
    return std::ranges::find(kOfNewReleases, std::pair(group_, name)) != kOfNewReleases.end();
  }

  void leave_zeros_out(const SchemaNode& schema, NodeId map) {
    std::vector<NodeId> zeros;
    for (NodeId child : tree_.children(map)) {
      if (is_left_out(schema, tree_[child])) zeros.push_back(child);
    }
    for (NodeId zero : zeros) tree_.remove(map, zero);
  }

  bool is_left_out(const SchemaNode& schema, const Node& value) const {
    const bool is_collection = value.is_map() || value.is_seq();
    const bool is_zero =
        is_collection ? value.size == 0
                      : value.text.empty() || (value.kind == Kind::Bool && value.text == "false");
    if (!is_zero) return false;
    const auto property = pack_.property(schema, value.key);
    if (!property) return false;  // an entry of a user's map
    const bool is_needed = std::ranges::any_of(
        pack_.texts(schema.required), [&](PackText each) { return pack_.text(each) == value.key; });
    if (is_needed) return false;
    if (value.is_seq()) return true;
    // `{}` of a structure says something, such as `emptyDir: {}`.
    if (value.is_map()) return pack_[*property].additional != kNoLimit;
    return std::ranges::find(kLeftOutWhenZero, value.key) != kLeftOutWhenZero.end();
  }

  const SchemaPack& pack_;
  FieldCache& fields_;
  Tree& tree_;
  OriginId origin_;
  std::string_view group_;
  bool is_of_kubernetes_;
};

}  // namespace

void into_server_form(const SchemaSource& source, const SchemaKind& kind, Tree& tree, NodeId object,
                      OriginId origin) {
  ServerForm(source.pack, source.checker.fields(), kind, tree, origin)
      .walk(kind.schema, object, false);
}

}  // namespace trainyard
