#include "manifest/object_name.h"

#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {

ObjectName object_name(View object) {
  const View metadata = get(object, "metadata");
  const View name = get(metadata, "name");
  if (!string_of(name).empty()) return {name, std::string(name->text)};
  const View prefix = get(metadata, "generateName");
  if (string_of(prefix).empty()) return {};
  return {prefix, std::string(prefix->text.substr(0, kGenerateNameKept)) + "xxxxx"};
}

}  // namespace trainyard
