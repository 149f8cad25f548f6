#pragma once

#include <cstdint>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// Documents of ours among manifests: read again as a build reads them, without the leniency that
/// manifests of others have. Each file is read once.
class StrictDocuments {
 public:
  /// Replaces the tree of the document, and reports what leniency had passed over. For each
  /// document once.
  void take(Session& session, Document& document);

 private:
  struct Place {
    std::uint32_t begin = 0;  // of the document in its file
    Tree tree;
  };
  void read(Session& session, FileId file);

  FileId file_ = kNoFile;  // that was read last
  // Both in the order of the file.
  std::vector<Place> trees_;
  std::vector<Diagnostic> ambiguous_;
};

}  // namespace trainyard
