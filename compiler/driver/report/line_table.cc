#include "driver/report/line_table.h"

#include <utility>

namespace trainyard {

std::size_t LineTable::add(std::string piece) {
  if (const auto known = numbers_.find(piece); known != numbers_.end()) return known->second;
  pieces_.push_back(std::move(piece));
  numbers_.emplace(pieces_.back(), pieces_.size() - 1);
  return pieces_.size() - 1;
}

std::string LineTable::json() const {
  return json_list(pieces_);
}

std::string json_list(const std::deque<std::string>& pieces) {
  std::string text = "[";
  for (const std::string& each : pieces) {
    text += text.size() > 1 ? ",\n" : "\n";
    text += each;
  }
  return text + "]";
}

}  // namespace trainyard
