#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "check/check_context.h"
#include "driver/session/session.h"
#include "tree/tree.h"

namespace trainyard {

/// An object of the inputs, and what a kustomization makes of it.
struct OverlaidObject {
  View before;
  View now;
  bool replaces_lists = false;  // a merge has replaced lists as a whole, as of kinds of CRDs
};

/// What one kustomization makes of objects with its patches.
struct Overlay {
  std::string folder;  // of the kustomization, with a `/` at the end; "" for the working directory
  std::vector<OverlaidObject> objects;
  std::set<std::string> config_maps;  // that it generates or adds keys to
  std::set<std::string> secrets;
  std::vector<Diagnostic> unknown_fields;  // of patches: checks of the objects report them as well
  std::set<FileId> patches;                // the files with them
};

struct Overlays {
  std::deque<Tree> trees;  // that the objects stand in
  std::vector<Overlay> all;
};

/// What is wrong with objects as kustomizations make them, and was not before: what the patches
/// brought. `surroundings` has the inventory of all inputs.
std::vector<Diagnostic> check_overlays(Session& session, const Overlays& overlays,
                                       const CheckInputs& surroundings);

}  // namespace trainyard
