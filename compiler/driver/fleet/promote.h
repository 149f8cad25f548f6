#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct PromoteRequest {
  std::string fleet = "fleet.yaml";  // path of the Fleet document
  std::string job;                   // `metadata.name` of both specs
  std::string from, to;              // names of clusters
  std::vector<std::string> fields;   // below `spec`; empty for `image`
  bool write = false;                // change the spec
};

/// A field that both specs have with different values.
struct PromotedField {
  std::string path;  // `spec.image`
  std::string before;
  std::string after;
};

struct Promotion {
  std::string from, to;  // paths of the specs
  std::vector<PromotedField> fields;
  std::string difference;  // of the spec that changes, as a diff
};

/// Copies scalars from the spec of a job in one cluster to that of its namesake in another one.
/// Only their characters change. What both specs do not have as a scalar of their own is an error
/// in the session's sink, and then nothing changes.
Promotion promote(Session& session, const PromoteRequest& request);

}  // namespace trainyard
