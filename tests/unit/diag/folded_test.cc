#include "diag/folded.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "diag/render.h"
#include "diag/summary.h"

using namespace trainyard;

namespace {

const std::string kText = "first\nsecret\nthird\n";

struct Findings {
  SourceMap sources;
  std::vector<Diagnostic> list;

  Findings() {
    for (int i = 0; i < 8; ++i) sources.add("file-" + std::to_string(i) + ".yaml", kText);
  }
  Diagnostic& add(FileId file, std::string_view check, Severity severity) {
    Diagnostic each(DiagnosticKind::RunsWrong, Span{file, 0, 5}, "m" + std::to_string(list.size()));
    each.severity = severity;
    each.found_by.check = check;
    return list.emplace_back(std::move(each));
  }
  std::vector<Diagnostic> fold() const { return folded(list, sources); }
};

}  // namespace

TEST_CASE("errors are never folded, nor what no check has found") {
  Findings found;
  for (int i = 0; i < 100; ++i) found.add(0, "gang-size", Severity::Error);
  for (int i = 0; i < 100; ++i) found.add(0, "", Severity::Warning);
  CHECK(found.fold().size() == 200);
}

TEST_CASE(
    "five findings of a lint are printed, of six three and a note with the number and files") {
  Findings found;
  for (FileId file = 0; file < 5; ++file) found.add(file, "no-gang", Severity::Warning);
  CHECK(found.fold().size() == 5);
  found.add(5, "no-gang", Severity::Warning);
  found.add(6, "gang-size", Severity::Note);
  const auto folded = found.fold();
  REQUIRE(folded.size() == 5);
  CHECK(folded[2].message == "m2");
  CHECK(folded[3].found_by.check == "gang-size");
  CHECK(folded[4].severity == Severity::Note);
  CHECK(folded[4].message ==
        "check `no-gang` finds the same in 3 more places in file-3.yaml, file-4.yaml and "
        "file-5.yaml; `--all` prints each");
  CHECK(summary(found.list) == "6 warnings");
}

TEST_CASE("the note names three files and counts the others") {
  Findings found;
  for (FileId file = 0; file < 8; ++file) found.add(file, "no-gang", Severity::Warning);
  CHECK(found.fold().back().message ==
        "check `no-gang` finds the same in 5 more places in file-3.yaml, file-4.yaml, file-5.yaml "
        "and 2 more files; `--all` prints each");
}

TEST_CASE("notes that begin alike are folded, and notes of other kinds are not among them") {
  Findings found;
  const auto note = [&](FileId file, DiagnosticKind kind, const std::string& message) {
    Diagnostic& each = found.add(file, "", Severity::Note);
    each.kind = kind;
    each.message = message;
  };
  for (FileId file = 0; file < 6; ++file) {
    note(file, DiagnosticKind::LeftToDo, "a template: " + std::to_string(file) + " places");
    note(file, DiagnosticKind::UnknownTag, "`!" + std::to_string(file) + "` is no tag");
  }
  note(7, DiagnosticKind::UnknownKind, "a template: 7 places");
  const auto folded = found.fold();
  REQUIRE(folded.size() == 3 + 6 + 1 + 1);
  CHECK(folded.back().message ==
        "\"a template\": the same in 3 more places in file-3.yaml, file-4.yaml and file-5.yaml; "
        "`--all` prints each");
}

TEST_CASE("a secret of a finding that is folded is not shown by another") {
  Findings found;
  for (int i = 0; i < 6; ++i) {
    found.add(0, "literal-credential", Severity::Warning).redact(Span{0, 6, 12});
  }
  for (std::size_t i = 0; i < 3; ++i) found.list[i].secrets.clear();
  found.add(0, "gang-size", Severity::Error).span = Span{0, 6, 12};
  const std::string text = render_text(found.fold(), found.sources, false);
  CHECK(text.find("secret") == std::string::npos);
}
