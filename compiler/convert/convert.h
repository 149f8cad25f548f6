#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/ledger.h"
#include "diag/sink.h"
#include "effective/pod_builder.h"
#include "manifest/versions.h"
#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

class FabricSource;

/// The objects of a run, and who reads them.
struct ConvertInput {
  std::span<const View> objects;  // lists taken apart
  const Versions& versions;
  const SchemaPack& schemas;
  FabricSource* fabrics = nullptr;              // null where parts of a fabric are to stay parts
  std::vector<std::string> dns_addresses = {};  // that the Cluster names
};

/// Pods that look as if they were made for a fabric, and differ from what a build makes for it.
struct FabricLook {
  View at;  // the container
  std::string fabric;
  std::string evidence;  // what they look like it by
  std::vector<std::string> differences;
  bool refused = false;  // a build makes nothing for it here; the only difference says why
};

/// A TrainingJob that was made from objects of the input.
struct ConvertedJob {
  View from;                     // the object that runs the pods
  NodeId root = kNoNode;         // in the tree of results
  std::vector<NotCarried> lost;  // what of the input it does not have
  std::vector<View> used;        // further objects that went into it
  std::vector<FabricLook> looks;
};

/// Whether `object` is of a kind that runs pods which become a TrainingJob.
bool is_convertible(View object);
/// `PyTorchJob`, `JobSet`, ... for messages.
std::vector<std::string> convertible_kinds();

/// The TrainingJob that makes what `object` makes, in `tree`. Everything of the object and of the
/// others that went into it is in the spec, is made again by a build, or is listed in `lost`.
ConvertedJob convert_object(const ConvertInput& input, View object, Tree& tree, Origins& origins,
                            Sink& sink);

}  // namespace trainyard
