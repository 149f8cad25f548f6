#pragma once

#include <string_view>

namespace trainyard {

/// How a value of one job stands to that of another: "" is a value that is not there.
struct ValueChange {
  std::string_view kind;  // of the job
  std::string_view path;  // as SeenValue has it
  std::string_view before;
  std::string_view after;
  bool was_there = true;
  bool is_there = true;
};

/// Why both mean the same to the cluster and the program; "" where they do not.
std::string_view same_because(const ValueChange& change);

/// What one cause changes at several places is one line, and how to keep it.
struct ChangeCause {
  std::string_view name;    // "" for a cause of its own
  std::string_view advice;  // an instruction
};
ChangeCause cause_of(std::string_view path, bool of_pod);

/// Whether a text fits a pattern in which `*` is any text.
bool fits(std::string_view pattern, std::string_view text);

}  // namespace trainyard
