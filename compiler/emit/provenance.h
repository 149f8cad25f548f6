#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/artifact.h"
#include "source/source_map.h"

namespace trainyard {

/// One step on the way from a line of output back to what the user wrote.
struct Cause {
  // "template", "rule", "spec", "replaces", "matrix", "lock", "cluster", "default", "catalogue",
  // "flag"
  std::string kind;
  std::string name;  // of the rule, the defaulted field, the parameter or the flag
  std::string file;  // where there is a text
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t depth = 0;  // 0 for the leaf's own cause, 1 for what led to that
};

/// One emitted leaf and its causes.
struct ProvenanceEntry {
  std::string object;  // "Job/llama3-70b"
  std::string path;    // "spec.template.spec.containers[0].env[1].value"
  std::string
      named_path;  // the same with items called by name: "...containers[main].env[NNODES]..."
  std::uint32_t first_line = 0;  // in the output
  std::uint32_t last_line = 0;
  std::vector<Cause> causes;
};

using Provenance = std::vector<ProvenanceEntry>;

/// Appends the leaves of `objects`, written into `text` at the places of `written`.
void trace(const ObjectSet& objects, const std::vector<WrittenObject>& written,
           std::string_view text, const Origins& origins, const SourceMap& sources,
           Provenance& result);

/// A map of causes as it is written beside its output.
struct ProvenanceFile {
  std::string output;  // the digest of the text that its lines count in
  Provenance entries;

  bool is_of(std::string_view text) const;
};

/// Causes deeper than this are left out of a map, and no map may have them.
inline constexpr std::uint32_t kDeepestCause = 64;

/// What the name of an output is followed by in that of its map.
inline constexpr std::string_view kProvenanceSuffix = ".provenance.json";

/// `{"version": 1, "output": "sha256:...", "entries": [...]}`, one entry per line.
std::string provenance_json(const Provenance& provenance, std::string_view output);
/// The list alone: `[...]`.
std::string entries_json(const Provenance& provenance);
/// Nothing when the text is no such map. It may come from a stranger: every number and text must be
/// what `trace` can write, and the memory that it takes is bounded by the size of the text.
std::optional<ProvenanceFile> read_provenance(std::string_view json);
/// Whether a text is such a map, by how it begins: others use the suffix, too.
bool is_provenance(std::string_view json);

/// The entries at or below a place: `Job/name:spec.template.spec.containers[main].env[NNODES]`,
/// with the object part left out where there is only one, and items by index or by name.
std::vector<const ProvenanceEntry*> at_path(const Provenance& provenance, std::string_view place);
/// The entries that stand on a line of the output.
std::vector<const ProvenanceEntry*> at_line(const Provenance& provenance, std::uint32_t line);

}  // namespace trainyard
