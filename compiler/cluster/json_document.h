#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

class JsonDocument;
using JsonAnswer = std::shared_ptr<const JsonDocument>;

/// A JSON answer as a tree, without `managedFields`. Views into it are good for as long as it
/// lives.
class JsonDocument {
 public:
  /// Null where the text is no JSON.
  static JsonAnswer read(std::string text);
  /// A list of objects of one kind, which the server leaves out of the items: put back into them.
  static JsonAnswer read_list(std::string text, std::string_view api_version,
                              std::string_view kind);
  View root() const { return {tree_, tree_.root()}; }

 private:
  static std::shared_ptr<JsonDocument> parse(std::string text);

  Tree tree_;
};

}  // namespace trainyard
