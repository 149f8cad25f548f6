#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/conversion.h"

namespace trainyard {

/// `TF_CONFIG`: where the pods of a job of TensorFlow are, and which of them this one is.
struct TfConfig {
  struct Role {
    std::string name;
    std::vector<std::string> hosts;  // with their ports
  };
  std::vector<Role> cluster;  // at least one, each with at least one host
  std::string type;           // of this pod
  std::string index;          // a number, or a variable
};

/// Nothing for a text of another form.
std::optional<TfConfig> read_tf_config(View value);

/// Reports those that are not what a build writes for the roles of the job.
void settle_tf_configs(Conversion& job);

}  // namespace trainyard
