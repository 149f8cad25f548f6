#pragma once

#include "schema/subject.h"

namespace trainyard {

/// The number of replicas that the subresource `scale` of a custom resource reads, at a path such
/// as `.spec.replicas`: the server wants one that fits there, whatever the schema says.
/// kubernetes/apiextensions-apiserver pkg/registry/customresource/validator.go
void check_replicas(const Subject& subject, std::string_view path);

}  // namespace trainyard
