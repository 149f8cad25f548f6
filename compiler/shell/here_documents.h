#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The texts that stand in a script as the input of its commands (`<<EOF`), and are no part of it.
class HereDocuments {
 public:
  /// Reads what stands behind `<<`, from `at` on, and goes behind it; false when there is no word
  /// that ends the text.
  bool announce(std::string_view script, std::size_t& at);
  /// At the beginning of a line: goes behind the texts that begin here.
  void pass(std::string_view script, std::size_t& at);

 private:
  struct Document {
    std::string end;
    bool tabs;  // in front of its lines count for nothing
  };
  std::vector<Document> announced_;
};

}  // namespace trainyard
