#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/fleet/fleet_plan.h"

namespace trainyard {

/// Which teams claim a spec by the paths and patterns of their `specs`.
class TeamPatterns {
 public:
  explicit TeamPatterns(const std::vector<PlannedTeam>& teams);

  /// The teams that claim a path below the folder of the fleet, each once.
  std::vector<TeamClaim> claims_of(std::string_view path);
  struct Pattern {
    std::string_view text;
    std::string_view fixed;  // how all that fits begins
    TeamClaim claim;
    bool used = false;
  };
  /// The patterns that no path has fitted so far.
  std::vector<Pattern> unused() const;

 private:
  bool fits(const Pattern& pattern, std::string_view path) const;

  std::vector<Pattern> of_folders_;  // all in a folder fits, or nothing
  std::vector<Pattern> of_files_;
  std::unordered_map<std::string, std::vector<TeamClaim>> by_folder_;
};

}  // namespace trainyard
