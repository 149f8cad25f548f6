#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct SchemaImportRequest {
  std::vector<std::string> inputs;       // CRD files, OpenAPI documents, directories, `-`
  std::vector<std::string> definitions;  // kinds of OpenAPI documents: `batch/v1/Job`, `v1/Pod`
  std::string source;            // what to record as the source; "" for the path of the file
  std::string output_directory;  // "" for a stream
  bool force = false;            // write over compact schemas that hold something else
};

struct SchemaImportResult {
  std::string stream;                // one JSON document after the other
  std::vector<std::string> written;  // paths
};

/// Turns CustomResourceDefinitions and definitions of OpenAPI documents into compact schemas, a
/// file for each kind: `<group>/<version>/<Kind>.json`. All files are written, or none when
/// anything is wrong: names that are no part of a path, or a file in the way that holds something
/// else. A file that is no compact schema stays even with `force`.
SchemaImportResult import_schemas(Session& session, const SchemaImportRequest& request);

}  // namespace trainyard
