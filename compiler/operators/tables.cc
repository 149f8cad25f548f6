#include "operators/tables.h"

namespace trainyard {

CheckTables operator_checks() {
  static const std::span<const Check> all[] = {
#define TRAINYARD_TABLE(name) name,
#include "operators/tables.def"
#undef TRAINYARD_TABLE
  };
  return all;
}

}  // namespace trainyard
