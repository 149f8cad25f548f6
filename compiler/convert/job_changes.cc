#include "convert/job_changes.h"

#include <algorithm>
#include <map>
#include <set>

#include "convert/job_programs.h"
#include "convert/read_job_set.h"
#include "convert/same_meaning.h"
#include "convert/seen_values.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kRanks = "ranks";
/// Pods whose names are made known, and no more: host lists of larger jobs stay as they are.
constexpr std::int64_t kNamedPods = 8;
constexpr std::int64_t kMostPods = 100'000;  // as in `explain pod`

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Roles whose pods are ranks of one job are one group, whatever they are called.
std::string group_of_role(std::string_view name) {
  const std::string small = lower(name);
  const std::string_view word = role_word(small);
  if (word == "worker" || word == "master" || word == "chief") return std::string(kRanks);
  if (!word.empty()) return std::string(word);
  return small.ends_with("initializer") ? small : std::string(kRanks);
}

/// Rank 0 is that of a master.
int order_of_role(std::string_view name) {
  const std::string_view word = role_word(lower(name));
  return word == "chief" ? 0 : word == "master" ? 1 : 2;
}

/// Pods that are ranks of one group, in their order.
struct Group {
  std::vector<PodRole> roles;
  std::int64_t pods = 0;

  std::pair<std::string, std::int64_t> at(std::int64_t position) const {
    for (const PodRole& each : roles) {
      if (position < each.count) return {each.name, position};
      position -= each.count;
    }
    return {};
  }
};

/// The pods of one of the jobs.
class JobPods {
 public:
  JobPods(const ComparedJob& of, KubernetesVersion version)
      : of_(of), kind_(find_pod_kind(of.job)), version_(version) {
    if (kind_ == nullptr) return;
    std::vector<PodRole> roles = kind_->roles(of.job);
    std::ranges::stable_sort(roles, {},
                             [](const PodRole& each) { return order_of_role(each.name); });
    for (PodRole& each : roles) {
      is_too_large_ = is_too_large_ || each.count > kMostPods;
      // KubeRay passes the entrypoint in its own way; that does not change the job.
      if (each.count <= 0 || each.name == "submitter") continue;
      Group& group = groups_[has_programs(of.job) ? each.name : group_of_role(each.name)];
      group.pods += each.count;
      group.roles.push_back(std::move(each));
    }
  }

  bool is_known() const { return kind_ != nullptr && !is_too_large_; }
  const std::map<std::string, Group>& groups() const { return groups_; }

  /// Names of pods, as words that say their places.
  void name_pods(PodNames& names) {
    for (const auto& [word, group] : groups_) {
      for (std::int64_t i = 0; i < std::min(group.pods, kNamedPods); ++i) {
        const EffectivePod& pod = at(word, i);
        const std::string place =
            "<" + (word == kRanks ? "rank" : word) + " " + std::to_string(i) + ">";
        for (const std::string& name : {pod.address, pod.hostname, pod.name}) {
          if (name.find(kRandom) == name.npos) names.add(name, place);
        }
        if (pod.address.empty()) continue;
        std::string whole = pod.address;
        for (const std::string& part : {std::string(namespace_of(of_.job)), std::string("svc"),
                                        std::string("cluster.local")}) {
          names.add(whole += "." + part, place);
        }
      }
    }
    names.sort();
  }

  const EffectivePod& at(const std::string& word, std::int64_t position) {
    auto [found, is_new] = made_.try_emplace({word, position});
    if (is_new) {
      const auto [role, index] = groups_.at(word).at(position);
      found->second = kind_->pod(of_.maker, of_.job, role, index, version_);
    }
    return found->second;
  }
  View view(const EffectivePod& pod) const { return of_.maker.view(pod.root); }

 private:
  const ComparedJob& of_;
  const PodKind* kind_;
  KubernetesVersion version_;
  std::map<std::string, Group> groups_;
  std::map<std::pair<std::string, std::int64_t>, EffectivePod> made_;
  bool is_too_large_ = false;
};

class Comparison {
 public:
  Comparison(const ComparedJob& before, const ComparedJob& after, KubernetesVersion version,
             const std::function<bool(View)>& is_told)
      : before_(before),
        after_(after),
        is_told_(is_told),
        old_(before, version),
        new_(after, version) {}

  std::vector<JobChange> run() {
    if (!old_.is_known() || !new_.is_known()) return {};
    // A workload of Run:ai has no pod template: all its values are those of the pods.
    if (group_of(string_at(before_.job, "apiVersion")) != "run.ai") jobs();
    old_.name_pods(old_names_);
    new_.name_pods(new_names_);
    for (const auto& [word, group] : old_.groups()) pods(word, group);
    for (const auto& [word, group] : new_.groups()) {
      if (!old_.groups().contains(word)) count(word, 0, group.pods);
    }
    return std::move(changes_);
  }

  /// Of objects that a job uses and that have no pods.
  std::vector<JobChange> of_part() {
    jobs();
    const std::string name = std::string(string_at(before_.job, "kind")) + "/" +
                             std::string(string_at(get(before_.job, "metadata"), "name")) + ": ";
    for (JobChange& each : changes_) each.path.insert(0, name);
    return std::move(changes_);
  }

 private:
  void jobs() {
    const auto from = see_job(before_.job);
    const auto to = see_job(after_.job);
    const View kind = get(before_.job, "spec");
    compare(from, to, {}, kind ? kind : before_.job);
  }

  void count(const std::string& word, std::int64_t before, std::int64_t after) {
    JobChange change;
    change.path = word + ": number of pods";
    change.before = std::to_string(before);
    change.after = std::to_string(after);
    change.from = get(before_.job, "kind");
    change.advice = "set `nodes` of the spec or of the role";
    add(std::move(change), "count " + word);
  }

