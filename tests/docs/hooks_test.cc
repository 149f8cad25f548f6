// The hooks of pre-commit, which runs them in the repositories of others.

#include <re2/re2.h>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "file_text.h"
#include "folders.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

TEST_CASE("the hook that checks manifests sees all of a repository's at once, and no settings") {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(
      "hooks", testing::read_file(testing::repository().string() + "/.pre-commit-hooks.yaml"));
  const std::vector<Tree> documents = read_yaml(sources, file, sink);
  REQUIRE(documents.size() == 1);
  const View hooks(documents[0], documents[0].root());
  std::vector<std::string> ids;
  for (View hook : Items(hooks)) {
    ids.emplace_back(string_at(hook, "id"));
    CHECK(string_at(hook, "entry").starts_with("trainyard "));
    if (ids.back() != "trainyard-validate") continue;
    CHECK(is_true(get(hook, "require_serial")));
    const RE2 exclude{std::string(string_at(hook, "exclude"))};
    REQUIRE(exclude.ok());
    // pre-commit searches, from the top of the repository.
    for (const char* settings : {".pre-commit-config.yaml", ".trainyard.yaml",
                                 ".github/workflows/ci.yaml", "docs/.vale.yml"}) {
      CHECK(RE2::PartialMatch(settings, exclude));
    }
    for (const char* manifest : {"job.yaml", "deploy/a.b.yaml", "team-1/jobs/x.yml"}) {
      CHECK_FALSE(RE2::PartialMatch(manifest, exclude));
    }
  }
  CHECK(ids == std::vector<std::string>{"trainyard-validate", "trainyard-build-check",
                                        "trainyard-fmt", "trainyard-render-check"});
}
