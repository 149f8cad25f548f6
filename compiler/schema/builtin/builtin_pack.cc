// Apart from the rest of the folder, because the program that makes the pack is built from the
// rest.

#include "schema/pack.h"

namespace trainyard {

std::string_view embedded_schemas();  // cmake/Embed.cmake

const SchemaPack& SchemaPack::builtin() {
  // Checked in full when it was made.
  static const SchemaPack pack = open_trusted(embedded_schemas()).value_or(SchemaPack());
  return pack;
}

}  // namespace trainyard
