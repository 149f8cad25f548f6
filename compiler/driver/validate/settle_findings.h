#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "driver/checks/repeated_objects.h"
#include "source/source_map.h"

namespace trainyard {

/// Files of a run of `validate`, by how they came to it.
struct FilesOfRun {
  std::set<FileId> walked;  // a directory walk found them; else the user named them
  std::vector<AppliedTogether> together;
  bool rendered = false;                     // no file is a template any more
  std::vector<Diagnostic> of_overlays = {};  // of objects as kustomizations make them
};

/// Puts right what was said of files that are not all there is of what is applied:
///
/// - A manifest that another program has yet to fill in (`{{ .Values.a }}` of Helm, `${NAME}` of
///   envsubst and Flux, `<your-image>`) is wrong in each such place. One finding says so:
///   as an error; where a walk found it as a warning, or as a note if it is no YAML yet.
/// - What is missing in a resource of a kustomization may be added by kustomize, and the tag of an
///   image may be set by it. A Kustomization of Flux with patches completes those below it.
///   What was found in the objects as it makes them stays.
/// - Objects that a selector alone brings together, and that lie in different folders, may be of
///   different deployments. Other warnings about two such objects of a walk are notes.
///
/// Images without a tag that stays are reported once for each file.
///
/// Returns how many documents are templates, of those that can be read.
std::size_t settle_findings(const FilesOfRun& files, const SourceMap& sources, Sink& sink);

}  // namespace trainyard
