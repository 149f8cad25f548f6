#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "check/versions.h"

namespace trainyard {

struct Check;
struct JobPlace;
struct PodPlace;

/// What there is to check in objects of one kind, for some versions of everything.
struct KindChecks {
  std::uint64_t number = 0;  // never the same for two, of whatever selection
  std::string group;
  std::string kind;
  std::vector<const PodPlace*> pods;
  std::vector<const JobPlace*> jobs;
  std::vector<const Check*> on_pods;      // for each of `pods`
  std::vector<const Check*> on_jobs;      // for each of `jobs`
  std::vector<const Check*> on_object;    // for the object itself
  std::vector<const Check*> on_workload;  // where the kind runs pods that work together
};

/// Picks from the table of all checks those that fit a kind, once for each kind. Not for two
/// threads at once.
class CheckSelection {
 public:
  explicit CheckSelection(Versions versions) : versions_(std::move(versions)) {}

  const Versions& versions() const { return versions_; }
  const KindChecks& of(std::string_view group, std::string_view kind);

 private:
  Versions versions_;
  std::deque<KindChecks> kinds_;
};

}  // namespace trainyard
