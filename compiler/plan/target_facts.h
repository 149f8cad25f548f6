#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/release.h"
#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// A field of the spec or of the Cluster, or some of its values, that a target does not carry.
///
/// In `field`, `[]` stands for any item of a list and `*` for any key of a map:
/// `spec.data.inputs[].handler`, `spec.storage.*.csi`.
struct Inexpressible {
  std::string_view field;  // "spec.elastic"
  std::string_view value;  // only this value, or `nemo://*` for any that begins so; "": any
  std::optional<std::int64_t> above;  // only values above this one
  std::string_view because;           // why, as half a sentence
  OperatorSpan releases = {};         // of the target's operator, for which this holds
  Span span;                          // of the row
  KeyBits first_key = 0;              // behind `spec.` or `cluster.`; each key for `*`
};

/// So many pods of one role, in each of its groups.
struct RoleCount {
  std::string_view name;
  std::int64_t pods = 0;
  std::int64_t groups = 1;
};

/// How a job is split into the groups of equal pods that a system knows. Of several, the first that
/// fits the job's framework counts.
struct RoleShape {
  std::vector<std::string_view> frameworks;  // empty for any
  bool by_mpirun = false;                    // only for jobs whose ranks mpirun starts
  std::vector<std::string_view> even;     // roles of a job that names none: each but the last has
                                          // one pod, the last has the rest
  std::vector<std::string_view> elastic;  // the same with an elastic range; empty: as `even`
  std::string_view coordinator;           // starts the others and trains nothing; "" for none
  std::vector<std::string_view> ranked;   // those whose pods have ranks, in the order of the ranks;
                                          // empty: all but the coordinator, as they are written
  bool whole = false;  // each of the even roles is always there, and each but the last is one pod
  std::vector<std::string_view> ends;   // the first of these that a job has ends it; empty: all
                                        // whose pods have ranks
  std::vector<std::string_view> leads;  // for the first of these that a job has the others wait

  bool fits(std::string_view framework, bool started_by_mpirun) const;
  /// The roles of a job of so many equal nodes, the coordinator not among them.
  std::vector<RoleCount> split(std::int64_t nodes, bool is_elastic) const;
};

/// What of a job decides which variables its controller sets.
struct JobTraits {
  std::string_view framework;
  bool is_elastic = false;
  std::vector<std::string_view> roles = {};
};

/// Where a system reads which part of the cluster a target's job stays in.
enum class TopologyWay : std::uint8_t {
  None,      // nowhere
  Pods,      // by annotations of the pods
  Group,     // by fields of the group that the job brings along, or of the job itself
  Job,       // by annotations of the main object
  Runtime,   // by annotations of the runtime's template
  Affinity,  // by affinity between the pods: it has nothing of its own
  Labels,    // by labels of the main object; the target's controller makes the group
};

/// A queueing or gang scheduling system that takes this target's jobs, and how.
struct Queueing {
  std::string_view system;           // as `scheduling.system` calls it
  bool own_group = false;            // the job brings its PodGroup along
  bool group_by_controller = false;  // the target's controller makes it, from fields of the job
  bool own_scheduler = true;         // false: the controller puts the scheduler into the pods
  std::string_view min_member_annotation;  // of the main object; "" for none
  /// Labels of the main object by which a controller that makes the group learns its queue and its
  /// priority class; "" where a field says so.
  std::string_view queue_label, priority_label;
  std::string_view elastic_annotation;  // of the main object of an elastic job; "" for none
  std::string_view kubernetes;  // the oldest version on which it takes these jobs; "" for any
  TopologyWay topology = TopologyWay::None;
  bool always = false;  // the target belongs to the system, which queues what names no other
};

/// Variables that a controller puts into the training container, where they win over those of the
/// manifest.
struct InjectedVariables {
  std::vector<std::string_view> frameworks;  // empty for any
  std::vector<std::string_view> names;
  std::string_view role;     // only into jobs with a role of this name; "" for all
  std::string_view without;  // only into jobs without a role of this name; "" for all
  bool elastic = false;      // only into elastic jobs
};

