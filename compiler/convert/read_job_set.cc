#include "convert/read_job_set.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "convert/convertible_kinds.h"
#include "convert/gang_membership.h"
#include "convert/job_programs.h"
#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "convert/role_values.h"
#include "convert/services.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct RoleWord {
  std::string_view name;
  std::string_view word;
};
constexpr RoleWord kRoleWords[] = {
    {"worker", "worker"},
    {"workers", "worker"},
    {"node", "worker"},
    {"nodes", "worker"},
    {"trainer", "worker"},
    {"master", "master"},
    {"leader", "master"},
    {"driver", "master"},
    {"coordinator", "master"},
    {"chief", "chief"},
    {"ps", "ps"},
    {"server", "ps"},
    {"pserver", "ps"},
    {"evaluator", "evaluator"},
    {"eval", "evaluator"},
    {"launcher", "launcher"},
    {"mpimaster", "launcher"},
    {"mpiworker", "worker"},
    {"head", "head"},
};

class JobSetReader {
 public:
  JobSetReader(Conversion& job, View spec) : job_(job), spec_(spec) {}

  void read() {
    std::vector<View> jobs;
    for (View each : items_at(spec_, "replicatedJobs")) {
      if (each->is_map()) jobs.push_back(each);
    }
    job_.has_programs = are_programs(get(spec_, "replicatedJobs"));
    std::int64_t pods = 0;
    for (View each : jobs) {
      const bool launcher = jobs.size() > 1 && role_word(string_at(each, "name")) == "launcher";
      pods += launcher ? 0 : pods_of(each);
    }
    job_.pods = std::max<std::int64_t>(pods, 1) + (job_.launcher_works ? 1 : 0);
    all_pods_ = job_.pods;
    for (View each : jobs) {
      if (jobs.size() > 1 && !is_ranked(role_word(string_at(each, "name")))) {
        job_.without_rank += pods_of(each);
      }
    }
    if (job_.without_rank >= job_.pods || job_.has_programs) job_.without_rank = 0;
    if (job_.has_programs) {
      for (View each : jobs) program(each);
      ends(jobs);
    } else {
      for (View each : jobs) role(each, jobs.size() > 1);
      order(jobs);
      success(jobs);
    }
    restarts();
    shapes(jobs);
    network();
    read_suspend(job_, get(spec_, "suspend"));
    read_seconds(job_, get(spec_, "ttlSecondsAfterFinished"), "ttl");
  }

 private:
  /// As templates/jobset/target.yaml has it; a launcher is not among the pods that are counted.
  static bool is_ranked(std::string_view word) {
    return word == "chief" || word == "master" || word == "worker" || word == "launcher";
  }

  static View job_spec(View replicated) { return get(get(replicated, "template"), "spec"); }

  static std::int64_t pods_of(View replicated) {
    const View spec = job_spec(replicated);
    const std::int64_t jobs = integer_at(replicated, "replicas").value_or(1);
    return jobs * integer_at(spec, "parallelism").value_or(1);
  }

  void role(View replicated, bool named) {
    const std::string_view name = string_at(replicated, "name");
    const std::string_view word = role_word(name);
    const auto same = [&](const ConvertedRole& other) { return other.name == word; };
    if (named && (word.empty() || std::ranges::any_of(job_.roles, same))) {
      job_.ledger.lost(
          replicated,
          "a spec has no role for `" + std::string(name) + "`, or the job has that role already",
          "the roles are `master`, `worker`, `chief`, `ps`, `evaluator`, `launcher` and `head`");
      return;
    }
    ConvertedRole role;
    if (named) role.name = word;
    role.pods = std::max<std::int64_t>(pods_of(replicated), 1);
    role.has_rank = job_.without_rank == 0 || is_ranked(word);
    if (role.name != "launcher") role.processes = job_.processes;
    pods_of_role(replicated, role);
  }

  /// Each Job of several pods is a group with ranks of its own. Those of one pod are groups if they
  /// have no ranks.
  void program(View replicated) {
    const std::int64_t jobs = integer_at(replicated, "replicas").value_or(1);
    const std::int64_t pods = integer_at(job_spec(replicated), "parallelism").value_or(1);
    const bool grouped = jobs > 1 && (pods > 1 || job_.ours);
    read_program(job_, string_at(replicated, "name"), grouped ? pods : pods_of(replicated),
                 [&](const ConvertedRole& role) { pods_of_role(replicated, role); });
    after(replicated);
    restart(replicated, pods);
    ConvertedRole& role = job_.roles.back();
    if (!grouped && (jobs < 2 || !counts_by_itself(job_, role))) return;
    role.pods = pods;
    job_.maker.put(role.fields, "groups", job_.number(jobs));
  }

