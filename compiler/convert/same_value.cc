#include "convert/same_value.h"

#include <algorithm>

#include "tree/typed_fields.h"

namespace trainyard {

bool same_value(View a, View b) {
  if (a->kind != b->kind || a->size != b->size) return false;
  if (a->is_map()) {
    return std::ranges::all_of(Items(a), [&](View each) {
      const View other = b[each->key];
      return other && same_value(each, other);
    });
  }
  if (!a->is_seq()) return a->text == b->text;
  Items others(b);
  auto other = others.begin();
  for (View each : Items(a)) {
    if (!same_value(each, *other)) return false;
    ++other;
  }
  return true;
}

}  // namespace trainyard
