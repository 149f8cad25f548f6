#include "cluster/json_document.h"

#include <utility>

#include "diag/sink.h"
#include "tree/json_reader.h"

namespace trainyard {

JsonAnswer JsonDocument::read(std::string text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("", std::move(text));
  auto tree = read_json(sources, file, sink);  // its texts are in its own arena
  if (!tree) return nullptr;
  auto document = std::make_shared<JsonDocument>();
  document->tree_ = std::move(*tree);
  return document;
}

}  // namespace trainyard
