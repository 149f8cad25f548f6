#include "driver/rehearse/plan_rehearsal.h"

#include <algorithm>
#include <limits>

#include "diag/words.h"
#include "driver/explain/jobs_of_inputs.h"
#include "driver/picture/drawn_pod.h"
#include "driver/rehearse/rehearsed_pod.h"
#include "effective/pods.h"
#include "manifest/program_jobs.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// One machine has no more.
constexpr std::int64_t kMostPods = 64;

/// Kinds whose processes are started in another way than by the command of each pod.
struct OtherStart {
  std::string_view kind;
  std::string_view why;
};
constexpr OtherStart kOtherStarts[] = {
    {"MPIJob", "its launcher starts the other pods by ssh"},
    {"RayCluster", "Ray starts its program"},
    {"RayJob", "Ray starts its program"},
    {"RayService", "Ray starts its program"},
};

class Planner {
 public:
  Planner(Session& session, const RehearseRequest& request, const JobsOfInputs& jobs,
          const Plan* plan)
      : session_(session), request_(request), jobs_(jobs), plan_(plan) {}

  /// Refuses the chosen jobs whose processes do not start in each pod.
  bool can_start() {
    for (const InputJob* job : choose()) {
      const std::string_view kind = string_at(job->object, "kind");
      const auto* const found = std::ranges::find(kOtherStarts, kind, &OtherStart::kind);
      if (found == std::end(kOtherStarts)) continue;
      refuse(job, std::string(kind) + " cannot be rehearsed: " + std::string(found->why))
          .note("`--target jobset` and others rehearse the same spec if they can express it");
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
    const View object = jobs_.maker_of_pods(maker, job, notes);
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
    for (const PodRole& role : roles) {
      if (is_beside(role.name)) {
        result_.differences.push_back("role `" + role.name + "`: left out");
        continue;
      }
      for (std::int64_t i = 0; i < role.count; ++i) add_pod(maker, pods, job, object, role, i);
    }
  }

  void add_pod(PodBuilder& maker, const PodKind& pods, const InputJob& job, View object,
               const PodRole& role, std::int64_t index) {
    const EffectivePod made =
        pods.pod(maker, object, role.name, index, jobs_.versions().kubernetes);
    if (!made.failure.empty()) {
      refuse(&job, made.failure);
      return;
    }
    RehearsalWorld world{jobs_.inventory(), request_.environment, request_.folders};
    const View pod = maker.view(made.root);
    if (request_.image_facts) {
      const std::string image(string_at(main_container(pod), "image"));
      world.image = request_.image_facts(image);
      if (!world.image->fault.empty()) {
        refuse(&job, world.image->fault);
        return;
      }
    }
    RehearsedPod rehearsed =
        rehearsed_pod(world, pod, made, result_.pods.size(), result_.differences);
    const auto program = program_of(job.object);
    const std::string name = program ? std::string(program->role) : role.name;
    rehearsed.label = name + " " + std::to_string(index);
    rehearsed.decides = decides(name);
    if (rehearsed.command.empty()) {
      refuse(&job, "pods of role `" + name + "` have no command: only their image " +
                       shown(string_at(main_container(pod), "image")) + " knows what they run")
          .note("`spec.run` says it");
    }
    result_.pods.push_back(std::move(rehearsed));
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
