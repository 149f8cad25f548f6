#include "convert/recognize_fabric.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "convert/fabric_source.h"
#include "convert/job_metadata.h"
#include "convert/pod_template_reader.h"
#include "convert/same_value.h"
#include "manifest/devices.h"
#include "source/text_parts.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostDifferences = 3;

bool same_amount(View a, View b) {
  const auto x = Quantity::parse(a->text);
  const auto y = Quantity::parse(b->text);
  return x && y && *x == *y;
}

/// The item of a list whose `key` has this text.
View item(View list, std::string_view key, std::string_view text) {
  for (View each : Items(list)) {
    if (string_at(each, key) == text) return each;
  }
  return {};
}

bool has_same(View list, View value) {
  return std::ranges::any_of(Items(list), [&](View each) { return same_value(each, value); });
}

/// Holds a pod template against what a build makes with and without a fabric: whatever only the
/// first has must be there.
class Comparison {
 public:
  /// A map in which other values stand without the fabric.
  struct Replaced {
    View map;              // of the input
    std::string_view key;  // of its entry
    View value;            // empty for none
  };

  Comparison(const Conversion& job, View input, const FabricBuild& build)
      : job_(job), input_(input), with_(build.with), without_(build.without), build_(build) {}

  void run() {
    const View spec = get(input_, "spec");
    const View with = get(with_, "spec");
    const View without = get(without_, "spec");
    entries("annotation", metadata(with_), metadata(without_), metadata(input_));
    entries("node label", get(with, "nodeSelector"), get(without, "nodeSelector"),
            get(spec, "nodeSelector"));
    items("volume", "name", get(with, "volumes"), get(without, "volumes"), get(spec, "volumes"));
    items("claim", "name", get(with, "resourceClaims"), get(without, "resourceClaims"),
          get(spec, "resourceClaims"));
    items("container", "name", get(with, "initContainers"), get(without, "initContainers"),
          get(spec, "initContainers"));
    sidecars(with, spec);
    whole_items("toleration", get(with, "tolerations"), get(without, "tolerations"),
                get(spec, "tolerations"));
    for (std::string_view key : {"hostNetwork", "dnsPolicy"}) {
      fields(get(with, key), get(without, key), get(spec, key), key);
    }
    replace(spec, "affinity", get(with, "affinity"), get(without, "affinity"));
    context(spec, with, without);
    main(main_of(with), main_of(without), training_container(spec, job_.container));
    objects();
  }

  std::size_t parts() const { return taken_.size() + replaced_.size(); }
  const std::vector<View>& taken() const { return taken_; }
  const std::vector<Replaced>& replaced() const { return replaced_; }
  const std::vector<View>& further() const { return further_; }
  const std::vector<std::string>& differences() const { return differences_; }
  bool differs_in_resources() const { return differs_in_resources_; }
  /// Whether it also differs in what no other amount or value of a variable changes.
  bool differs_in_parts() const { return differences_.size() > in_amounts_; }
  /// Variables that the pod has with other values.
  const std::vector<std::pair<std::string, std::string>>& other_values() const {
    return other_values_;
  }

 private:
  static View metadata(View pod_template) {
    return get(get(pod_template, "metadata"), "annotations");
  }
  static View main_of(View spec) { return item(get(spec, "containers"), "name", kMainContainer); }

  void differ(std::string what) { differences_.push_back(std::move(what)); }
  void missing(std::string_view what, std::string_view name) {
    differ("there is no " + std::string(what) + " " + in_backticks(name));
  }
  void other(std::string_view what, std::string_view name) {
    differ("the " + std::string(what) + " " + in_backticks(name) + " is another one");
  }

  void entries(std::string_view what, View with, View without, View input) {
    for (View each : Items(with)) {
      const View known = get(without, each->key);
      if (known && same_value(each, known)) continue;
      const View own = get(input, each->key);
      const bool same_resource = what == "resource" && own && same_amount(each, own);
      if (what == "resource" && !same_resource) {
        differs_in_resources_ = true;
        ++in_amounts_;
      }
      if (!own) {
        missing(what, each->key);
      } else if (!same_value(each, own) && !same_resource) {
        other(what, each->key);
      } else {
        taken_.push_back(own);
      }
    }
  }

