#include "driver/doctor/compare_cluster.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "diag/words.h"
#include "driver/doctor/compare_objects.h"
#include "driver/doctor/compare_operators.h"
#include "driver/doctor/deviation.h"
#include "driver/doctor/stated_cluster.h"

namespace trainyard {
namespace {

std::string nodes_text(std::size_t count) {
  return counted(static_cast<std::uint32_t>(count), "node");
}

std::string share(std::size_t count, std::size_t all) {
  return std::to_string(count) + " of " + nodes_text(all);
}

std::string names_of(const std::vector<const RealNode*>& nodes) {
  std::vector<std::string> names;
  for (const RealNode* each : nodes) names.emplace_back(each->name);
  return listed(names, "and");
}

class PoolComparison {
 public:
  PoolComparison(const std::vector<RealNode>& nodes, Deviations& deviations)
      : nodes_(nodes), deviations_(deviations) {}

  void compare(const PoolMatch& match) {
    match_ = &match;
    if (match.stated->labels.empty()) return;
    if (match.nodes.empty()) return without_nodes();
    count();
    states();
    amounts();
    taints();
    topology();
  }

 private:
  const Pool& pool() const { return *match_->stated->pool; }
  std::string name() const { return "pool " + shown(*pool().name); }
  Span place() const { return match_->stated->place; }

  std::vector<const RealNode*> those(const std::function<bool(const RealNode&)>& holds) const {
    std::vector<const RealNode*> found;
    for (const RealNode* each : match_->nodes) {
      if (holds(*each)) found.push_back(each);
    }
    return found;
  }

  void without_nodes() {
    if (pool().count && *pool().count == 0) return;
    std::string labels;
    for (const auto& [key, value] : match_->stated->labels) {
      labels += (labels.empty() ? "" : ", ") + key + ": " + value;
    }
    Diagnostic& made =
        deviations_.add(kPoolWithoutNodes, pool().labels ? pool().labels.span : place(),
                        "no node has the labels of " + name() + ": " + shown(labels));
    for (const auto& [key, value] : match_->stated->labels) {
      made.note(label_note(key, value));
    }
    if (pool().capacity && *pool().capacity != CapacityKind::OnDemand) {
      made.severity = Severity::Warning;
      made.note("nodes of this sort may come only when a job asks for them");
    }
  }

  std::string label_note(const std::string& key, const std::string& value) const {
    std::size_t same = 0;
    std::vector<std::string> others;
    for (const RealNode& node : nodes_) {
      const std::string_view has = node.label(key);
      if (has == value) ++same;
      const std::string text(has);
      if (!has.empty() && has != value && std::ranges::find(others, text) == others.end()) {
        others.push_back(text);
      }
    }
    std::string note =
        nodes_text(same) + (same == 1 ? " has " : " have ") + shown(key + ": " + value);
    if (same == 0 && !others.empty()) note += "; on others it is " + listed(others, "or");
    return note;
  }

  void count() {
    if (!pool().count || *pool().count == static_cast<std::int64_t>(match_->nodes.size())) return;
    const bool is_more = static_cast<std::int64_t>(match_->nodes.size()) > *pool().count;
    Diagnostic& made = deviations_.add(kPoolCount, pool().count.span,
                                       name() + " has " + nodes_text(match_->nodes.size()) +
                                           ", and `count` is " + std::to_string(*pool().count));
    made.note(is_more ? "jobs that would fit are refused, and quotas are too small"
                      : "a job that needs all of them waits, unless the pool grows by itself");
  }

  void states() {
    const auto lost = those([](const RealNode& node) { return !node.is_ready; });
    const auto cordoned =
        those([](const RealNode& node) { return node.is_ready && node.is_cordoned; });
    for (const auto& [nodes, what] :
         {std::pair(&lost, "not ready"), std::pair(&cordoned, "cordoned")}) {
      if (nodes->empty()) continue;
      deviations_
          .add(kPoolNodeState, place(),
               share(nodes->size(), match_->nodes.size()) + " of " + name() +
                   (nodes->size() == 1 ? " is " : " are ") + what)
          .note(names_of(*nodes));
    }
  }

  /// CPU and memory of the catalogue are those of the machine, and the kubelet keeps a part of
  /// them. Pods of whole nodes request nine tenths of them, and these must be there.
  bool is_of_catalogue(const Offer& offer) const {
    const bool is_device = offer.resource.find('/') != std::string_view::npos;
    return !is_device && find(*pool().allocatable, offer.resource) == nullptr;
  }

  static bool has_nine_tenths(const Quantity& has, const Quantity& all) {
    const auto left = multiply(has, 10);
    const auto right = multiply(all, 9);
    return !left || !right || *left >= *right;
  }

  bool offers_less(const RealNode& node, const Offer& offer) const {
    const auto has = node.allocatable.find(offer.resource);
    if (has == node.allocatable.end()) return true;
    return is_of_catalogue(offer) ? !has_nine_tenths(has->second, offer.amount)
                                  : has->second < offer.amount;
  }

  void amounts() {
    for (const Offer& offer : match_->offer->offers) {
      // What nodes do not count, or the document leaves open.
      if (offer.claimed || !match_->stated->amount(offer.resource)) continue;
      const auto less = those([&](const RealNode& node) { return offers_less(node, offer); });
      if (!less.empty()) tell_less(offer, less);
    }
  }

