#pragma once

#include <optional>
#include <vector>

#include "platform/platform_context.h"

namespace trainyard {

/// The system that a queue belongs to: as it says, else that of the defaults; nothing when neither
/// names one that has queues.
std::optional<QueueSystem> system_of(const ClusterSpec& cluster, const Queue& queue);

/// The queues of a system that have to be made. An operator that is not there is an error.
std::vector<const Queue*> queues_to_make(PlatformContext& context, QueueSystem system,
                                         Operator which);

/// The namespaces whose jobs may use the queue. If none is named, that is an error.
std::vector<Text> namespaces_of(PlatformContext& context, const Queue& queue);

/// Whether jobs are queued by a system: a queue of it is listed, or it is that of the defaults.
bool uses(const ClusterSpec& cluster, QueueSystem system);

}  // namespace trainyard
