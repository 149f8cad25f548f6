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

/// A kind of job.
struct JobKind {
  std::string_view group;
  std::string_view kind;
  std::string_view source;   // `owner/repo path`
  std::string_view counts;   // what `wanted` counts: `pods`
  std::string_view details;  // "" where nothing but conditions has a reason
  std::vector<std::string_view> wanted;
  std::vector<StatusSign> signs;  // the first that holds counts
};

/// The kinds of a file such as templates/kinds.yaml.
class JobKinds {
 public:
  /// Those of the program.
  static const JobKinds& builtin();
  /// The tree must outlive this.
  explicit JobKinds(const Tree& file);

  std::span<const JobKind> all() const { return kinds_; }
  /// Null for a kind that is not known.
  const JobKind* find(View object) const;
  /// What is wrong with the file.
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void add(View entry);
  StatusSign sign(View entry);

  std::vector<JobKind> kinds_;
  std::vector<std::string> faults_;
};

}  // namespace trainyard
