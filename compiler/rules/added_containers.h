#pragma once

#include <string_view>
#include <vector>

#include "spec/training_job.h"
#include "tree/quantity.h"
#include "tree/tree.h"

namespace trainyard {

/// What containers that `pod` adds request together, of one resource.
struct AddedRequest {
  std::string_view resource;
  Quantity amount;
  Span place;  // of the last of them
};

/// What containers that `pod` adds to the pods of a role request, beside the one that trains, which
/// is `main`. Native sidecars count; init containers run before the others and take nothing from
/// them (kubernetes/kubernetes pkg/api/v1/resource/helpers.go PodRequests).
std::vector<AddedRequest> requests_of_added(const JobSpec& spec, const Tree& tree,
                                            std::string_view role, std::string_view main);

}  // namespace trainyard
