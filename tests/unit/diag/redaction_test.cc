#include "diag/redaction.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "diag/render.h"

using namespace trainyard;

namespace {

const std::string kToken = "ghp_" + std::string(36, 'a');

struct Report {
  SourceMap sources;
  std::vector<Diagnostic> list;

  Span find(FileId id, std::string_view what) const {
    const std::size_t at = sources.text(id).find(what);
    REQUIRE(at != std::string_view::npos);
    return {id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + what.size())};
  }
  Diagnostic& add(Span span, std::string message) {
    list.emplace_back(DiagnosticKind::UnknownField, span, std::move(message));
    return list.back();
  }
  std::string text() const { return render_text(list, sources, false); }
  std::string json() const { return render_json(list, sources); }
  bool shows(std::string_view secret) const {
    return text().find(secret) != std::string::npos || json().find(secret) != std::string::npos;
  }
};

}  // namespace

TEST_CASE("an excerpt masks a token, and the caret stands under what it marked") {
  Report r;
  const FileId f = r.sources.add("job.yaml", "a: {x: " + kToken + ", bad: 1}\n");
  r.add(r.find(f, "bad"), "unknown field `bad`").also(r.find(f, kToken), "beside this");
  CHECK(r.text() ==
        "job.yaml:1:50: error: unknown field `bad` [unknown-field]\n"
        " 1 | a: {x: ••••, bad: 1}\n"
        "   |              ^^^\n"
        "   |        ---- beside this\n");
}

TEST_CASE("a mask is as wide for a short secret as for a long one") {
  for (const std::string& secret : {kToken, kToken + std::string(5000, 'b')}) {
    Report r;
    const FileId f = r.sources.add("job.yaml", "a: " + secret + "\n");
    r.add(r.find(f, secret), "no");
    CHECK(r.text() ==
          "job.yaml:1:4: error: no [unknown-field]\n"
          " 1 | a: ••••\n"
          "   |    ^^^^\n");
  }
}

TEST_CASE("no part of a diagnostic shows a token that it quotes") {
  Report r;
  const FileId f = r.sources.add("job.yaml", "a: b\n" + kToken + ": c\n");
  r.add(r.find(f, "b"), "message " + kToken)
      .with_label("label " + kToken)
      .at("spec." + kToken)
      .also(r.find(f, "a"), "also " + kToken)
      .note("note " + kToken)
      .fix(r.find(f, "b"), kToken, "write `" + kToken + "`")
      .fix(r.find(f, kToken), "other", "write `other`");
  CHECK_FALSE(r.shows(kToken));
  const auto json = nlohmann::json::parse(r.json())["diagnostics"][0];
  CHECK(json["message"] == "message ••••");
  CHECK(json["path"] == "spec.••••");
  CHECK(json["label"] == "label ••••");
  CHECK(json["notes"][0] == "note ••••");
  CHECK(json["labels"][0]["text"] == "also ••••");
  CHECK(json["fixes"][0]["replacement"] == "••••");
  CHECK(json["fixes"][0]["text"] == "write `••••`");
}

TEST_CASE("a secret known by its name is masked wherever it is quoted") {
  Report r;
  const FileId f = r.sources.add("job.yaml", "env: {DB_PASSWORD: hunter2xyz, FOO: 1}\n");
  r.add(r.find(f, "FOO"), "found `hunter2xyz` and `prefix-hunter2xyz-1`");
  CHECK_FALSE(r.shows("hunter2xyz"));
  CHECK(r.text().find("found `••••` and `prefix-••••-1`") != std::string::npos);
}

TEST_CASE("what one diagnostic redacts no other diagnostic shows") {
  Report r;
  const FileId f = r.sources.add("job.yaml", "words: [--pin, \"correct horse\", 7]\n");
  r.add(r.find(f, "7"), "the word behind `correct horse` is no string");
  r.add(r.find(f, "\"correct horse\""), "a credential").redact(r.find(f, "\"correct horse\""));
  CHECK_FALSE(r.shows("correct horse"));
  CHECK(r.text().find("words: [--pin, ••••, 7]") != std::string::npos);
}

TEST_CASE("a secret is masked where an excerpt or a message cuts it off") {
  const std::string secret = kToken + std::string(6000, 'z');
  Report r;
  const FileId f =
      r.sources.add("job.yaml", "a: " + secret + ", " + std::string(3000, 'x') + " end\n");
  const Span inside{f, 3000, 3001};
  r.add(inside, "found `" + secret.substr(0, 24) + "…`");
  r.add(r.find(f, "end"), "here");
  CHECK_FALSE(r.shows("aaaa"));
  CHECK_FALSE(r.shows("zzzz"));
  CHECK(r.text().find("found `••••…`") != std::string::npos);
}

TEST_CASE("offsets of a redacted text lead from the file to what is shown") {
  SourceMap sources;
  const FileId f = sources.add("a", "01 " + kToken + " 2 " + kToken);
  std::vector<Diagnostic> list;
  list.emplace_back(DiagnosticKind::UnknownField, Span{f, 0, 1}, "x");
  const Redaction redaction(list, sources);
  const std::string mask = "••••";
  const RedactedText part = redaction.source(f, {1, 48});
  CHECK(part.text == "1 " + mask + " 2 " + mask);
  CHECK(part.begin_of(1) == 0);
  CHECK(part.begin_of(2) == 1);
  CHECK(part.begin_of(3) == 2);
  CHECK(part.begin_of(20) == 2);
  CHECK(part.end_of(20) == 2 + mask.size());
  CHECK(part.end_of(3) == 2);
  CHECK(part.end_of(43) == 2 + mask.size());
  CHECK(part.begin_of(44) == 3 + mask.size());
  CHECK(part.end_of(48) == part.text.size());
}

TEST_CASE("texts without a secret are left as they are") {
  Report r;
  const FileId f = r.sources.add("job.yaml", "secretEnv: {HF_TOKEN: {name: hf-creds, key: t}}\n");
  r.add(r.find(f, "hf-creds"), "`hf-creds` is unknown");
  CHECK(r.text().find("•") == std::string::npos);
}

TEST_CASE("a secret is masked in an excerpt where its text is a part of another word") {
  Report r;
  const FileId f =
      r.sources.add("job.yaml", "a: " + kToken + "\nb: x" + kToken + "y end\nc: " + kToken + "\n");
  r.add(r.find(f, "end"), "here");
  CHECK_FALSE(r.shows("aaaa"));
  CHECK(r.text().find("b: x••••y end") != std::string::npos);
}

TEST_CASE("a secret that is written with escapes is shown in neither form") {
  Report r;
  const FileId f = r.sources.add(
      "job.yaml", "env: {DB_PASSWORD: \"\\x68unter2word\", B: [1]}\nnodes: hunter2word\n");
  r.add(r.find(f, "[1]"), "found a list");
  r.add(r.find(f, "nodes"), "found the string `hunter2word`, wanted an integer");
  CHECK_FALSE(r.shows("unter2word"));
  CHECK(r.text().find("found the string `••••`") != std::string::npos);
}
