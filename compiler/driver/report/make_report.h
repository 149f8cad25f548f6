#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct ReportRequest {
  std::vector<std::string> inputs;  // files, directories, `-`; a Fleet stands for its specs
  std::string cluster = {};         // path; "" for the one among the inputs, if any
  std::string target = {};          // overrides that of specs; "" for none
  std::string output_file = {};     // "" for none
  bool data_alone = false;          // as JSON, without the page around it
  bool force = false;               // replace a file that is not a page of `report`
  unsigned workers = 1;             // threads; 0 for as many as there are cores
};

struct ReportResult {
  std::string page;     // or its data; "" where nothing could be read
  std::string written;  // path
  std::size_t jobs = 0;
};

/// A page about jobs: those of a build, of a Fleet, or of manifests of others. What is wrong with
/// the inputs is in the session's sink, and on the page; what is sound is on the page all the same.
ReportResult make_report(Session& session, const ReportRequest& request);

}  // namespace trainyard
