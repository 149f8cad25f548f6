#pragma once

#include <optional>
#include <string>

#include "driver/session/session.h"
#include "emit/provenance.h"

namespace trainyard {

struct CausesRequest {
  std::string input;    // a file that was built with `--provenance`, or a spec; `-` for a spec
  std::string cluster;  // for a spec, as in a build
  std::string target;
};

/// Why each value of an output is as it is, and the text that its lines count in.
struct KnownCauses {
  Provenance causes;
  std::string output;          // of a spec that is compiled now
  FileId in_output = kNoFile;  // the text in which the lines of the causes count
  std::string name;            // of the file that was asked about
  bool spec = false;           // it is a spec, compiled now
};

/// Reads the map of causes beside an output, or compiles a spec. Nothing, with errors in the
/// session's sink, when there is no answer.
std::optional<KnownCauses> load_causes(Session& session, const CausesRequest& request);

}  // namespace trainyard
