#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/release.h"
#include "rules/able_targets.h"
#include "rules/gangs_of_roles.h"
#include "rules/program_start.h"
#include "rules/project.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/wanted_scheduling.h"

namespace trainyard {
namespace {

/// Wires one job into the system that queues it or places its gang.
class Wiring {
 public:
  Wiring(RuleContext& context, const WantedScheduling& wanted, const QueueingSystem& system,
         const Queueing& how)
      : context_(context), plan_(context.plan), wanted_(wanted), system_(system), how_(how) {}

  void wire() {
    context_.set(plan_.system, wanted_.word(), asked());
    check_is_installed();
    check_version();
    queue();
    priority();
    preemption();
    gang();
    later_roles();
    size_changes();
    for (Role& role : plan_.roles) scheduler(role);
  }

 private:
  OriginId asked() const { return context_.because({context_.from(wanted_.system)}); }
  Span place() const { return wanted_.system ? wanted_.system.span : context_.in.job->spec.span; }

  /// An operator that a Cluster does not list, where it lists any, is not there.
  void check_is_installed() {
    if (context_.in.cluster == nullptr || !system_.op) return;
    // Rule `operator-check` says so of the target's own operator.
    const auto names = words(Operator{});
    if (names[static_cast<std::size_t>(*system_.op)] == context_.in.target->op) return;
    const Cluster& cluster = *context_.in.cluster;
    if (!cluster.spec->operators || operator_version(cluster, *system_.op)) return;
    context_
        .report(DiagnosticKind::QueueMismatch, place(),
                std::string(system_.name) + " is not installed in this cluster")
        .also(cluster.spec->operators.span, "the operators that are");
  }

  /// The version of Kubernetes that the Cluster states.
  std::optional<Release> kubernetes() const {
    if (context_.in.cluster == nullptr) return std::nullopt;
    const Text& given = context_.in.cluster->spec->kubernetes;
    return given ? release(*given) : std::nullopt;
  }

  void check_version() {
    const auto least = release(how_.kubernetes);
    const auto has = kubernetes();
    if (!least || !has || *has >= *least) return;
    const Text& given = context_.in.cluster->spec->kubernetes;
    Diagnostic& report = context_.report(
        DiagnosticKind::UnsupportedVersion, place(),
        "the " + std::string(system_.name) + " needs " + std::string(how_.kubernetes) +
            " or later for jobs of target " + code(context_.in.target->name) +
            ", the Cluster has " + std::string(*given));
    report.also(given.span, "the version of Kubernetes");
    if (system_.id == SchedulingSystem::Native) {
      report.note("in 1.35 the fields of pods had other names, and before there were none");
    }
  }

  /// A job whose size changes is admitted anew with each size, where it says that it wants that.
  void size_changes() {
    if (how_.elastic_annotation.empty() || !context_.spec.elastic.given()) return;
    check_slices();
    context_.add(plan_.workload_annotations, how_.elastic_annotation, "true",
                 context_.from(context_.spec.elastic));
  }

  /// On unless told otherwise since this release; its placement by levels of topology is not
  /// (kubernetes-sigs/kueue pkg/features/kube_features.go).
  void check_slices() {
    const Span elastic = context_.spec.elastic.span;
    if (const auto& topology = context_.spec.placement->topology) {
      context_
          .report(DiagnosticKind::ConflictingValues, topology.span,
                  "Kueue places no job by `topology` whose size changes")
          .also(elastic, "elastic");
    }
    check_release("0.18", elastic, "a job whose size changes");
  }

  /// Without a Cluster, the system is the newest.
  void check_release(std::string_view least, Span where, std::string_view what) {
    if (context_.in.cluster == nullptr || !system_.op) return;
    const Text installed = operator_version(*context_.in.cluster, *system_.op);
    const auto has = installed ? release(*installed) : std::nullopt;
    if (!has || *has >= *release(least)) return;
    const std::string name(system_.name);
    context_
        .report(DiagnosticKind::UnsupportedVersion, where,
                std::string(what) + " needs " + name + " " + std::string(least) +
                    " or later, the Cluster has " + std::string(*installed))
        .also(installed.span, "the release of " + name);
  }

