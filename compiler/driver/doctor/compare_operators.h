#pragma once

#include <vector>

#include "driver/doctor/deviation.h"
#include "driver/survey/real_operators.h"

namespace trainyard {

/// How the API server and the operators differ from what a Cluster says of them.
void compare_releases(const Cluster& cluster, const Survey& survey, Deviations& deviations);

/// Whether a release is the stated one, which may leave parts out: `1.34` is `v1.34.2`.
bool is_release(std::string_view stated, std::string_view real);

}  // namespace trainyard
