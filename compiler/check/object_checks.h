#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/objects.h"

namespace trainyard {

struct Check;

// The parts of check_manifest: schemas are checked while inputs are read, and checks ask for other
// objects, which are known at the end.

/// Reports what breaks the schema of a kind. The places of these findings; nothing when no check
/// can follow: it is no object, or none of a known kind.
std::optional<std::vector<NodeId>> check_shape(const Tree& tree, NodeId object,
                                               const SourceMap& sources, SchemaSources schemas,
                                               const CheckInputs& surroundings, Sink& sink,
                                               const Tree* old = nullptr);

/// All checks of an object whose schema has `flagged` places.
void run_checks_of(const Tree& tree, NodeId object, std::vector<NodeId> flagged,
                   const CheckInputs& surroundings, Sink& sink, const Tree* old = nullptr);

/// As check_manifest, for what holds whatever other objects there are: without an inventory, a
/// check that asks for one says nothing.
void check_manifest_alone(const Tree& tree, NodeId object, const SourceMap& sources,
                          SchemaSources schemas, const CheckInputs& surroundings, Sink& sink,
                          const Tree* old = nullptr);

/// As run_checks, for what holds whatever other objects there are.
void run_checks_alone(View root, const std::vector<NodeId>& flagged, View old,
                      const CheckInputs& surroundings, Sink& sink);

/// As run_checks, for `wanted` alone.
void run_some_checks(View root, std::vector<NodeId> flagged, std::span<const Check* const> wanted,
                     CheckContext& context);

}  // namespace trainyard
