#include "diag/report.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "diag/render.h"

using namespace trainyard;

namespace {

/// A file with two problems: one with everything that a diagnostic can have, one without a place.
struct Sample {
  SourceMap sources;
  std::vector<Diagnostic> list;

  Sample() {
    const FileId file = sources.add("a b/c,d:e.yaml", "\u00e4: 1\nb: 2\n");
    sources.add("good.yaml", "c: 1\n");
    sources.add_view("templates/job.yaml", "d: 1\n");
    list.emplace_back(DiagnosticKind::DuplicateKey, Span{file, 6, 7}, "twice `<b>` & 100%\x1b[31m")
        .at("b")
        .also({file, 0, 2}, "there")
        .note("a \"note\"\nof two lines")
        .fix({file, 6, 7}, "c", "write `c`");
    list.emplace_back(DiagnosticKind::NoEffect, Span{}, "nowhere");
  }
};

bool holds(std::string_view text, std::string_view part) {
  INFO(text);
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("SARIF has the place, the related places and the change, in code points and bytes") {
  const Sample sample;
  const auto log = nlohmann::json::parse(render_sarif(sample.list, sample.sources, "1.2.3"));
  const auto& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
  REQUIRE(run["results"].size() == 2);
  const auto& first = run["results"][0];
  CHECK(first["ruleId"] == "duplicate-key");
  CHECK(run["tool"]["driver"]["rules"][1]["id"] == "no-effect");
  CHECK(run["results"][1]["ruleIndex"] == 1);
  CHECK(run["results"][1]["level"] == "warning");
  CHECK_FALSE(run["results"][1].contains("locations"));
  const auto& place = first["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "a%20b/c,d%3Ae.yaml");
  CHECK(place["region"]["startLine"] == 2);
  CHECK(place["region"]["endColumn"] == 2);
  CHECK(place["region"]["byteOffset"] == 6);
  CHECK(first["relatedLocations"][0]["message"]["text"] == "there");
  const auto& change = first["fixes"][0]["artifactChanges"][0]["replacements"][0];
  CHECK(change["insertedContent"]["text"] == "c");
}

TEST_CASE("what a check found has the check's name for a rule, and its kind beside it") {
  SourceMap sources;
  const FileId file = sources.add("a.yaml", "a: 1\n");
  std::vector<Diagnostic> list;
  for (int i = 0; i < 2; ++i) {
    list.emplace_back(DiagnosticKind::RunsWrong, Span{file, 0, 1}, "found").found_by = {
        "gang-size-2", "A gang is as large as it has to be.", Severity::Warning};
  }
  list.emplace_back(DiagnosticKind::RunsWrong, Span{file, 0, 1}, "by nobody");
  const auto log = nlohmann::json::parse(render_sarif(list, sources, "1"));
  const auto& rules = log["runs"][0]["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == 2);
  CHECK(rules[0]["id"] == "gang-size-2");
  CHECK(rules[0]["name"] == "GangSize2");
  CHECK(rules[0]["shortDescription"]["text"] == "A gang is as large as it has to be.");
  CHECK(rules[0]["defaultConfiguration"]["level"] == "warning");
  CHECK(rules[0]["help"]["text"] == "trainyard explain check gang-size-2");
  CHECK(rules[1]["id"] == "runs-wrong");
  CHECK_FALSE(rules[1].contains("help"));
  const auto& results = log["runs"][0]["results"];
  CHECK(results[1]["ruleId"] == "gang-size-2");
  CHECK(results[1]["ruleIndex"] == 0);
  CHECK(results[1]["properties"]["kind"] == "runs-wrong");
  CHECK(results[2]["ruleIndex"] == 1);
  CHECK(holds(render_github(list, sources), "title=gang-size-2::found"));
  CHECK(holds(render_junit(list, sources), "found [gang-size-2]"));
  const auto json = nlohmann::json::parse(render_json(list, sources));
  CHECK(json["diagnostics"][0]["check"] == "gang-size-2");
  CHECK(json["diagnostics"][2]["check"].is_null());
}

TEST_CASE("JUnit has a case for each file that was read, and none for our own") {
  const Sample sample;
  const std::string text = render_junit(sample.list, sample.sources);
  CHECK(holds(text, "tests=\"3\" failures=\"1\""));
  CHECK(holds(text, "name=\"good.yaml\"/>"));
  CHECK(holds(text, "message=\"twice `&lt;b&gt;` &amp; 100%"));
  CHECK(holds(text, "a &quot;note&quot;"));
  CHECK(holds(text, "<system-out>warning: nowhere [no-effect]"));
  CHECK_FALSE(holds(text, "templates/"));
  CHECK_FALSE(holds(text, "\x1b"));
}

TEST_CASE("what XML has no characters for does not come into JUnit's") {
  SourceMap sources;
  const FileId file = sources.add("a.yaml", "a: 1\n");
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::WrongType, Span{file, 0, 1}, "a\uFFFEb\uFFFFc\uFFFDd");
  const std::string text = render_junit(list, sources);
  CHECK(holds(text, "a\uFFFDb\uFFFDc\uFFFDd"));
  CHECK_FALSE(holds(text, "\uFFFE"));
  CHECK_FALSE(holds(text, "\uFFFF"));
}

TEST_CASE("an annotation is one line, and nothing in it ends a property or the command") {
  const Sample sample;
  const std::string text = render_github(sample.list, sample.sources);
  CHECK(holds(text, "::error file=a b/c%2Cd%3Ae.yaml,line=2,endLine=2,col=1,endColumn=2,"));
  CHECK(holds(text, "title=duplicate-key::twice `<b>` & 100%25"));
  CHECK(holds(text, "%0Ahelp: write `c`\n"));
  CHECK(holds(text, "\n::warning title=no-effect::nowhere\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK_FALSE(holds(text, "\x1b"));
}

TEST_CASE("GitLab gets a path without dots in front, a line and one of its own severities") {
  const Sample sample;
  const auto report = nlohmann::json::parse(render_gitlab(sample.list, sample.sources));
  REQUIRE(report.size() == 2);
  CHECK(report[0]["check_name"] == "duplicate-key");
  CHECK(report[0]["severity"] == "major");
  CHECK(report[0]["location"]["path"] == "a b/c,d:e.yaml");
  CHECK(report[0]["location"]["lines"]["begin"] == 2);
  CHECK(holds(report[0]["description"].get<std::string>(), "write `c`"));
  CHECK(report[1]["severity"] == "minor");
  CHECK(report[1]["location"]["path"] == ".");
  SourceMap sources;
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::NoEffect, Span{sources.add("././a.yaml", "a: 1\n"), 0, 1}, "x");
  CHECK(nlohmann::json::parse(render_gitlab(list, sources))[0]["location"]["path"] == "a.yaml");
}

TEST_CASE("GitLab's fingerprints differ within a report and survive lines that are put in above") {
  const auto fingerprints = [](const std::string& above) {
    SourceMap sources;
    const FileId file = sources.add("a.yaml", above + "a: 1\na: 2\nb: 3\n");
    const auto at = static_cast<std::uint32_t>(above.size());
    std::vector<Diagnostic> list;
    list.emplace_back(DiagnosticKind::WrongType, Span{file, at, at + 1}, "found a number");
    list.emplace_back(DiagnosticKind::WrongType, Span{file, at + 5, at + 6}, "found a number");
    list.emplace_back(DiagnosticKind::WrongType, Span{file, at + 10, at + 11}, "found a list");
    std::vector<std::string> all;
    for (const auto& each : nlohmann::json::parse(render_gitlab(list, sources))) {
      all.push_back(each["fingerprint"]);
    }
    return all;
  };
  const std::vector<std::string> all = fingerprints("");
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 3);
  CHECK(fingerprints("# one more\n") == all);
}

TEST_CASE("no report shows a secret") {
  SourceMap sources;
  const FileId file = sources.add("a.yaml", "DB_PASSWORD: hunter2hunter2\n");
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::WrongType, Span{file, 13, 27}, "found `hunter2hunter2`")
      .fix({file, 13, 27}, "\"hunter2hunter2\"", "write `hunter2hunter2`");
  for (const std::string& text : {render_sarif(list, sources, "1"), render_junit(list, sources),
                                  render_github(list, sources), render_gitlab(list, sources)}) {
    CHECK_FALSE(holds(text, "hunter2"));
  }
}
