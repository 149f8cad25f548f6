#include "admission/crd_paths.h"

#include <vector>

#include "diag/suggest.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// One step at the front of `path`, which is cut off: a name, or nothing when it is none.
std::optional<std::string> next_step(std::string_view& path) {
  if (path.starts_with("['")) {
    std::string name;
    for (std::size_t i = 2; i < path.size(); ++i) {
      if (path[i] == '\\' && i + 1 < path.size()) {
        name += path[++i];
      } else if (path[i] == '\'') {
        if (!path.substr(i + 1).starts_with(']')) return {};
        path.remove_prefix(i + 2);
        return name;
      } else {
        name += path[i];
      }
    }
    return {};
  }
  if (!path.starts_with('.')) return {};
  path.remove_prefix(1);
  std::string name(path.substr(0, path.find_first_of(".[]")));
  path.remove_prefix(name.size());
  return name.empty() ? std::nullopt : std::optional(std::move(name));
}

std::string no_field(View properties, std::string_view name) {
  std::vector<std::string_view> known;
  for (View each : Items(properties)) known.push_back(each.key());
  const auto near = suggest(name, known);
  return "there is no field " + shown(name) + (near ? ": did you mean " + shown(*near) + "?" : "");
}

}  // namespace

SchemaPath follow_path(std::string_view path, View schema) {
  while (!path.empty()) {
    const auto name = next_step(path);
    if (!name) return {"expected steps such as `.a` or `['a']`", {}};
    const View properties = get(schema, "properties");
    const View others = get(schema, "additionalProperties");
    if (has_items(properties)) {
      const View found = get(properties, *name);
      if (!found) return {no_field(properties, *name), {}};
      schema = found;
    } else if (others && others->is_map()) {
      schema = others;
    } else if (is_true(others)) {
      return {};
    } else {
      return {"there is no field " + shown(*name), {}};
    }
  }
  return {{}, schema};
}

}  // namespace trainyard
