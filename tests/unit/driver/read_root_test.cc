#include "driver/session/read_root.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "driver/build/build.h"
#include "driver/format/format_files.h"
#include "driver/session/config.h"
#include "driver/session/lock_files.h"
#include "driver/validate/validate.h"
#include "golden/files.h"

using namespace trainyard;
using Catch::Matchers::ContainsSubstring;
using golden::write_file;
namespace fs = std::filesystem;

namespace {

const std::string kHead = "apiVersion: trainyard/v1alpha1\nkind: ";
const std::string kSpec =
    kHead +
    "TrainingJob\nmetadata: {name: a}\n"
    "spec: {image: 'r.example.com/a:1', run: {command: [./a]}, security: {runAsUser: 1000}}\n";
const std::string kLayer = kHead + "TrainingJobLayer\nspec: {nodes: 1}\n";
const std::string kPolicy = "{x-trainyard: {name: p}, type: object}";

std::string extending(const std::string& path) {
  return kSpec + "extends: " + path + "\n";
}

/// A run with files in memory.
struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};

  World(std::initializer_list<std::pair<const std::string, std::string>> all) {
    files.files.insert(all);
  }
  std::string build(const std::string& input) {
    BuildRequest request;
    request.inputs = {input};
    return trainyard::build(session, request).stream.whole();
  }
};

/// A run with files on a disk, where links and FIFOs are.
struct Disk {
  golden::TemporaryDirectory temporary;
  RealFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};

  fs::path at(const std::string& name) const { return temporary.path() / name; }
  void link(const std::string& from, const fs::path& to) const {
    fs::create_directories(at(from).parent_path());
    fs::create_symlink(to, at(from));
  }
  void fifo(const std::string& name) const {
    fs::create_directories(at(name).parent_path());
    REQUIRE(::mkfifo(at(name).c_str(), 0600) == 0);
  }
  std::string build(const std::string& input) {
    BuildRequest request;
    request.inputs = {at(input).string()};
    return trainyard::build(session, request).stream.whole();
  }
};

std::string messages(const Session& session) {
  std::string all;
  for (const Diagnostic& each : session.sink.sorted()) {
    all += each.message + "\n";
    for (const std::string& note : each.notes) all += note + "\n";
  }
  return all;
}

std::size_t outside(const Session& session) {
  std::size_t count = 0;
  for (const Diagnostic& each : session.sink.all())
    count += each.kind == DiagnosticKind::OutsideRoot;
  return count;
}

}  // namespace

TEST_CASE("a document's root is its repository, else the input directory, else its folder") {
  World world{{"repo/.git/HEAD", ""},
              {"repo/a/b/x.yaml", ""},
              {"repo/sub/.git", "gitdir: elsewhere"},
              {"repo/sub/x.yaml", ""},
              {"plain/a/b/x.yaml", ""}};
  const auto root = [&](const std::string& document) {
    return ReadRoots(world.env).of_document(document);
  };
  CHECK(root("repo/a/b/x.yaml").path == "/repo");
  CHECK(root("repo/a/b/x.yaml").sort == ReadRoot::Sort::Repository);
  CHECK(root("repo/sub/x.yaml").path == "/repo/sub");
  CHECK(root("plain/a/b/x.yaml").path == "/plain/a/b");
  CHECK(root("plain/a/b/x.yaml").sort == ReadRoot::Sort::Folder);
  CHECK(root("-").path == "/");
  note_directories(world.env, {"plain/a", "repo/a", "plain/a/b/x.yaml", "-"});
  CHECK(root("plain/a/b/x.yaml").path == "/plain/a");
  CHECK(root("plain/a/b/x.yaml").sort == ReadRoot::Sort::Directory);
  CHECK(root("repo/a/b/x.yaml").path == "/repo");
  CHECK(root("plain/x.yaml").path == "/plain");
}

TEST_CASE("a root holds what is below it, and no folder of a like name") {
  const ReadRoot root{ReadRoot::Sort::Folder, "/a/b"};
  CHECK(root.holds("/a/b"));
  CHECK(root.holds("/a/b/c"));
  CHECK_FALSE(root.holds("/a/bc"));
  CHECK_FALSE(root.holds("/a"));
  CHECK(ReadRoot{ReadRoot::Sort::Folder, "/"}.holds("/a"));
}

TEST_CASE("a spec extends no file outside of its root, whether that is there or not") {
  for (const char* path :
       {"../../.docker/config.json", "../../nothing.json", "../../b/../x.yaml"}) {
    World world{{"home/.docker/config.json", "{\"auths\": {\"r\": {\"auth\": \"aHVudGVyMg==\"}}}"},
                {"home/x.yaml", kLayer},
                {"home/repo/.git/HEAD", ""},
                {"home/repo/specs/job.yaml", extending(path)}};
    INFO(path);
    CHECK(world.build("home/repo/specs/job.yaml").empty());
    REQUIRE(world.session.sink.all().size() == 1);
    const Diagnostic& report = world.session.sink.all().front();
    CHECK(report.kind == DiagnosticKind::OutsideRoot);
    CHECK(world.session.sources.text(report.span) == path);
    CHECK_THAT(report.message, ContainsSubstring("is outside of the repository `home/repo`"));
    CHECK_THAT(messages(world.session), ContainsSubstring("`--load-outside`"));
  }
}

