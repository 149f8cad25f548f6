#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "diag/render.h"

using namespace trainyard;

TEST_CASE("JSON has the fields of the text, with one-based lines and byte offsets") {
  SourceMap sources;
  const FileId f = sources.add("a.yaml", "ä: 1\nb: 2\n");
  const FileId g = sources.add("b.yaml", "c");
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::DuplicateKey, Span{f, 6, 7}, "twice `b`")
      .with_label("here")
      .at("b")
      .also({g, 0, 1}, "there")
      .note("n")
      .fix({f, 6, 7}, "c", "write `c`");
  CHECK(render_json(list, sources) == R"({
  "diagnostics": [
    {
      "check": null,
      "effect": "refused",
      "end": {
        "column": 2,
        "line": 2,
        "offset": 7
      },
      "file": "a.yaml",
      "fixes": [
        {
          "end": {
            "column": 2,
            "line": 2,
            "offset": 7
          },
          "file": "a.yaml",
          "replacement": "c",
          "start": {
            "column": 1,
            "line": 2,
            "offset": 6
          },
          "text": "write `c`"
        }
      ],
      "kind": "duplicate-key",
      "label": "here",
      "labels": [
        {
          "end": {
            "column": 2,
            "line": 1,
            "offset": 1
          },
          "file": "b.yaml",
          "start": {
            "column": 1,
            "line": 1,
            "offset": 0
          },
          "text": "there"
        }
      ],
      "message": "twice `b`",
      "notes": [
        "n"
      ],
      "path": "b",
      "severity": "error",
      "start": {
        "column": 1,
        "line": 2,
        "offset": 6
      }
    }
  ],
  "version": 1
}
)");
}

TEST_CASE("JSON of nothing is an empty list, and an unknown place is null") {
  SourceMap sources;
  CHECK(render_json({}, sources) == "{\n  \"diagnostics\": [],\n  \"version\": 1\n}\n");
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::NoInput, Span{}, "m");
  const auto json = nlohmann::json::parse(render_json(list, sources));
  CHECK(json["diagnostics"][0]["file"].is_null());
  CHECK(json["diagnostics"][0]["start"].is_null());
  CHECK(json["diagnostics"][0]["end"].is_null());
  CHECK(json["diagnostics"][0]["labels"].is_array());
  CHECK(json["diagnostics"][0]["notes"].is_array());
}

TEST_CASE("JSON is ASCII and survives bytes that are not UTF-8") {
  SourceMap sources;
  const FileId f = sources.add("\xff\x1b.yaml", "\xc3\x28");
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::InvalidUtf8, Span{f, 0, 1}, "bad \xff\xc2\x9b\x7f ü")
      .with_label("\xf0\x9f")
      .at("\xed\xa0\x80")
      .also({f, 1, 2}, "\x80")
      .note("\xfe")
      .fix({f, 0, 1}, "\xc0", "\xc1");
  const std::string text = render_json(list, sources);
  for (const char c : text) CHECK((c == '\n' || (c >= ' ' && c < 0x7f)));
  const auto json = nlohmann::json::parse(text);
  CHECK(json["diagnostics"][0]["message"] == "bad \xef\xbf\xbd\xc2\x9b\x7f ü");
}

TEST_CASE("the schema of a report names the keys that one has") {
  SourceMap sources;
  const FileId file = sources.add("a.yaml", "b: 2\n");
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::DuplicateKey, Span{file, 0, 1}, "twice")
      .also({file, 0, 1}, "there")
      .fix({file, 0, 1}, "c", "write `c`");
  const auto report = nlohmann::json::parse(render_json(list, sources));
  const auto schema = nlohmann::json::parse(report_schema());
  const auto same_keys = [](const nlohmann::json& object, const nlohmann::json& described) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) {
      keys.push_back(key);
      CHECK(described["properties"].contains(key));
    }
    std::vector<std::string> required = described["required"];
    std::sort(required.begin(), required.end());
    CHECK(keys == required);
  };
  same_keys(report, schema);
  CHECK(schema["properties"]["version"]["const"] == report["version"]);
  const auto& each = report["diagnostics"][0];
  const auto& described = schema["definitions"]["diagnostic"];
  same_keys(each, described);
  same_keys(each["labels"][0], described["properties"]["labels"]["items"]);
  same_keys(each["fixes"][0], described["properties"]["fixes"]["items"]);
  same_keys(each["start"], schema["definitions"]["position"]);
}
