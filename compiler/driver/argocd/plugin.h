#pragma once

#include <string>
#include <vector>

#include "driver/argocd/plugin_settings.h"
#include "driver/session/session.h"

namespace trainyard {

// The commands of a config management plugin of Argo CD:
// argoproj/argo-cd docs/operator-manual/config-management-plugins.md.

/// The file plugin.yaml of the sidecar.
std::string plugin_yaml();

/// The first file with a TrainingJob in the folder of the application, or below it; "" for none.
/// Never a fault: Argo CD asks for applications of any sort.
std::string discover(Session& session, const Variables& variables);

/// The objects of all specs in the folder of the application, and below it, and the other objects
/// there as they are. Empty, with errors in the session's sink, when anything is wrong.
std::string generate(Session& session, const PluginSettings& settings);

/// What is to be known of a success: the Cluster states another Kubernetes than the destination
/// has. "" for nothing.
std::string version_warning(Session& session, const PluginSettings& settings);

/// The annotation of an Application that names what its specs are made from, for
/// `argocd.argoproj.io/manifest-generate-paths`. The session has generated it.
std::string generate_paths(const Session& session);

}  // namespace trainyard
