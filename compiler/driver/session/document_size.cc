#include "driver/session/document_size.h"

#include <cstddef>
#include <string>

namespace trainyard {
namespace {

/// An API server stores objects of at most 1.5 MiB, so a larger job has no chance; and below here
/// lists are searched one by one.
constexpr std::size_t kMostValues = 10'000;

}  // namespace

bool has_sensible_size(Session& session, const Tree& document) {
  if (document.size() <= kMostValues) return true;
  session.sink.report(DiagnosticKind::TooManyNodes, document[document.root()].span,
                      "the job has " + std::to_string(document.size()) +
                          " values; expected at most " + std::to_string(kMostValues) +
                          ", as many as fit into an object that an API server stores");
  return false;
}

}  // namespace trainyard
