#include "check/place.h"

namespace trainyard {

Span text_place(const Origins& origins, OriginId id) {
  if (id == kNoOrigin) return {};
  for (OriginId input : origins.inputs(id)) {
    const Span found = text_place(origins, input);
    if (found.known()) return found;
  }
  return origins[id].span;
}

}  // namespace trainyard