  void items(std::string_view what, std::string_view key, View with, View without, View input) {
    for (View each : Items(with)) {
      const std::string_view name = string_at(each, key);
      const View known = item(without, key, name);
      if (known && same_value(each, known)) continue;
      const View own = item(input, key, name);
      if (!own) {
        missing(what, name);
      } else if (!same_value(each, own)) {
        if (what == "variable" && get(own, "value")) {
          other_values_.emplace_back(name, get(own, "value")->text);
          ++in_amounts_;
        }
        other(what, name);
      } else {
        taken_.push_back(own);
      }
    }
  }

  void whole_items(std::string_view what, View with, View without, View input) {
    for (View each : Items(with)) {
      if (has_same(without, each)) continue;
      bool found = false;
      for (View own : Items(input)) {
        if (found || !same_value(own, each)) continue;
        taken_.push_back(own);
        found = true;
      }
      const View key = get(each, "key");
      if (!found) missing(what, key ? key->text : each->text);
    }
  }

  /// A build without the fabric has no container but the program's.
  void sidecars(View with, View spec) {
    for (View each : items_at(with, "containers")) {
      const std::string_view name = string_at(each, "name");
      if (name == kMainContainer) continue;
      const View own = item(get(spec, "containers"), "name", name);
      if (!own) {
        missing("container", name);
      } else if (!same_value(each, own)) {
        other("container", name);
      } else {
        taken_.push_back(own);
      }
    }
  }

  void fields(View with, View without, View input, std::string_view name) {
    if (!with || (without && same_value(with, without))) return;
    if (!input) return missing("field", name);
    if (!same_value(with, input)) return other("field", name);
    taken_.push_back(input);
  }

  /// A value that the fabric makes another one, or takes away.
  void replace(View map, std::string_view key, View with, View without) {
    if (!with && !without) return;
    if (with && without && same_value(with, without)) return;
    const View own = get(map, key);
    const bool same = with ? own && same_value(own, with) : !own;
    if (!same || !map) return other("field", key);
    replaced_.push_back({map, key, without});
  }

  void context(View input, View with, View without) {
    const View own = get(input, "securityContext");
    const View a = get(with, "securityContext");
    const View b = get(without, "securityContext");
    for (std::string_view key : {"privileged", "allowPrivilegeEscalation", "runAsNonRoot",
                                 "runAsUser", "seccompProfile", "readOnlyRootFilesystem"}) {
      replace(own, key, get(a, key), get(b, key));
    }
    const View of_own = get(own, "capabilities");
    const View of_a = get(a, "capabilities");
    const View of_b = get(b, "capabilities");
    whole_items("capability", get(of_a, "add"), get(of_b, "add"), get(of_own, "add"));
    replace(of_own, "drop", get(of_a, "drop"), get(of_b, "drop"));
  }

  void main(View with, View without, View input) {
    items("variable", "name", get(with, "env"), get(without, "env"), get(input, "env"));
    items("mount", "mountPath", get(with, "volumeMounts"), get(without, "volumeMounts"),
          get(input, "volumeMounts"));
    const View resources = get(with, "resources");
    const View before = get(without, "resources");
    const View own = get(input, "resources");
    for (std::string_view list : {"requests", "limits"}) {
      entries("resource", get(resources, list), get(before, list), get(own, list));
    }
    items("claim", "name", get(resources, "claims"), get(before, "claims"), get(own, "claims"));
    context(input, with, without);
    command(get(with, "command"), get(without, "command"), get(input, "command"));
  }

  /// Words in front of the program's own.
  void command(View with, View without, View input) {
    const std::size_t before = without ? without->size : 0;
    const std::size_t after = with ? with->size : 0;
    std::size_t left = after > before ? after - before : 0;
    // Ray starts its own daemons in the pods, and the program elsewhere.
    if (left == 0 || string_at(job_.job, "kind") == "RayJob") return;
    std::vector<View> words;
    for (View each : Items(input)) words.push_back(each);
    std::size_t at = 0;
    for (View each : Items(with)) {
      if (left-- == 0) break;
      if (at == words.size() || !same_value(each, words[at++])) {
        return differ("the command does not begin as a build begins it for this fabric");
      }
    }
    taken_.insert(taken_.end(), words.begin(),
                  words.begin() + static_cast<std::ptrdiff_t>(after - before));
  }

  void objects() {
    for (View each : build_.objects) {
      const std::string_view name = string_at(get(each, "metadata"), "name");
      const std::string_view api = string_at(each, "apiVersion");
      const View own = job_.find(api.substr(0, api.find('/')), string_at(each, "kind"), name);
      const std::string what(string_at(each, "kind"));
      if (!own) {
        differ(in_backticks(what + "/" + std::string(name)) + " is not among the inputs");
      } else if (!same_value(get(own, "spec"), get(each, "spec"))) {
        other(what, name);
      } else {
        further_.push_back(own);
      }
    }
  }

