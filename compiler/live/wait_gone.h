#pragma once

#include <optional>
#include <string_view>

#include "cluster/api/api_error.h"
#include "cluster/api/discovery.h"
#include "cluster/http/transport.h"

namespace trainyard {

/// How the wait for an object that was deleted ended.
struct WaitedForGone {
  std::optional<ApiError> error;  // the API server did not say whether it is there
  bool timed_out = false;         // it is still there
};

/// Waits until an object that is deleted in the foreground is gone with its pods, `most` at
/// longest. Another object of its name is none to wait for.
WaitedForGone wait_until_gone(Transport& transport, const ApiResource& resource,
                              std::string_view name_space, std::string_view name,
                              std::string_view uid, Milliseconds most);

}  // namespace trainyard
