#include "diag/sink.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace trainyard {
namespace {

auto order(const Diagnostic& d) {
  return std::tie(d.span.file, d.span.begin, d.span.end, d.kind, d.message, d.path);
}

/// One mistake of a text is found once for every object that is made from it.
bool is_repeat(const Diagnostic& a, const Diagnostic& b) {
  const bool same = a.span == b.span && a.kind == b.kind && a.message == b.message;
  return same && (a.span.known() || a.path == b.path);
}

/// The reader puts a null in place of broken text: that null is not reported again. A word that
/// readers of YAML understand differently is not reported if neither meaning is allowed.
bool is_aftermath(const Diagnostic& warning, const std::vector<Diagnostic>& all) {
  const bool may_be = warning.kind == DiagnosticKind::NullNotAllowed ||
                      warning.kind == DiagnosticKind::AmbiguousScalar;
  if (!may_be || !warning.span.known()) return false;
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& other) {
    return other.span == warning.span && other.kind != warning.kind;
  });
}

}  // namespace

Severity Sink::judged(const Diagnostic& diagnostic) const {
  const FoundBy& by = diagnostic.found_by;
  const bool counts = diagnostic.effect() >= *fail_on_;
  // A note of a check counts as its other findings do; what is below stays a note.
  const bool stays = diagnostic.severity == Severity::Note && (by.check.empty() || !counts);
  if (stays || by.asked) return diagnostic.severity;
  return counts && !by.preview ? Severity::Error : Severity::Warning;
}

std::vector<Diagnostic> Sink::sorted() const {
  std::vector<Diagnostic> result = diagnostics_;
  std::stable_sort(result.begin(), result.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return order(a) < order(b); });
  result.erase(std::unique(result.begin(), result.end(), is_repeat), result.end());
  std::erase_if(result, [this](const Diagnostic& d) { return is_aftermath(d, diagnostics_); });
  if (left_out_ > 0) {
    result.emplace_back(DiagnosticKind::LeftOut, Span{},
                        std::to_string(left_out_) + " more problems were found and left out");
  }
  return result;
}

}  // namespace trainyard
