#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct FormatRequest {
  std::vector<std::string> inputs;  // files, directories, `-`
  bool check = false;               // compare in place of writing
  bool specs = false;               // pass over files without a document of ours
};

struct FormatResult {
  std::string stream;                // of standard input, laid out
  std::vector<std::string> written;  // paths
  std::vector<std::string> left;     // links that lead out of the directories, and are left alone
  std::string difference;            // of a check
  bool out_of_date = false;
  std::size_t files = 0;  // that were looked at
};

/// Lays out documents as `build` would and keeps their comments; the fields of our own documents in
/// the order of their schema. A file with a fault is left alone and reported; no file is written
/// then. One that would not change is not written. Of a directory, only what is in it is changed,
/// wherever links lead; a link that is named itself is followed.
FormatResult format_files(Session& session, const FormatRequest& request);

}  // namespace trainyard