/// A part of the objects whose form is not publicly known, and is written as what is known
/// suggests.
///
/// In `field`, a path from the top of an object, `*` stands for any key.
struct InferredShape {
  std::string_view field;    // "*.tolerations"
  std::string_view value;    // only this value; "" for any
  std::string_view because;  // the reason for the inference, as half a sentence
};

/// How mpirun reaches the other pods, where a system makes keys and a list of hosts for it.
struct MpirunFacts {
  std::string_view host_file;  // "" where mpirun has no role of its own
  std::string_view ssh_path;   // where the controller mounts the keys by default
  std::string_view
      ssh_path_of_user;         // where we have them mounted when the image is not run as root
  std::int64_t key_group = 0;   // to whose members alone they may be readable; 0 when all may read
  bool launcher_waits = false;  // the launcher starts with the workers, and waits for them itself
};

/// With whose end a target can end a job of several programs, beside that of all of them.
enum class EndsWith : std::uint8_t { All, One, Several };
/// What becomes of a role whose failure does not end the job, where there may be one.
enum class Expendable : std::uint8_t { None, ComesBack, StaysFailed };

/// How a target makes a job of several programs, each a role with ranks of its own.
struct ProgramFacts {
  bool able = false;
  std::string_view host;  // of any pod, as that of the target; with `{group}` for its group
  std::vector<std::string_view> names;  // that are made, in place of those of the target
  std::string_view groups;      // the pod's own field with the number of its group; "" where a role
                                // is one group
  bool restarts_alone = false;  // pods of a role may come back without the others
  bool restarts_all = true;     // or all of the job starts again
  Expendable expendable = Expendable::None;
  bool ends_on_failure = true;        // false: the other roles go on when one has failed for good
  std::vector<std::string_view> own;  // fields of the job that a role may say for itself: what pods
                                      // do not have, as "lifecycle.deadline"
  EndsWith ends = EndsWith::All;
  std::vector<std::string_view> states;  // of another role, for which a role waits; empty: for none
  /// The operator's oldest releases with which a role starts after another one, and after several;
  /// "" for any.
  std::string_view after_since, several_since;
  std::int64_t most_after = 0;             // roles that one starts after; 0 for any number
  std::vector<std::string_view> queueing;  // systems that take all roles as one job; empty: all
};

