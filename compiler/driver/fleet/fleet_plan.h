#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "spec/fleet_document.h"

namespace trainyard {

/// One cluster of a fleet, with paths from where the program was called.
struct PlannedCluster {
  const Located<FleetCluster>* entry = nullptr;
  std::string file;
  std::vector<std::string> overlays;
  std::vector<InputPart> specs;  // sorted by path
};

struct PlannedTeam {
  const Located<Team>* entry = nullptr;
  std::vector<std::string> namespaces;
  std::vector<std::string> overlays;
  std::vector<std::string> policies;

  std::string_view name() const { return *(*entry)->name; }
};

/// A pattern of a team that a spec fits.
struct TeamClaim {
  std::size_t team = 0;  // index
  Span pattern;
};

/// A Fleet document, checked, with all that it names found.
struct FleetPlan {
  std::string path;    // of the document
  std::string folder;  // that paths in it start from; "" or with `/` at its end
  Tree tree;
  Fleet fleet;
  std::string rendered;  // without `/` at its end
  std::vector<PlannedCluster> clusters;
  std::vector<PlannedTeam> teams;
  /// By the path of a spec: the team that it belongs to. One that is in none is left out.
  std::unordered_map<std::string, std::vector<TeamClaim>> claims;
};

/// Plans a Fleet document, which loses its tree. Null, with errors in the session's sink, when it
/// is wrong: a file that is missing, a pattern without a match, a namespace of two teams, a folder
/// for the generated files that is outside of the repository or has specs in it.
std::unique_ptr<FleetPlan> plan_fleet(Session& session, Document& document);

/// Reads the one Fleet of `path`, and plans it.
std::unique_ptr<FleetPlan> read_fleet(Session& session, const std::string& path);

}  // namespace trainyard
