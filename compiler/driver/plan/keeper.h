#pragma once

#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Whose an object is, by the labels and annotations with which tools mark what they keep.
struct Keeper {
  std::string_view tool;  // `Flux Kustomization`; "" for no tool
  std::string_view name;  // of the Application, Kustomization or release
};
Keeper keeper_of(View object);

/// `Argo CD application X`, fit for a terminal; "" where no tool keeps the object.
std::string other_keeper(View object);

}  // namespace trainyard