  void queue() {
    if (!*wanted_.queue) {
      if (!system_.needs_queue) return;
      context_
          .report(DiagnosticKind::QueueMismatch, place(),
                  std::string(system_.name) + " takes no job without the name of a queue")
          .note(system_.id == SchedulingSystem::Kueue
                    ? "name a LocalQueue in `scheduling.queue`, or in the Cluster's defaults"
                    : "name it in `scheduling.queue`, or in the Cluster's defaults");
      return;
    }
    const OriginId origin = context_.from(*wanted_.queue);
    if (system_.id == SchedulingSystem::Coscheduling || system_.id == SchedulingSystem::Native) {
      context_
          .report(DiagnosticKind::QueueMismatch, wanted_.queue->span,
                  "the " + std::string(system_.name) + " knows no queues")
          .also(place(), "the system");
      return;
    }
    context_.set(plan_.queue, **wanted_.queue, origin);
    if (!how_.queue_label.empty()) {
      context_.add(plan_.workload_labels, how_.queue_label, **wanted_.queue, origin);
      return;
    }
    if (system_.id == SchedulingSystem::Volcano && !how_.group_by_controller) {
      for (Role& role : plan_.roles) {
        context_.add(role.pod_annotations, "scheduling.volcano.sh/queue-name", **wanted_.queue,
                     origin);
      }
    }
    // A controller that makes groups takes the queue from a field of the job.
    if (system_.queue_label.empty() || how_.group_by_controller) return;
    context_.add(plan_.workload_labels, system_.queue_label, **wanted_.queue, origin);
    // Kueue would take each labelled pod for one more job to admit.
    if (system_.id == SchedulingSystem::Kueue) return;
    for (Role& role : plan_.roles) {
      context_.add(role.pod_labels, system_.queue_label, **wanted_.queue, origin);
    }
  }

  void priority() {
    if (!*wanted_.priority) return;
    const OriginId origin = context_.from(*wanted_.priority);
    if (system_.id == SchedulingSystem::Kueue) {
      context_.add(plan_.workload_labels, "kueue.x-k8s.io/priority-class", **wanted_.priority,
                   origin);
      return;
    }
    if (!how_.priority_label.empty()) {
      context_.add(plan_.workload_labels, how_.priority_label, **wanted_.priority, origin);
    }
    context_.set(plan_.gang.priority_class, **wanted_.priority, origin);
    for (Role& role : plan_.roles) context_.set(role.priority_class, **wanted_.priority, origin);
  }

  void preemption() {
    const Flag& wanted = context_.spec.scheduling->preemptible;
    if (!wanted) return;
    const OriginId origin = context_.from(wanted);
    for (Role& role : plan_.roles) {
      switch (system_.id) {
        case SchedulingSystem::Volcano:
          context_.add(role.pod_annotations, "volcano.sh/preemptable", *wanted ? "true" : "false",
                       origin);
          break;
        case SchedulingSystem::Kai:
          if (has_object_of_each_role()) {
            return cannot(wanted.span, "preemptible",
                          "of a job whose roles are objects of their own, the class in "
                          "`scheduling.priority` decides it: below 100, pods give way");
          }
          [[fallthrough]];
        case SchedulingSystem::Runai:
          context_.add(role.pod_labels, "kai.scheduler/preemptibility",
                       *wanted ? "preemptible" : "non-preemptible", origin);
          break;
        default:
          return cannot(wanted.span, "preemptible",
                        "whether pods give way is decided by their priority class, "
                        "`spec.scheduling.priority`");
      }
    }
  }

