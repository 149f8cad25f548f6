#include "diag/kind.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("a kind is explained by its severity and its sentence") {
  CHECK(explain(info(DiagnosticKind::UnknownField)) ==
        "unknown-field (error)\n  A field that the schema does not have.\n");
  CHECK(explain(info(DiagnosticKind::UncheckedCel)) ==
        "unchecked-cel (note)\n  CEL rules of the schema that were not evaluated.\n");
}
