#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "driver/build/build.h"
#include "driver/format/format_files.h"
#include "file_text.h"
#include "golden/files.h"

using namespace trainyard;
using golden::read_file;
using golden::write_file;
using trainyard::testing::read_file;
namespace fs = std::filesystem;

namespace {

const std::string kJob =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: a}\n"
    "spec:\n"
    "  image: registry.example.com/train:1.4\n"
    "  run: {command: [./train]}\n";

std::string staging(const std::string& from) {
  return kJob + "  files: {items: [{from: " + from + "}]}\n";
}

/// Files on a disk, where links are.
struct Disk {
  golden::TemporaryDirectory temporary;
  RealFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};

  fs::path at(const std::string& name) const { return temporary.path() / name; }

  std::string build(const std::string& input) {
    BuildRequest request;
    request.inputs = {at(input).string()};
    return trainyard::build(session, request).stream.whole();
  }
  /// The messages, one per line.
  std::string messages() const {
    std::string all;
    for (const Diagnostic& each : session.sink.sorted()) all += each.message + "\n";
    return all;
  }
};

}  // namespace

TEST_CASE("a staged file that links out of the directory of the spec is refused, not read") {
  for (const char* from : {"sub/pw", "sub", "'sub/*'", "'**/pw'", "away/pw", "'away/*'", "'**'"}) {
    Disk disk;
    write_file(disk.at("secret/pw"), "hunter2");
    write_file(disk.at("in/job.yaml"), staging(from));
    fs::create_directories(disk.at("in/sub"));
    fs::create_symlink(disk.at("secret/pw"), disk.at("in/sub/pw"));
    fs::create_directory_symlink(disk.at("secret"), disk.at("in/away"));
    INFO(from);
    CHECK(disk.build("in/job.yaml").empty());
    CHECK_THAT(disk.messages(), Catch::Matchers::ContainsSubstring("through a link"));
  }
}

TEST_CASE("a staged file may be a link to one beside the spec") {
  Disk disk;
  write_file(disk.at("in/data/real.txt"), "words");
  write_file(disk.at("in/job.yaml"), staging("linked/real.txt"));
  fs::create_directory_symlink("data", disk.at("in/linked"));
  CHECK_THAT(disk.build("in/job.yaml"), Catch::Matchers::ContainsSubstring("real.txt: words"));
  CHECK(disk.messages().empty());
}

TEST_CASE("a directory that links to its own parent is visited once") {
  Disk disk;
  write_file(disk.at("d/job.yaml"), staging("'**/x.txt'"));
  write_file(disk.at("d/x.txt"), "x");
  fs::create_directory_symlink("../d", disk.at("d/dd"));
  CHECK_FALSE(disk.build("d").empty());
  CHECK(disk.messages().empty());
}

TEST_CASE("fmt writes through a link and keeps the permissions of the file") {
  Disk disk;
  write_file(disk.at("real/job.yaml"), "b:   1\n");
  fs::permissions(disk.at("real/job.yaml"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real/job.yaml", disk.at("job.yaml"));
  format_files(disk.session, {{disk.at("job.yaml").string()}, false});
  CHECK(fs::is_symlink(disk.at("job.yaml")));
  CHECK(read_file(disk.at("real/job.yaml")) == "b: 1\n");
  CHECK(fs::status(disk.at("real/job.yaml")).permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("fmt of a directory changes nothing outside of it, wherever links lead") {
  Disk disk;
  fs::create_directories(disk.at(".git"));  // the root: links within it are no error
  write_file(disk.at("outside/job.yaml"), "b:   1\n");
  write_file(disk.at("in/sub/own.yaml"), "b:   1\n");
  fs::create_directory_symlink(disk.at("outside"), disk.at("in/away"));
  fs::create_symlink(disk.at("outside/job.yaml"), disk.at("in/link.yaml"));
  fs::create_directory_symlink("sub", disk.at("in/again"));
  const FormatResult result = format_files(disk.session, {{disk.at("in").string()}, false});
  CHECK(disk.messages().empty());
  CHECK(read_file(disk.at("outside/job.yaml")) == "b:   1\n");
  CHECK(read_file(disk.at("in/sub/own.yaml")) == "b: 1\n");
  CHECK(fs::is_symlink(disk.at("in/link.yaml")));
  CHECK(result.written.size() == 1);
  CHECK(result.left == std::vector<std::string>{disk.at("in/away/job.yaml").string(),
                                                disk.at("in/link.yaml").string()});
}

TEST_CASE("fmt of a directory stops at a link to a file out of its root, and writes nothing") {
  Disk disk;
  write_file(disk.at("outside/job.yaml"), "b:   1\n");
  write_file(disk.at("in/own.yaml"), "b:   1\n");
  fs::create_symlink(disk.at("outside/job.yaml"), disk.at("in/link.yaml"));
  const FormatResult result = format_files(disk.session, {{disk.at("in").string()}, false});
  CHECK(disk.session.sink.has_errors());
  CHECK(result.written.empty());
  CHECK(read_file(disk.at("outside/job.yaml")) == "b:   1\n");
  CHECK(read_file(disk.at("in/own.yaml")) == "b:   1\n");
}

TEST_CASE("a build writes neither through links in its directory nor into a linked directory") {
  Disk disk;
  write_file(disk.at("job.yaml"), kJob);
  write_file(disk.at("victim/a.yaml"), "precious");
  BuildRequest request;
  request.inputs = {disk.at("job.yaml").string()};
  fs::create_directories(disk.at("out"));
  fs::create_symlink(disk.at("victim/a.yaml"), disk.at("out/a.yaml"));
  fs::create_directory_symlink("victim", disk.at("linked"));
  for (const std::string out : {"out", "linked", "linked/"}) {
    Session session(disk.env);
    request.output_directory = disk.at(out).string();
    CHECK(trainyard::build(session, request).written.empty());
    CHECK(session.sink.has_errors());
  }
  CHECK(read_file(disk.at("victim/a.yaml")) == "precious");
  CHECK(golden::read_tree(disk.at("victim")).size() == 1);
}
