#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/cluster_dump.h"
#include "diagnosis/finding_rules.h"
#include "effective/status.h"
#include "kind/job_kind.h"

namespace trainyard {

/// A line of a log, as `kubectl logs --prefix --timestamps` prints it.
struct LogLine {
  std::string_view pod;
  std::string_view container;
  std::string_view time;  // "" where there is none
  std::string_view text;
};

/// The lines of a text; those without a prefix belong to no pod, and are passed over.
std::vector<LogLine> read_log(std::string_view text);

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
  View pod;        // the first; empty where it is about no pod
  View container;  // of its specification
};

/// What is to be said of a job, the most telling first.
struct Diagnosis {
  View job;
  const JobKind* kind = nullptr;
  JobState state;
  std::size_t pods = 0;
  std::vector<Finding> findings;
};

/// Asks all rules of a job of the dump. Costs in proportion to the dump and the rules.
Diagnosis diagnose(const ClusterDump& dump, View job, const JobKind& kind,
                   std::span<const LogLine> log, const FindingRules& rules);

}  // namespace trainyard
