// trainyard-archive IMAGE PATH: puts all files below a folder, or one file, into one image, with
// the tree of each YAML file beside it, so that the program has nothing to parse when it starts.

#include <cstdio>
#include <exception>
#include <filesystem>

#include "source/embedded_files.h"
#include "tools/files.h"
#include "tools/read_tree.h"
#include "tree/tree_image.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// The image of the one document of a file; what is wrong with it goes into the sink.
std::string compiled(SourceMap& sources, const std::string& path, const std::string& text,
                     Sink& sink) {
  const FileId file = sources.add(path, text);
  const std::vector<Tree> documents = read_yaml(sources, file, sink);
  if (documents.size() != 1) {
    sink.report(DiagnosticKind::BadTargetPack, {file, 0, 0}, "expected one document");
    return {};
  }
  return tree_image(documents[0], sources.text(file));
}

int archive(const std::string& image, std::string folder) {
  std::map<std::string, std::string> files;
  SourceMap sources;
  Sink sink;
  std::vector<std::string> paths;
  if (std::filesystem::is_directory(folder)) {
    paths = files_below(folder);
  } else {
    const std::filesystem::path file = folder;
    paths = {file.filename().string()};
    folder = file.parent_path().string();
  }
  for (const std::string& path : paths) {
    const std::string text = read_bytes(folder + "/" + path);
    files[path] = text;
    if (path.ends_with(".yaml")) {
      files[path + ".tree"] = compiled(sources, folder + "/" + path, text, sink);
    }
  }
  print(sink, sources, "trainyard-archive");
  if (sink.has_errors()) return 1;
  return write_bytes(image, archive_files(files)) ? 0 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: trainyard-archive IMAGE PATH\n");
    return 2;
  }
  try {
    return archive(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trainyard-archive: %s\n", error.what());
    return 4;
  }
}
