#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// How far a job has come.
enum class JobPhase {
  Pending,     // its pods are not all there, or wait
  Suspended,   // it is held back, or has been stopped to be started again
  Running,     // all its pods do their work
  Restarting,  // after a failure it is started again
  Ending,      // it has done enough, and its last pods are stopped
  Succeeded,   // it ended well, and nothing more happens
  Failing,     // it has failed, and its last pods are stopped
  Failed,      // it ended badly, or was ended, and nothing more happens
};
std::string_view name_of(JobPhase phase);
bool is_final(JobPhase phase);

/// Something in the status of a job that tells its phase: templates/kinds.yaml describes its
/// fields. One of `condition`, `field` and `some` is there.
struct StatusSign {
  JobPhase phase = JobPhase::Pending;
  std::string_view condition;
  std::string_view field;
  std::string_view some;
  std::string_view is;      // of a condition or a field
  std::string_view reason;  // "" for any
  std::vector<std::string_view> all;
};

/// The labels of one sort of pods of a job. A value may hold `{path}`, a field of the job.
struct PodMarks {
  struct Label {
    std::string_view key;
    std::string_view value;
  };
  std::vector<Label> labels;
  std::vector<std::string_view> role;   // labels with the name of the pod's role
  std::vector<std::string_view> index;  // labels or annotations with its number within the role
};

/// What becomes of a change of a job that is there.
enum class ChangeEffect {
  Works,     // it is taken
  Ignored,   // it is taken, and pods that run stay as they are
  Restarts,  // it is taken, and pods that run are replaced
  Refused,   // the API server or a webhook refuses it
};

/// The fields of a job by what becomes of their change. A path holds for all below it.
struct KindChanges {
  std::vector<std::string_view> refused;
  std::vector<std::string_view> suspended;  // of these, what is taken while the job is suspended
  std::vector<std::string_view> presence;   // what takes another value, and cannot come or go
  std::vector<std::string_view> ignored;
  std::vector<std::string_view> restarts;
  std::string_view held;
  std::string_view source;
};

/// A kind of job, or of what holds jobs for a queue.
struct JobKind {
  std::string_view group;
  std::string_view kind;
  std::string_view version;  // that Trainyard writes; "" for what holds jobs for a queue
  std::vector<std::string_view> native;  // GitOps tools that read its status on their own: `flux`
  std::string_view source;               // `owner/repo path`
  std::string_view counts;               // what `wanted` counts: `pods`
  std::string_view details;              // "" where nothing but conditions has a reason
  std::vector<std::string_view> wanted;
  std::vector<StatusSign> signs;  // the first that holds counts; none where its children tell
  std::string_view queue;         // the path to the name of its queue; "" for a job
  std::vector<PodMarks> pods;
  std::vector<std::string_view> children;  // `Job.batch`
  std::string_view suspend;                // the path; "" where no field stops it
  std::string_view restarts;               // the path to how often the whole job has started again
  std::vector<std::string_view> queues;    // `Workload.kueue.x-k8s.io`
  KindChanges changes;
  std::vector<std::string_view> defaulted;  // what its definition fills in, in an atomic list
  std::vector<std::string_view> filled;     // the same by a webhook, at first, which must stay
  std::string_view deletes;                 // the propagation policy

  bool is_job() const { return queue.empty(); }
};

/// What becomes of a change of the field at `path`, such as
/// `spec.template.spec.containers[main].image`, of a job as it is there.
ChangeEffect effect_of(const JobKind& kind, View job, std::string_view path);

/// The field at a path of names, `spec.suspend`; empty when there is none.
View field_at(View object, std::string_view path);

/// A text of PodMarks for one job; "" where a field that it names has no text.
std::string filled_in(std::string_view text, View job);

/// What is wrong with a file of kinds.
struct KindFault {
  Span at;  // of a field that is not known, its name
  std::string message;
};

/// The kinds of a file such as templates/kinds.yaml.
class JobKinds {
 public:
  /// Those of the program.
  static const JobKinds& builtin();
  /// The tree must outlive this.
  explicit JobKinds(const Tree& file);
  /// A user's file in front of others. Of a kind that both have, the file's entry counts.
  JobKinds(const Tree& file, const JobKinds& behind);

  std::span<const JobKind> all() const { return kinds_; }
  /// Null for a kind that is not known.
  const JobKind* find(View object) const;
  /// By `Kind.group`.
  const JobKind* find(std::string_view name) const;
  /// What is known of the kind of an object that a job brings along: its changes. Null for others.
  const JobKind* find_part(View object) const;
  /// What is wrong with the file.
  const std::vector<KindFault>& faults() const { return faults_; }

 private:
  static const JobKind* find(const std::vector<JobKind>& kinds, std::string_view kind,
                             std::string_view group);
  void add(View entry);
  StatusSign sign(View entry);
  void add_live_fields(View entry, JobKind& kind);
  void fault(Span at, std::string message);
  void fault(View at, std::string message) { fault(at->span, std::move(message)); }
  /// Of a map, keys that are not known.
  void fault_others(View map, std::span<const std::string_view> known);

  std::vector<JobKind> kinds_;
  std::vector<JobKind> parts_;
  std::vector<KindFault> faults_;
};

}  // namespace trainyard
