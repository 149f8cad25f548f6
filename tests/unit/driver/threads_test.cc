// The number of threads changes nothing but the time.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "diag/render.h"
#include "driver/build/build.h"
#include "driver/session/session.h"
#include "driver/validate/validate.h"
#include "source/file_system.h"

using namespace trainyard;

namespace {

std::string spec(const std::string& name, const std::string& more = "") {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: " + name +
         "}\nspec:\n  image: registry.example.com/a:1\n  run: {script: train.py}\n" + more;
}

struct Outcome {
  std::string stream;
  std::string reports;
  std::map<std::string, std::string> files;

  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const std::map<std::string, std::string>& files, BuildRequest request,
                unsigned workers, std::size_t most_nodes = ReadLimits().nodes) {
  MemoryFileSystem disk;
  disk.files = files;
  Env env{disk, [&](std::size_t) { return FileRead{files.at("stdin"), {}}; }};
  Session session(env);
  session.limits.nodes = most_nodes;
  request.workers = workers;
  Outcome result;
  result.stream = build(session, request).stream.whole();
  result.reports = render_text(session.sink.sorted(), session.sources, false);
  result.files = disk.files;
  return result;
}

/// Outcomes with one, two and five threads, which are the same.
Outcome alike(const std::map<std::string, std::string>& files, const BuildRequest& request,
              std::size_t most_nodes = ReadLimits().nodes) {
  const Outcome one = outcome(files, request, 1, most_nodes);
  for (unsigned workers : {2U, 5U}) {
    const Outcome many = outcome(files, request, workers, most_nodes);
    CHECK(many.stream == one.stream);
    CHECK(many.reports == one.reports);
    CHECK(many.files == one.files);
  }
  return one;
}

std::map<std::string, std::string> fleet(std::size_t count) {
  std::map<std::string, std::string> files;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "job-" + std::to_string(i);
    files["specs/" + name + ".yaml"] = spec(name, i % 3 == 0 ? "  gpusPerNode: 8\n" : "");
  }
  return files;
}

/// Many documents in one text, long enough for several threads.
std::string stream_of(std::size_t count, const std::map<std::size_t, std::string>& others = {}) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto other = others.find(i);
    text += "---\n# a document\n" +
            (other == others.end() ? spec("job-" + std::to_string(i)) : other->second);
  }
  return text;
}

BuildRequest of(const std::string& input) {
  BuildRequest request;
  request.inputs = {input};
  return request;
}

TEST_CASE("a fleet of files comes out the same with any number of threads", "[driver]") {
  const Outcome outcome = alike(fleet(100), of("specs"));
  CHECK(outcome.reports.empty());
  CHECK(outcome.stream.find("name: job-99\n") != std::string::npos);
}

TEST_CASE("a directory is written the same with any number of threads", "[driver]") {
  BuildRequest request = of("specs");
  request.output_directory = "out";
  request.provenance = true;
  const Outcome outcome = alike(fleet(40), request);
  CHECK(outcome.files.contains("out/job-39.yaml"));
}

TEST_CASE("findings are the same with any number of threads", "[driver]") {
  std::map<std::string, std::string> files = fleet(60);
  files["specs/a-typo.yaml"] = spec("typo", "  nodess: 2\n");
  files["specs/job-30.yaml"] = "broken: [";
  files["specs/job-31.yaml"] = "# nothing\n";
  files["specs/job-32.yaml"] = "kind: Deployment\napiVersion: apps/v1\n";
  files["specs/job-33.yaml"] = spec("b", "  framework: tensorflow\n  nodes: 2\n");
  const Outcome outcome = alike(files, of("specs"));
  CHECK(outcome.stream.empty());
  CHECK(outcome.reports.find("a-typo.yaml:7:3") != std::string::npos);
  CHECK(outcome.reports.find("job-30.yaml:1") != std::string::npos);
}

TEST_CASE("jobs of one name meet with any number of threads", "[driver]") {
  std::map<std::string, std::string> files = fleet(60);
  files["specs/job-50.yaml"] = spec("job-3");
  files["specs/job-51.yaml"] = spec("job-3");
  const Outcome outcome = alike(files, of("specs"));
  CHECK(outcome.reports.find("a second job comes out as `job-3`") != std::string::npos);
  CHECK(outcome.reports.find("specs/job-3.yaml:3:18") != std::string::npos);
}

