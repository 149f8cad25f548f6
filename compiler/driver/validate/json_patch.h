#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tree/tree.h"

namespace trainyard {

/// What became of the operations of a JSON patch.
struct JsonPatchResult {
  enum class State : std::uint8_t {
    Done,
    Refused,      // `fault` says why, as the end of a sentence about the object
    NotFollowed,  // an operation that is not followed here (`move`, `copy`, `test`), or too many
  };
  State state = State::Done;
  std::string fault = {};
};

/// Does the operations of a JSON patch (RFC 6902) on an object, in place and in their order, as
/// kustomize does: `replace` adds an entry that is missing. Only after `Done` the object is whole.
/// `left` is how many entries and items the operations may go through.
JsonPatchResult apply_json_patch(View operations, Tree& tree, NodeId object, std::size_t& left);

}  // namespace trainyard
