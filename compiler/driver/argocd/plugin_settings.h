#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// A variable of the environment; nothing where it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

/// What an Application of Argo CD asks the plugin for: parameters in ARGOCD_APP_PARAMETERS, else
/// variables of its `env`, ARGOCD_ENV_CLUSTER and so on.
struct PluginSettings {
  std::string cluster;  // a path from the folder of the application
  std::string target;
  std::vector<std::string> overlays;  // as `cluster`
  bool strict = false;
  std::string root;        // of the repository, from the folder of the application: `../..`
  std::string kubernetes;  // of the destination, KUBE_VERSION; "" where Argo CD does not say
};

/// Reads the settings, and lets documents of the session name files anywhere in the repository. An
/// unknown parameter, a value of a wrong form and a path out of the repository are errors in the
/// session's sink, which show no value: any of them may be a secret.
PluginSettings plugin_settings(Session& session, const Variables& variables);

/// The announcements of all parameters, as the user interface of Argo CD reads them: a JSON list,
/// with these settings as defaults.
std::string plugin_parameters(const PluginSettings& defaults);

}  // namespace trainyard
