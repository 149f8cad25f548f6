#include "spec/credential_literals.h"

#include <string>

#include "source/credentials.h"

namespace trainyard {

void refuse_credentials(const Tree& tree, NodeId id, Sink& sink) {
  const Node& node = tree[id];
  if (const auto found = find_credential(node.key)) {
    refuse_credential(node.key_span, found->what, true, sink);
  }
  if (node.is_scalar()) {
    const auto found = find_credential(node.text);
    if (found) refuse_credential(node.span, found->what, true, sink);
  }
  for (const NodeId child : tree.children(id)) refuse_credentials(tree, child, sink);
}

void refuse_credential(Span where, std::string_view what, bool redacted, Sink& sink) {
  Diagnostic& report = sink.report(DiagnosticKind::CredentialLiteral, where,
                                   "this looks like " + std::string(what) + " in clear text");
  report.note(
      "put it into a Secret and refer to it in `secretEnv`; the value is not repeated here, "
      "but it is in the file and should be revoked if the file was shared");
  if (redacted) report.redact(where);
}

}  // namespace trainyard