  const Conversion& job_;
  View input_;
  View with_;
  View without_;
  const FabricBuild& build_;
  std::vector<View> taken_;
  std::vector<Replaced> replaced_;
  std::vector<View> further_;
  std::vector<std::string> differences_;
  bool differs_in_resources_ = false;
  std::size_t in_amounts_ = 0;  // differences in amounts and values of variables
  std::vector<std::pair<std::string, std::string>> other_values_;
};

/// One fabric on some nodes that the pods may have been made for.
struct Attempt {
  FabricMark mark;
  FabricTrial trial;
  std::unique_ptr<FabricBuild> build;
  std::unique_ptr<Comparison> found;
};

class Search {
 public:
  Search(Conversion& job, ConvertedRole& role, View pod_template)
      : job_(job),
        role_(role),
        pod_(pod_template),
        spec_(get(pod_template, "spec")),
        main_(training_container(spec_, job.container)) {}

  View run() {
    const std::int64_t gpus = devices_of(get(main_, "resources")).whole;
    if (job_.input.fabrics == nullptr || gpus == 0) return pod_;
    for (const FabricMark& mark : job_.input.fabrics->marks(pod_)) {
      for (const FabricPlace& place : job_.input.fabrics->places(pod_, mark.fabric)) {
        try_nodes(mark, place, gpus);
      }
    }
    job_.fabrics.emplace(best_ ? best_->mark.fabric : std::string());
    if (!best_) {
      look();
      return pod_;
    }
    return without_parts();
  }

 private:
  /// Whether all parts of a fabric were found: a trial that names less of them finds no more.
  bool has_found(const FabricMark& mark) const {
    return best_ && best_->mark.fabric == mark.fabric;
  }

  void try_nodes(const FabricMark& mark, const FabricPlace& place, std::int64_t gpus) {
    FabricTrial trial;
    trial.job = job_.name;
    trial.pods = std::max(job_.pods, role_.pods);
    trial.gpus = gpus;
    trial.fabric = mark.fabric;
    trial.place = place;
    trial.level = level();
    trial.cpu = amount("cpu");
    trial.memory = amount("memory");
    const bool on_host = is_true(get(spec_, "hostNetwork"));
    for (bool own_network : {false, true}) {
      if (own_network && !on_host) continue;
      trial.host_network = own_network;
      trial.extended.clear();
      if (!attempt(mark, trial)) continue;
      trial.extended = extended();
      if (!trial.extended.empty()) attempt(mark, trial);
    }
  }

  /// Whether another trial, with the amounts of the pod, could find more.
  bool attempt(const FabricMark& mark, FabricTrial trial) {
    if (has_found(mark)) return false;
    bool differs_in_resources = false;
    trial.env.clear();
    // What a job sets itself may be otherwise, where the fabric bears it.
    for (int times = 0; times < 2; ++times) {
      auto made = std::make_unique<Attempt>();
      made->mark = mark;
      made->trial = trial;
      made->build = job_.input.fabrics->build(trial);
      if (!made->build->refusal.empty()) {
        note_refusal(mark, made->build->refusal);
        return true;
      }
      made->found = std::make_unique<Comparison>(job_, pod_, *made->build);
      made->found->run();
      // Without evidence only a pod that has all parts counts.
      if (mark.evidence.empty() && made->found->differs_in_parts()) return false;
      trial.env = made->found->other_values();
      differs_in_resources = differs_in_resources || made->found->differs_in_resources();
      consider(std::move(made));
      if (trial.env.empty()) break;
    }
    return differs_in_resources;
  }

  void note_refusal(const FabricMark& mark, const std::string& why) {
    if (mark.evidence.empty() || refused_) return;
    refused_ = mark;
    refusal_ = why;
  }

  void consider(std::unique_ptr<Attempt> made) {
    const bool all = made->found->differences().empty();
    if (all && made->found->parts() == 0) return;
    if (!all && made->mark.evidence.empty()) return;
    std::unique_ptr<Attempt>& known = all ? best_ : nearest_;
    const bool better =
        !known || (all ? made->found->parts() > known->found->parts()
                       : made->found->differences().size() < known->found->differences().size());
    if (better) known = std::move(made);
  }

