#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/survey/survey.h"
#include "spec/cluster.h"

namespace trainyard {

/// An operator that is installed.
struct RealOperator {
  Operator which;
  std::string version = {};     // 0.19.2; "" where nothing tells it
  std::string told_by = {};     // `Deployment kueue-system/kueue-controller-manager`
  std::string controller = {};  // the same, whether or not it tells the release; "" for none
  bool is_tagged = false;       // the image's tag tells it, else a label of Helm
  std::string_view kind;        // whose CRD is there
};

/// Those whose kinds the API server has, or whose controllers a dump without CRDs has, in the order
/// of `words(Operator{})`. Their releases are the tags of the images of their controllers, or what
/// Helm wrote on them.
std::vector<RealOperator> real_operators(const Survey& survey);

/// The kind by which an operator is known: `ClusterQueue.kueue.x-k8s.io`.
std::string_view kind_of(Operator which);

/// The tag of an image whose repository ends so; "" for another image, or none.
std::string tag_of(std::string_view image, std::string_view end);

/// `0.19.2` of `v0.19.2`, `v1.9.4-1234abc` or `0.19.2@sha256:...`; "" for what is no release.
std::string release_in(std::string_view tag);

}  // namespace trainyard
