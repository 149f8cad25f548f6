#pragma once

#include <span>
#include <vector>

#include "check/objects.h"

namespace trainyard {

struct Check;

/// What could not be said of an object while others were still to come: some checks ask for these.
struct DeferredChecks {
  std::vector<const Check*> checks;  // that have to be asked again
  std::vector<NodeId> flagged;       // the places that its schema has complained about

  bool any() const { return !checks.empty(); }
};

/// As check_manifest, while the other objects may not be known yet: what holds
/// the other inputs, are reported now. The rest is for `run_deferred_checks`.
DeferredChecks check_manifest_first_pass(const Tree& tree, NodeId object, const SourceMap& sources,
                                         SchemaSources schemas, const CheckInputs& surroundings,
                                         Sink& sink, const Tree* old = nullptr);

/// What is left to say of an object, when the inventory is known.
void run_deferred_checks(const Tree& tree, NodeId object, const DeferredChecks& rest,
                         const CheckInputs& surroundings, Sink& sink, const Tree* old = nullptr);

/// As run_checks, without what checks say that ask for an inventory when there is none. Those
/// checks.
std::vector<const Check*> run_checks_first_pass(View root, const std::vector<NodeId>& flagged,
                                                View old, const CheckInputs& surroundings,
                                                Sink& sink);

/// As run_checks, for `wanted` alone.
void run_some_checks(View root, std::vector<NodeId> flagged, std::span<const Check* const> wanted,
                     CheckContext& context);

}  // namespace trainyard
