#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// What the jobs of one team are made with, and where their files go.
struct JobUnit {
  std::string team;
  std::string jobs;                     // folder below the output directory, with `/` at its end
  std::string claims;                   // the same, for claims that outlive their job
  std::string runtimes;                 // the same, for runtimes; "" to leave them with the job
  std::string chains;                   // the same, with a folder for each job of a chain
  std::set<std::string_view> chained;   // names of these jobs
  std::vector<std::string> namespaces;  // of its jobs; file names leave out the first
  std::vector<std::string> overlays;
  const Policies* policies = nullptr;  // in place of those of the session; null to leave them
};

/// Which unit a spec belongs to.
class JobUnits {
 public:
  virtual ~JobUnits() = default;
  /// Null, with an error in the session's sink, when the spec is in none or in several. Called from
  /// several threads.
  virtual const JobUnit* unit_of(Session& session, const Document& document) const = 0;
};

}  // namespace trainyard
