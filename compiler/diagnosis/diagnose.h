#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/cluster_dump.h"
#include "diagnosis/finding_rules.h"
#include "diagnosis/job_status.h"
#include "kind/job_kind.h"

namespace trainyard {

/// A line of a log, as `kubectl logs --prefix --timestamps` prints it.
struct LogLine {
  std::string_view pod;
  std::string_view container;
  std::string_view time;  // "" where there is none
  std::string_view text;
};

/// Lines of logs by their containers.
class Logs {
 public:
  /// The text must outlive this. Lines without a prefix belong to no pod, and are passed over.
  void add(std::string_view text);
  bool empty() const { return lines_.empty(); }
  /// In their order.
  std::span<const LogLine> of(std::string_view pod, std::string_view container) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::vector<LogLine>> lines_;
};

/// Whom a finding is about.
struct FindingSubject {
  std::string pod;        // "" where it is about the job itself
  std::string container;  // "" where it is about the pod
  std::optional<std::int64_t> rank;
  std::string time;  // when it happened; "" where that is not known
};

/// What was found, with all pods and containers that it is about.
struct Finding {
  const FindingRule* rule = nullptr;
  FindingRole role = FindingRole::Root;  // a root that came after another one is a cascade
  std::string text;
  std::vector<FindingSubject> subjects;
  View pod;           // the first; empty where it is about no pod
  View container;     // of its specification
  std::string value;  // of the rule's edit; "" for none
};

/// What is to be said of a job, the most telling first.
struct Diagnosis {
  JobStatus status;
  std::vector<Finding> findings;
};

/// Asks all rules of a job of the dump. Costs in proportion to what belongs to the job, and to the
/// rules.
Diagnosis diagnose(const ClusterDump& dump, View job, const JobKind& kind, const Logs& logs,
                   const FindingRules& rules);

}  // namespace trainyard
