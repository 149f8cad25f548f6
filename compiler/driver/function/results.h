#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "driver/function/resource_list.h"
#include "source/source_map.h"

namespace trainyard {

/// Diagnostics as the `results` of a ResourceList, a YAML list without secrets:
///
///     - message, severity (error, warning, info), tags: {check}
///       resourceRef: {apiVersion, kind, name, namespace}   of an item
///       field: {path, proposedValue}                       the first fix, if there is one
///       file: {path, index}
std::string results_yaml(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                         const ResourceList& list);

}  // namespace trainyard
