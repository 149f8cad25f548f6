#include "capacity/fit.h"

#include <algorithm>
#include <optional>

#include "capacity/offer.h"
#include "capacity/topology_levels.h"
#include "source/text_parts.h"

namespace trainyard {
namespace {

std::string counted(std::int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

/// Node labels are known only in part: a key that is not there may be there after all.
const std::string* label_of(const NodeGroup& group, std::string_view key) {
  const auto found = group.labels.find(key);
  return found == group.labels.end() ? nullptr : &found->second;
}

/// Why a node of the group does not match one requirement; empty when it does or may.
std::string against_requirement(const NodeGroup& group, View requirement) {
  const std::string_view key = requirement["key"].text();
  const std::string* has = label_of(group, key);
  if (has == nullptr) return {};
  const std::string_view op = requirement["operator"].text();
  const View values = requirement["values"];
  bool listed = false;
  if (values) {
    for (NodeId id : values.tree().children(values.id())) {
      listed = listed || values.tree()[id].text == *has;
    }
  }
  const bool wrong = (op == "In" && !listed) || (op == "NotIn" && listed) || op == "DoesNotExist";
  if (!wrong) return {};
  return "its label " + in_backticks(key) + " is " + in_backticks(*has);
}

std::string against_terms(const NodeGroup& group, View terms) {
  std::string first;
  for (NodeId term : terms.tree().children(terms.id())) {
    const View expressions = View(terms.tree(), term)["matchExpressions"];
    std::string why;
    if (expressions) {
      for (NodeId id : expressions.tree().children(expressions.id())) {
        if (why.empty()) why = against_requirement(group, View(expressions.tree(), id));
      }
    }
    if (why.empty()) return {};  // terms are alternatives
    if (first.empty()) first = why;
  }
  return first;
}

bool tolerates(const Tree& tree, const std::vector<Fragment>& tolerations, const NodeTaint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Fragment& each) {
    const View toleration(tree, *each);
    const std::string_view key = toleration["key"].text();
    const std::string_view effect = toleration["effect"].text();
    if (!effect.empty() && effect != taint.effect) return false;
    if (toleration["operator"].text() == "Exists") return key.empty() || key == taint.key;
    return key == taint.key && toleration["value"].text() == taint.value;
  });
}

/// Why Kueue does not give the nodes of the group to such pods, for what they ask of topology;
/// empty when it does or may (kubernetes-sigs/kueue
/// pkg/scheduler/flavorassigner/tas_flavorassigner.go).
std::string against_topology(const NodeGroup& group, const Role& role) {
  using ByTopology = NodeGroup::ByTopology;
  if (group.by_topology == ByTopology::Unknown) return {};
  bool asks = false;
  for (const NamedValue& each : role.pod_annotations) {
    const bool is_level = each.name == "kueue.x-k8s.io/podset-required-topology" ||
                          each.name == "kueue.x-k8s.io/podset-preferred-topology" ||
                          each.name == "kueue.x-k8s.io/podset-slice-required-topology";
    asks = asks || is_level || each.name == "kueue.x-k8s.io/podset-unconstrained-topology";
    if (!is_level) continue;
    if (group.levels.empty()) return "it states no `topology`, so its ResourceFlavor has none";
    if (each.value == kHostNameLevel) continue;
    if (std::ranges::find(group.levels, each.value) == group.levels.end()) {
      return "its topology has no level " + in_backticks(each.value);
    }
  }
  if (asks && group.levels.empty()) return "its ResourceFlavor has no topology";
  if (asks || group.by_topology == ByTopology::Levels) return {};
  return "Kueue gives its nodes only to pods with `placement.topology`, and these have none";
}

/// Pods of one role, as the scheduler sees them.
class Demand {
 public:
  Demand(const Plan& plan, const Role& role, const std::vector<Beside>& beside)
      : plan_(&plan), role_(&role) {
    for (const NamedValue& request : role.requests) {
      if (const auto amount = Quantity::parse(request.value)) {
        amounts_.emplace_back(request.name, *amount);
      }
    }
    for (const Beside& each : beside) {
      if (each.role == role.name) include(each.resource, each.amount);
    }
    if (role.gpu_class) {
      amounts_.emplace_back(*role.gpu_class, Quantity::of(*role.gpus));
    }
    one_per_node_ = keeps_apart();
  }

