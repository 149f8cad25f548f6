// Apart from the rest of the folder, because the program that makes the pack is built from the
// rest.

#include "schema/pack.h"

namespace trainyard {

std::string_view embedded_schemas();         // cmake/Embed.cmake
std::string_view embedded_schemas_digest();  // as sha256sum prints it

const SchemaPack& SchemaPack::builtin() {
  // Checked in full when it was made.
  static const SchemaPack pack = open_trusted(embedded_schemas()).value_or(SchemaPack());
  return pack;
}

std::string_view SchemaPack::builtin_digest() {
  constexpr std::size_t kHexDigits = 64;
  return embedded_schemas_digest().substr(0, kHexDigits);
}

}  // namespace trainyard
