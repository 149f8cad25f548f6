#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace trainyard {

/// The order of the fields of our own documents (`TrainingJob`, `Cluster`, `MachineCatalogue`):
/// that of the properties in their schema files. The result ranks a key of the map at a path, as
/// FormatOptions::rank; keys that the schema does not order, such as those of Kubernetes' own
/// shapes, come last. Empty for another kind.
std::function<std::size_t(std::string_view path, std::string_view key)> document_order(
    std::string_view kind);

}  // namespace trainyard