TEST_CASE("a long stream comes out the same with any number of threads", "[driver]") {
  const std::string text = stream_of(2000);
  REQUIRE(text.size() > 200'000);
  const Outcome file = alike({{"all.yaml", text}}, of("all.yaml"));
  CHECK(file.reports.empty());
  CHECK(file.stream.find("name: job-1999\n") != std::string::npos);
  const Outcome standard = alike({{"stdin", text}}, of("-"));
  CHECK(standard.stream == file.stream);
}

TEST_CASE("what is wrong in a long stream is reported once, at its line", "[driver]") {
  const std::string text = stream_of(2000, {{700, spec("job-700", "  nodess: 1\n")},
                                            {1500, spec("job-3")},
                                            {1700, "%YAML in the middle\n"}});
  const Outcome outcome = alike({{"all.yaml", text}}, of("all.yaml"));
  CHECK(outcome.reports.find("nodess") != std::string::npos);
  CHECK(outcome.reports.find("a second job comes out as `job-3`") != std::string::npos);
}

TEST_CASE("documents behind broken ones are read with any number of threads", "[driver]") {
  const std::string text =
      stream_of(2000, {{900, "a: b: c\n"}, {901, spec("typo", "  nodess: 1\n")}, {1900, "x: [\n"}});
  const Outcome outcome = alike({{"all.yaml", text}}, of("all.yaml"));
  CHECK(outcome.reports.find("nodess") != std::string::npos);
  CHECK(outcome.reports.find("`[` is never closed") != std::string::npos);
  CHECK(outcome.stream.empty());
}

TEST_CASE("the hundredth broken document of a stream is the last that is reported", "[driver]") {
  std::map<std::size_t, std::string> broken;
  for (std::size_t i = 0; i < 120; ++i) broken[10 * i] = "a: b: c\n";
  const std::string text = stream_of(2000, broken);
  const Outcome outcome = alike({{"all.yaml", text}}, of("all.yaml"));
  std::size_t count = 0;
  for (std::size_t at = 0; (at = outcome.reports.find("a second `:`", at)) != std::string::npos;
       ++at) {
    ++count;
  }
  CHECK(count == 100);
}

TEST_CASE("the budget of values holds for a stream as a whole", "[driver]") {
  const std::map<std::string, std::string> files{{"all.yaml", stream_of(2000)}};
  const Outcome outcome = alike(files, of("all.yaml"), 10'000);
  CHECK(outcome.reports.find("too-many-nodes") != std::string::npos);
}

// --- validate ------------------------------------------------------------------------------------

struct Verdict {
  std::string reports;
  std::size_t documents = 0;
  std::size_t ignored = 0;

  bool operator==(const Verdict&) const = default;
};

Verdict verdict(const std::map<std::string, std::string>& files, ValidateRequest request,
                unsigned workers) {
  MemoryFileSystem disk;
  disk.files = files;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  request.workers = workers;
  const ValidateResult result = validate(session, request);
  return {render_text(session.sink.sorted(), session.sources, false), result.documents,
          result.ignored};
}

Verdict alike(const std::map<std::string, std::string>& files, const ValidateRequest& request) {
  const Verdict one = verdict(files, request, 1);
  for (unsigned workers : {2U, 5U}) {
    const Verdict many = verdict(files, request, workers);
    CHECK(many.reports == one.reports);
    CHECK(many.documents == one.documents);
    CHECK(many.ignored == one.ignored);
  }
  return one;
}

std::string pod(const std::string& name, const std::string& more = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec:\n  containers:\n  - name: main\n    image: registry.example.com/a:1\n" + more;
}

std::string pods(std::size_t count, const std::map<std::size_t, std::string>& others = {}) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto other = others.find(i);
    text += "---\n" + (other == others.end() ? pod("pod-" + std::to_string(i)) : other->second);
  }
  return text;
}

ValidateRequest of_pods() {
  ValidateRequest request;
  request.inputs = {"all.yaml"};
  return request;
}

