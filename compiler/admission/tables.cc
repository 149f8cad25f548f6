#include "admission/tables.h"

namespace trainyard {

CheckTables admission_checks() {
  static const std::span<const Check> all[] = {
#define TRAINYARD_TABLE(name) name,
#include "admission/tables.def"
#undef TRAINYARD_TABLE
  };
  return all;
}

}  // namespace trainyard
