#pragma once

#include <string_view>

#include "diag/sink.h"
#include "tree/node_bits.h"
#include "tree/tree.h"

namespace trainyard {

/// Reports `credential-literal` for every key and scalar of a document that holds what can be told
/// to be a credential, from its format or the name that it stands under.
void refuse_credentials(const Tree& tree, NodeId id, Sink& sink);
/// The same for a tree of which is known that it holds none but in `new_texts`, scalars with the
/// nodes that these are in.
void refuse_credentials(const Tree& tree, NodeId id, const NodeBits& new_texts, Sink& sink);

/// The report itself. `what` names the sort of credential ("a GitHub token"); with `redacted`, the
/// text at `where` is the credential and no diagnostic may show it.
void refuse_credential(Span where, std::string_view what, bool redacted, Sink& sink);

}  // namespace trainyard
