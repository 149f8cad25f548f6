#pragma once

#include <span>
#include <string_view>

namespace trainyard::fuzzing {

/// What the bytes of an input may be: `use` gets those behind the first, which is `byte`.
struct Use {
  char byte;
  void (*use)(std::string_view bytes);
};

/// Commands over several files, and parts of them that read what users write.
std::span<const Use> command_uses();

}  // namespace trainyard::fuzzing
