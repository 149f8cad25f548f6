#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"

namespace trainyard {

/// Collects diagnostics; nothing is printed until all of them are known.
class Sink {
 public:
  /// As many are kept. The others are only counted: a file of many megabytes can have one in
  /// every line.
  static constexpr std::size_t kMost = 10'000;

  /// The reference is good until the next report: chain `.also(...)`, `.note(...)` on it. All that
  /// words a finding is cold: the code that comes to it is kept apart from what nearly always runs.
  [[gnu::cold]] Diagnostic& report(DiagnosticKind kind, Span span, std::string message) {
    return report(Diagnostic(kind, span, std::move(message)));
  }
  [[gnu::cold]] Diagnostic& report(Diagnostic diagnostic) {
    if (fail_on_) diagnostic.severity = judged(diagnostic);
    if (diagnostic.severity == Severity::Error) ++errors_;
    if (diagnostics_.size() == kMost) {
      ++left_out_;
      return last_left_out_.emplace(std::move(diagnostic));
    }
    diagnostics_.push_back(std::move(diagnostic));
    return diagnostics_.back();
  }

  /// What is reported from now on is an error if its effect is `least` or worse, and a warning if
  /// not. Notes stay notes, and a severity that the user has asked for stays.
  void fail_on(Effect least) { fail_on_ = least; }

  bool has_errors() const { return errors_ != 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return diagnostics_; }
  /// By file, position, kind and message, whatever order they came in; repeats once.
  /// A note at the end says how many were left out.
  std::vector<Diagnostic> sorted() const;
  void clear() {
    diagnostics_.clear();
    errors_ = 0;
    left_out_ = 0;
  }

 private:
  [[gnu::cold]] Severity judged(const Diagnostic& diagnostic) const;

  std::vector<Diagnostic> diagnostics_;
  std::size_t errors_ = 0;
  std::size_t left_out_ = 0;
  std::optional<Diagnostic> last_left_out_;
  std::optional<Effect> fail_on_;
};

}  // namespace trainyard
