#include "driver/rehearse/fold_spec.h"

#include <algorithm>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Fields of a spec or role that count nodes.
constexpr std::string_view kNodeFields[] = {"nodes", "elastic.minNodes", "elastic.maxNodes",
                                            "placement.topology.slice.nodes"};

class SpecFolder {
 public:
  SpecFolder(Document& spec, std::vector<std::string>& told) : tree_(spec.tree), told_(told) {}

  NodeId find(NodeId map, std::string_view path) const {
    for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
      map = tree_.find(map, path.substr(0, dot));
      path.remove_prefix(dot + 1);
    }
    return tree_.find(map, path);
  }

  void clamp(NodeId map, const std::string& place, std::string_view path, std::int64_t most) {
    const NodeId value = find(map, path);
    const auto stated = value == kNoNode ? std::nullopt : as_int64(tree_[value]);
    if (!stated || *stated <= most) return;
    tree_[value].text = tree_.intern(std::to_string(most));
    tell(place + std::string(path), most, *stated);
  }

  /// Writes a field whose number the spec leaves to others, too.
  void put(NodeId map, const std::string& place, std::string_view key, std::int64_t number,
           std::int64_t compiled) {
    const NodeId value = tree_.add_int(number);
    tree_[value].span = tree_[map].span;
    const NodeId old = tree_.find(map, key);
    if (old == kNoNode) {
      tree_.append(map, key, value);
    } else {
      tree_.replace(map, old, value);
    }
    tell(place + std::string(key), number, compiled);
  }

 private:
  void tell(const std::string& field, std::int64_t used, std::int64_t stated) {
    told_.push_back("`" + field + "`: " + std::to_string(used) + ", not " + std::to_string(stated));
  }

  Tree& tree_;
  std::vector<std::string>& told_;
};

}  // namespace

void fold_spec(Document& document, const Plan& plan, const Fold& fold,
               std::vector<std::string>& told) {
  SpecFolder folder(document, told);
  Tree& tree = document.tree;
  const NodeId spec = tree.find(tree.root(), "spec");
  const NodeId roles = tree.find(spec, "roles");
  const auto clamp_nodes = [&](NodeId map, const std::string& place) {
    for (std::string_view path : kNodeFields) folder.clamp(map, place, path, fold.nodes);
  };
  clamp_nodes(spec, "spec.");
  for (NodeId role : tree.children(roles)) {
    clamp_nodes(role, "spec.roles." + std::string(tree[role].key) + ".");
  }
  std::int64_t most = 0;  // of the roles that take their number from the job
  for (const Role& role : plan.roles) {
    if (!role.trains || !role.processes || *role.processes <= fold.processes) continue;
    const NodeId own = tree.find(roles, role.name);
    if (own == kNoNode) {
      most = std::max(most, *role.processes);
    } else {
      folder.put(own, "spec.roles." + std::string(role.name) + ".", "processesPerNode",
                 fold.processes, *role.processes);
    }
  }
  if (most != 0) folder.put(spec, "spec.", "processesPerNode", fold.processes, most);
}

}  // namespace trainyard
