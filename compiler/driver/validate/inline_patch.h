#pragma once

#include <vector>

#include "driver/session/session.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// The patches in one text of a kustomization. Their nodes have their places in the file of the
/// kustomization; those behind an escape have that of the whole text.
class InlinePatches {
 public:
  InlinePatches(View text, const SourceMap& sources);

  /// None where the text has a fault.
  std::vector<View> all() const;

 private:
  SourceMap inner_;  // that the texts of the documents point into
  std::vector<Tree> documents_;
};

/// Fields of a patch that its kind does not have: the objects that it is laid over get them.
void tell_unknown_fields(View patch, Session& session, Sink& sink);

}  // namespace trainyard
