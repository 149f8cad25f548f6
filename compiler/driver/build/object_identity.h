#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "diag/sink.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// What the API server tells an object apart by, and what named it.
struct IdentifiedObject {
  std::string identity;  // group, kind, namespace and name, with `/` between
  Span place;
};

/// Appends the objects of one job, and for each role the first that a controller makes of it.
void name_objects(const ObjectSet& objects, const Origins& origins,
                  std::vector<IdentifiedObject>& out);

/// The objects of all jobs of one run: names that are put together, such as that of a claim, can
/// meet although the jobs' names differ.
class ObjectIdentities {
 public:
  /// False, with an error that shows both places, when the object is there already.
  bool add(IdentifiedObject object, Sink& sink);
  bool has(const IdentifiedObject& object) const { return places_.contains(object.identity); }
  /// Calls `use` with each identity, in no order.
  template <class Use>
  void each(const Use& use) const {
    for (const auto& [identity, place] : places_) use(identity);
  }

 private:
  std::unordered_map<std::string, Span> places_;  // by identity
};

}  // namespace trainyard
