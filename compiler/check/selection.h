#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/versions.h"

namespace trainyard {

struct Check;
struct JobPlace;
struct PodPlace;
class Severities;

/// Tables of checks, one for each subject, in the order in which they are asked.
using CheckTables = std::span<const std::span<const Check>>;

/// What there is to check in objects of one kind, for some versions of everything.
struct KindChecks {
  std::string group;
  std::string kind;
  std::vector<const PodPlace*> pods;
  std::vector<const JobPlace*> jobs;
  std::vector<const Check*> on_pods;      // for each of `pods`
  std::vector<const Check*> on_jobs;      // for each of `jobs`
  std::vector<const Check*> on_object;    // for the object itself
  std::vector<const Check*> on_workload;  // where the kind runs pods that work together
};

/// Picks from tables of checks those that fit a kind, once for each kind. Not for two
/// threads at once.
class CheckSelection {
 public:
  /// Leaves out what is off by `asked`, which must outlive the selection; null for all checks, also
  /// those that run only if the user asks for them.
  CheckSelection(Versions versions, CheckTables tables, const Severities* asked = nullptr)
      : versions_(std::move(versions)), tables_(tables), asked_(asked) {}

  const Versions& versions() const { return versions_; }
  CheckTables tables() const { return tables_; }
  const KindChecks& of(std::string_view group, std::string_view kind);

 private:
  Versions versions_;
  CheckTables tables_;
  const Severities* asked_;
  std::deque<KindChecks> kinds_;
};

}  // namespace trainyard
