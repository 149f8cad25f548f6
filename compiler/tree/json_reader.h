#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/tree.h"
#include "tree/yaml_reader.h"

namespace trainyard {

/// Reads one JSON document, many times faster than as YAML: for schemas and other large data.
/// Nothing, and a diagnostic, when the text is not JSON or spends a budget.
///
/// The nodes know their file but not their place in it. Of repeated keys the last one counts, as in
/// Go. Numbers keep their value: integers beyond 64 bits and floats their text. Entries with the
/// key `left_out` are not in the tree.
std::optional<Tree> read_json(const SourceMap& sources, FileId file, Sink& sink,
                              const ReadLimits& limits = {}, std::string_view left_out = {});

}  // namespace trainyard
