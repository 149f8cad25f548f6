#include "driver/rehearse/plan_rehearsal.h"

#include <algorithm>
#include <limits>

#include "diag/words.h"
#include "driver/explain/jobs_of_inputs.h"
#include "driver/picture/drawn_pod.h"
#include "driver/rehearse/rehearsed_pod.h"
#include "driver/rehearse/rehearsed_volumes.h"
#include "effective/pods.h"
#include "manifest/program_jobs.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// One machine has no more.
constexpr std::int64_t kMostPods = 64;

/// Kinds that have no processes which end.
struct NeverEnds {
  std::string_view kind;
  std::string_view why;
};
constexpr NeverEnds kNeverEnd[] = {
    {"RayCluster", "it has no program; a RayJob has one"},
    {"RayService", "it has no program that ends; a RayJob has one"},
};

class Planner {
 public:
  Planner(Session& session, const RehearseRequest& request, const JobsOfInputs& jobs,
          const Plan* plan)
      : session_(session), request_(request), jobs_(jobs), plan_(plan) {}

  /// Refuses the chosen jobs that cannot end here.
  bool can_start() {
    for (const InputJob* job : choose()) {
      const std::string_view kind = string_at(job->object, "kind");
      const auto* const found = std::ranges::find(kNeverEnd, kind, &NeverEnds::kind);
      if (found != std::end(kNeverEnd)) {
        refuse(job, std::string(kind) + " cannot be rehearsed: " + std::string(found->why));
      } else if (kind == "MPIJob" && string_at(job->object, "apiVersion") == "kubeflow.org/v1") {
        refuse(job,
               "an MPIJob of `kubeflow.org/v1` cannot be rehearsed: its launcher starts the "
               "other pods by kubectl; `v2beta1` starts them by ssh");
      }
    }
    return !session_.sink.has_errors();
  }

  std::optional<Rehearsal> run(std::vector<std::string> folded) {
    const std::vector<const InputJob*> chosen = choose();
    if (session_.sink.has_errors()) return std::nullopt;
    result_.job = job_label(chosen.front()->object);
    result_.differences = std::move(folded);
    for (const InputJob* each : chosen) add_job(*each);
    if (session_.sink.has_errors()) return std::nullopt;
    tell_of_programs();
    tell_of_data();
    return std::move(result_);
  }

 private:
  Diagnostic& refuse(const InputJob* job, std::string message) {
    return session_.sink.report(DiagnosticKind::NoSuchPod,
                                job == nullptr ? Span{} : jobs_.place(*job), std::move(message));
  }

  /// One job; of a spec with several programs the Jobs of all.
  std::vector<const InputJob*> choose() {
    std::vector<const InputJob*> chosen;
    std::vector<std::string> names;
    for (const InputJob& each : jobs_.jobs()) {
      const auto program = program_of(each.object);
      names.push_back(job_label(each.object));
      const bool named = request_.name.empty() || request_.name == name_of(each.object) ||
                         request_.name == names.back() ||
                         (program && request_.name == program->job);
      if (named && !is_beside(each)) chosen.push_back(&each);
    }
    if (names.empty()) refuse(nullptr, "the input has no job whose pods are known");
    if (!names.empty() && chosen.empty()) {
      refuse(nullptr, "no job of the input has the name `" + request_.name + "`; there are " +
                          listed(names, "and"));
    }
    const auto job_of = [](const InputJob* each) {
      const auto program = program_of(each->object);
      return program ? program->job : name_of(each->object);
    };
    for (const InputJob* each : chosen) {
      if (job_of(each) == job_of(chosen.front())) continue;
      refuse(nullptr, "several jobs could be meant: " + listed(names, "and"))
          .note("`--name` chooses one, by its name or as `Kind/name`");
      break;
    }
    return chosen;
  }

  /// A Job that prepares the training, or stores what it made.
  bool is_beside(const InputJob& job) {
    if (plan_ == nullptr) return false;
    const auto program = program_of(job.object);
    const std::string_view role = program ? program->role : std::string_view();
    return is_beside(role);
  }
  bool is_beside(std::string_view role) const {
    return plan_ != nullptr && (std::ranges::count(plan_->before, role, &Role::name) != 0 ||
                                std::ranges::count(plan_->after, role, &Role::name) != 0);
  }