  void gang() {
    const Scheduling& own = *context_.spec.scheduling;
    const bool able = system_.gangs || how_.own_group || how_.group_by_controller ||
                      !how_.min_member_annotation.empty();
    if (own.timeout && !system_.times_out && !how_.group_by_controller) {
      cannot(own.timeout.span, "timeout", "nothing ends the wait for the last pod of a gang");
    }
    // A controller that makes groups makes one for each job, and takes the queue from it.
    const bool always = how_.group_by_controller;
    const bool usual = *plan_.multi_node || always;
    const GangExtent extent = own.gang.value_or(usual ? GangExtent::True : GangExtent::False);
    if (own.gang && extent != GangExtent::False && !able) return without_gang(extent);
    if (always && extent == GangExtent::False) {
      return cannot(own.gang.span, "gang", "the controller makes a group of all pods");
    }
    if (!able || extent == GangExtent::False) return;
    const OriginId origin = own.gang ? context_.from(own.gang) : asked();
    if (extent == GangExtent::Role || extent == GangExtent::Group) return gangs(extent, origin);
    context_.set(plan_.gang.system, wanted_.word(), origin);
    std::int64_t pods = 0;
    for (const Role& role : plan_.roles) {
      // Pods that are made when others run cannot be among those that start together, and those of
      // a role that may fail need not.
      const RoleSpec* said = context_.program_spec(role);
      const bool may_lack = !role.waits.empty() || (said && !said->critical.value_or(true));
      const bool is_later = may_lack && gang_without_later_pods(how_);
      if (!is_later && (role.trains || !started_by_mpirun(context_))) pods += pods_at_once(role);
    }
    context_.set(plan_.gang.min_member, pods, plan_.roles.back().replicas.origin);
    if (own.timeout) {
      context_.set(plan_.gang.timeout, own.timeout->count, context_.from(own.timeout));
    }
    const bool tied = has_object_of_each_role();
    if (!how_.min_member_annotation.empty() && !tied) {
      context_.add(plan_.workload_annotations, how_.min_member_annotation, context_.number(pods),
                   origin);
    }
    if (!how_.own_group && !tied) return;
    own_groups(origin);
    plan_.gang.groups.push_back({*plan_.name, pods, origin, plan_.gang.min_member.origin});
    for (Role& role : plan_.roles) join(role, *plan_.name, origin);
  }

  /// Kueue places no pods, but admits those of a whole job or none.
  void without_gang(GangExtent extent) {
    const Span place = context_.spec.scheduling->gang.span;
    const bool kueue = system_.id == SchedulingSystem::Kueue;
    if (kueue && extent == GangExtent::All) return;
    if (extent == GangExtent::Role || extent == GangExtent::Group)
      return refuse_gangs(context_, extent, system_);
    cannot(place, "gang",
           kueue
               ? "it admits all pods or none, and does not place them: `gang: all` says that this "
                 "is enough"
               : "Trainyard does not know how to ask it for a gang");
  }

  /// Each role is a gang. Where none has groups, so is each group.
  void gangs(GangExtent extent, OriginId origin) {
    if (!can_be_gangs(context_, extent, system_, how_)) return;
    context_.set(plan_.gang.system, wanted_.word(), origin);
    if (const Duration& timeout = context_.spec.scheduling->timeout) {
      context_.set(plan_.gang.timeout, timeout->count, context_.from(timeout));
    }
    own_groups(origin);
    for (Role& role : plan_.roles) {
      const std::string_view name = context_.text(*plan_.name, "-", role.name);
      plan_.gang.groups.push_back({name, *role.replicas, origin, role.replicas.origin});
      join(role, name, origin);
    }
  }

  /// Programs that nothing but a group ties together.
  bool has_object_of_each_role() const {
    return are_programs(context_) && !context_.in.target->programs.queueing.empty();
  }

  /// KAI makes one group of a job, with a part for each role, and starts none before all are there:
  /// also those of roles that wait, unless it knows how many it needs
  /// (kai-scheduler/KAI-Scheduler pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go).
  void later_roles() {
    if (system_.id != SchedulingSystem::Kai || has_gang_of_all()) return;
    const auto waits = [](const Role& role) { return !role.waits.empty(); };
    const auto later = std::ranges::find_if(plan_.roles, waits);
    if (later == plan_.roles.end()) return;
    const OriginId origin = later->waits.front().origin;
    context_.add(plan_.workload_annotations, "kai.scheduler/batch-min-member",
                 context_.number(std::ranges::count_if(plan_.roles, std::not_fn(waits))),
                 context_.because({origin}));
    check_release("0.16", context_.place(origin), "a role that waits for another");
  }

  bool has_gang_of_all() const {
    const auto& gang = context_.spec.scheduling->gang;
    return gang.value_or(GangExtent::False) != GangExtent::False;
  }

  /// A job that may do with fewer nodes is placed with those.
  std::int64_t pods_at_once(const Role& role) const {
    const Integer& least = context_.spec.elastic->min_nodes;
    return role.trains && least ? *least : *role.replicas;
  }

