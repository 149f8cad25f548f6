#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct ConvertRequest {
  std::vector<std::string> inputs;  // files, directories, `-`
  std::string cluster;              // its versions and fabrics count; "" for none
  std::string output_file;          // "" for a stream
  bool force = false;               // write over a file that holds something else
  bool proof = true;                // compare the build of each spec with its input
};

struct ConvertResult {
  std::string stream;    // the specs, when there is no file
  std::string written;   // the path, when there is one and it has changed
  std::size_t jobs = 0;  // that were converted
};

/// Turns the jobs of the inputs, whatever their kinds, into TrainingJobs: one document each, in the
/// order of the inputs. What one does not carry is a diagnostic.
ConvertResult convert_files(Session& session, const ConvertRequest& request);

}  // namespace trainyard
