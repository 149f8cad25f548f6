#pragma once

#include <memory>
#include <string>

#include "tree/tree.h"

namespace trainyard {

class JsonDocument;
using JsonAnswer = std::shared_ptr<const JsonDocument>;

/// A JSON answer as a tree. Views into it are good for as long as it lives.
class JsonDocument {
 public:
  /// Null where the text is no JSON.
  static JsonAnswer read(std::string text);
  View root() const { return {tree_, tree_.root()}; }

 private:
  Tree tree_;
};

}  // namespace trainyard
