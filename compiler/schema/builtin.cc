#include "schema/pack.h"

namespace trainyard {

const SchemaPack& SchemaPack::builtin() {
  static const SchemaPack empty;
  return empty;
}

}  // namespace trainyard