  /// The Job makes its pods again as often as the others start again, or as it says itself.
  void restart(View replicated, std::int64_t pods) {
    const View limit = get(job_spec(replicated), "backoffLimit");
    const std::int64_t failures = integer_of(limit).value_or(0);
    if (failures == 0 || failures == kAlways || failures % pods != 0) return;
    job_.maker.put(job_.roles.back().fields, "restart", job_.text("alone"));
    const auto restarts = integer_at(get(spec_, "failurePolicy"), "maxRestarts").value_or(0);
    if (failures == restarts * pods) return job_.ledger.carried(limit);
    say_of_program(job_, {"lifecycle", "retries"}, job_.number(failures / pods), limit);
  }

  /// A Job whose pods come back for ever does not end the others.
  static constexpr std::int64_t kAlways = 2'147'483'647;
  void may_fail(View spec) {
    job_.maker.put(job_.roles.back().fields, "critical", job_.truth(false));
    job_.ledger.carried(get(spec, "backoffLimit"));
    const View policy = get(spec, "podFailurePolicy");
    if (job_.ours && ignores_disruptions_alone(policy)) job_.ledger.derived(policy);
  }

  static bool fails(View rule) { return string_at(rule, "action") == "FailJobSet"; }

  /// Whether a failure of this Job ends the JobSet.
  bool fails_job(std::string_view name) const {
    return job_.has_programs &&
           std::ranges::any_of(items_at(get(spec_, "failurePolicy"), "rules"), [&](View rule) {
             const auto targets = items_at(rule, "targetReplicatedJobs");
             return fails(rule) &&
                    std::ranges::any_of(targets, [&](View each) { return each->text == name; });
           });
  }

  void after(View replicated) {
    for (View each : items_at(replicated, "dependsOn")) {
      const std::string_view state = string_at(each, "status");
      if (state != "Ready" && state != "Complete") continue;
      put_after(job_, string_at(each, "name"), state == "Ready" ? "ready" : "complete");
      for (std::string_view key : {"name", "status"}) job_.ledger.carried(get(each, key));
    }
  }

  void pods_of_role(View replicated, const ConvertedRole& role) {
    job_.roles.push_back(role);
    const View spec = job_spec(replicated);
    const View pod = get(spec, "template");
    settle_services(job_, pod, job_.name);
    read_pod_template(job_, job_.roles.back(), pod);
    for (std::string_view key : {"name", "replicas", "groupName"}) {
      job_.ledger.carried(get(replicated, key));
    }
    counts(spec);
    if (integer_at(spec, "backoffLimit") == 0) job_.ledger.derived(get(spec, "backoffLimit"));
    tells_failures_apart_ = tells_failures_apart_ || get(spec, "podFailurePolicy");
    if (job_.has_programs && integer_at(spec, "backoffLimit") == kAlways) {
      may_fail(spec);
    } else if (fails_job(string_at(replicated, "name"))) {
      say_of_program(job_, {"lifecycle", "retryOn"}, job_.text("never"), {});
    } else {
      // Which failures are final depends on all pods of the job.
      const std::int64_t own = std::exchange(job_.pods, all_pods_);
      read_failure_policy(job_, spec, {});
      job_.pods = own;
    }
    read_seconds_of_role(job_, get(spec, "activeDeadlineSeconds"), "deadline");
    read_seconds_of_role(job_, get(spec, "ttlSecondsAfterFinished"), "ttl");
    exclusive(get(get(get(replicated, "template"), "metadata"), "annotations"));
  }

  void counts(View spec) {
    const View pods = get(spec, "parallelism");
    const View completions = get(spec, "completions");
    const View mode = get(spec, "completionMode");
    if (completions && integer_of(completions) != integer_of(pods).value_or(1)) {
      job_.ledger.lost(completions, "all pods of a training job run at once",
                       "several jobs side by side are several TrainingJobs");
    }
    if (mode && mode->text != "Indexed") {
      job_.ledger.lost(mode, "the pods of a training job have an index", "a build gives them one");
    }
    for (View each : {pods, completions, mode}) job_.ledger.carried(each);
  }

