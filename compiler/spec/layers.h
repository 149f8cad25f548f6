#pragma once

#include <vector>

#include "diag/sink.h"
#include "schema/pack.h"
#include "spec/spec_places.h"
#include "tree/tree.h"

namespace trainyard {

/// One document of those that a spec is put together of.
struct Layer {
  const Tree* tree = nullptr;
  std::vector<std::size_t> below;  // the layers that it stands above, by their index
};

/// One tree of several layers, guided by the schema of a document. What is below comes before what
/// is above it; `apiVersion`, `kind` and `extends` are those of no layer.
///
/// Maps merge entry by entry, unless the schema calls them atomic; lists with keys
/// (x-kubernetes-patch-merge-key, else x-kubernetes-list-map-keys) item by item; sets are united;
/// of anything else the value of the layer above counts. `null` takes away what the layers below
/// have; below `spec.pod`, where a null has a meaning of its own, it stays.
///
/// Two layers side by side must agree: otherwise `layer-conflict` with both places,
/// unless a layer above both decides. So their order does not count for any value, only for the
/// order of entries and items.
///
/// Values keep their places; `places` learns what each of them replaced. A collection is where the
/// layer `document` has it, else where the topmost one has it.
Tree merge_layers(const SchemaPack& pack, SchemaId schema, const std::vector<Layer>& layers,
                  std::size_t document, SpecPlaces& places, Sink& sink);

}  // namespace trainyard
