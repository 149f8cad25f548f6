#pragma once

#include "diag/sink.h"
#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// Where merging puts what a patch adds to a list with keys.
enum class MergeOrder {
  Behind,    ///< what was there keeps its order, what is new comes after it
  AsServer,  ///< as the API server does: items of the patch in its order, and before all of the
             ///< others that do not stand in front of them already. Atomic maps merge as well.
};

/// Merges a partial object into an object of `tree`, in place, as Kubernetes' strategic merge does,
/// guided by the schema of the object.
///
/// Maps merge entry by entry; with `Behind` those that the schema calls atomic are replaced. Lists
/// with keys (x-kubernetes-patch-merge-key, else x-kubernetes-list-map-keys) merge item by item,
/// sets gain what they lack, other lists are replaced. `null` takes an entry away. `$patch: delete`
/// in a map takes the map away, `$patch: replace` replaces it; a list item that is nothing but
/// `$patch: replace` makes the other items replace the whole list.
///
/// Values from the patch keep their
/// spans and origins. Values whose place the schema does not describe merge as maps, or replace.
///
/// False when the patch takes the whole object away. Errors go to `sink`; what is wrong is left
/// out.
///
/// kubernetes/apimachinery pkg/util/strategicpatch/patch.go
bool strategic_merge(const SchemaPack& pack, SchemaId schema, Tree& tree, NodeId object,
                     const Tree& patch, NodeId patch_root, Sink& sink,
                     MergeOrder order = MergeOrder::Behind);

}  // namespace trainyard
