#include "cluster/api/api_paths.h"

#include "cluster/http/url_text.h"

namespace trainyard {
namespace {

std::string with_query(std::string path, const Query& query) {
  char separator = '?';
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    path += separator;
    path += std::string(name) + "=" + encoded(value);
    separator = '&';
  }
  return path;
}

std::string base_of(const ApiResource& resource, std::string_view name_space) {
  std::string path = (resource.group().empty() ? "/api/" : "/apis/") + resource.api_version;
  if (resource.namespaced && !name_space.empty()) path += "/namespaces/" + encoded(name_space);
  return path + "/" + resource.plural;
}

}  // namespace

std::string collection_path(const ApiResource& resource, std::string_view name_space,
                            const Query& query) {
  return with_query(base_of(resource, name_space), query);
}

std::string object_path(const ApiResource& resource, std::string_view name_space,
                        std::string_view name, const Query& query, std::string_view subresource) {
  std::string path = base_of(resource, name_space) + "/" + encoded(name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
  return with_query(std::move(path), query);
}

const ApiResource& pods_resource() {
  static const ApiResource resource{"v1", "Pod", "pods", true};
  return resource;
}

const ApiResource& events_resource() {
  static const ApiResource resource{"v1", "Event", "events", true};
  return resource;
}

const ApiResource& nodes_resource() {
  static const ApiResource resource{"v1", "Node", "nodes", false};
  return resource;
}

const ApiResource& config_maps_resource() {
  static const ApiResource resource{"v1", "ConfigMap", "configmaps", true};
  return resource;
}

const ApiResource& jobs_resource() {
  static const ApiResource resource{"batch/v1", "Job", "jobs", true};
  return resource;
}

}  // namespace trainyard
