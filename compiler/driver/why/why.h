#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/session/session.h"
#include "emit/provenance.h"

namespace trainyard {

struct WhyRequest {
  std::string input;       // a file that was built with `--provenance`, or a spec
  std::string at;          // a place in the output; "" for none
  std::uint32_t line = 0;  // of `input`; 0 for none
  std::string cluster;     // for a spec, as in a build
  std::string target;
};

struct WhyAnswer {
  std::string text;                      // for people
  std::vector<ProvenanceEntry> entries;  // the same for programs
};

/// Why the output is as it is: for each value the rule, the line of the template and the line of
/// the spec. A line of a spec is answered the other way round: with the values that it leads to.
/// Empty with errors in the session's sink when there is no answer.
WhyAnswer why(Session& session, const WhyRequest& request);

}  // namespace trainyard
