#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trainyard::testing {

/// What the process in a pod finds: its program, and its place among the others.
struct Launch {
  std::vector<std::string> program;  // without what only says where and how many
  std::string launcher;              // `torchrun`, `accelerate`, ...; "" for none
  std::string nodes;
  std::string processes;  // per node
  std::string rank;       // of the node
  std::string master;     // host of rank 0
  std::string port;
  std::string backend;  // of torchrun: `static`, `c10d`
};

/// The container of a pod in which the job runs: the first one.
const nlohmann::json& main_container(const nlohmann::json& pod);

/// The variables as the process sees them: fields of the pod filled in, `$(NAME)` expanded from
/// those before, of two with one name the last. A reference to a Secret is `secret:<name>/<key>`.
nlohmann::json seen_environment(const nlohmann::json& pod);

/// The command and its arguments with `$(NAME)` expanded.
std::vector<std::string> seen_command(const nlohmann::json& pod);

/// How the command would start: what torchrun, accelerate and deepspeed read from options and
/// variables, else what the framework itself reads.
Launch launch_in(const nlohmann::json& pod, const std::string& framework);

}  // namespace trainyard::testing
