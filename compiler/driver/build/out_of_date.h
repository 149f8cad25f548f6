#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/build/output_directory.h"
#include "source/source_map.h"

namespace trainyard {

/// A file of an output directory that is not as the run makes it.
struct OutOfDateFile {
  std::string path;
  FileState state = FileState::Absent;
  std::string origin;                     // what one of others was made from, for a sentence
  std::string on_disk;                    // its text
  std::string made;                       // the text that it is to have
  const FileCauses* causes = nullptr;     // of that text; null when the file is to go
  std::vector<std::string> refused = {};  // see refused_changes
};

/// The finding about it: at the place in the spec of the first line that differs, else at the name
/// of the job, else in the file itself, which `sources` then gets.
Diagnostic out_of_date(OutOfDateFile file, SourceMap& sources);

}  // namespace trainyard
