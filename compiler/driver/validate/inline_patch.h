#pragma once

#include <memory>
#include <vector>

#include "driver/session/session.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// The patches in one text of a kustomization, where each has its place in the file.
class InlinePatches {
 public:
  explicit InlinePatches(View text);

  /// None where the text has a fault.
  std::vector<View> all() const;
  /// Where something of a patch stands in the file of the kustomization; the whole text where
  /// escapes make it another one.
  Span place(Span inner, const SourceMap& sources) const;

 private:
  View text_;
  SourceMap inner_;  // that the documents point into
  std::vector<Tree> documents_;
};

/// Fields of a patch that its kind does not have: the objects that it is laid over get them.
void tell_unknown_fields(View patch, const InlinePatches& patches, Session& session);

}  // namespace trainyard
