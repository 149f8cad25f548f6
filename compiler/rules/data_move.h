#pragma once

#include <string>

#include "rules/rule_context.h"

namespace trainyard {

/// An input or an output together with what moves it.
struct DataMove {
  const DataPlan* data = nullptr;
  const TransferSpec* way = nullptr;
  std::string name;  // of the container
  std::string path;
  bool fetches = false;
};

}  // namespace trainyard
