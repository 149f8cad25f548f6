#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct PoliciesTested {
  std::size_t checks = 0;
  std::size_t examples = 0;
};

/// Tries the checks of policy files on their examples. What an example does not show is an error in
/// the session's sink, and so is a file that cannot be read.
PoliciesTested test_policies(Session& session, const std::vector<std::string>& files);

}  // namespace trainyard
