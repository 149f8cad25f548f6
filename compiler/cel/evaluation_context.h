#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/heap.h"

namespace trainyard::cel {

/// Compiled patterns by their text.
class Regexes;

/// What is wrong with a text that is to have a named format (`dns1123Label`): messages, none for a
/// good one. False when there is no such format.
using FormatCheck = bool (*)(std::string_view format, std::string_view text,
                             std::vector<std::string>& messages);

/// What functions share during evaluations: memory, patterns, and the budget that keeps an
/// expression from running on. Not for two threads at once.
class Context {
 public:
  explicit Context(FormatCheck formats = nullptr);
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  Heap heap;
  std::vector<Value> slots;  // of the evaluation that goes on
  Regexes& regexes() { return *regexes_; }
  FormatCheck formats() const { return formats_; }

  /// Takes `steps` from the budget. False when it is used up: whatever is being evaluated fails.
  bool spend(std::uint64_t steps) {
    if (steps > budget_) {
      exhausted_ = true;
      budget_ = 0;
      return false;
    }
    budget_ -= steps;
    return true;
  }
  bool exhausted() const { return exhausted_; }
  std::uint64_t budget() const { return budget_; }
  void set_budget(std::uint64_t steps) {
    budget_ = steps;
    exhausted_ = false;
  }

 private:
  FormatCheck formats_;
  std::unique_ptr<Regexes> regexes_;
  std::uint64_t budget_ = 0;
  bool exhausted_ = false;
};

/// The error of an expression that used up its budget.
Value out_of_budget();

}  // namespace trainyard::cel