  /// A build makes one Job of equal nodes, and a Job for each pod of several roles. Pods without
  /// ranks of a build count by the index of their Job, and may need each Job as a whole in one
  /// place: these Jobs stay as they are.
  void shapes(const std::vector<View>& jobs) {
    if (job_.ours || string_at(job_.job, "kind") != "JobSet" || job_.has_programs) return;
    if (!all_count_by_themselves()) return;
    const NodeId list = job_.list();
    for (View each : jobs) {
      const bool named = jobs.size() > 1;
      const std::string_view word = role_word(string_at(each, "name"));
      const std::int64_t replicas = integer_at(each, "replicas").value_or(1);
      const std::int64_t all = pods_of(each);
      if (all < 1 || replicas == (named ? all : 1)) continue;
      const NodeId item = job_.map();
      job_.maker.tree.append(list, item);
      job_.maker.put(item, "name", job_.text(named ? word : "worker"));
      job_.maker.put(item, "replicas", job_.number(replicas));
      const NodeId spec = job_.map_at(job_.map_at(item, "template"), "spec");
      for (std::string_view key : {"parallelism", "completions"}) {
        job_.maker.put(spec, key, job_.number(all / replicas));
      }
    }
    if (job_.maker.tree[list].size == 0) return;
    job_.patch("jobset", {"spec", "replicatedJobs"}, job_.maker.view(list));
  }

  /// Whether no role has a framework or a launcher, which would give it ranks.
  bool all_count_by_themselves() const {
    return job_.framework == "none" && !job_.by_mpirun &&
           std::ranges::all_of(job_.roles,
                               [](const auto& role) { return role.launcher == "none"; });
  }

  void exclusive(View annotations) {
    const View level = get(annotations, kExclusiveTopology);
    if (level) carry_exclusive_topology(job_, job_.roles.back(), level);
  }

  void restarts() {
    const View policy = get(spec_, "failurePolicy");
    const View count = get(policy, "maxRestarts");
    if (integer_of(count).value_or(0) > 0) job_.share_copy({"lifecycle", "retries"}, count);
    job_.ledger.carried(count);
    const View strategy = get(policy, "restartStrategy");
    if (one_of(strategy, "Recreate", "BlockingRecreate")) job_.ledger.derived(strategy);
    rules(get(policy, "rules"));
    if (!tells_failures_apart_) {
      const bool again = integer_of(count).value_or(0) > 0;
      job_.share({"lifecycle", "retryOn"}, job_.text(again ? "any" : "never"), {});
    }
  }

  /// Names and addresses of pods are made again, and so is the label of the first one.
  void network() {
    // Its controller makes the claims, and mounts them by these names.
    job_.patch("jobset", {"spec", "volumeClaimPolicies"}, get(spec_, "volumeClaimPolicies"));
    const View network = get(spec_, "network");
    const View subdomain = get(network, "subdomain");
    if (job_.ours || string_of(subdomain) == string_at(get(job_.job, "metadata"), "name")) {
      job_.ledger.derived(subdomain);
    } else {
      job_.ledger.lost(subdomain, "a build calls the Service of the pods as the job is called",
                       "give other programs the addresses that `trainyard explain pod` shows");
    }
    for (std::string_view key : {"enableDNSHostnames", "publishNotReadyAddresses"}) {
      if (is_true(get(network, key))) job_.ledger.derived(get(network, key));
    }
    // Of several programs none coordinates the others.
    for (std::string_view key : {"replicatedJob", "jobIndex", "podIndex"}) {
      if (job_.has_programs) break;
      job_.ledger.derived(get(get(spec_, "coordinator"), key));
    }
  }

  static bool one_of(View value, std::string_view a, std::string_view b) {
    return value && (value->text == a || value->text == b);
  }

  /// A failure that the policy of the pods calls final ends the JobSet, and any of some programs.
  void rules(View list) {
    for (View rule : Items(list)) {
      const View reasons = get(rule, "onJobFailureReasons");
      const bool final = tells_failures_apart_ && has_items(reasons) && reasons->size == 1 &&
                         (*Items(reasons).begin())->text == "PodFailurePolicy";
      const View targets = get(rule, "targetReplicatedJobs");
      const bool of_programs = job_.has_programs && has_items(targets) && !reasons;
      if (!fails(rule) || final == of_programs || (list->size > 1 && !job_.has_programs)) continue;
      for (std::string_view key : {"name", "action", "onJobFailureReasons"}) {
        job_.ledger.derived(get(rule, key));
      }
      if (of_programs) job_.ledger.carried(targets);
    }
  }

