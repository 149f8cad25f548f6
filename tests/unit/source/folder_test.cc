#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>

#include "file_text.h"
#include "source/file_system.h"

using namespace trainyard;
using trainyard::testing::read_file;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLimit = 1 << 20;

/// A directory of its own on the disk.
struct Place {
  fs::path root;
  RealFileSystem files;

  Place() {
    std::string name = (fs::temp_directory_path() / "trainyard-folder-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root = name;
  }
  Place(const Place&) = delete;
  ~Place() { fs::remove_all(root); }

  std::string at(const std::string& name) const { return (root / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << text;
  }
  std::string text(const std::string& name) const { return read_file(root / name); }
  /// All files below, hidden ones too.
  std::map<std::string, std::string> all(const std::string& name) const {
    std::map<std::string, std::string> result;
    for (const auto& each : fs::recursive_directory_iterator(root / name)) {
      const std::string path = each.path().lexically_relative(root / name).string();
      const bool plain = each.is_regular_file() && !each.is_symlink();
      result[path] = plain ? read_file(each.path()) : "(no file)";
    }
    return result;
  }
  std::unique_ptr<Folder> open(const std::string& name) {
    OpenedFolder opened = files.open_folder(at(name), FolderUse::Write);
    REQUIRE(opened.folder != nullptr);
    return std::move(opened.folder);
  }
};

std::optional<FailedChange> change(Folder& folder, const std::vector<FileChange>& changes) {
  return folder.change(changes);
}

/// Runs `work` in a process of its own; gives how it ended.
int in_process(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a name that leads out of a folder is refused, and nothing is written") {
  Place place;
  place.write("out/old", "1");
  const auto folder = place.open("out");
  for (const std::string name : {"", ".", "..", "../x", "/x", "a/../../x", "a//x", "a/.", "x/"}) {
    INFO(name);
    CHECK_FALSE(stays_below(name));
    CHECK(change(*folder, {{"good", "1"}, {name, "2"}}));
  }
  CHECK(stays_below("..a/b"));
  CHECK(place.all("") ==
        std::map<std::string, std::string>{{"out", "(no file)"}, {"out/old", "1"}});
}

TEST_CASE("links in a folder are neither written nor read through") {
  Place place;
  place.write("victim/file", "precious");
  fs::create_directories(place.at("out"));
  fs::create_symlink(place.at("victim/file"), place.at("out/a.yaml"));
  fs::create_directory_symlink(place.at("victim"), place.at("out/group"));
  const auto folder = place.open("out");
  for (const std::string name : {"a.yaml", "group/file", "group/new"}) {
    INFO(name);
    const auto failed = change(*folder, {{"before", "1"}, {name, "mine"}});
    REQUIRE(failed);
    CHECK(failed->name == name);
    CHECK(failed->error.reason == FileError::Reason::NotAFile);
    CHECK(folder->read(name, kLimit).error);
  }
  CHECK(place.all("victim") == std::map<std::string, std::string>{{"file", "precious"}});
  CHECK_FALSE(fs::exists(place.at("out/before")));
  const OpenedFolder link = place.files.open_folder(place.at("out/group/"), FolderUse::Write);
  REQUIRE(link.error);
  CHECK(link.error->message == "is a symbolic link");
}

TEST_CASE("a folder that is swapped for a link is still the one that was opened") {
  Place place;
  place.write("victim/a.yaml", "precious");
  const auto folder = place.open("out");
  fs::rename(place.at("out"), place.at("moved"));
  fs::create_directory_symlink(place.at("victim"), place.at("out"));
  CHECK_FALSE(change(*folder, {{"a.yaml", "new"}, {"b.yaml", "new"}}));
  CHECK(place.all("victim") == std::map<std::string, std::string>{{"a.yaml", "precious"}});
  CHECK(place.all("moved").size() == 2);
}

TEST_CASE("a change that cannot be made whole is not made at all") {
  Place place;
  place.write("out/one", "old");
  place.write("out/gone", "old");
  fs::create_directories(place.at("out/two/sub"));
  const auto before = place.all("out");
  const auto folder = place.open("out");
  const auto failed = change(
      *folder, {{"one", "new"}, {"new/three", "new"}, {"two", "new"}, {"gone", std::nullopt}});
  REQUIRE(failed);
  CHECK(failed->name == "two");
  CHECK(failed->error.reason == FileError::Reason::IsDirectory);
  CHECK(place.all("out") == before);
  CHECK(change(*folder, {{"one", "new"}, {"not-there", std::nullopt}}));
  CHECK(place.all("out") == before);
}

TEST_CASE("a full disk at one file leaves the files as they were, and nothing beside them") {
  Place place;
  for (int i = 0; i < 60; ++i) place.write("out/" + std::to_string(i), "old");
  const auto before = place.all("out");
  const int status = in_process([&] {
    const rlimit limit = {1000, 1000};
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    const std::string large(2000, 'x');
    std::vector<FileChange> changes;
    for (int i = 0; i < 60; ++i) changes.push_back({std::to_string(i), "new"});
    changes[50].text = large;
    const auto failed =
        place.files.open_folder(place.at("out"), FolderUse::Write).folder->change(changes);
    return failed && failed->name == "50" && failed->error.reason == FileError::Reason::Other;
  });
  CHECK(status == 0);
  CHECK(place.all("out") == before);
}

TEST_CASE("a change of more folders than files may be open is made all the same") {
  Place place;
  struct rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  struct rlimit few = before;
  few.rlim_cur = 64;
  if (before.rlim_max <= 1024) SKIP("the system lets no process open more than 1024 files");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::vector<FileChange> changes;
  for (int i = 0; i < 500; ++i) changes.push_back({"d" + std::to_string(i) + "/a", "text"});
  {
    const auto folder = place.open("out");
    CHECK_FALSE(folder->change(changes));
    for (int i = 0; i < 500; ++i)
      CHECK(folder->read(changes[static_cast<std::size_t>(i)].name, kLimit).text == "text");
  }
  CHECK(place.all("out").size() == 1000);  // with the folders
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}

TEST_CASE("directories that were made for nothing are removed again") {
  Place place;
  {
    const auto folder = place.open("a/b/out");
    CHECK(fs::exists(place.at("a/b/out")));
    CHECK(change(*folder, {{"x/y/z", "1"}, {"..", "2"}}));
  }
  CHECK(place.all("").empty());
}

TEST_CASE("a pipe without a writer is no file, and reading it ends at once") {
  Place place;
  const auto folder = place.open("out");
  REQUIRE(::mkfifo(place.at("out/pipe").c_str(), 0600) == 0);
  const FileRead read = folder->read("pipe", kLimit);
  REQUIRE(read.error);
  CHECK(read.error->reason == FileError::Reason::NotAFile);
  CHECK(change(*folder, {{"pipe", "text"}}));
}

TEST_CASE("a change keeps permissions and adds, replaces and removes") {
  Place place;
  place.write("out/one", "old");
  place.write("out/gone", "old");
  fs::permissions(place.at("out/one"), fs::perms::owner_read | fs::perms::owner_write);
  const auto folder = place.open("out");
  CHECK_FALSE(change(*folder, {{"one", "new"}, {"group/v1/two", "2"}, {"gone", std::nullopt}}));
  CHECK(place.text("out/one") == "new");
  CHECK(place.text("out/group/v1/two") == "2");
  CHECK_FALSE(fs::exists(place.at("out/gone")));
  CHECK(fs::status(place.at("out/one")).permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder->list().names == std::vector<std::string>{"group/", "one"});
}

TEST_CASE("a directory that cannot be listed is an error and never an empty one") {
  Place place;
  place.write("in/a.yaml", "1");
  // To look at an object's type, the sanitizer opens a pipe, for which there is no descriptor left.
  const int status = in_process([&]() __attribute__((no_sanitize("vptr"))) {
    const rlimit limit = {3, 3};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
    const Listing listing = place.files.list(place.at("in"));
    return listing.error && listing.error->message == "too many open files";
  });
  CHECK(status == 0);
  CHECK(place.files.list(place.at("none")).error->reason == FileError::Reason::NotFound);
  CHECK_FALSE(place.files.list(place.at("in")).error);
  if (::geteuid() == 0) return;  // who may read everything
  fs::permissions(place.at("in"), fs::perms::none);
  const Listing closed = place.files.list(place.at("in"));
  fs::permissions(place.at("in"), fs::perms::owner_all);
  REQUIRE(closed.error);
  CHECK(closed.error->reason == FileError::Reason::NotPermitted);
}

TEST_CASE("what a killed run has left is removed, and what a live one is using stays") {
  Place place;
  place.write("out/.trainyard-1-0.tmp/new-0", "left");
  place.write("out/.trainyard-2-0.tmp/new-0", "in use");
  place.write("out/.trainyard-notes.tmp/mine", "of a user");
  const int live = ::open(place.at("out/.trainyard-2-0.tmp").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(live, LOCK_EX) == 0);
  place.open("out");
  CHECK_FALSE(fs::exists(place.at("out/.trainyard-1-0.tmp")));
  CHECK(place.text("out/.trainyard-2-0.tmp/new-0") == "in use");
  CHECK(place.text("out/.trainyard-notes.tmp/mine") == "of a user");
  ::close(live);
}

TEST_CASE("whenever a run is ended, the files are all old or all new and nothing is left over") {
  constexpr int kFiles = 300;
  const char* const seed = std::getenv("TRAINYARD_SEED");
  std::mt19937 random(seed == nullptr ? 1U : static_cast<unsigned>(std::atoi(seed)));
  for (int round = 0; round < 12; ++round) {
    Place place;
    for (int i = 0; i < kFiles; ++i) place.write("out/" + std::to_string(i), "old");
    const bool kill = round % 3 == 0;
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGTERM, SIG_DFL);  // in place of that of the tests
      std::vector<FileChange> changes;
      for (int i = 0; i < kFiles; ++i) changes.push_back({std::to_string(i), "new"});
      place.files.open_folder(place.at("out"), FolderUse::Write).folder->change(changes);
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(random() % 12000));
    ::kill(child, kill ? SIGKILL : SIGTERM);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (kill) place.open("out");
    std::map<std::string, int> texts;
    for (const auto& [name, text] : place.all("out")) ++texts[text];
    INFO("round " << round);
    CHECK(texts["old"] + texts["new"] == kFiles);
    if (!kill) CHECK((texts["old"] == 0 || texts["new"] == 0));
  }
}

TEST_CASE("runs that write into one folder at the same time lose nothing of each other") {
  Place place;
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (int i = 0; i < 20; ++i) {
        const std::string name = std::to_string(child) + "-" + std::to_string(i);
        const OpenedFolder opened = place.files.open_folder(place.at("out"), FolderUse::Write);
        if (opened.error || change(*opened.folder, {{name, "text"}})) ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  }
  CHECK(place.all("out").size() == 80);
}
