#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// What a new spec of a framework begins with (templates/starters.yaml).
struct Starter {
  std::string_view framework;
  std::string_view image;
  std::string_view run;        // YAML
  std::string_view run_alone;  // the same on one node; "" for no difference
  std::string_view starts;     // who starts the program
  std::int64_t gpus = 0;       // of a node; 0 for none
  std::string_view target;     // "" for the default
};
const std::vector<Starter>& starters();
/// Null for a framework that there is not.
const Starter* find_starter(std::string_view framework);

/// What a person has chosen; "" for what is left open.
struct StarterChoices {
  std::string name;
  std::string name_space;
  std::string framework = "pytorch";
  std::string image;
  std::string nodes = "1";
  std::string machine;
  std::string target;
  std::string data;  // a claim, or an address such as s3://bucket/data
  std::string queue;
};

/// A spec with a comment on each line that a person may want to change. The Cluster, null for none,
/// tells the system of the queue and the GPUs of its machines. The framework must be known.
std::string starter_spec(Session& session, const StarterChoices& choices,
                         const ClusterDocument* cluster);

}  // namespace trainyard
