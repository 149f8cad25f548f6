#include "diag/sink.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace trainyard {
namespace {

auto order(const Diagnostic& d) {
  return std::tie(d.span.file, d.span.begin, d.span.end, d.kind, d.message, d.path);
}

}  // namespace

std::vector<Diagnostic> Sink::sorted() const {
  std::vector<Diagnostic> result = diagnostics_;
  std::stable_sort(result.begin(), result.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return order(a) < order(b); });
  const auto repeats =
      std::unique(result.begin(), result.end(),
                  [](const Diagnostic& a, const Diagnostic& b) { return order(a) == order(b); });
  result.erase(repeats, result.end());
  if (left_out_ > 0) {
    result.emplace_back(DiagnosticKind::LeftOut, Span{},
                        std::to_string(left_out_) + " more problems were found and left out");
  }
  return result;
}

}  // namespace trainyard
