#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// A file of `templates/` that only `explain` reads, as a tree.
class OwnTable {
 public:
  OwnTable(Session& session, std::string_view file);
  /// Empty if there is no such file.
  View root() const;

 private:
  std::unique_ptr<SourceMap> sources_;  // keeps the text, to which the tree refers
  std::vector<Tree> trees_;
};

/// Checks that find a manifest without what the rule does, or why there are none
/// (`templates/without.yaml`).
std::string told_without(Session& session, std::string_view rule);

/// The rules and the fields of templates by which a build avoids what the check finds; "" for none.
std::string avoided_by(Session& session, std::string_view check);

}  // namespace trainyard
