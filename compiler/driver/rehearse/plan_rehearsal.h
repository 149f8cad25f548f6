#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/rehearse/controller_objects.h"
#include "driver/rehearse/fold_spec.h"
#include "driver/rehearse/image_facts.h"
#include "driver/rehearse/rehearsal.h"
#include "driver/session/session.h"

namespace trainyard {

struct RehearseRequest {
  std::vector<std::string> inputs;  // files, directories, `-`
  std::string cluster;              // its defaults and versions count; "" for none
  std::string target;               // overrides that of specs; "" for none
  std::string name;                 // of the job, when there are several; "" for the only one
  Fold fold;
  std::map<std::string, std::string> environment;  // the user's
  std::map<std::string, std::string> folders;      // the user's, by the paths of pods
  /// Of the images whose programs run; empty where those of this machine do.
  std::function<ImageFacts(const std::string& image)> image_facts = {};
  std::function<KeyPair()> make_keys = {};  // for jobs whose pods reach each other by ssh
};

/// Plans the pods of one job as processes of this machine. A spec compiles with fewer nodes and
/// processes; a manifest keeps its numbers. Nothing, with errors in the session's sink, if the job
/// is wrong or cannot run here.
std::optional<Rehearsal> plan_rehearsal(Session& session, const RehearseRequest& request);

}  // namespace trainyard
