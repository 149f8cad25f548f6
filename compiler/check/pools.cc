#include "check/pools.h"

#include "check/read.h"

namespace trainyard {

bool may_select(const Pool& pool, View spec) {
  for (View entry : entries_at(spec, "nodeSelector")) {
    const Text* label = find(*pool.labels, entry->key);
    if (label != nullptr && **label != entry->text) return false;
  }
  return true;
}

bool is_selected(const Pool& pool, View spec) {
  for (View entry : entries_at(spec, "nodeSelector")) {
    const Text* label = find(*pool.labels, entry->key);
    if (label != nullptr && **label == entry->text) return true;
  }
  return false;
}

}  // namespace trainyard
