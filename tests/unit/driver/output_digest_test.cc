// The digest of a job (`trainyard/digest`): of all its objects, as they are written, and of nothing
// else.
#include "source/output_digest.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <string_view>

#include "driver/build/build.h"
#include "driver/session/session.h"
#include "source/file_system.h"
#include "source/sha256.h"

using namespace trainyard;

namespace {

constexpr std::size_t kSize = kDigestToCome.size();

std::string spec(std::string_view target, std::string_view content = "lr: 0.1",
                 std::string_view annotations = "{}") {
  return "apiVersion: trainyard/v1alpha1\n"
         "kind: TrainingJob\n"
         "metadata:\n"
         "  name: tiny\n"
         "  namespace: research\n"
         "  annotations: " +
         std::string(annotations) +
         "\n"
         "spec:\n"
         "  target: " +
         std::string(target) +
         "\n"
         "  image: registry.example.com/train:1.0\n"
         "  framework: pytorch\n"
         "  run: {script: train.py}\n"
         "  nodes: 2\n"
         "  gpusPerNode: 8\n"
         "  files:\n"
         "    mountPath: /etc/train\n"
         "    items: [{path: train.yaml, content: \"" +
         std::string(content) + "\"}]\n";
}

std::string cluster(int count) {
  return "apiVersion: trainyard/v1alpha1\n"
         "kind: Cluster\n"
         "metadata: {name: lab}\n"
         "spec:\n"
         "  pools:\n"
         "    - {name: h100, machine: dgx-h100, count: " +
         std::to_string(count) + "}\n";
}

using Texts = std::map<std::string, std::string>;

/// What a build makes: files of a directory, or `stream`.
Texts built(const Texts& inputs, bool into_directory = false, bool provenance = false) {
  MemoryFileSystem disk;
  disk.files = inputs;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  BuildRequest request;
  request.inputs = {"spec.yaml"};
  if (inputs.contains("cluster.yaml")) request.cluster = "cluster.yaml";
  if (into_directory) request.output_directory = "out";
  request.provenance = provenance;
  const std::string stream = build(session, request).stream.whole();
  for (const Diagnostic& each : session.sink.all()) {
    INFO(each.message);
    CHECK(each.severity != Severity::Error);
  }
  if (!into_directory) return {{"stream", stream}};
  Texts files;
  for (const auto& [path, text] : disk.files) {
    if (path.starts_with("out/")) files[path.substr(4)] = text;
  }
  return files;
}

std::string stream_of(const std::string& spec) {
  return built({{"spec.yaml", spec}})["stream"];
}

std::size_t place_of_digest(std::string_view text) {
  const std::string key = "\n    " + std::string(kDigestAnnotation) + ": ";
  const std::size_t at = text.find(key);
  REQUIRE(at != std::string_view::npos);
  CHECK(text.find(key, at + 1) == std::string_view::npos);
  return at + key.size();
}

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string digest_in(std::string_view text) {
  return std::string(text.substr(place_of_digest(text), kSize));
}

/// As anyone can take it from a file.
std::string digest_by_hand(std::string text) {
  text.replace(place_of_digest(text), kSize, kDigestToCome);
  const std::size_t comments = text.find("---\n");
  REQUIRE(comments != std::string::npos);
  return "sha256:" + sha256_hex(std::string_view(text).substr(comments));
}

}  // namespace

TEST_CASE("a number of the Cluster that no object shows changes no byte") {
  const Texts of_64 = built({{"spec.yaml", spec("jobset")}, {"cluster.yaml", cluster(64)}});
  const Texts of_65 = built({{"spec.yaml", spec("jobset")}, {"cluster.yaml", cluster(65)}});
  CHECK(of_64 == of_65);
  CHECK(of_64.at("stream").find("sha256:") != std::string::npos);
}

TEST_CASE("another text in any object of the job changes its digest") {
  const std::string before = stream_of(spec("job"));
  const std::string after = stream_of(spec("job", "lr: 0.2"));
  CHECK(digest_in(before) != digest_in(after));
  CHECK(digest_in(before) == digest_in(stream_of("# a comment\n" + spec("job"))));
}

TEST_CASE("only the job has a digest, on every target: that of its objects as they are written") {
  for (std::string_view target : {"job", "jobset", "pytorchjob", "mpijob", "volcano", "trainjob",
                                  "rayjob", "lws", "runai", "runai-distributed"}) {
    INFO(target);
    std::string text = spec(target);
    // These have no field for files, and Ray is a framework of its own.
    if (target.starts_with("runai")) text.erase(text.find("  files:"));
    if (target == "runai") text.replace(text.find("nodes: 2"), 8, "nodes: 1");
    if (target == "rayjob") text.replace(text.find("pytorch"), 7, "ray");
    const std::string stream = stream_of(text);
    CHECK(digest_in(stream) == digest_by_hand(stream));
  }
}

TEST_CASE("the objects that a Cluster asks for have no digest") {
  const std::string text =
      built({{"spec.yaml",
              "apiVersion: trainyard/v1alpha1\n"
              "kind: Cluster\n"
              "metadata: {name: lab}\n"
              "spec:\n"
              "  namespaces: [{name: research, existing: false}]\n"}})["stream"];
  CHECK(text.find("\nkind: Namespace\n") != std::string::npos);
  CHECK(text.find(kDigestAnnotation) == std::string::npos);
}

TEST_CASE("a stream and a directory have the same digest, with a map of causes and without") {
  const Texts inputs{{"spec.yaml", spec("job")}};
  const std::string wanted = digest_in(built(inputs).at("stream"));
  for (const bool provenance : {false, true}) {
    const Texts files = built(inputs, true, provenance);
    REQUIRE(files.contains("tiny.yaml"));
    CHECK(digest_in(files.at("tiny.yaml")) == wanted);
    CHECK(digest_by_hand(files.at("tiny.yaml")) == wanted);
    CHECK(files.contains("tiny.yaml.provenance.json") == provenance);
  }
}

TEST_CASE("a text that looks like the digest stays as it is") {
  const std::string decoy =
      "    " + std::string(kDigestAnnotation) + ": " + std::string(kDigestToCome);
  const std::string stream = stream_of(
      spec("job", "lr: 0.1", "{a-note: \"x\\n" + decoy + "\\n\", b-note: '" + decoy + "'}"));
  // Annotations of the spec are on each object.
  CHECK(count_of(decoy, stream) == 2 * count_of("---\n", stream));
  CHECK(digest_in(stream) == digest_by_hand(stream));
}
