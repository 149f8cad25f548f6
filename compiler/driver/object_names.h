#pragma once

#include <map>
#include <string>

#include "diag/sink.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// The objects of all jobs of one run: names that are put together, such as that of a claim, can
/// meet although the jobs' names differ.
class ObjectNames {
 public:
  /// False, with an error that shows both places, when an object of these is there already.
  bool add(const ObjectSet& objects, const Origins& origins, Sink& sink);

 private:
  std::map<std::string, Span> places_;  // group, kind, namespace and name -> what named it
};

}  // namespace trainyard
