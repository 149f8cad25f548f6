#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// The kind that a name means, or why none.
struct KindChoice {
  const SchemaPack* pack = nullptr;
  const SchemaKind* kind = nullptr;
  std::vector<std::string> others;  // kinds that the name could mean as well, in full
  std::string error;
};

/// Finds a kind by its name alone (`Job`) or in full (`batch/v1/Job`, `v1/Pod`, `core/v1/Pod`). Of
/// several with one name: ours, then those of Kubernetes itself, then by the name of their group;
/// of one group the newest stable version, as Kubernetes sorts them.
KindChoice find_kind(Session& session, std::string_view name);

/// `batch/v1/Job`; the core group is left out.
std::string full_name(const SchemaPack& pack, const SchemaKind& kind);

}  // namespace trainyard