  void pods(const std::string& word, const Group& group) {
    const auto other = new_.groups().find(word);
    const std::int64_t after = other == new_.groups().end() ? 0 : other->second.pods;
    if (after != group.pods) count(word, group.pods, after);
    if (after == 0) return;
    for (std::int64_t position : samples(group, other->second)) pod(word, group, position);
  }

  /// The first two and the last pod of each role of either job.
  static std::set<std::int64_t> samples(const Group& before, const Group& after) {
    std::set<std::int64_t> found;
    for (const Group* each : {&before, &after}) {
      std::int64_t first = 0;
      for (const PodRole& role : each->roles) {
        found.insert(
            {first, first + std::min<std::int64_t>(1, role.count - 1), first + role.count - 1});
        first += role.count;
      }
    }
    std::erase_if(found,
                  [&](std::int64_t each) { return each >= std::min(before.pods, after.pods); });
    return found;
  }

  void pod(const std::string& word, const Group& group, std::int64_t position) {
    const EffectivePod& old_pod = old_.at(word, position);
    const EffectivePod& new_pod = new_.at(word, position);
    if (!old_pod.failure.empty() || !new_pod.failure.empty()) return;
    const View from = old_.view(old_pod);
    const View to = new_.view(new_pod);
    const View main = seen_container(get(from, "spec"));
    const View name = get(main, "image");
    compare(see_pod(from, old_names_), see_pod(to, new_names_), group.at(position).first,
            name ? name : main);
  }

  /// Both are sorted by their paths.
  void compare(const std::vector<SeenValue>& from, const std::vector<SeenValue>& to,
               const std::string& role, View anchor) {
    auto old_value = from.begin();
    auto new_value = to.begin();
    while (old_value != from.end() || new_value != to.end()) {
      const bool only_old =
          new_value == to.end() || (old_value != from.end() && old_value->path < new_value->path);
      const bool only_new =
          old_value == from.end() || (new_value != to.end() && new_value->path < old_value->path);
      const SeenValue* before = only_new ? nullptr : &*old_value++;
      const SeenValue* after = only_old ? nullptr : &*new_value++;
      value(before, after, role, anchor);
    }
  }

  void value(const SeenValue* before, const SeenValue* after, const std::string& role,
             View anchor) {
    ValueChange change;
    change.kind = string_at(before_.job, "kind");
    change.path = before ? before->path : after->path;
    change.before = before ? std::string_view(before->text) : std::string_view();
    change.after = after ? std::string_view(after->text) : std::string_view();
    change.was_there = before != nullptr;
    change.is_there = after != nullptr;
    if (!same_because(change).empty()) return;
    if (before && before->at && is_told_(before->at)) return;
    if (is_label_of_job(change)) return;
    const ChangeCause cause = cause_of(change.path, !role.empty());
    JobChange found;
    found.role = role;
    found.path = change.path;
    found.before = change.before;
    found.after = change.after;
    found.was_there = change.was_there;
    found.is_there = change.is_there;
    const bool is_placed = before && before->at && place_of(before_, before->at).known();
    found.from = is_placed ? before->at : anchor;
    found.to = after ? after->at : View();
    found.advice = cause.advice;
    std::string key = cause.name.empty() ? found.path : std::string(cause.name);
    // A container or a mount that is gone, or new, is one cause.
    const bool is_part = found.path.starts_with("containers[") ||
                         found.path.starts_with("initContainers[") ||
                         (found.path.starts_with("mounts[") && cause.name.empty());
    if (is_part) key = found.path.substr(0, found.path.find(']'));
    add(std::move(found), key);
  }

  /// A build gives to the pods what labels the job.
  bool is_label_of_job(const ValueChange& change) const {
    constexpr std::string_view kLabels = "labels[";
    if (change.was_there || !change.path.starts_with(kLabels)) return false;
    const std::string_view key = change.path.substr(kLabels.size());
    const View labels = get(get(before_.job, "metadata"), "labels");
    return string_at(labels, key.substr(0, key.size() - 1)) == change.after;
  }

  void add(JobChange change, const std::string& cause) {
    const auto [known, is_new] = by_cause_.try_emplace(cause, changes_.size());
    if (is_new) {
      changes_.push_back(std::move(change));
      return;
    }
    JobChange& first = changes_[known->second];
    // What is in a part that is named is not named again.
    if (change.path.starts_with(first.path) ||
        std::ranges::find(first.also, change.path) != first.also.end()) {
      return;
    }
    first.also.push_back(std::move(change.path));
  }

  const ComparedJob& before_;
  const ComparedJob& after_;
  const std::function<bool(View)>& is_told_;
  JobPods old_;
  JobPods new_;
  PodNames old_names_;
  PodNames new_names_;
  std::vector<JobChange> changes_;
  std::map<std::string, std::size_t> by_cause_;
};

}  // namespace

std::vector<JobChange> changes_between(const ComparedJob& before, const ComparedJob& after,
                                       KubernetesVersion version,
                                       const std::function<bool(View value)>& is_told) {
  return Comparison(before, after, version, is_told).run();
}

std::vector<JobChange> changes_of_part(const ComparedJob& before, const ComparedJob& after,
                                       const std::function<bool(View value)>& is_told) {
  return Comparison(before, after, {}, is_told).of_part();
}

Span place_of(const ComparedJob& job, View value) {
  if (!value) return {};
  const Origins& origins = job.maker.origins;
  if (value->origin != kNoOrigin && value->origin < origins.size()) {
    const Origin& origin = origins[value->origin];
    if (origin.span.known()) return origin.span;
    if (origin.kind == OriginKind::Injected) return {};
  }
  return value->span;
}

}  // namespace trainyard
