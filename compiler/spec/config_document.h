#pragma once

#include <span>
#include <string_view>

#include "diag/effect.h"
#include "diag/sink.h"
#include "spec/field_table.h"
#include "spec/located.h"
#include "tree/tree.h"

namespace trainyard {

/// The file `.trainyard.yaml` as it was written. What each field means is in
/// schemas/trainyard/v1alpha1/Config.yaml.
struct Config {
  Text api_version;
  Text kind;
  Shape checks;  // severities by name
  Text cluster;
  Text target;
  TextList schemas;
  TextList policies;
  Text kubernetes_version;
  Flag ignore_unknown_kinds;
  TextList exclude;
  Flag strict;
  Located<Effect> fail_on;
};

/// How effects are written, in their order.
inline std::span<const std::string_view> words(Effect) {
  return kEffectWords;
}

/// As decode_training_job.
Config decode_config(const Tree& tree, NodeId root, Sink& sink);

/// The fields that are decoded, for the comparison with the schema.
const FieldTable& config_fields();

}  // namespace trainyard