TEST_CASE("a long stream is judged the same with any number of threads", "[driver]") {
  const Verdict good = alike({{"all.yaml", pods(2000)}}, of_pods());
  CHECK(good.reports.empty());
  CHECK(good.documents == 2000);
  const Verdict bad = alike({{"all.yaml", pods(2000, {{5, pod("Bad")},
                                                      {999, pod("typo", "    imagee: b\n")},
                                                      {1500, "kind: Nothing\n"}})}},
                            of_pods());
  CHECK(bad.reports.find("imagee") != std::string::npos);
  CHECK(bad.documents == 2000);
}

TEST_CASE("objects that others refer to are found from any thread", "[driver]") {
  const std::string claim =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
      "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
  const std::string job =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: many}\nspec:\n  completions: 4\n"
      "  parallelism: 4\n  completionMode: Indexed\n  template:\n    spec:\n"
      "      restartPolicy: Never\n      containers:\n      - name: main\n"
      "        image: registry.example.com/a:1\n"
      "        resources: {limits: {nvidia.com/gpu: 8}}\n"
      "        volumeMounts: [{name: data, mountPath: /data}]\n"
      "      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n";
  const Verdict verdict = alike({{"all.yaml", pods(2000, {{100, job}, {1900, claim}})}}, of_pods());
  CHECK(verdict.reports.find("ReadWriteOnce") != std::string::npos);
  CHECK(verdict.documents == 2000);
}

std::string job_with_claim(const std::string& name, const std::string& indent = "") {
  std::string text =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
      "}\nspec:\n  completions: 4\n  parallelism: 4\n  completionMode: Indexed\n  template:\n"
      "    spec:\n      restartPolicy: Never\n      containers:\n      - name: main\n"
      "        image: registry.example.com/a:latest\n"
      "        volumeMounts: [{name: data, mountPath: /data}]\n"
      "      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n";
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
    text.insert(at + 1, indent);
  }
  return text;
}

std::size_t count(std::string_view text, std::string_view words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++found;
  return found;
}

TEST_CASE("what many objects have wrong is reported by any number of threads", "[driver]") {
  std::map<std::size_t, std::string> jobs;
  for (std::size_t i = 0; i < 500; ++i) jobs[i] = job_with_claim("job-" + std::to_string(i));
  const Verdict alone = alike({{"all.yaml", pods(600, jobs)}}, of_pods());
  CHECK(count(alone.reports, "and 491 more") == 1);  // images: a finding of the whole file
  CHECK(count(alone.reports, "pods mount it") == 0);

  jobs[550] =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
      "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
  jobs[560] = "apiVersion: v1\nkind: List\nitems:\n- " + job_with_claim("of-a-list", "  ");
  const Verdict together = alike({{"all.yaml", pods(600, jobs)}}, of_pods());
  CHECK(count(together.reports, "and 492 more") == 1);
  CHECK(count(together.reports, "pods mount it") == 501);
  CHECK(count(together.reports, "items[0].spec.template.spec.volumes[0]") == 1);
  CHECK(together.documents == 600);
}

TEST_CASE("specs with findings do not hide the findings of objects", "[driver]") {
  const std::string spec =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\n"
      "spec: {image: registry.example.com/a:1, nodes: 2, gpusPerNode: 8, run: {scrip: a.py}}\n";
  const Verdict verdict = alike(
      {{"all.yaml", pods(2000, {{3, pod("Bad")}, {5, spec}, {1999, pod("Worse")}})}}, of_pods());
  CHECK(count(verdict.reports, "`scrip`") >= 1);
  CHECK(verdict.reports.find("`\"Bad\"`") != std::string::npos);
  CHECK(verdict.reports.find("`\"Worse\"`") != std::string::npos);
}

TEST_CASE("objects of unknown kinds are counted once with any number of threads", "[driver]") {
  const std::string widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n";
  ValidateRequest request = of_pods();
  request.ignore_unknown_kinds = true;
  const Verdict verdict =
      alike({{"all.yaml", pods(2000, {{3, widget}, {1000, widget}, {1001, pod("Bad")}})}}, request);
  CHECK(verdict.ignored == 2);
}

}  // namespace