  void add_job(const InputJob& job) {
    Tree tree;
    PodBuilder maker(tree, *job.origins);
    std::vector<std::string> notes;
    const View object = with_submitter(maker, jobs_.maker_of_pods(maker, job, notes));
    if (!object) return;
    const PodKind& pods = *find_pod_kind(object);
    const std::vector<PodRole> roles = pods.roles(object);
    std::int64_t count = static_cast<std::int64_t>(result_.pods.size());
    for (const PodRole& each : roles) count += std::clamp<std::int64_t>(each.count, 0, 1'000'000);
    if (count > kMostPods) {
      refuse(&job, "the job has " + std::to_string(count) + " pods; this machine runs at most " +
                       std::to_string(kMostPods))
          .note("`--nodes` folds the nodes of a spec; `trainyard convert` makes one of a manifest");
      return;
    }
    std::vector<MadePod> made;
    for (const PodRole& role : roles) {
      if (is_beside(role.name)) {
        result_.differences.push_back("role `" + role.name + "`: left out");
        continue;
      }
      for (std::int64_t i = 0; i < role.count; ++i) {
        made.push_back(
            {role, i, pods.pod(maker, object, role.name, i, jobs_.versions().kubernetes)});
        if (!made.back().made.failure.empty()) {
          refuse(&job, made.back().made.failure);
          return;
        }
      }
    }
    if (made.empty()) return;
    const auto launcher =
        std::ranges::find(made, "launcher", [](const MadePod& each) { return each.role.name; });
    const MadePod& front = launcher == made.end() ? made.front() : *launcher;
    const ControllerObjects objects =
        controller_objects(job.object, maker.view(front.made.root), made, request_.make_keys);
    if (!objects.fault.empty()) {
      refuse(&job, objects.fault);
      return;
    }
    const std::size_t first = result_.pods.size();
    for (const MadePod& each : made) {
      add_pod(maker, objects, job, each);
      result_.pods.back().decides &= objects.ends_with(each.role.name);
    }
    if (!objects.keys.empty()) join_by_ssh(first);
  }

  /// A RayJob runs its program by a pod, whichever way KubeRay submits it.
  static View with_submitter(PodBuilder& maker, View job) {
    if (string_at(job, "kind") != "RayJob") return job;
    maker.act_for("kuberay");
    const OriginId mark = maker.mark("submits the job");
    const NodeId copy = maker.copy(job);
    maker.put(maker.map_at(copy, "spec", mark), "submissionMode", "K8sJobMode", mark);
    return maker.view(copy);
  }

  /// The pods from `first` on: those that end the job start the others by ssh.
  void join_by_ssh(std::size_t first) {
    const auto place_of = [](const RehearsedPod& pod) {
      return Meeting{pod.names.empty() ? pod.address : short_name(pod), 0};
    };
    for (std::size_t i = first; i < result_.pods.size(); ++i) {
      RehearsedPod& launcher = result_.pods[i];
      if (!launcher.decides) continue;
      launcher.meeting = {};
      for (std::size_t j = first; j < result_.pods.size(); ++j) {
        RehearsedPod& worker = result_.pods[j];
        if (worker.decides || worker.home.empty()) continue;
        launcher.awaits.push_back(place_of(worker));
        worker.meeting = place_of(launcher);
      }
    }
  }

  /// `train-0.train`
  static std::string short_name(const RehearsedPod& pod) {
    return *std::ranges::min_element(pod.names, {}, [&](const std::string& name) {
      return name.starts_with(pod.hostname) ? name.size() : name.size() + 1000;
    });
  }

  void add_pod(PodBuilder& maker, const ControllerObjects& objects, const InputJob& job,
               const MadePod& each) {
    RehearsalWorld world{jobs_.inventory(), objects, request_.environment, request_.folders};
    const View pod = maker.view(each.made.root);
    if (request_.image_facts) {
      const std::string image(string_at(main_container(pod), "image"));
      world.image = request_.image_facts(image);
      if (!world.image->fault.empty()) refuse(&job, world.image->fault);
    }
    RehearsedPod rehearsed =
        rehearsed_pod(world, pod, each.made, result_.pods.size(), result_.differences);
    const auto program = program_of(job.object);
    const std::string name = program ? std::string(program->role) : each.role.name;
    rehearsed.label = name + " " + std::to_string(each.index);
    rehearsed.decides = decides(name);
    if (rehearsed.command.empty() && (!world.image || world.image->fault.empty())) {
      refuse(&job, "pods of role `" + name + "` have no command: only their image " +
                       shown(string_at(main_container(pod), "image")) + " knows what they run")
          .note("`spec.run` says it");
    }
    if (string_at(job.object, "kind") == "RayJob") add_verdict(rehearsed);
    result_.pods.push_back(std::move(rehearsed));
  }

  /// KubeRay asks Ray how the program ended; the code of its submitter does not say it.
  static void add_verdict(RehearsedPod& pod) {
    if (pod.command.empty() || !pod.command.back().starts_with("if ! ray job status")) return;
    pod.command.back() +=
        " ; ray job status --address http://$RAY_DASHBOARD_ADDRESS $RAY_JOB_SUBMISSION_ID 2>&1 | "
        "grep -qi succeeded";
  }

