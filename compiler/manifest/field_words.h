#pragma once

#include <array>
#include <string_view>

namespace trainyard {

// The words that some fields of Kubernetes take.
inline constexpr auto kPullPolicies =
    std::to_array<std::string_view>({"Always", "IfNotPresent", "Never"});
inline constexpr auto kProtocols = std::to_array<std::string_view>({"TCP", "UDP", "SCTP"});
inline constexpr auto kRestartPolicies =
    std::to_array<std::string_view>({"Always", "OnFailure", "Never"});

}  // namespace trainyard
