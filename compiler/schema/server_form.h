#pragma once

#include "schema/sources.h"
#include "tree/tree.h"

namespace trainyard {

/// Gives an object the form in which the API server keeps it, as far as two field managers would
/// otherwise be refused for the same bytes (kubectl, then Argo CD or Flux):
///
/// - inside of a list or map that one manager owns as a whole, defaults are written out: the
///   server adds them, and the value is then another one than what the second manager applies;
/// - in kinds of Kubernetes itself, zero values go that the server does not keep, such as
///   `value: ""`.
///
/// Neither changes what the object means. Values that are added have `origin`.
/// kubernetes-sigs/structured-merge-diff merge/update.go
void into_server_form(const SchemaSource& source, const SchemaKind& kind, Tree& tree, NodeId object,
                      OriginId origin);

}  // namespace trainyard
