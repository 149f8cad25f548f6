#pragma once

#include <functional>
#include <string>
#include <vector>

#include "editor/message_values.h"
#include "editor/name_sorts.h"
#include "editor/workspace.h"

namespace trainyard {

/// Where a name is defined, or used.
struct NamePlace {
  std::string uri;
  Json range;
  bool is_definition = false;
};

/// Says that the client does not wait any more.
using Cancelled = std::function<bool()>;

/// What a search over the folders of the client reads at most.
inline constexpr std::size_t kMostSearchedFiles = 20'000;

/// Where the field or name at a place is defined: a file, the layer that says the same field, an
/// entry of the Cluster, a role of the job; of a line that `trainyard build` wrote its causes.
/// `Location[]`.
Json definitions(Workspace& workspace, const OpenDocument& document, std::size_t offset);

/// All places of the name at a place, over the open documents and the YAML files of the client's
/// folders. Roles are those of one job: of a spec and of what it extends.
std::vector<NamePlace> name_places(Workspace& workspace, const OpenDocument& document,
                                   std::size_t offset, const Cancelled& cancelled);

/// The name that a rename would change; `null` where there is none. `{range, placeholder}`.
Json prepare_rename(const Workspace& workspace, const OpenDocument& document, std::size_t offset);

/// A `WorkspaceEdit` that gives a job or a role another name in all files; `fault` says why not.
Json rename(Workspace& workspace, const OpenDocument& document, std::size_t offset,
            const std::string& name, const Cancelled& cancelled, std::string& fault);

}  // namespace trainyard
