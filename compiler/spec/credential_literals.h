#pragma once

#include <string_view>

#include "diag/sink.h"
#include "tree/tree.h"

namespace trainyard {

/// Reports `credential-literal` for every key and scalar of a document that holds what can be told
/// to be a credential, from its format or the name that it stands under.
void refuse_credentials(const Tree& tree, NodeId id, Sink& sink);

/// The report itself. `what` names the sort of credential ("a GitHub token"); with `redacted`, the
/// text at `where` is the credential and no diagnostic may show it.
void refuse_credential(Span where, std::string_view what, bool redacted, Sink& sink);

}  // namespace trainyard
