// Images of all targets, pinned by a lock file.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "driver/lock/lock.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

const std::string kDigest = "sha256:" + std::string(64, 'a');
const std::string kImage = "registry.example.com/a:1";

std::string lock_file(const std::string& entries) {
  return "apiVersion: trainyard/v1alpha1\nkind: Lock\nimages:\n" + entries;
}

std::string spec(const std::string& more = "") {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: job}\nspec:\n"
         "  image: " +
         kImage + "\n  run: {script: /a/train.py}\n  security: {runAsUser: 1000}\n" + more;
}

struct Outcome {
  std::string stream;
  std::vector<Diagnostic> reports;
};

Outcome build_locked(const std::map<std::string, std::string>& files, const std::string& target,
                     bool required = true) {
  MemoryFileSystem disk;
  disk.files = files;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  session.locks.settings.required = required;
  BuildRequest request;
  request.inputs = {"in/deep/job.yaml"};
  request.target = target;
  Outcome outcome;
  outcome.stream = build(session, request).stream.whole();
  outcome.reports = session.sink.sorted();
  return outcome;
}

/// How often the image stands in a text, and how often without its digest.
std::pair<std::size_t, std::size_t> uses(const std::string& text) {
  std::pair<std::size_t, std::size_t> found{0, 0};
  for (std::size_t at = text.find(kImage); at != std::string::npos;
       at = text.find(kImage, at + 1)) {
    ++found.first;
    if (text.compare(at + kImage.size(), kDigest.size() + 1, "@" + kDigest) != 0) ++found.second;
  }
  return found;
}

std::string digest_of(const std::string& stream) {
  const std::string key = "trainyard/digest: ";
  return stream.substr(stream.find(key) + key.size(), 71);
}

LockResult lock_with(MemoryFileSystem& disk, const LockRequest& request) {
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  return lock_images(session, request);
}

}  // namespace

TEST_CASE("a lock file above a spec pins the image for every target") {
  for (const char* target : {"job", "jobset", "trainjob", "pytorchjob", "mpijob", "volcano",
                             "rayjob", "runai", "runai-distributed"}) {
    const std::string nodes = std::string(target) == "runai" ? "" : "  nodes: 2\n";
    const std::string more = std::string(target) == "rayjob" ? nodes + "  framework: ray\n" : nodes;
    const Outcome outcome =
        build_locked({{"in/deep/job.yaml", spec(more)},
                      {"in/trainyard.lock", lock_file("  " + kImage + ": " + kDigest + "\n")}},
                     target);
    INFO(target << "\n" << outcome.stream);
    const auto [all, unpinned] = uses(outcome.stream);
    CHECK(all >= 1);
    CHECK(unpinned == 0);
    for (const Diagnostic& each : outcome.reports) {
      CHECK(each.severity != Severity::Error);
      UNSCOPED_INFO(each.message);
    }
  }
}

TEST_CASE("the digest of the output covers what was pinned, and nothing else of the lock file") {
  const auto digest = [](const std::string& entries) {
    std::map<std::string, std::string> files{{"in/deep/job.yaml", spec()}};
    if (!entries.empty()) files["in/deep/trainyard.lock"] = lock_file(entries);
    return digest_of(build_locked(files, "job", false).stream);
  };
  const std::string ours = "  " + kImage + ": " + kDigest + "\n";
  const std::string other = "  registry.example.com/b:1: " + kDigest + "\n";
  CHECK(digest(ours) != digest(""));
  CHECK(digest(ours) == digest(ours + other));
  CHECK(digest(other) == digest(""));
  CHECK(digest("  " + kImage + ": sha256:" + std::string(64, 'b') + "\n") != digest(ours));
}

TEST_CASE("an image that has a digest needs no entry, and one that is no container is let be") {
  const std::string pinned = "registry.example.com/b@sha256:" + std::string(64, 'c');
  const std::string more = "  pod:\n    spec:\n      initContainers: [{name: i, image: '" + pinned +
                           "', securityContext: {allowPrivilegeEscalation: false, capabilities: "
                           "{drop: [ALL]}}}]\n"
                           "  patches: [{kind: Job, patch: {metadata: {annotations: {image: '" +
                           kImage + "'}}}}]\n";
  const Outcome outcome =
      build_locked({{"in/deep/job.yaml", spec(more)},
                    {"trainyard.lock", lock_file("  " + kImage + ": " + kDigest + "\n")}},
                   "job");
  CHECK(outcome.reports.empty());
  CHECK(outcome.stream.find(pinned + "\n") != std::string::npos);
  CHECK(uses(outcome.stream) == std::pair<std::size_t, std::size_t>{2, 1});  // the annotation
}

TEST_CASE("locking adds to the file what is given, keeps the rest, and is in order") {
  MemoryFileSystem disk;
  disk.files["in/job.yaml"] = spec();
  disk.files["in/trainyard.lock"] = lock_file("  z.example.com/z:1: " + kDigest + "\n");
  LockRequest request;
  request.inputs = {"in/job.yaml"};
  request.digests = {kImage + "=" + kDigest};
  LockResult result = lock_with(disk, request);
  CHECK(result.written);
  CHECK(result.missing.empty());
  const std::string& text = disk.files["in/trainyard.lock"];
  CHECK(text.find(kImage) < text.find("z.example.com"));
  CHECK_FALSE(lock_with(disk, request).written);  // the same again

  request.digests.clear();
  request.check = true;
  CHECK(lock_with(disk, request).unused == std::vector<std::string>{"z.example.com/z:1"});
  request.check = false;
  request.prune = true;
  CHECK(lock_with(disk, request).written);
  CHECK(disk.files["in/trainyard.lock"].find("z.example.com") == std::string::npos);
}

TEST_CASE("digests are taken in the forms that tools print them in") {
  for (const std::string& word :
       {kImage + "=" + kDigest, kImage + "@" + kDigest, kImage + " " + kDigest,
        kImage + "\t" + kDigest, "registry.example.com/a@" + kDigest}) {
    MemoryFileSystem disk;
    disk.files["job.yaml"] = spec();
    LockRequest request;
    request.inputs = {"job.yaml"};
    request.digests = {word};
    INFO(word);
    CHECK(lock_with(disk, request).written);
    CHECK(disk.files["trainyard.lock"].find("  " + kImage + ": " + kDigest) != std::string::npos);
  }
  for (const std::string& word :
       {kImage, kDigest, "=" + kDigest, kImage + "=sha256:abc", kImage + "=" + kDigest + "0",
        "registry.example.com/b@" + kDigest, "registry.example.com/a:2=" + kDigest}) {
    MemoryFileSystem disk;
    disk.files["job.yaml"] = spec();
    LockRequest request;
    request.inputs = {"job.yaml"};
    request.digests = {word};
    INFO(word);
    CHECK(lock_with(disk, request).wrong_words.size() == 1);
    CHECK_FALSE(disk.files.contains("trainyard.lock"));
  }
}
