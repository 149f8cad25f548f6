#include "source/embedded_files.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

namespace {
const std::map<std::string, std::string> kFiles = {
    {"job/job.yaml", "kind: Job\n"}, {"job/target.yaml", ""}, {"jobset/a", "x"}, {"z", "\0\n"}};
}

TEST_CASE("an archive has the files that were put in") {
  const std::string image = archive_files(kFiles);
  const auto files = EmbeddedFiles::open(image);
  REQUIRE(files);
  CHECK(files->size() == 4);
  for (const auto& [path, bytes] : kFiles) CHECK(files->find(path) == bytes);
  CHECK_FALSE(files->find("job"));
  CHECK_FALSE(files->find(""));
  CHECK_FALSE(files->find("zz"));
}

TEST_CASE("an archive lists by prefix in the order of paths") {
  const std::string image = archive_files(kFiles);
  const auto files = EmbeddedFiles::open(image);
  REQUIRE(files);
  CHECK(files->list().size() == 4);
  const auto job = files->list("job/");
  REQUIRE(job.size() == 2);
  CHECK(job[0].path == "job/job.yaml");
  CHECK(job[1].path == "job/target.yaml");
  CHECK(files->list("k").empty());
  CHECK(EmbeddedFiles().list().empty());
}

TEST_CASE("an empty archive has no files") {
  const std::string image = archive_files({});
  const auto files = EmbeddedFiles::open(image);
  REQUIRE(files);
  CHECK(files->list().empty());
  CHECK_FALSE(files->find("a"));
}

TEST_CASE("a damaged archive is refused or harmless") {
  const std::string image = archive_files(kFiles);
  for (std::size_t size = 0; size < image.size(); ++size) {
    const std::string cut = image.substr(0, size);
    CHECK_FALSE(EmbeddedFiles::open(cut));
  }
  std::size_t refused = 0;
  for (std::size_t at = 0; at < image.size(); ++at) {
    std::string mutated = image;
    mutated[at] = static_cast<char>(mutated[at] ^ 0x85);
    const auto files = EmbeddedFiles::open(mutated);
    if (!files) {
      ++refused;
      continue;
    }
    std::size_t bytes = 0;
    for (const auto& file : files->list()) bytes += file.path.size() + file.bytes.size();
    CHECK(bytes <= 8 * image.size());
  }
  CHECK(refused >= 8);
}
