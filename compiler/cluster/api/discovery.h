#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/api_error.h"
#include "cluster/http/transport.h"

namespace trainyard {

/// A kind that the server has.
struct ApiResource {
  std::string api_version;  // v1, batch/v1
  std::string kind;
  std::string plural;
  bool namespaced = false;

  std::string_view group() const;    // "" for the core
  std::string_view version() const;  // v1
};

/// The kinds that a server has.
class Discovery {
 public:
  /// Two requests where the server knows aggregated discovery (on by default since Kubernetes
  /// 1.27); else one more for each version of each group, at the same time.
  static std::optional<Discovery> of(Transport& transport, ApiError& error);

  /// Null where the server does not have it.
  const ApiResource* find(std::string_view api_version, std::string_view kind) const;
  /// As `find`, in the version that the server prefers.
  const ApiResource* find_any(std::string_view group, std::string_view kind) const;
  std::size_t size() const { return resources_.size(); }
  /// Groups whose own server did not answer: what is missing there may exist all the same.
  const std::vector<std::string>& stale_groups() const { return stale_groups_; }

 private:
  void take_aggregated(View list);
  void ask_versions(Transport& transport, const std::vector<std::string>& versions);

  std::vector<ApiResource> resources_;  // groups in their order, preferred versions first
  std::vector<std::string> stale_groups_;
};

}  // namespace trainyard
