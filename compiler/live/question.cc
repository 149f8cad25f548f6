#include "live/question.h"

#include <iostream>

namespace trainyard {

bool agrees(const std::string& question) {
  std::cerr << question << " [y/N] " << std::flush;
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "yes");
}

}  // namespace trainyard
