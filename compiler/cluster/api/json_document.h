#pragma once

#include <memory>
#include <string>

#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// An answer as a tree. Views into it are good for as long as it lives.
class JsonDocument {
 public:
  /// Null where the text is no JSON.
  static std::shared_ptr<const JsonDocument> read(std::string text);
  View root() const { return {tree_, tree_.root()}; }

 private:
  Tree tree_;
};

using JsonAnswer = std::shared_ptr<const JsonDocument>;

}  // namespace trainyard