  /// In 1.35 pods named a group of a Workload in place of a PodGroup (kubernetes/enhancements
  /// keps/sig-scheduling/4671-gang-scheduling).
  bool groups_of_pods() const {
    const auto has = kubernetes();
    return !has || *has >= Release{1, 36, 0};
  }

  void own_groups(OriginId origin) {
    if (system_.id == SchedulingSystem::Kai) {
      check_release("0.15", place(), "one gang of several Jobs");
      if (const auto& level = context_.spec.placement->topology) {
        cannot(level.span, "placement.topology",
               "a build writes no level into a group of several Jobs; of target `jobset` KAI reads "
               "it from the one object");
      }
    }
    if (system_.id != SchedulingSystem::Native) return;
    const std::string_view api = groups_of_pods() ? "v1alpha2" : "v1alpha1";
    context_.set(plan_.gang.api, api, origin);
  }

  /// How pods say which PodGroup they are of.
  void join(Role& role, std::string_view group, OriginId origin) {
    switch (system_.id) {
      case SchedulingSystem::Volcano:
        return context_.add(role.pod_annotations, "scheduling.k8s.io/group-name", group, origin);
      case SchedulingSystem::Coscheduling:
        return context_.add(role.pod_labels, "scheduling.x-k8s.io/pod-group", group, origin);
      case SchedulingSystem::Kai:
        // Else KAI takes the pods into a group of their Job (kai-scheduler/KAI-Scheduler
        // docs/batch/README.md).
        context_.add(role.pod_annotations, "kai.scheduler/skip-podgrouper", "true", origin);
        context_.add(role.pod_annotations, "pod-group-name", group, origin);
        return context_.add(role.pod_labels, "kai.scheduler/subgroup-name", role.name, origin);
      case SchedulingSystem::Native:
        return context_.set(groups_of_pods() ? role.scheduling_group : role.workload_group, group,
                            origin);
      default:
        return;
    }
  }

  void scheduler(Role& role) {
    if (*wanted_.scheduler) {
      context_.set(role.scheduler, **wanted_.scheduler, context_.from(*wanted_.scheduler));
    } else if (!system_.scheduler.empty() && how_.own_scheduler) {
      context_.set(role.scheduler, system_.scheduler, asked());
    }
  }

  void cannot(Span where, std::string_view field, std::string_view why) {
    context_
        .report(DiagnosticKind::NotExpressible, where,
                std::string(system_.name) + " takes no " + code(field) + " from target " +
                    code(context_.in.target->name))
        .note(std::string(why));
  }

