#include "driver/session/all_checks.h"

#include <vector>

#include "admission/tables.h"
#include "lints/tables.h"
#include "operators/tables.h"
#include "policy/data_checks.h"

namespace trainyard {

CheckTables all_checks() {
  static const std::vector<std::span<const Check>> all = [] {
    std::vector<std::span<const Check>> tables;
    for (const CheckTables part : {admission_checks(), operator_checks(), lints()}) {
      tables.insert(tables.end(), part.begin(), part.end());
    }
    tables.push_back(data_checks);
    return tables;
  }();
  return all;
}

const Check* find_check(std::string_view name) {
  return find_check(all_checks(), name);
}

}  // namespace trainyard
