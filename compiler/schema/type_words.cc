#include "schema/type_words.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace trainyard {

std::string wanted_types(const SchemaNode& schema) {
  if (schema.flags & kQuantity) return "a quantity";
  if (schema.flags & kIntOrString) return "an integer or a string";
  std::vector<std::string_view> words;
  if (schema.types & kObject) words.push_back("a map");
  if (schema.types & kArray) words.push_back("a list");
  if (schema.types & kString) words.push_back("a string");
  if (schema.types & kNumber) words.push_back("a number");
  if ((schema.types & kInteger) && !(schema.types & kNumber)) words.push_back("an integer");
  if (schema.types & kBoolean) words.push_back("a boolean (`true` or `false`)");
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += i + 1 == words.size() ? " or " : ", ";
    result += words[i];
  }
  return result.empty() ? "a value" : result;
}

}  // namespace trainyard
