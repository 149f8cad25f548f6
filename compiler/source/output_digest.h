#pragma once

#include <string_view>

namespace trainyard {

/// The annotation of a job with the digest of all its objects, as they are written.
inline constexpr std::string_view kDigestAnnotation = "trainyard/digest";

/// Stands for the digest until the objects are written, and while it is worked out.
inline constexpr std::string_view kDigestToCome =
    "sha256:0000000000000000000000000000000000000000000000000000000000000000";

}  // namespace trainyard
