#include "cluster/api/discovery.h"

#include <algorithm>
#include <utility>

#include "cluster/json_document.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// The list of aggregated discovery has the kinds of all groups. A server that does not know it
// answers with the plain list of groups.
constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

std::string join(std::string_view group, std::string_view version) {
  return (group.empty() ? "" : std::string(group) + "/") + std::string(version);
}

/// The group versions of a plain list, the preferred one of each group first.
std::vector<std::string> plain_versions(View list) {
  std::vector<std::string> versions;
  for (const View each : items_at(list, "versions")) versions.emplace_back(each.text());
  for (const View group : items_at(list, "groups")) {
    const std::string_view preferred = string_at(get(group, "preferredVersion"), "groupVersion");
    if (!preferred.empty()) versions.emplace_back(preferred);
    for (const View each : items_at(group, "versions")) {
      const std::string_view version = string_at(each, "groupVersion");
      if (version != preferred) versions.emplace_back(version);
    }
  }
  return versions;
}

void take_resources(View list, const std::string& api_version, std::vector<ApiResource>& into) {
  for (const View each : items_at(list, "resources")) {
    const std::string_view name = string_at(each, "name");
    if (name.find('/') != name.npos) continue;  // a subresource
    into.push_back({api_version, std::string(string_at(each, "kind")), std::string(name),
                    is_true(get(each, "namespaced"))});
  }
}

}  // namespace

std::string_view ApiResource::group() const {
  const std::size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view()
                                   : std::string_view(api_version).substr(0, slash);
}

std::string_view ApiResource::version() const {
  const std::size_t slash = api_version.find('/');
  return std::string_view(api_version).substr(slash == api_version.npos ? 0 : slash + 1);
}

void Discovery::take_aggregated(View list) {
  for (const View group : items_at(list, "items")) {
    const std::string_view name = string_at(get(group, "metadata"), "name");
    for (const View version : items_at(group, "versions")) {
      const std::string api_version = join(name, string_at(version, "version"));
      if (string_at(version, "freshness") == "Stale") stale_groups_.push_back(api_version);
      for (const View each : items_at(version, "resources")) {
        resources_.push_back(
            {api_version, std::string(string_at(get(each, "responseKind"), "kind")),
             std::string(string_at(each, "resource")), string_at(each, "scope") == "Namespaced"});
      }
    }
  }
}

std::optional<Discovery> Discovery::of(Transport& transport, ApiError& error) {
  Discovery discovery;
  std::vector<std::string> plain;
  std::vector<Request> requests;
  for (const char* path : {"/api", "/apis"}) {
    requests.push_back({.path = path, .accept = std::string(kAggregated)});
  }
  for (Answer& answer : transport.send_all(std::move(requests))) {
    if (const auto failed = error_of(answer)) {
      error = *failed;
      return std::nullopt;
    }
    const JsonAnswer document = JsonDocument::read(std::move(answer.body));
    const View root = document ? document->root() : View();
    const std::string_view kind = string_at(root, "kind");
    if (kind == "APIGroupDiscoveryList") {
      discovery.take_aggregated(root);
    } else if (kind == "APIVersions" || kind == "APIGroupList") {
      const auto versions = plain_versions(root);
      plain.insert(plain.end(), versions.begin(), versions.end());
    } else {
      error.message =
          "the answer is not that of a Kubernetes API server: check `server` of the "
          "kubeconfig";
      return std::nullopt;
    }
  }
  if (!plain.empty()) discovery.ask_versions(transport, plain);
  if (transport.interrupted()) {
    error = interruption();
    return std::nullopt;
  }
  return discovery;
}

void Discovery::ask_versions(Transport& transport, const std::vector<std::string>& versions) {
  std::vector<Request> requests;
  for (const std::string& each : versions) {
    requests.push_back({.path = (each.find('/') == each.npos ? "/api/" : "/apis/") + each});
  }
  std::vector<Answer> answers = transport.send_all(std::move(requests));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const JsonAnswer document =
        answers[i].ok() ? JsonDocument::read(std::move(answers[i].body)) : nullptr;
    if (document) {
      take_resources(document->root(), versions[i], resources_);
    } else {
      stale_groups_.push_back(versions[i]);
    }
  }
}

const ApiResource* Discovery::find(std::string_view api_version, std::string_view kind) const {
  const auto found = std::ranges::find_if(resources_, [&](const ApiResource& each) {
    return each.api_version == api_version && each.kind == kind;
  });
  return found == resources_.end() ? nullptr : &*found;
}

const ApiResource* Discovery::find_any(std::string_view group, std::string_view kind) const {
  const auto found = std::ranges::find_if(resources_, [&](const ApiResource& each) {
    return each.group() == group && each.kind == kind;
  });
  return found == resources_.end() ? nullptr : &*found;
}

}  // namespace trainyard
