#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "editor/findings.h"

namespace trainyard {

/// The findings of the open documents, and which of them have to be checked again.
class PublishedFindings {
 public:
  explicit PublishedFindings(Workspace& workspace) : workspace_(workspace) {}

  /// A document is another than before: it is checked first, and then those that were made with its
  /// file.
  void changed(const OpenDocument& document);
  /// The same for a file on the disk.
  void changed_on_disk(const std::string& path);
  /// Files came or went, or settings changed: everything may be different.
  void all_changed();
  void closed(const OpenDocument& document);

  /// The findings of a document as it is now.
  const DocumentFindings& of(const OpenDocument& document);
  /// Checks the next document that changed; the parameters of `textDocument/publishDiagnostics`.
  /// Nothing when all are checked.
  std::optional<Json> next();

 private:
  void wait(const std::string& uri, bool first);

  Workspace& workspace_;
  std::map<std::string, DocumentFindings, std::less<>> findings_;  // by URI
  std::vector<std::string> waiting_;                               // URIs
};

}  // namespace trainyard