TEST_CASE("a spec extends what lies below its root") {
  World repository{{"repo/.git/HEAD", ""},
                   {"repo/base.yaml", kLayer},
                   {"repo/a/b/job.yaml", extending("../../base.yaml")}};
  CHECK_FALSE(repository.build("repo/a/b/job.yaml").empty());
  CHECK(messages(repository.session).empty());
  World directory{{"specs/base.yaml", kLayer}, {"specs/a/job.yaml", extending("../base.yaml")}};
  CHECK_FALSE(directory.build("specs").empty());
  CHECK(messages(directory.session).empty());
  World alone{{"specs/base.yaml", kLayer}, {"specs/a/job.yaml", extending("../base.yaml")}};
  CHECK(alone.build("specs/a/job.yaml").empty());
  CHECK_THAT(messages(alone.session),
             ContainsSubstring("`specs/base.yaml` is outside of the file's folder `specs/a`"));
}

TEST_CASE("the option --load-outside opens the root") {
  World world{{"specs/base.yaml", kLayer}, {"specs/a/job.yaml", extending("../base.yaml")}};
  world.env.load_outside = true;
  CHECK_FALSE(world.build("specs/a/job.yaml").empty());
  CHECK(messages(world.session).empty());
}

TEST_CASE("standard input extends no file outside of the folder of the call") {
  World world{{"base.yaml", kLayer}};
  world.env.read_stdin = [](std::size_t) { return FileRead{extending("base.yaml"), {}}; };
  CHECK_FALSE(world.build("-").empty());
  Disk disk;
  disk.env.read_stdin = [](std::size_t) { return FileRead{extending("../../../../x.yaml"), {}}; };
  BuildRequest request;
  request.inputs = {"-"};
  CHECK(build(disk.session, request).stream.whole().empty());
  CHECK(outside(disk.session) == 1);
}

TEST_CASE("a config file names no file outside of its root") {
  World world{{"etc/passwd", "root:x:0:0\n"},
              {"etc/cluster.yaml", ""},
              {"repo/.git/HEAD", ""},
              {"repo/p.yaml", kPolicy},
              {"repo/a/.trainyard.yaml",
               "{cluster: ../../etc/cluster.yaml, schemas: [/etc], policies: [/etc/passwd, "
               "../p.yaml]}"}};
  RunSettings settings;
  const auto config = read_config(world.session, "repo/a/.trainyard.yaml");
  REQUIRE(config != nullptr);
  apply_config(world.session, *config, settings);
  CHECK(outside(world.session) == 3);
  CHECK(settings.cluster.empty());
  CHECK(settings.schemas.empty());
  CHECK(settings.policies == std::vector<std::string>{"repo/a/../p.yaml"});
  CHECK(messages(world.session).find("root:") == std::string::npos);
}

TEST_CASE("a Cluster names no policy outside of its root") {
  World world{{"etc/passwd", "root:x:0:0\n"},
              {"repo/cluster.yaml",
               kHead + "Cluster\nmetadata: {name: c}\nspec: {policies: [{name: p, schema: "
                       "/etc/passwd}]}\n"}};
  CHECK(read_cluster(world.session, "repo/cluster.yaml") == nullptr);
  CHECK(outside(world.session) == 1);
  CHECK(messages(world.session).find("root:") == std::string::npos);
}

TEST_CASE("a search upward ends at the repository, else at the folder of the call") {
  World world{{".trainyard.yaml", ""},
              {"repo/.git/HEAD", ""},
              {"repo/a/job.yaml", kSpec},
              {"plain/a/job.yaml", kSpec}};
  CHECK(find_config({"repo/a/job.yaml"}, world.env).empty());
  CHECK(find_config({"plain/a/job.yaml"}, world.env) == ".trainyard.yaml");
  world.files.files["repo/.trainyard.yaml"] = "";
  CHECK(find_config({"repo/a/job.yaml"}, world.env) == "repo/.trainyard.yaml");
  // Of a document that lies elsewhere, only its own folder counts.
  Disk disk;
  write_file(disk.at(".trainyard.yaml"), "");
  write_file(disk.at("a/job.yaml"), kSpec);
  CHECK(find_config({disk.at("a/job.yaml").string()}, disk.env).empty());
  write_file(disk.at("a/.trainyard.yaml"), "");
  CHECK_FALSE(find_config({disk.at("a/job.yaml").string()}, disk.env).empty());
}

