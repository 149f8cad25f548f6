#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "diag/sink.h"

namespace trainyard {

/// What has been reported of the objects as they were written: nothing is to be said of the same
/// text again for what is made from them, nor of what is in a text that is an error as a whole.
class ReportedSpans {
 public:
  /// Of what came to the sink from the diagnostic `first` on.
  explicit ReportedSpans(const Sink& sink, std::size_t first = 0) {
    for (std::size_t i = first; i < sink.all().size(); ++i) {
      const Diagnostic& each = sink.all()[i];
      if (!each.span.known()) continue;
      places_[each.span.file].push_back({each.span, each.severity == Severity::Error});
    }
  }

  bool covers(Span span) const {
    const auto file = places_.find(span.file);
    if (file == places_.end()) return false;
    return std::ranges::any_of(file->second, [&](const Place& each) {
      const bool around = each.span.begin <= span.begin && span.end <= each.span.end;
      return each.span == span || (each.is_error && around);
    });
  }

 private:
  struct Place {
    Span span;
    bool is_error;
  };
  std::map<FileId, std::vector<Place>> places_;
};

}  // namespace trainyard
