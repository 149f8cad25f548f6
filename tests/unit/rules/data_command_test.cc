// The shells that fetch and store, run by the shell that is here.
#include "rules/data_command.h"

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "unit/rules/run_words.h"

using namespace trainyard;
using namespace trainyard::testing;
namespace fs = std::filesystem;

namespace {

/// Starts the words in pod `pod`, with the folder of the result at another place and less waiting.
pid_t start(Words words, const fs::path& folder, const std::string& pod = "") {
  words.insert(words.begin(), {"env", "POD_NAME=" + pod});
  // What the shells say is no output of the test's.
  return start_words(std::move(words),
                     {{std::string(kResultFolder), folder.string()},
                      {"10 30 60 0", "1 1 1 0"},
                      {"sleep \"$pause\"", "sleep 0.01"},
                      {"sleep 5", "sleep 0.02"}},
                     true);
}

Words shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

/// The program behind the shell that tells how it ends.
Words awaited(std::size_t waiting, const Words& program) {
  Words words = awaited_program(waiting);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

}  // namespace

TEST_CASE("what has been fetched is marked, and not fetched again") {
  const Folder folder;
  const Fetch fetch{folder.file("a b"), ".mark", {}};
  const Words command = shell("echo x >> '" + folder.file("a b") + "/data'");
  CHECK(result_of(start(fetch_words(fetch, command), folder.path)) == 0);
  CHECK(fs::exists(folder.path / "a b/.mark"));
  CHECK(fs::file_size(folder.path / "a b/data") == 2);
  CHECK(result_of(start(fetch_words(fetch, command), folder.path)) == 0);
  CHECK(fs::file_size(folder.path / "a b/data") == 2);
}

namespace {

/// A fetch that unpacks what a line of Python makes at `archive`.
int unpacked(const Folder& folder, const std::string& python) {
  const std::string archive = folder.file("data/.trainyard-archive");
  const Fetch fetch{folder.file("data"), ".mark", {}, archive, true};
  const std::string made =
      "import io, sys, tarfile, zipfile\nat = sys.argv[1]\n"
      "def add(source, name, **said):\n"
      "    member = tarfile.TarInfo(name)\n"
      "    for key, value in said.items(): setattr(member, key, value)\n"
      "    member.size = 0 if 'type' in said else 2\n"
      "    source.addfile(member, io.BytesIO(b'x\\n'))\n" +
      python;
  return result_of(start(fetch_words(fetch, {"python3", "-c", made, archive}), folder.path));
}

}  // namespace

TEST_CASE("an archive is unpacked and taken away before the mark says that all has come") {
  for (const std::string made : {
           "with tarfile.open(at, 'w:gz') as t: add(t, 'a/b'); add(t, './c')",
           "with tarfile.open(at, 'w') as t:\n"
           "    add(t, 'a', type=tarfile.DIRTYPE, mode=0o500); add(t, 'a/b'); add(t, 'c')\n"
           "    add(t, 'd', type=tarfile.SYMTYPE, linkname='a/b')",
           "with zipfile.ZipFile(at, 'w') as z: z.writestr('a/b', 'x\\n'); z.writestr('c', 'x\\n')",
           // The last member of a tar is a zip.
           "with tarfile.open(at, 'w') as t:\n"
           "    b = io.BytesIO(); z = zipfile.ZipFile(b, 'w'); z.writestr('x', 'x'); z.close()\n"
           "    m = tarfile.TarInfo('x.zip'); m.size = b.tell(); b.seek(0)\n"
           "    add(t, 'a/b'); add(t, 'c'); t.addfile(m, b)",
       }) {
    const Folder folder;
    INFO(made);
    CHECK(unpacked(folder, made) == 0);
    CHECK(fs::file_size(folder.path / "data/a/b") == 2);
    CHECK(fs::file_size(folder.path / "data/c") == 2);
    CHECK(fs::exists(folder.path / "data/.mark"));
    CHECK_FALSE(fs::exists(folder.path / "data/.trainyard-archive"));
  }
}

TEST_CASE("an archive that leads out of its directory, or is none, leaves no mark and no file") {
  for (const std::string made : {
           "with tarfile.open(at, 'w') as t: add(t, '../out')",
           "with tarfile.open(at, 'w') as t: add(t, sys.argv[1] + '/../../out')",
           "with tarfile.open(at, 'w') as t:\n"
           "    add(t, 'd', type=tarfile.SYMTYPE, linkname='..'); add(t, 'd/out')",
           "with tarfile.open(at, 'w') as t: add(t, 'd', type=tarfile.LNKTYPE, linkname='../out')",
           "with tarfile.open(at, 'w') as t: add(t, 'd', type=tarfile.FIFOTYPE)",
           "with zipfile.ZipFile(at, 'w') as z: z.writestr('../out', 'x')",
           "with tarfile.open(at, 'w') as t: add(t, '.trainyard-0123abcd')",
           // More than 1 GiB, and than 200 times the archive.
           "with tarfile.open(at, 'w') as t:\n"
           "    m = tarfile.TarInfo('big'); m.size = 1 << 31; t.fileobj.write(m.tobuf())",
           "with zipfile.ZipFile(at, 'w') as z:\n"
           "    z.writestr('big', 'x'); z.filelist[0].file_size = 1 << 40",
           "open(at, 'w').write('no archive')",
       }) {
    const Folder folder;
    INFO(made);
    CHECK(unpacked(folder, made) == 1);
    CHECK_FALSE(fs::exists(folder.path / "out"));
    CHECK_FALSE(fs::exists(folder.path / "data/.mark"));
  }
}

TEST_CASE("a fetch that fails is tried four times, and leaves no mark") {
  const Folder folder;
  const Fetch fetch{folder.file("data"), ".mark", {}};
  const std::string tries = folder.file("tries");
  const Words fails = shell("echo x >> '" + tries + "'; exit 3");
  CHECK(result_of(start(fetch_words(fetch, fails), folder.path)) == 1);
  CHECK(fs::file_size(tries) == 8);
  CHECK_FALSE(fs::exists(folder.path / "data/.mark"));
}

TEST_CASE("a fetch that succeeds at the second try is a success") {
  const Folder folder;
  const Fetch fetch{folder.file("data"), ".mark", {}};
  const std::string seen = folder.file("data/seen");
  const Words second = shell("[ -e '" + seen + "' ] || { : > '" + seen + "'; exit 1; }");
  CHECK(result_of(start(fetch_words(fetch, second), folder.path)) == 0);
  CHECK(fs::exists(folder.path / "data/.mark"));
}

TEST_CASE("a fetch that brings nothing is a failure") {
  const Folder folder;
  const Fetch fetch{folder.file("data"), ".mark", {}};
  CHECK(result_of(start(fetch_words(fetch, {"true"}), folder.path)) == 1);
  CHECK_FALSE(fs::exists(folder.path / "data/.mark"));
}

TEST_CASE(
    "another file than the one that is wanted is no success, and no directory stays in its place") {
  const Folder folder;
  const Fetch fetch{folder.path.string(), ".mark", {}, folder.file("a.json")};
  const Words brings =
      shell("mkdir -p '" + folder.file("a.json") + "'; : > '" + folder.file("b") + "'");
  CHECK(result_of(start(fetch_words(fetch, brings), folder.path)) == 1);
  CHECK_FALSE(fs::exists(folder.path / ".mark"));
  CHECK_FALSE(fs::exists(folder.path / "a.json"));
}

TEST_CASE("a file that has come is a success") {
  const Folder folder;
  const Fetch fetch{folder.path.string(), ".mark", {}, folder.file("a.json")};
  CHECK(result_of(start(fetch_words(fetch, shell(": > '" + folder.file("a.json") + "'")),
                        folder.path)) == 0);
  CHECK(fs::exists(folder.path / ".mark"));
}

TEST_CASE("of several pods the first fetches, under its name or one with a random end") {
  const Folder folder;
  const Turn turn{Turn::Who::Named, "train-0"};
  const Words command = shell(": > '" + folder.file("data/file") + "'");
  for (const char* other : {"train-1", "train-10", "train-0-1", "train-1-abcde", "train-00"}) {
    INFO(other);
    const Fetch fetch{folder.file("data"), ".mark", turn};
    const pid_t waiting = start(fetch_words(fetch, command), folder.path, other);
    usleep(50'000);
    CHECK(runs(waiting));
    kill(waiting, SIGKILL);
    result_of(waiting);
  }
  for (const char* first : {"train-0", "train-0-abcde"}) {
    INFO(first);
    fs::remove_all(folder.path / "data");
    const Fetch fetch{folder.file("data"), ".mark", turn};
    const pid_t waiting = start(fetch_words(fetch, command), folder.path, "train-3-abcde");
    CHECK(result_of(start(fetch_words(fetch, command), folder.path, first)) == 0);
    CHECK(result_of(waiting) == 0);
  }
}

TEST_CASE("a pod that never fetches waits for the mark") {
  const Folder folder;
  const Fetch fetch{folder.path.string(), ".mark", {Turn::Who::None, ""}};
  const pid_t waiting = start(fetch_words(fetch, {"false"}), folder.path);
  usleep(50'000);
  CHECK(runs(waiting));
  std::ofstream(folder.path / ".mark").put('\n');
  CHECK(result_of(waiting) == 0);
}

TEST_CASE("outputs are stored once the program has ended well") {
  const Folder folder;
  const Words store = shell("cp '" + folder.file("out") + "' '" + folder.file("stored") + "'");
  const pid_t storing = start(store_after_words(0, StoreAfter::Success, {}, store), folder.path);
  const Words program = shell("sleep 0.1; echo done > '" + folder.file("out") + "'");
  CHECK(result_of(start(awaited(1, program), folder.path)) == 0);
  CHECK(result_of(storing) == 0);
  CHECK(fs::exists(folder.path / "stored"));
}

TEST_CASE("nothing is stored for a program that fails or is killed, and its status stays") {
  for (const char* end : {"exit 7", "kill -KILL $$"}) {
    INFO(end);
    const Folder folder;
    const Words store = shell(": > '" + folder.file("stored") + "'");
    const pid_t storing = start(store_after_words(0, StoreAfter::Success, {}, store), folder.path);
    const int status = result_of(start(awaited(1, shell(end)), folder.path));
    CHECK(status == (std::string(end) == "exit 7" ? 7 : 137));
    CHECK(result_of(storing) == 1);
    CHECK_FALSE(fs::exists(folder.path / "stored"));
  }
}

TEST_CASE(
    "what a failed program leaves is stored where that is asked for, and the container fails") {
  for (const char* end : {"exit 7", "kill -KILL $$"}) {
    INFO(end);
    const Folder folder;
    const Words store = shell(": > '" + folder.file("stored") + "'");
    const pid_t storing = start(store_after_words(0, StoreAfter::AnyEnd, {}, store), folder.path);
    CHECK(result_of(start(awaited(1, shell(end)), folder.path)) != 0);
    CHECK(result_of(storing) == 1);
    CHECK(fs::exists(folder.path / "stored"));
  }
}

TEST_CASE("a container that stores after any end succeeds with the program") {
  const Folder folder;
  const Words store = shell(": > '" + folder.file("stored") + "'");
  const pid_t storing = start(store_after_words(0, StoreAfter::AnyEnd, {}, store), folder.path);
  CHECK(result_of(start(awaited(1, {"true"}), folder.path)) == 0);
  CHECK(result_of(storing) == 0);
  CHECK(fs::exists(folder.path / "stored"));
}

TEST_CASE("a container that waits learns of the end of a program whose shell is killed, too") {
  const Folder folder;
  const pid_t storing = start(store_after_words(0, StoreAfter::Success, {}, {"true"}), folder.path);
  const pid_t program = start(awaited(1, {"sleep", "0.3"}), folder.path);
  usleep(100'000);
  kill(program, SIGKILL);
  CHECK(result_of(program) == 137);
  CHECK(result_of(storing) == 1);
}

TEST_CASE("a container that starts again after the program has ended well stores at once") {
  const Folder folder;
  const pid_t first = start(store_after_words(0, StoreAfter::Success, {}, {"false"}), folder.path);
  CHECK(result_of(start(awaited(1, {"true"}), folder.path)) == 0);
  CHECK(result_of(first) == 1);
  CHECK(result_of(start(store_after_words(0, StoreAfter::Success, {}, {"true"}), folder.path)) ==
        0);
}

TEST_CASE("as many containers wait for one program as there are outputs") {
  const Folder folder;
  std::vector<pid_t> waiting;
  for (std::size_t i = 0; i < kMostWaiting; ++i) {
    const Words store = shell(": > '" + folder.file("stored") + std::to_string(i) + "'");
    waiting.push_back(start(store_after_words(i, StoreAfter::Success, {}, store), folder.path));
  }
  CHECK(result_of(start(awaited(kMostWaiting, {"true"}), folder.path)) == 0);
  for (std::size_t i = 0; i < kMostWaiting; ++i) {
    CHECK(result_of(waiting[i]) == 0);
    CHECK(fs::exists(folder.file("stored") + std::to_string(i)));
  }
}

TEST_CASE("beside the other pods of a role nothing is stored") {
  const Folder folder;
  const Turn turn{Turn::Who::Named, "train-0"};
  const Words store = shell(": > '" + folder.file("stored") + "'");
  const pid_t storing =
      start(store_after_words(0, StoreAfter::Success, turn, store), folder.path, "train-1-abcde");
  CHECK(result_of(start(awaited(1, {"true"}), folder.path, "train-1-abcde")) == 0);
  CHECK(result_of(storing) == 0);
  CHECK_FALSE(fs::exists(folder.path / "stored"));
}
