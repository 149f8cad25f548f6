// The page of `report`: what it shows, and what no text of an input can do to it.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/report/make_report.h"
#include "driver/report/report_page.h"
#include "source/file_system.h"

using namespace trainyard;
using nlohmann::json;

namespace {

const std::string kSpec =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: llama, namespace: nlp}\n"
    "spec:\n"
    "  image: nvcr.io/nvidia/nemo:25.07\n"
    "  run: {script: train.py}\n"
    "  nodes: 4\n"
    "  gpusPerNode: 8\n";

const std::string kCluster =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: Cluster\n"
    "metadata: {name: lab}\n"
    "spec:\n"
    "  kubernetes: \"1.34\"\n"
    "  pools:\n"
    "  - {name: h100, machine: dgx-h100, count: 6}\n"
    "  queues:\n"
    "  - {name: research, system: kueue, existing: true, quota: {nvidia.com/gpu: 64}}\n"
    "  operators: {kueue: 0.14.0}\n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

struct Reported {
  std::string page;
  json data;
  std::vector<Diagnostic> findings;
  std::map<std::string, std::string> files;
};

Reported report(const std::map<std::string, std::string>& files, ReportRequest request) {
  Reported reported;
  for (const bool data_alone : {true, false}) {
    MemoryFileSystem disk;
    disk.files = files;
    Env env{disk, [](std::size_t) { return FileRead{kSpec, {}}; }};
    Session session(env);
    request.data_alone = data_alone;
    const ReportResult result = make_report(session, request);
    if (data_alone) reported.data = json::parse(result.page.empty() ? "{}" : result.page);
    reported.page = result.page;
    reported.findings = session.sink.sorted();
    reported.files = disk.files;
  }
  return reported;
}

Reported report(const std::map<std::string, std::string>& files) {
  std::vector<std::string> inputs;
  for (const auto& [path, text] : files) inputs.push_back(path);
  return report(files, {.inputs = inputs});
}

std::string text_of(const json& data, const json& lines) {
  std::string text;
  for (const json& each : lines)
    text += data["lines"][each.get<std::size_t>()].get<std::string>() + "\n";
  return text;
}

bool found(const Reported& reported, DiagnosticKind kind) {
  return std::ranges::find(reported.findings, kind, &Diagnostic::kind) != reported.findings.end();
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++number;
  return number;
}

}  // namespace

TEST_CASE("no text of a spec ends the script of the page or the data in it") {
  const std::string hostile = R"("</script><script>alert(1)</script><!--")";
  const auto reported = report({{"a.yaml", kSpec + "  env: {A: " + hostile + "}\n"}});
  CHECK(count(reported.page, "</script>") == 2);
  CHECK(count(reported.page, "<script") == 2);
  CHECK(count(reported.page, "<!--") == 0);
  CHECK(
      text_of(reported.data, reported.data["files"][0]["spec"]).find("</script><script>alert(1)") !=
      std::string::npos);
}

TEST_CASE("the page allows its own script and style, images in it, and no network") {
  const auto reported = report({{"a.yaml", kSpec}});
  const std::string_view page = reported.page;
  const std::string_view kPolicy = "Content-Security-Policy\" content=\"";
  const std::size_t begin = page.find(kPolicy) + kPolicy.size();
  const std::string_view policy = page.substr(begin, page.find('"', begin) - begin);
  CHECK(policy.starts_with("default-src 'none'; script-src 'sha256-"));
  CHECK(policy.ends_with("'; img-src data:; base-uri 'none'; form-action 'none'"));
  CHECK(count(policy, "'sha256-") == 2);
  CHECK(count(policy, "unsafe") == 0);
  CHECK(count(page, "http://") + count(page, "https://") ==
        count(page, "http://www.w3.org/2000/svg"));
  CHECK(count(page, " style=") == 0);
}

TEST_CASE("no secret of a spec is on the page, nor in what is made of it") {
  const std::string token = "hf_" + std::string("abcdefghijKLMNOPQRSTuvwxyz12345678");
  const auto reported = report({{"a.yaml", kSpec + "  env: {HF_TOKEN: " + token + "}\n"}});
  CHECK(count(reported.page, token) == 0);
  CHECK(count(reported.page, "••••") > 0);
}

TEST_CASE("each value of the output leads to steps, and those in the spec to lines that it has") {
  const auto reported = report({{"a.yaml", kSpec}});
  const json& data = reported.data;
  REQUIRE(data["files"].size() == 1);
  const json& file = data["files"][0];
  const std::size_t made = file["made"].size();
  REQUIRE(file["leaves"].size() % 3 == 0);
  REQUIRE(!file["leaves"].empty());
  bool leads_to_nodes = false;
  for (std::size_t i = 0; i < file["leaves"].size(); i += 3) {
    CHECK(file["leaves"][i].get<std::size_t>() >= 1);
    CHECK(file["leaves"][i + 1].get<std::size_t>() <= made);
    for (const json& number : data["chains"].at(file["leaves"][i + 2].get<std::size_t>())) {
      const json& step = data["steps"].at(number.get<std::size_t>());
      if (step[2] != -1) continue;
      CHECK(step[3].get<std::size_t>() <= file["spec"].size());
      leads_to_nodes = leads_to_nodes || step[3] == 7;
    }
  }
  CHECK(leads_to_nodes);
  const std::string output = text_of(data, file["made"]);
  CHECK(output.starts_with("# Generated by trainyard."));
  CHECK(output.find("kind: Job\n") != std::string::npos);
}