  /// Ranks wait for rank 0 anyway.
  void order(const std::vector<View>& jobs) {
    const View order = get(get(spec_, "startupPolicy"), "startupPolicyOrder");
    const bool has_ranks = !all_count_by_themselves() || string_at(job_.job, "kind") != "JobSet";
    if (jobs.size() > 1 && !has_ranks) return no_order(jobs, order);
    for (View replicated : jobs) {
      for (View each : items_at(replicated, "dependsOn")) {
        if (string_at(each, "status") != "Ready") continue;
        for (std::string_view key : {"name", "status"}) job_.ledger.derived(get(each, key));
      }
    }
    job_.ledger.derived(order);
  }

  /// Without ranks nothing waits.
  void no_order(const std::vector<View>& jobs, View order) {
    const auto lost = [&](View value) {
      job_.ledger.lost(value, "the roles of one program start together, in no order",
                       "say `after` in the role that waits; the roles are programs then");
    };
    if (order && order->text == "InOrder") {
      lost(order);
    } else {
      job_.ledger.derived(order);
    }
    for (View replicated : jobs) {
      if (const View waits = get(replicated, "dependsOn")) lost(waits);
    }
  }

  /// The job is done when these programs are.
  void ends(const std::vector<View>& jobs) {
    const View policy = get(spec_, "successPolicy");
    const View targets = get(policy, "targetReplicatedJobs");
    const View how = get(policy, "operator");
    if (how && how->text != "All") return;  // one Job of several: nothing says that
    job_.ledger.carried(how);
    std::vector<std::string_view> enders;
    for (View each : Items(targets)) enders.push_back(each->text);
    if (enders.size() == jobs.size()) enders.clear();
    put_ends(job_, enders);
    job_.ledger.carried(targets);
  }

  /// The job is done when those that train are; a launcher alone decides for its workers.
  void success(const std::vector<View>& jobs) {
    const View policy = get(spec_, "successPolicy");
    const View targets = get(policy, "targetReplicatedJobs");
    const bool known = std::ranges::all_of(Items(targets), [&](View target) {
      return std::ranges::any_of(
          jobs, [&](View each) { return string_at(each, "name") == target->text; });
    });
    // The pods that have no rank run as long as the others.
    const bool ranked = std::ranges::all_of(jobs, [&](View each) {
      const bool named = std::ranges::any_of(
          Items(targets), [&](View target) { return target->text == string_at(each, "name"); });
      return named == is_ranked(role_word(string_at(each, "name")));
    });
    const bool all = !has_items(targets) || targets->size == jobs.size() || ranked ||
                     is_one_that_ends(targets, jobs);
    if (string_at(policy, "operator") != "All" || !all || !known) return;
    job_.ledger.derived(get(policy, "operator"));
    job_.ledger.derived(targets);
  }

  /// A launcher decides for its workers, and with TensorFlow a chief, else the workers.
  bool is_one_that_ends(View targets, const std::vector<View>& jobs) const {
    if (targets->size != 1) return false;
    const std::string_view only = role_word((*Items(targets).begin())->text);
    const bool has_chief = std::ranges::any_of(
        jobs, [](View each) { return role_word(string_at(each, "name")) == "chief"; });
    if (job_.framework == "tensorflow") return only == (has_chief ? "chief" : "worker");
    return (job_.by_mpirun || job_.framework == "mpi") && only == "launcher";
  }

  Conversion& job_;
  View spec_;
  std::int64_t all_pods_ = 1;
  bool tells_failures_apart_ = false;
};

void read(Conversion& job) {
  read_job_set(job, get(job.job, "spec"));
  settle_gang(job, {"volcano", "coscheduling", "native"});
}

}  // namespace

std::string_view role_word(std::string_view name) {
  const auto* found = std::ranges::find(kRoleWords, name, &RoleWord::name);
  return found == std::end(kRoleWords) ? std::string_view() : found->word;
}

void carry_exclusive_topology(Conversion& job, ConvertedRole& role, View level) {
  const NodeId topology = job.map_at(job.map_at(role.fields, "placement"), "topology");
  job.carry(topology, "level", level);
  job.maker.put(topology, "exclusive", job.truth(true));
}

void read_job_set(Conversion& job, View spec) {
  JobSetReader(job, spec).read();
}

constinit const ConvertedKind kConvertJobSet = {"jobset.x-k8s.io", "JobSet", "", read};

}  // namespace trainyard
