// trainyard-archive IMAGE FOLDER: puts all files below a folder into one image.

#include <cstdio>
#include <exception>

#include "source/embedded_files.h"
#include "tools/files.h"

using namespace trainyard;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: trainyard-archive IMAGE FOLDER\n");
    return 2;
  }
  try {
    const std::string folder = argv[2];
    std::map<std::string, std::string> files;
    for (const std::string& path : files_below(folder)) {
      files[path] = read_bytes(folder + "/" + path);
    }
    return write_bytes(argv[1], archive_files(files)) ? 0 : 4;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trainyard-archive: %s\n", error.what());
    return 4;
  }
}
