#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/format/text_layout.h"
#include "driver/session/session.h"
#include "kind/health.h"

namespace trainyard {

/// What can be listed: `targets`, `capabilities`, `rules`, `checks`, `fabrics`, `machines`,
/// `schemas`, `diagnostics`, `health`, `examples`.
const std::vector<std::string>& list_names();

/// The table of one of these names; nothing for another name.
std::optional<Table> list_table(Session& session, std::string_view name);

/// Leaves the checks that a selector means (see check/check_selectors.h) in the table of checks.
/// False when it means none.
bool keep_selected(Session& session, std::string_view selector, Table& checks);

/// Of `health`, for a tool that reads it: the ConfigMap argocd-cm for `argocd`, the list
/// `healthCheckExprs` for `flux`.
std::string health_document(const JobKinds& kinds, std::string_view tool, QueuedIs queued);

}  // namespace trainyard
