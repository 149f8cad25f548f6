#include "driver/why/why.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "driver/build/build.h"
#include "golden/files.h"
#include "source/sha256.h"

using namespace trainyard;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

const std::string kOutput = "a: 1\nb: 2\n";

/// A map of causes that claims to be of kOutput, with one entry.
std::string forged(const std::string& causes,
                   const std::string& lines = R"("firstLine": 1, "lastLine": 1)",
                   const std::string& object = "Job/a") {
  return R"({"version": 1, "output": "sha256:)" + sha256_hex(kOutput) +
         R"(", "entries": [{"object": ")" + object +
         R"(", "path": "spec.a", "namedPath": "spec.a", )" + lines + R"(, "causes": [)" + causes +
         "]}]}";
}

struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};

  explicit World(const std::string& map) {
    files.files["repo/.git/HEAD"] = "";
    files.files["repo/out.yaml"] = kOutput;
    files.files["repo/out.yaml.provenance.json"] = map;
    files.files["repo/job.yaml"] = "spec: 1\npassword: hunter2word\nv: hunter2word\n";
    files.files["etc/passwd"] = "root:x:0:0\n";
  }
  std::string why() {
    WhyRequest request;
    request.input = "repo/out.yaml";
    request.line = 1;
    return trainyard::why(session, request).text;
  }
  std::string messages() const {
    std::string all;
    for (const Diagnostic& each : session.sink.sorted()) all += each.message + "\n";
    return all;
  }
};

std::string cause(const std::string& file, int line, int depth = 0,
                  const std::string& kind = "spec") {
  return R"({"kind": ")" + kind + R"(", "depth": )" + std::to_string(depth) + R"(, "file": ")" +
         file + R"(", "line": )" + std::to_string(line) + R"(, "column": 1})";
}

}  // namespace

TEST_CASE("why shows the lines that a sound map names") {
  World world(forged(cause("repo/job.yaml", 1)));
  CHECK(world.why() == "Job/a:spec.a\n    1 | a: 1\n  spec repo/job.yaml:1:1\n    1 | spec: 1\n");
  CHECK(world.messages().empty());
}

TEST_CASE("why shows no line of a file outside of the root, whatever the map says") {
  for (const char* file : {"etc/passwd", "/etc/passwd", "repo/../etc/passwd"}) {
    World world(forged(cause(file, 1)));
    INFO(file);
    const std::string text = world.why();
    CHECK_THAT(text, ContainsSubstring("spec.a"));
    CHECK(text.find("root:") == std::string::npos);
    CHECK_THAT(world.messages(), ContainsSubstring("is outside of the repository `repo`"));
  }
}

TEST_CASE("why shows no secret of a line, nor where it stands once more") {
  for (int line : {2, 3}) {
    World world(forged(cause("repo/job.yaml", line)));
    const std::string text = world.why();
    CHECK_THAT(text, ContainsSubstring("••••"));
    CHECK(text.find("hunter2word") == std::string::npos);
  }
}

TEST_CASE("a map that no build can have written is refused") {
  const std::string good = cause("repo/job.yaml", 1);
  for (const std::string& map :
       {forged(cause("repo/job.yaml", 1, 1)),  // depth without what is above it
        forged(good + ", " + cause("repo/job.yaml", 1, 4'000'000'00)),
        forged(cause("repo/job.yaml", 1, -1)), forged(cause("repo/job.yaml", -1)),
        forged(cause("repo/job.yaml", 1, 0, "anything")),
        forged(good, R"("firstLine": 2, "lastLine": 1)"),
        forged(good, R"("firstLine": 1, "lastLine": 4000000000)"),
        forged(good, R"("firstLine": 1, "lastLine": 18446744073709551615)"),
        forged(good, R"("firstLine": 1, "lastLine": 1.5)"),
        forged(good, R"("firstLine": "1", "lastLine": 1)"), forged("[[[[[[[[]]]]]]]]"), forged("7"),
        std::string("[]"), std::string(100'000, '[')}) {
    World world(map);
    INFO(map.substr(0, 200));
    CHECK(world.why().empty());
    CHECK_THAT(world.messages(), ContainsSubstring("is no map of causes"));
  }
}

TEST_CASE("why prints nothing that a terminal obeys") {
  World world(forged(
      R"({"kind": "rule", "name": "a\u001b[2J\u202eb", "depth": 0, "file": "x\u001b]0;y", "line": 1, "column": 1})",
      R"("firstLine": 1, "lastLine": 1)", "Job/a\\u001b[31m"));
  const std::string text = world.why();
  CHECK_THAT(text, ContainsSubstring("rule"));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
}

TEST_CASE("an answer stays bounded, however many causes a map has") {
  std::string causes;
  for (int i = 0; i < 12'000; ++i) {
    if (i > 0) causes += ", ";
    causes += cause("repo/job.yaml", 1);
  }
  World world(forged(causes));
  CHECK(world.why().size() < 1'000'000);
}

TEST_CASE("a map that is a FIFO or a link out of the root is an error") {
  golden::TemporaryDirectory temporary;
  const fs::path repo = temporary.path() / "repo";
  fs::create_directories(repo / ".git");
  golden::write_file(repo / "out.yaml", kOutput);
  const fs::path map = repo / "out.yaml.provenance.json";
  std::string expected;
  SECTION("a FIFO") {
    REQUIRE(::mkfifo(map.c_str(), 0600) == 0);
    expected = "is a FIFO, not a regular file";
  }
  SECTION("a link") {
    golden::write_file(temporary.path() / "map.json", forged(""));
    fs::create_symlink("../map.json", map);
    expected = "outside of";
  }
  RealFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  WhyRequest request;
  request.input = (repo / "out.yaml").string();
  request.line = 1;
  CHECK(why(session, request).text.empty());
  REQUIRE(session.sink.all().size() == 1);
  CHECK_THAT(session.sink.all().front().message, ContainsSubstring(expected));
}

TEST_CASE("why about a spec shows no secret that other commands mask") {
  MemoryFileSystem files;
  files.files["job.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\nspec:\n"
      "  image: r.example.com/a:1\n  run: {command: [./a]}\n  security: {runAsUser: 1000}\n"
      "  env: {DB_PASSPHRASE_FILE: /x, A: b} # https://me:hunter2word@host\n";
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  WhyRequest request;
  request.input = "job.yaml";
  request.line = 8;
  const std::string text = why(session, request).text;
  CHECK_THAT(text, ContainsSubstring("••••@host"));
  CHECK(text.find("hunter2word") == std::string::npos);
}
