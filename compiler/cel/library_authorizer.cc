#include <array>

#include "cel/functions.h"

namespace trainyard::cel {
namespace {

/// What the one who sent a request may do is asked of the authorizer of a running server. Only
/// expressions of admission have one to ask; they are read here and never evaluated.
Value asked_of_nobody(Context&, std::span<const Value>) {
  return no_overload();
}

constexpr auto kFunctions = std::to_array<Function>({
    {"path", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"group", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"serviceAccount", Style::Member, 3, 3, Type::Error, asked_of_nobody},
    {"resource", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"subresource", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"namespace", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"name", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"fieldSelector", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"labelSelector", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"check", Style::Member, 2, 2, Type::Error, asked_of_nobody},
    {"errored", Style::Member, 1, 1, Type::Error, asked_of_nobody},
    {"error", Style::Member, 1, 1, Type::Error, asked_of_nobody},
    {"allowed", Style::Member, 1, 1, Type::Error, asked_of_nobody},
    {"reason", Style::Member, 1, 1, Type::Error, asked_of_nobody},
});

}  // namespace

std::span<const Function> authorizer_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
