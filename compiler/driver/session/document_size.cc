#include "driver/session/document_size.h"

#include <cstddef>
#include <string>

namespace trainyard {
namespace {

/// An API server stores objects of at most 1.5 MiB, so a larger job has no chance; and below here
/// lists are searched one by one.
constexpr std::size_t kMostValues = 10'000;

std::size_t values_in(View value) {
  std::size_t count = 1;
  for (const NodeId child : value.tree().children(value.id())) {
    count += values_in(View(value.tree(), child));
  }
  return count;
}

bool is_sensible(Session& session, Span place, std::size_t values) {
  if (values <= kMostValues) return true;
  session.sink.report(DiagnosticKind::TooManyNodes, place,
                      "the job has " + std::to_string(values) + " values; expected at most " +
                          std::to_string(kMostValues) +
                          ", as many as fit into an object that an API server stores");
  return false;
}

}  // namespace

bool has_sensible_size(Session& session, const Tree& document) {
  return is_sensible(session, document[document.root()].span, document.size());
}

bool has_sensible_size(Session& session, View object) {
  return is_sensible(session, object->span, values_in(object));
}

}  // namespace trainyard
