#include "live/survey/survey_cluster.h"

#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"
#include "cluster/api/object_list.h"

namespace trainyard {
namespace {

const ApiResource* resource_of(const Discovery& discovery, const KindToSurvey& kind) {
  if (kind.version.empty()) return discovery.find_any(kind.group, kind.kind);
  return discovery.find(std::string(kind.group) + "/" + std::string(kind.version), kind.kind);
}

Request metadata_call(const NamedObject& secret) {
  static const ApiResource kSecrets = {"v1", "Secret", "secrets", true};
  return {.path = object_path(kSecrets, secret.name_space, secret.name),
          .accept = std::string(kMetadataOnly)};
}

}  // namespace

Survey survey_cluster(Transport& transport, const Discovery& discovery,
                      const std::string& kubernetes, std::optional<ApiError>& error) {
  Survey survey;
  survey.kubernetes = kubernetes;
  survey.kubernetes_by = "the API server";
  std::vector<Selection> selections;
  std::vector<std::string> names;
  for (const KindToSurvey& each : discovery_signs().kinds) {
    const ApiResource* resource = resource_of(discovery, each);
    survey.kinds[name_of(each)].is_served = resource != nullptr;
    if (resource == nullptr || !each.is_listed) continue;
    selections.push_back({*resource, "", "", std::string(each.field_selector)});
    names.push_back(name_of(each));
  }
  std::vector<Listed> lists = list_all(transport, selections);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].error) {
      if (!lists[i].error->is_refused() && !lists[i].error->is_not_found()) error = lists[i].error;
      survey.notes.push_back("`" + selections[i].resource.plural +
                             "` are left out: " + sentence(*lists[i].error));
      continue;
    }
    SurveyedKind& kind = survey.kinds[names[i]];
    kind.is_read = true;
    kind.items = std::move(lists[i].items);
    for (JsonAnswer& page : lists[i].pages) survey.answers.push_back(std::move(page));
  }
  return survey;
}

std::vector<Presence> look_for_secrets(Transport& transport,
                                       const std::vector<NamedObject>& secrets,
                                       std::optional<ApiError>& error) {
  std::vector<Request> requests;
  for (const NamedObject& each : secrets) requests.push_back(metadata_call(each));
  std::vector<Presence> found;
  for (const Answer& answer : transport.send_all(std::move(requests))) {
    const auto refusal = error_of(answer);
    if (refusal && refusal->is_connection()) error = refusal;
    found.push_back(!refusal                  ? Presence::There
                    : refusal->is_not_found() ? Presence::Missing
                                              : Presence::Unknown);
  }
  return found;
}

}  // namespace trainyard
