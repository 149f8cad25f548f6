#include "lints/tables.h"

namespace trainyard {

CheckTables lints() {
  static const std::span<const Check> all[] = {
#define TRAINYARD_TABLE(name) name,
#include "lints/tables.def"
#undef TRAINYARD_TABLE
  };
  return all;
}

}  // namespace trainyard