/// What the rules must know of a target; read from its `target.yaml`.
struct TargetFacts {
  std::string_view name;
  std::string_view summary;
  bool available = false;       // false: its limits are known, its templates are not written yet
  std::string_view op;          // the operator that runs it, as a Cluster calls it; "" for none
  std::string_view op_since;    // its oldest release that knows all that is written; "" for any
  std::string_view kubernetes;  // the oldest version that knows all that is written; "" for any
  std::string_view container_name;     // what its controller expects; "" when it does not care
  std::string_view default_framework;  // of a job that names none; "" for that of the language
  bool entrypoint = false;             // whether the program is a line of the job, not of its pods
  std::int64_t name_limit = 63;        // of every name made from the job's name
  /// The names that are made: `{job}` is the job's, `{role}` a role's, `{index}` the number of a
  /// pod in its role. The second list is about jobs of several pods only.
  std::vector<std::string_view> derived_names, derived_names_of_several;
  std::vector<RoleShape> role_shapes;  // empty: all pods are workers
  std::string_view master_host;  // of rank 0: `{job}` and `{role}` for the name of job and role
  bool own_service = true;       // false: the controller makes the Service of the pods' host names
  std::vector<std::string_view> rank_variables;  // the first of these that the controller sets in
                                                 // a job's pods holds a node's rank
  std::string_view rank_field;                   // else the pod's own field that does; "" for none
  /// The pod's own field that holds the rank in a job of several roles, each of whose pods is then
  /// made alone; "": ranks are known as in other jobs.
  std::string_view rank_field_of_several_roles;
  std::string_view coordinator_host;  // of rank 0 where the coordinator trains, too
  std::string_view mpirun_host;       // of rank 0 where mpirun starts the ranks; "": the same
  MpirunFacts mpirun;
  bool rank_within_role = false;  // `rank_field` numbers the pods of each role anew
  bool master_is_told =
      false;  // `master_host` is unknown before the start: it is a variable's value
  /// Host name of any pod: `{job}`, `{role}`, `{index}` within the role and `{rank}`. The second is
  /// for jobs of several roles where `rank_field_of_several_roles` is; "" where they are unknown.
  std::string_view host, host_of_several_roles;
  std::string_view index_field_of_several_roles;  // the pod's own field with its number in its role
  std::int64_t master_port = 0;  // at which the ranks meet, unless the spec says otherwise
  std::string_view port_name;    // by which the controller finds this port; "" when it does not
  std::vector<InjectedVariables> injected;
  std::vector<Queueing> queueing;
  std::string_view restart_policy = "Never";  // of the pods, where nothing asks for another
  bool restart_policy_of_replicas = false;    // it stands beside the pod's template, not in it
  bool restarts_by_operator = false;          // and the operator makes failed pods anew by it
  std::string_view endless;        // why its pods never end, as a sentence; "" when they do
  bool pod_failure_policy = true;  // whether exit codes and disruptions distinguish failures
  bool exit_codes = false;         // whether, without one, exit codes tell them apart all the same
  bool pod_template = true;        // false: its objects have fields of their own in place of one
  std::string_view launcher;  // in the place of torchrun, whose options it takes: its controller
                              // tells it of the other pods; "" for torchrun
  std::string_view launcher_files;  // a directory in which that one keeps files; "" for none
  bool process_option = false;      // torchrun learns its number of processes by an option: the
                                // variable is injected, with a value that the manifest cannot set
  std::string_view project_system;          // the one and only queueing system; "" for a choice
  std::string_view project_namespace;       // where the jobs of a queue are, `{queue}` its name
  std::string_view pool_label, type_label;  // of nodes; where set, nodes are chosen by these only
  std::vector<InferredShape> inferred;
  std::string_view root_containers_with;  // its controller adds containers that run as root to the
                                          // pods of jobs with a role of this name; "" for none
  bool deadline_of_each_start = false;  // a deadline counts anew whenever the job is started again
  /// Annotation of the job that keeps others out of its topology domain, which it names; "": none.
  std::string_view exclusive_topology;
  ProgramFacts programs;
  bool own_transfers = false;  // it fetches inputs and stores outputs itself
  /// The role, for which a controller lets all others wait until it has ended well, that fetches
  /// inputs; "": no controller does that.
  std::string_view fetching_role;
  std::string_view fetching_since;  // the operator's oldest release whose controller does
  /// The role, which a controller starts when all others have ended well, that stores outputs; "":
  /// no controller does that.
  std::string_view storing_role;
  std::string_view
      storing_since;  // the operator's oldest release whose controller does; "" for any
  bool exclusive_across_roles = false;  // pods of several roles are in that one domain
  bool workspace = false;               // all its data is on one claim, which the job names
  bool serves = false;    // it makes what comes after the training, as `spec.serve` says
  bool runtimes = false;  // a job refers to its pods' definition, which may be there before the job
  std::string_view runtime_kind;  // of such a definition; "" for those of the Trainer
  /// Fields of a role that the objects have no place for, be they of a fabric or of the Cluster.
  std::vector<std::string_view> lacking;
  std::vector<Inexpressible> cannot_by_reference;  // not of a definition that is there already
  std::vector<Inexpressible> cannot;               // the system has no way to carry these
  std::vector<Inexpressible> not_yet;  // the system could, Trainyard does not write it yet
  Span span;

  /// The most characters that the name of a job with these roles may have, or of one whose roles
  /// are programs.
  std::int64_t longest_name(std::span<const RoleCount> roles, bool are_programs) const;
  /// How a job of this framework is split.
  const RoleShape& shape_for(std::string_view framework, bool started_by_mpirun) const;
  /// How the system takes this target's jobs; null when it does not.
  const Queueing* queueing_by(std::string_view system) const;
  /// Whether the controller sets the variable in the pods of such a job.
  bool injects(const JobTraits& job, std::string_view variable) const;
};

/// Every target that is known, the planned ones too, sorted by name. Asked only by a message that
/// has to name some of them, because that reads all their packs.
class KnownTargets {
 public:
  virtual ~KnownTargets() = default;
  virtual const std::vector<const TargetFacts*>& all_targets() = 0;
};

}  // namespace trainyard
