#include "driver/session/strict_documents.h"

#include <algorithm>
#include <utility>

namespace trainyard {
void StrictDocuments::take(Session& session, Document& document) {
  if (file_ != document.file) read(session, document.file);
  const Span all = document.root()->span;
  const auto first = std::ranges::lower_bound(
      ambiguous_, all.begin, {}, [](const Diagnostic& each) { return each.span.begin; });
  for (auto each = first; each != ambiguous_.end() && each->span.end <= all.end; ++each) {
    session.sink.report(*each);
  }
  const auto tree = std::ranges::lower_bound(trees_, all.begin, {}, &Place::begin);
  if (tree == trees_.end() || tree->tree.size() == 0) return;
  if (View(tree->tree, tree->tree.root())->span == all) document.tree = std::move(tree->tree);
}

void StrictDocuments::read(Session& session, FileId file) {
  file_ = file;
  Sink found;
  trees_.clear();
  for (Tree& tree : read_yaml(session.sources, file, found, session.limits)) {
    if (tree.size() == 0) continue;
    const std::uint32_t begin = tree[tree.root()].span.begin;
    trees_.push_back({begin, std::move(tree)});
  }
  ambiguous_ = found.sorted();
  std::erase_if(ambiguous_, [](const Diagnostic& each) {
    return each.kind != DiagnosticKind::AmbiguousScalar;
  });
}

}  // namespace trainyard
