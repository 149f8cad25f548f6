#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"
#include "driver/survey/discovery_signs.h"

namespace trainyard {

/// The objects of one kind that a cluster has.
struct SurveyedKind {
  bool is_served = false;  // the API server knows the kind
  bool is_read = false;    // and let us list it
  std::vector<View> items = {};

  /// Null where there is none; `name_space` "" for objects of the whole cluster.
  View find(std::string_view name, std::string_view name_space = "") const;
};

/// What is there in a cluster, as its API server, or a dump of its objects, tells it. A value: what
/// follows from it is computed without a connection.
struct Survey {
  std::string kubernetes;     // v1.36.0
  std::string kubernetes_by;  // who says so, for a comment
  bool knows_kinds = true;    // else a dump without CRDs: what is served is what it has objects of
  std::map<std::string, SurveyedKind, std::less<>> kinds;  // by name_of; see discovery_signs
  std::vector<std::string> notes;                          // what could not be read, and why
  std::vector<std::shared_ptr<const void>> answers;        // what the items are views into

  /// A kind that is not there has no items.
  const SurveyedKind& kind(std::string_view name) const;
  bool serves(std::string_view name) const { return kind(name).is_served; }
};

/// What `kubectl get -o yaml` printed, of files, directories or `-`, as a survey. A kind without an
/// object in the dump is not read: a dump does not say whether there is none. Of an object that is
/// there twice, the last one counts. Secrets are not looked at. Reports what cannot be read, a dump
/// without objects, and one of two clusters; then nothing.
std::optional<Survey> survey_of_dump(Session& session, const std::vector<std::string>& from);

/// Which Secrets and the like are there.
enum class Presence { There, Missing, Unknown };
struct NamedObject {
  std::string_view name_space;
  std::string_view name;
};

}  // namespace trainyard
