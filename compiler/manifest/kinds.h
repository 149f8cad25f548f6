#pragma once

#include <string_view>

#include "diag/sink.h"
#include "manifest/versions.h"
#include "schema/sources.h"
#include "tree/tree.h"

namespace trainyard {

/// A kind, and the schemas that have it.
struct FoundKind {
  const SchemaKind* kind = nullptr;  // null when no schemas have it
  const SchemaSource* source = nullptr;
};

/// The newest schema of a kind.
FoundKind find_kind(SchemaSources schemas, std::string_view api_version, std::string_view kind);
/// The schema that the kind has in these versions of its operator.
FoundKind find_kind(SchemaSources schemas, std::string_view api_version, std::string_view kind,
                    const Versions& versions);

/// A list of objects: `List`, as `kubectl get -o yaml` prints it, or that of one kind, such as
/// `ConfigMapList`. It has no name, and each of its items is an object of its own.
bool is_list(View object);
/// Adds apiVersion and kind to those items of a list of one kind that leave them out, as clients
/// do that read one. Nothing where schemas know the kind of the list itself.
void name_items(Tree& tree, NodeId object, SchemaSources schemas);

/// Whether an object says what it is, and no schema describes that.
bool is_of_unknown_kind(View object, SchemaSources schemas);
/// Whether an unknown kind cannot be one of other people's: all kinds of Kubernetes' own groups are
/// known; or its group has no dot, and others have the kind; or its group is known, and has the
/// kind in another version or one spelled alike.
bool is_mistaken_kind(View object, SchemaSources schemas);
/// The program that such a document configures: it has an apiVersion and a kind, and is no object
/// of a cluster. Empty for others.
std::string_view configured_program(std::string_view api_version, std::string_view kind);
/// Reports that no schema describes a kind, with what was probably meant.
Diagnostic& report_unknown_kind(Span at_version, Span at_kind, std::string_view api_version,
                                std::string_view kind, SchemaSources schemas, Sink& sink);

}  // namespace trainyard
