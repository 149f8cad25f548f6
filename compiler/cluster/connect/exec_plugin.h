#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/connect/identity.h"

namespace trainyard {

/// A program that prints credentials, as `users[].user.exec` of a kubeconfig names it
/// (kubernetes/client-go tools/clientcmd/api/types.go, ExecConfig).
struct ExecPlugin {
  enum class Interactive { Never, IfAvailable, Always };

  std::string command;  // a path, or a name that is looked for in PATH
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // besides our own
  std::string api_version;        // client.authentication.k8s.io/v1 or v1beta1
  std::string install_hint = {};  // shown where the program is missing
  Interactive interactive = Interactive::IfAvailable;
  std::string cluster = {};  // `spec.cluster` as JSON where the plugin asks for it, else ""
};

/// Runs the plugin when credentials are first needed, when they expire and when the server refuses
/// them. What it writes to standard error is shown, standard output never.
std::unique_ptr<IdentitySource> exec_identity(ExecPlugin plugin, LocalMachine& machine);

}  // namespace trainyard