  RuleContext& context_;
  Plan& plan_;
  const WantedScheduling& wanted_;
  const QueueingSystem& system_;
  const Queueing& how_;
};

/// A queue of the Cluster's defaults is only what would be used; one in the spec is a wish.
void check_is_used(RuleContext& context) {
  const Scheduling& own = *context.spec.scheduling;
  const auto unused = [&](Span where, const std::string& what) {
    context.report(DiagnosticKind::QueueMismatch, where, what + " belongs to no scheduling system")
        .note("name the system in `scheduling.system`, such as `kueue`");
  };
  if (own.queue) unused(own.queue.span, "the queue " + code(*own.queue));
  if (own.gang.value_or(GangExtent::False) != GangExtent::False) {
    unused(own.gang.span, code("gang"));
  }
  if (own.timeout) unused(own.timeout.span, code("timeout"));
  if (own.preemptible) unused(own.preemptible.span, code("preemptible"));
}

/// The target's own system, which goes by labels of the workload and of its pods.
void queued_by_target(RuleContext& context) {
  if (const Text& queue = own_queue(context)) {
    context.add(context.plan.workload_labels, "project", *queue, context.from(queue));
  }
  const Text& priority = context.spec.scheduling->priority;
  if (!priority) return;
  for (Role& role : context.plan.roles) {
    context.add(role.pod_labels, "priorityClassName", *priority, context.from(priority));
  }
}

/// Without a system: what the pods themselves say to the scheduler.
void unqueued(RuleContext& context, const WantedScheduling& wanted) {
  check_is_used(context);
  for (Role& role : context.plan.roles) {
    if (*wanted.priority) {
      context.set(role.priority_class, **wanted.priority, context.from(*wanted.priority));
    }
    if (*wanted.scheduler) {
      context.set(role.scheduler, **wanted.scheduler, context.from(*wanted.scheduler));
    }
  }
}

/// A service runs until it is deleted, and is no job for a queue.
void served(RuleContext& context) {
  const Scheduling& own = *context.spec.scheduling;
  WantedScheduling wanted;
  wanted.priority = &own.priority;
  wanted.scheduler = &own.scheduler_name;
  unqueued(context, wanted);
}

/// The target's own list of what it cannot carry may have said so already.
bool is_told(const TargetFacts& target, std::string_view system) {
  for (const auto* rows : {&target.cannot, &target.not_yet}) {
    for (const Inexpressible& row : *rows) {
      if (row.field == "spec.scheduling.system" && row.value == system) return true;
    }
  }
  return false;
}

std::string targets_queued_by(const RuleContext& context, std::string_view system) {
  std::string result;
  for (const TargetFacts* target : context.in.targets->all_targets()) {
    if (!target->available || target->queueing_by(system) == nullptr) continue;
    result += (result.empty() ? "" : ", ") + code(target->name);
  }
  return result;
}

void refuse(RuleContext& context, const WantedScheduling& wanted) {
  const TargetFacts& target = *context.in.target;
  const bool by_job = context.spec.scheduling->system.given();
  if (by_job && is_told(target, wanted.word())) return;
  Diagnostic& report = context.report(
      DiagnosticKind::NotExpressible, wanted.system.span,
      "jobs of target " + code(target.name) + " cannot be queued by " + code(wanted.word()));
  std::string able;
  for (const Queueing& row : target.queueing) {
    able += (able.empty() ? "" : ", ") + code(row.system);
  }
  report.note(able.empty() ? "nothing queues them" : "what can: " + able);
  const std::string others = targets_queued_by(context, wanted.word());
  if (!others.empty()) report.note("targets whose jobs it queues: " + others);
}

/// A system that sees each role as a job of its own would not start them together.
bool takes_programs(RuleContext& context, const WantedScheduling& wanted) {
  const auto& systems = context.in.target->programs.queueing;
  if (!are_programs(context) || systems.empty()) return true;
  if (std::ranges::find(systems, wanted.word()) != systems.end()) return true;
  context
      .report(DiagnosticKind::NotExpressible, wanted.system.span,
              code(wanted.word()) + " takes each role of target " + code(context.in.target->name) +
                  " for a job of its own, and some could start without the others")
      .note(able_targets(context, [](const ProgramFacts& each) { return each.queueing.empty(); }));
  return false;
}

void run(RuleContext& context) {
  const WantedScheduling wanted = wanted_scheduling(context);
  context.plan.workload_labels = context.plan.labels;
  context.add_all(context.plan.workload_annotations, context.plan.annotations);
  if (!context.in.target->project_system.empty()) return queued_by_target(context);
  if (context.in.target->serves) return served(context);
  const QueueingSystem* system = find_system(wanted);
  if (system == nullptr) return unqueued(context, wanted);
  const Queueing* how = context.in.target->queueing_by(wanted.word());
  if (how == nullptr) return refuse(context, wanted);
  if (!takes_programs(context, wanted)) return;
  Wiring(context, wanted, *system, *how).wire();
}

}  // namespace

extern const Rule queueing_rule{
    "queueing",
    Rule::Phase::Infer,
    "The job goes to its queue with its priority, and its pods start together, by the labels, "
    "fields and objects of the queueing system.",
    "Kueue suspends and resumes the job itself, so `suspend` is never written; its priority is a "
    "WorkloadPriorityClass, not that of the pods (kubernetes-sigs/kueue pkg/controller/constants). "
    "Volcano makes a group of one for each plain Job, and KAI no gang at all, unless asked.",
    "spec.scheduling spec.elastic spec.placement.topology cluster.defaults.scheduling "
    "cluster.operators cluster.kubernetes plan.labels "
    "plan.annotations plan.name plan.multiNode plan.framework role.replicas role.trains "
    "target.queueing target.project target.mpirun target.roles target.serves target.programs "
    "target.entrypoint "
    "spec.roles role.name role.parts role.waits plan.programs",
    "plan.queue plan.system plan.workloadLabels plan.workloadAnnotations plan.gang "
    "role.priorityClass "
    "role.scheduler role.schedulingGroup role.workloadGroup role.podLabels role.podAnnotations",
    run};

}  // namespace trainyard