TEST_CASE("a link out of the root is not read, whatever it stands for") {
  Disk disk;
  write_file(disk.at("away/secret.yaml"), "hunter2word: [\n");
  fs::create_directories(disk.at("repo/.git"));
  const fs::path secret = disk.at("away/secret.yaml");
  SECTION("a layer") {
    disk.link("repo/base.yaml", secret);
    write_file(disk.at("repo/job.yaml"), extending("base.yaml"));
    CHECK(disk.build("repo/job.yaml").empty());
  }
  SECTION("a lock file") {
    disk.link("repo/trainyard.lock", secret);
    write_file(disk.at("repo/job.yaml"), kSpec);
    CHECK(disk.build("repo/job.yaml").empty());
  }
  SECTION("a config file") {
    disk.link("repo/.trainyard.yaml", secret);
    CHECK(read_config(disk.session, disk.at("repo/.trainyard.yaml").string()) == nullptr);
  }
  SECTION("an input that is found in a directory") {
    disk.link("repo/specs/job.yaml", secret);
    CHECK(disk.build("repo/specs").empty());
  }
  CHECK(outside(disk.session) == 1);
  CHECK_THAT(messages(disk.session), ContainsSubstring(secret.string()));
  CHECK(messages(disk.session).find("hunter2word") == std::string::npos);
}

TEST_CASE("a file that the command line names may be a link to anywhere") {
  Disk disk;
  write_file(disk.at("away/job.yaml"), kSpec);
  disk.link("repo/job.yaml", disk.at("away/job.yaml"));
  CHECK_FALSE(disk.build("repo/job.yaml").empty());
  CHECK(messages(disk.session).empty());
}

TEST_CASE("a link to a directory outside of the root is not followed, and said so") {
  Disk disk;
  write_file(disk.at("specs/job.yaml"), kSpec);
  disk.link("specs/all", "/");
  CHECK_FALSE(disk.build("specs").empty());
  CHECK(outside(disk.session) == 1);
  CHECK(disk.session.sink.error_count() == 0);
  CHECK_THAT(messages(disk.session), ContainsSubstring("is a link to `/`"));
}

TEST_CASE("a link within the root is read") {
  Disk disk;
  write_file(disk.at("specs/..data/job.yaml"), kSpec);
  disk.link("specs/job.yaml", "..data/job.yaml");
  CHECK_FALSE(disk.build("specs").empty());
  CHECK(messages(disk.session).empty());
}

TEST_CASE("what config excludes is not complained of") {
  Disk disk;
  write_file(disk.at("specs/job.yaml"), kSpec);
  disk.link("specs/all", "/");
  const auto folder = disk.files.real_path(disk.at("specs").string());
  disk.env.excluded = {*folder + "/all"};
  CHECK_FALSE(disk.build("specs").empty());
  CHECK(messages(disk.session).empty());
}

TEST_CASE("a FIFO where a file is expected is an error, and no command waits for it") {
  Disk disk;
  fs::create_directories(disk.at(".git"));
  write_file(disk.at("job.yaml"), kSpec);
  SECTION("a layer") {
    disk.fifo("base.yaml");
    write_file(disk.at("job.yaml"), extending("base.yaml"));
    CHECK(disk.build("job.yaml").empty());
  }
  SECTION("a lock file") {
    disk.fifo("trainyard.lock");
    CHECK(disk.build("job.yaml").empty());
  }
  SECTION("a config file") {
    disk.fifo(".trainyard.yaml");
    CHECK(read_config(disk.session, disk.at(".trainyard.yaml").string()) == nullptr);
  }
  SECTION("a Cluster that a config file names") {
    disk.fifo("cluster.yaml");
    write_file(disk.at(".trainyard.yaml"), "cluster: cluster.yaml\n");
    RunSettings settings;
    const auto config = read_config(disk.session, disk.at(".trainyard.yaml").string());
    apply_config(disk.session, *config, settings);
    CHECK(settings.cluster.empty());
  }
  SECTION("a staged file") {
    disk.fifo("train.py");
    write_file(disk.at("job.yaml"),
               kHead +
                   "TrainingJob\nmetadata: {name: a}\nspec: {image: 'r.example.com/a:1', run: "
                   "{command: [./a]}, files: {items: [{from: train.py}]}}\n");
    CHECK(disk.build("job.yaml").empty());
  }
  SECTION("a file of an input directory") {
    disk.fifo("specs/a.yaml");
    CHECK(disk.build("specs").empty());
  }
  SECTION("a file of a directory to lay out") {
    disk.fifo("specs/a.yaml");
    CHECK(format_files(disk.session, {{disk.at("specs").string()}, false}).written.empty());
  }
  SECTION("a template") {
    disk.fifo("mine/machines/a.yaml");
    disk.session.templates.add_directory(disk.at("mine").string(), disk.env, disk.session.sink);
  }
  CHECK_THAT(messages(disk.session), ContainsSubstring("is a FIFO, not a regular file"));
  CHECK(disk.session.sink.error_count() == 1);
}

TEST_CASE("a device where a file is expected is an error") {
  Disk disk;
  disk.env.load_outside = true;
  disk.link("base.yaml", "/dev/zero");
  write_file(disk.at("job.yaml"), extending("base.yaml"));
  CHECK(disk.build("job.yaml").empty());
  CHECK_THAT(messages(disk.session), ContainsSubstring("is a device, not a regular file"));
}
