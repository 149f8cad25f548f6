#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "live/apply/make_plan.h"
#include "live/live_command.h"
#include "live/runai/runai_plan.h"

namespace trainyard {

/// What `plan` and `apply` share: the objects of the inputs, and what becomes of them.
class PlanningCommand : public LiveCommand {
 public:
  using LiveCommand::LiveCommand;

 protected:
  /// The inputs, the connection, and how specs are compiled.
  void add_planning_arguments(Arguments& rows);

  /// A plan, and all that it is about.
  struct Planned {
    std::unique_ptr<Session> session;
    std::vector<WantedSet> sets;
    std::unique_ptr<LiveCluster> cluster;
    std::optional<Discovery> discovery;  // what the plan's resources are in
    MadePlan made;
    RunaiOrders orders;              // of a plan for Run:ai
    ExitCode code = ExitCode::Good;  // then nothing else is there

    bool is_there() const { return code == ExitCode::Good; }
  };
  Planned make(Io& io, bool force, bool prune);

  /// `Cluster dgx (https://…), namespace ml` and the plan.
  void show(Io& io, const Planned& planned) const;

 private:
  WantedRequest request_;
  SessionOptions options_;
};

}  // namespace trainyard
