// trainyard-pack IMAGE FOLDER: packs the schemas below a folder into one image.

#include <cstdio>
#include <exception>

#include "schema/schema_file.h"
#include "tools/files.h"
#include "tools/read_tree.h"

using namespace trainyard;

namespace {

bool is_schema(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".yaml");
}

int pack(const std::string& image_path, const std::string& folder) {
  PackBuilder builder;
  SourceMap sources;
  Sink sink;
  for (const std::string& path : files_below(folder)) {
    if (!is_schema(path)) continue;
    add_schema_file(builder, path, read_tree(sources, folder + "/" + path, sink), sink);
  }
  const std::string image = sink.has_errors() ? std::string() : builder.build(sink);
  print(sink, sources, "trainyard-pack");
  if (image.empty()) return 1;
  return write_bytes(image_path, image) ? 0 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: trainyard-pack IMAGE FOLDER\n");
    return 2;
  }
  try {
    return pack(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trainyard-pack: %s\n", error.what());
    return 4;
  }
}
