#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/discovery.h"
#include "cluster/json_document.h"

namespace trainyard {

/// The objects of one kind that a cluster has.
struct SurveyedKind {
  bool is_served = false;  // the API server knows the kind
  bool is_read = false;    // and let us list it
  std::vector<View> items = {};

  /// Null where there is none; `name_space` "" for objects of the whole cluster.
  View find(std::string_view name, std::string_view name_space = "") const;
};

/// What is there in a cluster, as its API server tells it. A value: what follows from it is
/// computed without a connection.
struct Survey {
  std::string kubernetes;                                  // v1.36.0
  std::map<std::string, SurveyedKind, std::less<>> kinds;  // by `Kind.group`; see surveyed_kinds
  std::vector<std::string> notes;                          // what could not be read, and why
  std::vector<JsonAnswer> answers;                         // what the items are views into

  /// A kind that is not there has no items.
  const SurveyedKind& kind(std::string_view name) const;
  bool serves(std::string_view name) const { return kind(name).is_served; }
};

/// A kind that a survey looks for.
struct KindToSurvey {
  std::string_view group;
  std::string_view kind;
  bool is_listed = true;  // else only whether it is served
  std::string_view field_selector = {};
  std::string_view version = {};  // a version that must be served; "" for any
};
const std::vector<KindToSurvey>& surveyed_kinds();
/// `Kind.group`, or `Kind.group/version` where the version counts.
std::string name_of(const KindToSurvey& kind);

/// Asks for all that, at the same time. An error is one of the connection; what the user may not
/// read is a note. Secrets are not among the kinds.
Survey survey_cluster(Transport& transport, const Discovery& discovery,
                      const std::string& kubernetes, std::optional<ApiError>& error);

/// Which of these Secrets and the like are there: their metadata alone is asked for
/// (PartialObjectMetadata), so that no value comes over the wire.
enum class Presence { There, Missing, Unknown };
struct NamedObject {
  std::string_view name_space;
  std::string_view name;
};
std::vector<Presence> look_for_secrets(Transport& transport,
                                       const std::vector<NamedObject>& secrets,
                                       std::optional<ApiError>& error);

}  // namespace trainyard