  std::string_view role() const { return role_->name; }
  std::int64_t pods() const { return *role_->replicas; }
  const std::vector<std::pair<std::string_view, Quantity>>& amounts() const { return amounts_; }
  bool one_per_node() const { return one_per_node_; }

  /// Why no node of the group takes such a pod, however free it is; empty when one does. A label
  /// that another group is stated to have is not one that this group has unstated.
  std::string refusal(const NodeGroup& group, const std::vector<NodeGroup>& all) const {
    if (!group.closed.empty()) return group.closed;
    if (std::string why = against_topology(group, *role_); !why.empty()) return why;
    for (const NamedValue& wanted : role_->node_selector) {
      const std::string* has = label_of(group, wanted.name);
      if (has == nullptr && is_stated(all, wanted)) {
        return "it is not stated to have the label " + in_backticks(wanted.name) +
               ", another pool is";
      }
      if (has != nullptr && *has != wanted.value) {
        return "its label " + in_backticks(wanted.name) + " is " + in_backticks(*has) +
               ", wanted is " + in_backticks(wanted.value);
      }
    }
    if (role_->affinity) {
      const View required =
          View(plan_->tree,
               *role_->affinity)["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
                                ["nodeSelectorTerms"];
      if (required) {
        const std::string why = against_terms(group, required);
        if (!why.empty()) return why + ", which the node affinity excludes";
      }
    }
    for (const NodeTaint& taint : group.taints) {
      // The admission plugin ExtendedResourceToleration, where it is on, tolerates these itself.
      if (asks_for(taint.key)) continue;
      if (!tolerates(plan_->tree, role_->tolerations, taint)) {
        return "its taint " + in_backticks(taint.key) + " is not tolerated";
      }
    }
    for (const auto& [resource, wanted] : amounts_) {
      const auto has = group.amount(resource);
      if (has && *has < wanted) {
        return "a node has " + has->text() + " of " + in_backticks(resource) + ", a pod asks for " +
               wanted.text();
      }
    }
    return {};
  }

  bool wants_devices() const {
    return std::any_of(amounts_.begin(), amounts_.end(),
                       [](const auto& entry) { return is_device(entry.first); });
  }

  /// GPUs decide first which pods are large.
  double size() const {
    double devices = 0;
    double rest = 0;
    for (const auto& [resource, amount] : amounts_) {
      (is_device(resource) ? devices : rest) += amount.approximate();
    }
    return devices * 1e15 + rest;
  }

 private:
  void include(std::string_view resource, const Quantity& amount) {
    for (auto& [known, sum] : amounts_) {
      if (known != resource) continue;
      sum = add(sum, amount).value_or(sum);
      return;
    }
    amounts_.emplace_back(resource, amount);
  }

  bool asks_for(std::string_view resource) const {
    return std::any_of(amounts_.begin(), amounts_.end(),
                       [&](const auto& entry) { return entry.first == resource; });
  }

  static bool is_stated(const std::vector<NodeGroup>& groups, const NamedValue& label) {
    return std::any_of(groups.begin(), groups.end(), [&label](const NodeGroup& group) {
      const std::string* has = label_of(group, label.name);
      return has != nullptr && *has == label.value;
    });
  }

  static bool is_device(std::string_view resource) {
    return resource.find('/') != std::string_view::npos || resource == kGpuClass ||
           resource == kSliceClass;
  }

  /// A required anti-affinity to the job's own pods, by host.
  bool keeps_apart() const {
    if (!role_->affinity) return false;
    const View terms =
        View(plan_->tree,
             *role_->affinity)["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    if (!terms) return false;
    for (NodeId id : terms.tree().children(terms.id())) {
      const View term(terms.tree(), id);
      if (term["topologyKey"].text() == "kubernetes.io/hostname") return true;
    }
    return false;
  }

  const Plan* plan_;
  const Role* role_;
  std::vector<std::pair<std::string_view, Quantity>> amounts_;
  bool one_per_node_ = false;
};

/// Nodes of a group that are equally full.
struct Shelf {
  std::optional<std::int64_t> nodes;  // nothing: as many as wanted
  std::map<std::string, Quantity, std::less<>> used;
  bool has_apart = false;  // holds a pod that keeps others of the job away
};

constexpr std::int64_t kMany = 1'000'000'000;

/// How many more such pods a node of the shelf takes.
std::int64_t room_of(const NodeGroup& group, const Shelf& shelf, const Demand& demand) {
  if (shelf.has_apart && demand.one_per_node()) return 0;
  std::int64_t room = demand.one_per_node() ? 1 : kMany;
  for (const auto& [resource, wanted] : demand.amounts()) {
    const auto has = group.amount(resource);
    if (!has || wanted.is_zero()) continue;
    const auto used = shelf.used.find(resource);
    const double left =
        has->approximate() - (used == shelf.used.end() ? 0.0 : used->second.approximate());
    room = std::min(room, static_cast<std::int64_t>(left / wanted.approximate() + 1e-9));
  }
  return std::max<std::int64_t>(room, 0);
}

/// The nodes of one group while pods are put on them.
class Shelves {
 public:
  Shelves(const NodeGroup& group, std::optional<std::int64_t> free) : group_(group) {
    shelves_.push_back({free, {}, false});
  }

  const NodeGroup& group() const { return group_; }

  /// Puts as many of `pods` on the nodes as fit; returns how many pods and on how many nodes.
  std::pair<std::int64_t, std::int64_t> put(const Demand& demand, std::int64_t pods) {
    std::int64_t placed = 0;
    std::int64_t nodes = 0;
    // Nodes that are partly taken first: whole ones are left for those that need them.
    for (std::size_t i = shelves_.size(); i-- > 0 && placed < pods;) {
      const std::int64_t room = room_of(group_, shelves_[i], demand);
      if (room == 0) continue;
      const std::int64_t wanted = (pods - placed + room - 1) / room;
      const std::int64_t taken = shelves_[i].nodes ? std::min(*shelves_[i].nodes, wanted) : wanted;
      if (taken == 0) continue;
      const std::int64_t here = std::min(pods - placed, taken * room);
      split(i, demand, taken, here, room);
      placed += here;
      nodes += taken;
    }
    return {placed, nodes};
  }

 private:
  void split(std::size_t at, const Demand& demand, std::int64_t nodes, std::int64_t pods,
             std::int64_t room) {
    if (shelves_[at].nodes) *shelves_[at].nodes -= nodes;
    const std::int64_t full = pods / room;
    if (full > 0) add(shelves_[at], demand, full, room);
    if (pods % room > 0) add(shelves_[at], demand, 1, pods % room);
  }

  void add(Shelf shelf, const Demand& demand, std::int64_t nodes, std::int64_t pods_each) {
    shelf.nodes = nodes;
    shelf.has_apart = shelf.has_apart || demand.one_per_node();
    for (const auto& [resource, amount] : demand.amounts()) {
      const auto more = multiply(amount, pods_each);
      auto& used = shelf.used[std::string(resource)];
      if (more) used = trainyard::add(used, *more).value_or(used);
    }
    shelves_.push_back(std::move(shelf));
  }

  const NodeGroup& group_;
  std::vector<Shelf> shelves_;
};

/// Nodes of a group without pods.
std::optional<std::int64_t> free_nodes(const NodeGroup& group, const Usage& used) {
  const auto taken = used.nodes.find(*group.pool->name);
  if (!group.count || taken == used.nodes.end()) return group.count;
  return std::max<std::int64_t>(*group.count - taken->second, 0);
}

/// Of so many nodes, those that whole slices use, each within a domain of its level.
std::int64_t nodes_of_slices(std::int64_t nodes, std::int64_t domain, std::int64_t slice) {
  const auto whole = [slice](std::int64_t available) { return available / slice * slice; };
  return nodes / domain * whole(domain) + whole(nodes % domain);
}

/// Nodes of a group that are free, and of those the ones in one domain of a level.
std::optional<std::int64_t> usable_nodes(const NodeGroup& group,
                                         const TopologyRequirement& topology, const Usage& used) {
  std::optional<std::int64_t> free = free_nodes(group, used);
  if (const NodeDomain* domain = group.domain(topology.level)) {
    free = free ? std::min(*free, domain->nodes) : domain->nodes;
  }
  const NodeDomain* slices = group.domain(topology.slice_level);
  if (slices == nullptr || topology.slice_nodes == 0) return free;
  if (free) return nodes_of_slices(*free, slices->nodes, topology.slice_nodes);
  return slices->nodes < topology.slice_nodes ? std::optional<std::int64_t>(0) : free;
}

class Placer {
 public:
  Placer(const Plan& plan, const TopologyRequirement& topology, const std::vector<NodeGroup>& nodes,
         const Usage& used, const std::vector<Beside>& beside)
      : topology_(topology), nodes_(nodes), used_(used) {
    for (const Role& role : plan.roles) demands_.emplace_back(plan, role, beside);
    // Slices are of pods: only where each has a node are they slices of nodes.
    const bool of_nodes = std::ranges::all_of(demands_, [](const Demand& demand) {
      return demand.one_per_node() || !demand.wants_devices();
    });
    if (!of_nodes) topology_.slice_nodes = 0;
    std::stable_sort(demands_.begin(), demands_.end(),
                     [](const Demand& a, const Demand& b) { return a.size() > b.size(); });
  }

  Fit place() {
    if (topology_.level.empty()) return place_on(all());
    // One domain is in one pool: the first that has room for all.
    std::optional<Fit> best;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Fit fit = place_on({i});
      if (fit.fits) {
        fit.notes.push_back("taken to be in one domain of " + in_backticks(topology_.level));
        return fit;
      }
      if (!best || verdict_weight(fit) > verdict_weight(*best)) {
        best = std::move(fit);
      } else if (verdict_weight(*best) == 0) {
        best->pools.insert(best->pools.end(), fit.pools.begin(), fit.pools.end());
      }
    }
    return best.value_or(Fit{});
  }

 private:
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> result(nodes_.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = i;
    return result;
  }

  static std::size_t verdict_weight(const Fit& fit) {
    return static_cast<std::size_t>(
        std::count_if(fit.pools.begin(), fit.pools.end(),
                      [](const PoolVerdict& pool) { return pool.takes_some; }));
  }

  Fit place_on(const std::vector<std::size_t>& chosen) {
    std::vector<Shelves> shelves;
    for (std::size_t i : chosen) {
      shelves.emplace_back(nodes_[i], usable_nodes(nodes_[i], topology_, used_));
    }
    Fit fit;
    for (const Demand& demand : demands_) {
      if (!put(demand, shelves, fit)) break;
    }
    return fit;
  }

  bool put(const Demand& demand, std::vector<Shelves>& shelves, Fit& fit) {
    std::vector<PoolVerdict> verdicts;
    std::int64_t left = demand.pods();
    for (Shelves& pool : shelves) {
      if (left == 0) break;
      const NodeGroup& group = pool.group();
      PoolVerdict verdict{*group.pool->name, group.place, demand.refusal(group, nodes_), false};
      if (verdict.why.empty()) {
        const auto [pods, nodes] = pool.put(demand, left);
        left -= pods;
        verdict.takes_some = true;
        verdict.why = "room for " + counted(pods, "such pod") + limits(group, demand, pods);
        if (pods > 0) fit.shares.push_back({*group.pool->name, demand.role(), pods, nodes});
      }
      verdicts.push_back(std::move(verdict));
    }
    if (left == 0) return true;
    const bool some = std::any_of(verdicts.begin(), verdicts.end(),
                                  [](const PoolVerdict& pool) { return pool.takes_some; });
    if (!some && !demand.wants_devices()) {
      // Clusters are described by their GPU pools; nodes for the rest may not be listed.
      fit.notes.push_back("no pool takes pods of role " + in_backticks(demand.role()) +
                          ", which need no devices: taken to run on nodes that are not listed");
      return true;
    }
    fit.fits = false;
    fit.role = demand.role();
    fit.pools = std::move(verdicts);
    fit.obstacle = some ? std::to_string(left) + " of " + counted(demand.pods(), "pod") +
                              " of role " + in_backticks(demand.role()) +
                              (left == 1 ? " has no node left" : " have no node left")
                        : "no pool takes pods of role " + in_backticks(demand.role());
    if (some && !topology_.level.empty()) {
      fit.obstacle += " in one domain of " + in_backticks(topology_.level);
    }
    return false;
  }

  /// What keeps a pool from taking more.
  std::string limits(const NodeGroup& group, const Demand& demand, std::int64_t pods) const {
    std::string text;
    const std::optional<std::int64_t> free = free_nodes(group, used_);
    if (const NodeDomain* domain = group.domain(topology_.level)) {
      text += ": one " + in_backticks(topology_.level) + " has " + counted(domain->nodes, "node");
      if (free) text += ", and " + counted(*free, "node") + (*free == 1 ? " is" : " are") + " free";
    }
    const NodeDomain* slices = group.domain(topology_.slice_level);
    if (slices != nullptr && topology_.slice_nodes > 0) {
      text += (text.empty() ? ": one " : ", and one ") + in_backticks(topology_.slice_level) +
              " of " + counted(slices->nodes, "node") + " holds " +
              counted(slices->nodes / topology_.slice_nodes, "slice") + " of " +
              std::to_string(topology_.slice_nodes);
    }
    return text.empty() && free ? on_each(group, demand, *free, pods) : text;
  }

  /// How many pods a node takes, by what, and how many nodes there are.
  static std::string on_each(const NodeGroup& group, const Demand& demand, std::int64_t free,
                             std::int64_t pods) {
    if (free == 0) return ": all its nodes are in use";
    const std::int64_t room = room_of(group, {}, demand);
    std::string text = free < *group.count
                           ? ": " + std::to_string(free) + " of " + counted(*group.count, "node") +
                                 (free == 1 ? " is free" : " are free")
                           : ": " + counted(free, "node");
    if (demand.one_per_node()) {
      text += ", one pod on each";
    } else if (const std::string_view by = scarcest(group, demand); !by.empty()) {
      text += ", and a node has " + in_backticks(by) + " for " + std::to_string(room);
    }
    if (pods < free * room) text += ", partly taken by other pods of the job";
    return text;
  }

  /// The resource by which a node takes no more pods; empty when none is known.
  static std::string_view scarcest(const NodeGroup& group, const Demand& demand) {
    std::string_view result;
    double least = 0;
    for (const auto& [resource, wanted] : demand.amounts()) {
      const auto has = group.amount(resource);
      if (!has || wanted.is_zero()) continue;
      const double room = has->approximate() / wanted.approximate();
      if (!result.empty() && room >= least) continue;
      result = resource;
      least = room;
    }
    return result;
  }

  TopologyRequirement topology_;
  const std::vector<NodeGroup>& nodes_;
  const Usage& used_;
  std::vector<Demand> demands_;
};

}  // namespace

Fit place_gang(const Plan& plan, const TopologyRequirement& topology,
               const std::vector<NodeGroup>& nodes, const Usage& used,
               const std::vector<Beside>& beside) {
  if (nodes.empty()) return {};
  return Placer(plan, topology, nodes, used, beside).place();
}

}  // namespace trainyard
