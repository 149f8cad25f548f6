#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/api/discovery.h"
#include "driver/survey/survey.h"

namespace trainyard {

/// Asks for all that `discovery_signs` names, at the same time. An error is one of the connection;
/// what the user may not read is a note. Secrets are not among the kinds.
Survey survey_cluster(Transport& transport, const Discovery& discovery,
                      const std::string& kubernetes, std::optional<ApiError>& error);

/// Which of these Secrets are there: their metadata alone is asked for (PartialObjectMetadata), so
/// that no value comes over the wire.
std::vector<Presence> look_for_secrets(Transport& transport,
                                       const std::vector<NamedObject>& secrets,
                                       std::optional<ApiError>& error);

}  // namespace trainyard