TEST_CASE("a spec that does not compile is on the page with its finding, beside the sound ones") {
  const auto reported = report({{"a.yaml", replaced(kSpec, "nodes: 4", "nodez: 4")},
                                {"b.yaml", replaced(kSpec, "name: llama", "name: other")}});
  const json& files = reported.data["files"];
  REQUIRE(files.size() == 2);
  CHECK(files[0]["path"] == "a.yaml");
  CHECK(files[0]["made"].is_null());
  CHECK(files[0]["jobs"].empty());
  CHECK(files[1]["jobs"].size() == 1);
  const json& finding = reported.data["findings"][0]["diagnostics"][0];
  CHECK(finding["kind"] == "unknown-field");
  CHECK(finding["file"] == "a.yaml");
  CHECK(finding["start"]["line"] == 7);
}

TEST_CASE("a Cluster among the inputs has its pools and queues on the page, with what jobs take") {
  const auto reported =
      report({{"cluster.yaml", kCluster},
              {"a.yaml", kSpec + "  scheduling: {system: kueue, queue: research}\n"}});
  for (const Diagnostic& each : reported.findings) {
    INFO(each.message);
    CHECK(each.severity != Severity::Error);
  }
  REQUIRE(reported.data["clusters"].size() == 1);
  const json& cluster = reported.data["clusters"][0];
  CHECK(cluster["name"] == "lab");
  CHECK(cluster["pools"][0]["nodes"] == 6);
  CHECK(cluster["pools"][0]["taken"] == 4);
  CHECK(cluster["queues"][0]["quota"] == 64);
  CHECK(cluster["queues"][0]["gpus"] == 32);
}

TEST_CASE("of several Clusters none is chosen, which is reported") {
  const auto reported = report({{"a.yaml", kSpec},
                                {"b.yaml", kCluster},
                                {"c.yaml", replaced(kCluster, "name: lab", "name: other")}});
  const auto several =
      std::ranges::find(reported.findings, DiagnosticKind::ConflictingValues, &Diagnostic::kind);
  REQUIRE(several != reported.findings.end());
  CHECK(several->message ==
        "the inputs have several Clusters, `b.yaml` and `c.yaml`: the page is for none");
  CHECK(several->severity == Severity::Warning);
  CHECK(reported.data["clusters"][0]["name"] == "");
}

TEST_CASE("a job that does not fit is a finding at its place") {
  const auto reported =
      report({{"cluster.yaml", kCluster}, {"a.yaml", replaced(kSpec, "nodes: 4", "nodes: 7")}});
  const auto misfit =
      std::ranges::find(reported.findings, DiagnosticKind::ExceedsPool, &Diagnostic::kind);
  REQUIRE(misfit != reported.findings.end());
  CHECK(misfit->span.known());
}

TEST_CASE("manifests of others have their jobs, and a job whose pods are unknown says why") {
  const std::string train_job =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t}\n"
      "spec: {runtimeRef: {name: no-such}}\n";
  const std::string job =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n"
      "spec:\n  template:\n    spec:\n      restartPolicy: Never\n"
      "      containers: [{name: c, image: 'x:1'}]\n";
  const auto reported = report({{"a.yaml", train_job}, {"b.yaml", job}});
  const json& files = reported.data["files"];
  REQUIRE(files.size() == 2);
  CHECK(files[0]["spec"].is_null());
  CHECK(files[0]["jobs"][0]["picture"].is_null());
  CHECK(files[0]["jobs"][0]["whyNone"].get<std::string>().find("no-such") != std::string::npos);
  CHECK(files[1]["jobs"][0]["name"] == "Job/j");
  CHECK(text_of(reported.data, files[1]["jobs"][0]["picture"]).starts_with("<svg "));
}

TEST_CASE("standard input is read once, and its job is on the page") {
  const auto reported = report({}, {.inputs = {"-"}});
  REQUIRE(reported.data["files"].size() == 1);
  CHECK(reported.data["files"][0]["path"] == "<stdin>");
  CHECK(reported.data["files"][0]["spec"].size() == 8);
  CHECK(reported.data["files"][0]["jobs"].size() == 1);
}

TEST_CASE("a page replaces an earlier page, and no other file unless it is forced to") {
  const ReportRequest request{.inputs = {"a.yaml"}, .output_file = "r.html"};
  const auto first = report({{"a.yaml", kSpec}, {"r.html", "mine\n"}}, request);
  CHECK(first.files.at("r.html") == "mine\n");
  CHECK(found(first, DiagnosticKind::OutputConflict));
  const auto second = report({{"a.yaml", kSpec}, {"r.html", report_page("{}")}}, request);
  CHECK(!found(second, DiagnosticKind::OutputConflict));
  CHECK(second.files.at("r.html") == second.page);
  ReportRequest forced = request;
  forced.force = true;
  const auto third = report({{"a.yaml", kSpec}, {"r.html", "mine\n"}}, forced);
  CHECK(third.files.at("r.html") == third.page);
}

TEST_CASE("inputs that cannot be read make no page") {
  const auto reported = report({}, {.inputs = {"no-such.yaml"}});
  CHECK(reported.page.empty());
  CHECK(reported.findings.size() == 1);
}
