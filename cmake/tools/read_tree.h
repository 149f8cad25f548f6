#pragma once

#include <string>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// The first document of a YAML or JSON file; a tree without a root when it cannot be read.
Tree read_tree(SourceMap& sources, const std::string& path, Sink& sink);

/// Prints diagnostics for developers.
void print(const Sink& sink, const SourceMap& sources, const char* program);

}  // namespace trainyard
