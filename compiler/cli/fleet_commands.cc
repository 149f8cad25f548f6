#include "cli/fleet_commands.h"

#include "driver/session/read_root.h"

namespace trainyard {

CallArgument fleet_argument(std::string& into) {
  return {.name = "FLEET",
          .help = "The file of the Fleet, or its folder; `fleet.yaml` when left out",
          .kind = ValueKind::File,
          .operand = true,
          .into = &into};
}

std::string fleet_file(Env& env, const std::string& path) {
  if (!env.files.is_directory(path)) return path;
  return path + (path.ends_with('/') ? "" : "/") + "fleet.yaml";
}

void prepare_fleet(Session& session, const SessionOptions& options, const std::string& fleet,
                   std::string& target) {
  const std::string folder = folder_of(fleet);
  std::string cluster;  // a fleet names its own
  prepare(session, options, {{folder.empty() ? "." : folder}, cluster, target});
}

}  // namespace trainyard
