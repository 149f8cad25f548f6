#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/discovery.h"

namespace trainyard {

/// Names and values of a query; those with an empty value are left out.
using Query = std::vector<std::pair<std::string_view, std::string>>;

/// `/apis/batch/v1/namespaces/ml/jobs`; of all namespaces where `name_space` is "".
std::string collection_path(const ApiResource& resource, std::string_view name_space,
                            const Query& query = {});
/// `/apis/batch/v1/namespaces/ml/jobs/llama`, with `/log` and the like behind it.
std::string object_path(const ApiResource& resource, std::string_view name_space,
                        std::string_view name, const Query& query = {},
                        std::string_view subresource = {});
/// Kinds that every server has, so that nothing has to be discovered for them.
const ApiResource& pods_resource();
const ApiResource& events_resource();
const ApiResource& nodes_resource();
const ApiResource& config_maps_resource();
const ApiResource& jobs_resource();

}  // namespace trainyard