  void tell_less(const Offer& offer, const std::vector<const RealNode*>& less) {
    const bool is_guess = is_of_catalogue(offer);
    Diagnostic& made = deviations_.add(
        kPoolOffersLess, place_of_offer(offer),
        share(less.size(), match_->nodes.size()) + " of " + name() +
            (less.size() == 1 ? " offers" : " offer") + " less " + shown(offer.resource) +
            " than " + (is_guess ? "nine tenths of the machine's " : "") + offer.amount.text());
    bool is_missing = false;
    for (std::size_t i = 0; i < std::min<std::size_t>(less.size(), 4); ++i) {
      const auto real = less[i]->allocatable.find(offer.resource);
      const bool has_none = real == less[i]->allocatable.end();
      is_missing = is_missing || has_none;
      made.note(shown(less[i]->name) + " offers " + (has_none ? "none" : real->second.text()));
    }
    if (is_guess) {
      made.note(
          "a pod that takes a whole node requests that much, and waits; state what nodes have "
          "in `allocatable` of the pool");
    } else if (is_missing) {
      made.note(
          "a pod that asks for it waits: the device plugin does not run there, or the "
          "resource has another name");
    }
  }

  /// An offer of the catalogue has its place there; the pool names the machine.
  Span place_of_offer(const Offer& offer) const {
    const bool is_own = offer.place.known() && offer.place.file == place().file;
    if (is_own) return offer.place;
    return pool().machine ? pool().machine.span : place();
  }

  void taints() {
    std::vector<NodeTaint> told;
    for (const RealNode* node : match_->nodes) {
      for (const NodeTaint& taint : node->taints) {
        if (is_listed(match_->stated->taints, taint) || is_listed(told, taint)) continue;
        told.push_back(taint);
        const auto having =
            those([&taint](const RealNode& each) { return is_listed(each.taints, taint); });
        deviations_.add(kPoolTaint, pool().taints ? pool().taints.span : place(),
                        share(having.size(), match_->nodes.size()) + " of " + name() +
                            (having.size() == 1 ? " has" : " have") + " the taint " +
                            text_of(taint) + ", which jobs on it do not tolerate");
      }
    }
  }

  static std::string text_of(const NodeTaint& taint) {
    return shown(std::string(taint.key) + (taint.value.empty() ? "" : "=") +
                 std::string(taint.value) + ":" + std::string(taint.effect));
  }

  static bool is_listed(const std::vector<NodeTaint>& taints, const NodeTaint& taint) {
    return std::ranges::any_of(taints, [&taint](const NodeTaint& each) {
      return each.key == taint.key && each.value == taint.value && each.effect == taint.effect;
    });
  }

  void topology() {
    for (const auto& level : *pool().topology) {
      const auto lacking =
          those([&level](const RealNode& node) { return node.label(*level->node_label).empty(); });
      if (lacking.empty()) continue;
      deviations_.add(kPoolTopology, level->node_label.span,
                      share(lacking.size(), match_->nodes.size()) + " of " + name() +
                          (lacking.size() == 1 ? " lacks" : " lack") + " the label " +
                          shown(*level->node_label) + " of level " + shown(*level->name));
    }
  }

  const std::vector<RealNode>& nodes_;
  Deviations& deviations_;
  const PoolMatch* match_ = nullptr;
};

void find_strangers(const StatedCluster& stated, const std::vector<RealNode>& nodes,
                    const std::vector<PoolMatch>& pools, Deviations& deviations) {
  std::vector<const RealNode*> strangers;
  for (const RealNode& node : nodes) {
    const bool is_in_a_pool = std::ranges::any_of(pools, [&node](const PoolMatch& pool) {
      return std::ranges::find(pool.nodes, &node) != pool.nodes.end();
    });
    if (!is_in_a_pool && has_gpus(node)) strangers.push_back(&node);
  }
  const auto& list = stated.cluster->spec->pools;
  if (strangers.empty() || !list) return;
  deviations
      .add(kNodesInNoPool, list.span,
           nodes_text(strangers.size()) + " with GPUs " + (strangers.size() == 1 ? "is" : "are") +
               " in no pool")
      .note(names_of(strangers));
}

/// How nodes differ from what the pools of a Cluster say.
void compare_pools(const StatedCluster& stated, const std::vector<RealNode>& nodes,
                   const std::vector<PoolMatch>& pools, Deviations& deviations) {
  PoolComparison comparison(nodes, deviations);
  for (const PoolMatch& each : pools) comparison.compare(each);
  find_strangers(stated, nodes, pools, deviations);
}

}  // namespace

void compare_cluster(Session& session, const ClusterDocument& document, const Survey& survey,
                     ComparedCluster& result, Deviations& deviations) {
  result.nodes = real_nodes(survey);
  state_cluster(session, document, result.stated);
  result.pools = match_pools(result.stated, result.nodes);
  compare_releases(document.cluster, survey, deviations);
  if (survey.kind("Node").is_read) {
    compare_pools(result.stated, result.nodes, result.pools, deviations);
  }
  compare_objects(document.cluster, survey, deviations);
}

}  // namespace trainyard