  std::string_view level() const {
    const View context = get(main_, "securityContext");
    const View of_pod = get(spec_, "securityContext");
    const bool limited = is_false(get(context, "allowPrivilegeEscalation"));
    if (limited && get(of_pod, "runAsNonRoot")) return "restricted";
    return get(of_pod, "seccompProfile") ? "baseline" : "privileged";
  }

  std::string amount(std::string_view name) const {
    const View resources = get(main_, "resources");
    View found = get(get(resources, "requests"), name);
    if (!found) found = get(get(resources, "limits"), name);
    return found ? std::string(found->text) : std::string();
  }

  std::vector<std::pair<std::string, std::string>> extended() const {
    std::vector<std::pair<std::string, std::string>> result;
    for (View each : entries_at(get(main_, "resources"), "limits")) {
      const bool own = each->key.find('/') != std::string_view::npos && !is_gpu_resource(each->key);
      if (own) result.emplace_back(each->key, each->text);
    }
    return result;
  }

  /// What they look like, without being it.
  void look() {
    if (!nearest_ && !refused_) return;
    FabricLook look;
    look.at = get(main_, "name") ? main_ : pod_;
    const FabricMark& mark = nearest_ ? nearest_->mark : *refused_;
    look.fabric = mark.fabric;
    look.evidence = mark.evidence;
    const bool known = std::ranges::any_of(
        job_.looks, [&](const FabricLook& other) { return other.fabric == look.fabric; });
    if (known) return;  // of another role
    look.refused = !nearest_;
    if (!nearest_) {
      look.differences.push_back(refusal_);
    } else {
      look.differences = nearest_->found->differences();
      if (look.differences.size() > kMostDifferences) {
        const std::size_t more = look.differences.size() - kMostDifferences;
        look.differences.resize(kMostDifferences);
        look.differences.push_back("and " + std::to_string(more) + " more");
      }
    }
    job_.looks.push_back(std::move(look));
  }

  View without_parts() {
    const NodeId copy = job_.maker.copy(pod_);
    for (View each : best_->found->taken()) taken_.insert({&each.tree(), each.id()});
    for (const Comparison::Replaced& each : best_->found->replaced()) {
      job_.ledger.derived(get(each.map, each.key));
    }
    prune(copy, pod_);
    for (View each : best_->found->taken()) job_.ledger.derived(each);
    for (View each : best_->found->further()) {
      settle_metadata_of_part(job_, each);
      job_.ledger.derived(get(each, "spec"));
    }
    job_.share({"network", "fabric"}, job_.text(best_->mark.fabric), {});
    if (role_.fields == kNoNode) role_.fields = job_.map();
    const FabricPlace& place = best_->trial.place;
    if (!place.pool.empty()) {
      job_.maker.put(role_.fields, "pool", job_.text(place.pool));
    } else if (!place.machine.empty()) {
      job_.maker.put(role_.fields, "machine", job_.text(place.machine));
    }
    return job_.maker.view(copy);
  }

  /// Takes out of a copy of `from` what the fabric stands for.
  void prune(NodeId copy, View from) {
    Tree& tree = job_.maker.tree;
    std::vector<NodeId> children;
    for (NodeId child : tree.children(copy)) children.push_back(child);
    auto at = children.begin();
    for (View each : Items(from)) {
      const NodeId child = *at++;
      const bool had_any = tree[child].size != 0;
      if (!taken_.contains({&each.tree(), each.id()})) {
        prune(child, each);
        if (!had_any || tree[child].size != 0) continue;
      }
      tree.remove(copy, child);
    }
    for (const Comparison::Replaced& each : best_->found->replaced()) {
      if (&each.map.tree() != &from.tree() || each.map.id() != from.id()) continue;
      if (const NodeId old = tree.find(copy, each.key); old != kNoNode) tree.remove(copy, old);
      if (each.value) tree.append(copy, tree.intern(each.key), job_.maker.copy(each.value));
    }
  }

  Conversion& job_;
  ConvertedRole& role_;
  View pod_;
  View spec_;
  View main_;
  std::unique_ptr<Attempt> best_;     // of those that are the same
  std::unique_ptr<Attempt> nearest_;  // of those that are not
  std::optional<FabricMark> refused_;
  std::string refusal_;
  std::set<std::pair<const Tree*, NodeId>> taken_;
};

}  // namespace

View take_out_fabric(Conversion& job, ConvertedRole& role, View pod_template) {
  return Search(job, role, pod_template).run();
}

}  // namespace trainyard
