#include "tools/read_tree.h"

#include <cstdio>
#include <utility>

#include "tools/files.h"
#include "tree/yaml_reader.h"

namespace trainyard {

Tree read_tree(SourceMap& sources, const std::string& path, Sink& sink) {
  const FileId file = sources.add(path, read_bytes(path));
  std::vector<Tree> documents = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  return documents.empty() ? Tree() : std::move(documents.front());
}

void print(const Sink& sink, const SourceMap& sources, const char* program) {
  for (const Diagnostic& d : sink.sorted()) {
    std::string place = program;
    if (d.span.known()) {
      place = sources.name(d.span.file);
      place += ':' + std::to_string(sources.position(d.span.file, d.span.begin).line);
    }
    std::fprintf(stderr, "%s: %s\n", place.c_str(), d.message.c_str());
  }
}

}  // namespace trainyard
