#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/session/inputs.h"

namespace trainyard {

struct Session;

/// One file that specs extend or are overlaid with.
struct LayerFile {
  std::string path;  // as messages print it
  FileId file = kNoFile;
  Tree tree;
  std::vector<const LayerFile*> bases;  // what it extends itself
  bool sound = false;
  Span asked_by;                   // who named it first
  std::vector<Diagnostic> faults;  // of one that is not sound
};

/// The files that specs are put together of, each read once for a run.
struct LayerFiles {
  std::vector<std::string> overlays;                          // paths, which all specs get
  std::map<std::string, std::unique_ptr<LayerFile>> by_path;  // without links
};

/// Whether a TrainingJob has to be put together: it extends a file, or the run has overlays.
bool has_layers(const Session& session, const Document& document);

/// The document together with what it extends and with the overlays. It keeps its own tree.
/// Nothing, with errors in the session's sink, when a file cannot be read or two of them disagree.
std::optional<Document> put_together(Session& session, const Document& document);

/// A TrainingJobLayer that stands by itself: held to the schema as far as it goes, and what it
/// extends read.
void check_layer(Session& session, const Document& document);

}  // namespace trainyard
