#pragma once

#include <string>

#include "rules/rule_context.h"

namespace trainyard {

/// An input or an output together with what moves it.
struct DataMove {
  const DataPlan* data = nullptr;
  const TransferSpec* way = nullptr;
  std::string name;      // of the container
  std::string path;      // a directory, or where `is_file` the file
  std::string folder;    // in which all comes: `path`, or where `is_file` the directory around it
  std::string file;      // the file that may come; empty where it is a directory in any case
  bool is_file = false;  // `path` names one file
  bool fetches = false;
};

}  // namespace trainyard
