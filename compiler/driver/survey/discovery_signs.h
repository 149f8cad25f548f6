#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/cluster.h"

namespace trainyard {

/// A kind that a survey looks for.
struct KindToSurvey {
  std::string_view group;
  std::string_view kind;
  std::string_view resource;    // as `kubectl get` names it: clusterqueues.kueue.x-k8s.io
  bool is_for_discover = true;  // else `doctor` alone needs it
  bool is_listed = true;        // else only whether it is served
  std::string_view field_selector = {};
  std::string_view version = {};  // a version that must be served; "" for any
};
/// `Kind.group`, or `Kind.group/version` where the version counts.
std::string name_of(const KindToSurvey& kind);

struct OperatorSign {
  Operator which;
  std::string_view kind;
  std::string_view image;  // the end of its controller's
};

struct PluginSign {
  std::string_view fabric;
  std::string_view image;  // the end of that of the container that installs it
};

struct DeviceModeSign {
  std::string_view mode;
  std::vector<std::string_view> fabrics;
};

struct GitOpsSign {
  std::string_view tool;
  std::string_view kind;
};

struct ProvisionerSign {
  std::vector<std::string_view> access_modes;
  std::vector<std::string_view> names;  // ends of provisioners
};

/// What templates/discovery.yaml says, which describes each part.
struct DiscoverySigns {
  std::vector<KindToSurvey> kinds;
  std::vector<OperatorSign> operators;
  std::vector<std::string_view> pool_labels;
  std::vector<std::string_view> further_labels;
  std::vector<std::string_view> cluster_names;
  std::vector<std::string_view> fabrics;
  std::vector<PluginSign> plugins;
  std::vector<DeviceModeSign> device_modes;
  std::vector<GitOpsSign> gitops;
  std::vector<ProvisionerSign> provisioners;
};
const DiscoverySigns& discovery_signs();

/// The call of kubectl that prints what `discover` reads; it asks for no Secrets.
std::string dump_call();

}  // namespace trainyard
