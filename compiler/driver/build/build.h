#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/build/built_stream.h"
#include "driver/session/session.h"

namespace trainyard {

struct BuildRequest {
  std::vector<std::string> inputs;  // files, directories, `-`
  std::string cluster;              // path; "" for none
  std::string target;               // overrides that of the specs; "" for none
  std::string output_directory;     // "" for a stream
  bool check = false;               // compare with the directory in place of writing
  bool findings = false;            // of a check, with places in the specs
  bool kustomization = true;        // list the files in a kustomization.yaml
  bool provenance = false;          // write the map of causes beside each file
  bool prune = false;               // remove and replace all that has trainyard's header
  bool yes = false;                 // even if most files go
  std::string fleet;                // whose tree the directory is; "" for none
  unsigned workers = 1;             // threads; 0 for as many as there are cores
};

struct BuildResult {
  BuiltStream stream;                // when there is no output directory
  std::vector<std::string> written;  // paths, when there is one
  std::vector<std::string> removed;
  std::vector<std::string> kept;     // that trainyard wrote, and that this run may not touch
  std::vector<std::string> told;     // lines for people about files that are kept or out of date
  std::string difference;            // of a check: what is out of date, as a diff
  std::vector<Diagnostic> findings;  // the same as findings, when they are asked for
  bool out_of_date = false;
  std::size_t specs = 0;  // TrainingJobs and Clusters that were compiled
};

class OutputDirectory;

/// Brings an output directory up to date, or says what would change.
BuildResult update(OutputDirectory& directory, bool check_only);

/// Compiles every TrainingJob of the inputs, and every Cluster that is named among them. Nothing is
/// written when anything is wrong; files that would not change are left alone.
BuildResult build(Session& session, const BuildRequest& request);

}  // namespace trainyard
