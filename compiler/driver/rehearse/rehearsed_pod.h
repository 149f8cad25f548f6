#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/rehearse/controller_objects.h"
#include "driver/rehearse/image_facts.h"
#include "driver/rehearse/rehearsal.h"
#include "effective/pods.h"
#include "manifest/inventory.h"
#include "tree/tree.h"

namespace trainyard {

/// What the pods of a rehearsal are made with.
struct RehearsalWorld {
  const Inventory& inventory;                      // ConfigMaps and Services of the inputs
  const ControllerObjects& objects;                // and what the job's controller makes
  std::map<std::string, std::string> environment;  // the user's
  std::map<std::string, std::string> folders;      // the user's, by the paths of pods
  std::optional<ImageFacts> image = {};            // whose programs run; else those of this machine
};

/// The pod of a role at an index, as processes of this machine. `number` counts all pods of the
/// rehearsal from 0. What is not as in the cluster is appended to `differences`.
RehearsedPod rehearsed_pod(const RehearsalWorld& world, View pod, const EffectivePod& made,
                           std::size_t number, std::vector<std::string>& differences);

}  // namespace trainyard