  bool decides(std::string_view role) const {
    if (plan_ == nullptr) return true;
    const bool some_do = std::ranges::any_of(
        plan_->roles, [](const Role& each) { return each.ends_job && *each.ends_job; });
    const auto own = std::ranges::find(plan_->roles, role, &Role::name);
    return !some_do || own == plan_->roles.end() || (own->ends_job && *own->ends_job);
  }

  void tell_of_programs() {
    if (plan_ == nullptr) return;
    for (const Role& each : plan_->roles) {
      if (each.waits.empty() && !each.waits_for) continue;
      result_.differences.push_back("role `" + std::string(each.name) +
                                    "`: starts at once, and does not wait for others");
    }
  }

  void tell_of_data() {
    if (plan_ == nullptr) return;
    for (const DataPlan& each : plan_->inputs) {
      const std::string path(each.path ? *each.path : "");
      std::string line = "input " + shown(*each.uri) + " at " + shown(path) + ": not fetched";
      if (!shows(request_.folders, path)) {
        line += "; `--mount DIR:" + path + "` shows a sample of it there";
      }
      result_.differences.push_back(std::move(line));
    }
    for (const DataPlan& each : plan_->outputs) {
      result_.differences.push_back("output " + shown(*each.uri) + ": not stored");
    }
  }

  Session& session_;
  const RehearseRequest& request_;
  const JobsOfInputs& jobs_;
  const Plan* plan_;  // null for a manifest
  Rehearsal result_;
};

/// Reads the inputs as they are; then, if a spec is larger, with smaller numbers.
class Rehearsing {
 public:
  Rehearsing(Session& session, const RehearseRequest& request)
      : session_(session), request_(request) {}

  std::optional<Rehearsal> run() {
    read_input_once();
    JobsOfInputs whole(session_);
    if (!whole.read(asked())) return std::nullopt;
    Planner all(session_, request_, whole, nullptr);
    if (whole.specs().size() < 2 && !all.can_start()) return std::nullopt;
    if (whole.specs().empty()) return all.run({});
    if (whole.specs().size() > 1) {
      session_.sink.report(DiagnosticKind::NoSuchPod, {},
                           "the input has several specs, or one with a matrix; one is rehearsed");
      return std::nullopt;
    }
    Sink told = session_.sink;
    Fold fold = request_.fold;
    auto result = folded(whole, fold);
    const std::vector<Diagnostic> faults = session_.sink.sorted();
    if (!result) {  // a launch line may state its processes
      fold.processes = std::numeric_limits<std::int64_t>::max();
      result = folded(whole, fold);
    }
    session_.sink = std::move(told);
    for (const Diagnostic& each :
         faults) {  // warnings are about numbers that the user did not write
      if (!result && each.severity == Severity::Error) session_.sink.report(each);
    }
    return result;
  }

 private:
  JobsRequest asked() const {
    return {.inputs = request_.inputs,
            .cluster = request_.cluster,
            .target = request_.target,
            .kubernetes = {}};
  }

  std::optional<Rehearsal> folded(const JobsOfInputs& whole, const Fold& fold) {
    const Plan& plan = whole.specs().front().compiled.plan;
    std::vector<std::string> lines;
    JobsRequest smaller = asked();
    smaller.change = [&](Document& spec) { fold_spec(spec, plan, fold, lines); };
    session_.sink.clear();
    JobsOfInputs jobs(session_);
    if (!jobs.read(smaller)) {
      if (!lines.empty()) explain_fold(lines);
      return std::nullopt;
    }
    return Planner(session_, request_, jobs, &jobs.specs().front().compiled.plan).run(lines);
  }

  /// Errors are about a spec that the user did not write.
  void explain_fold(const std::vector<std::string>& lines) {
    Diagnostic& report = session_.sink.report(DiagnosticKind::NoSuchPod, {},
                                              "the spec does not compile with smaller numbers");
    for (const std::string& line : lines) report.note(line);
    report.note("`--nodes` and `--processes` choose other numbers");
  }

  /// Standard input is there only once.
  void read_input_once() {
    session_.env.read_stdin = [read = session_.env.read_stdin,
                               text = std::optional<FileRead>()](std::size_t limit) mutable {
      if (!text) text = read(limit);
      return *text;
    };
  }

  Session& session_;
  const RehearseRequest& request_;
};

}  // namespace

std::optional<Rehearsal> plan_rehearsal(Session& session, const RehearseRequest& request) {
  return Rehearsing(session, request).run();
}

}  // namespace trainyard
