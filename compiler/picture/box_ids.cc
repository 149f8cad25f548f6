#include "picture/box_ids.h"

namespace trainyard {

BoxIds::BoxIds(const Picture& picture) {
  add(picture.boxes);
}

void BoxIds::add(const std::vector<Box>& boxes) {
  for (const Box& each : boxes) {
    names_.emplace(&each, "b" + std::to_string(names_.size()));
    if (!each.id.empty()) boxes_.emplace(each.id, &each);
    add(each.inside);
  }
}

const Box* BoxIds::box(std::string_view id) const {
  const auto found = boxes_.find(id);
  return found == boxes_.end() ? nullptr : found->second;
}

}  // namespace trainyard
