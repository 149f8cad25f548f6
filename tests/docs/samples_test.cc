// The documents' own specs, compiled. The comment above a block may say
//   <!-- with: examples/clusters/dgx.yaml -->   the Cluster that it is compiled for
//   <!-- says: unknown-pool -->                 the diagnostics that it gives, separated by spaces
//   <!-- part of a document -->                 it is not complete, and only read
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <string_view>

#include "diag/kind.h"
#include "diag/render.h"
#include "docs/markdown.h"
#include "driver/build/build.h"
#include "driver/validate/validate.h"
#include "file_text.h"
#include "folders.h"

namespace trainyard::docs {
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

/// What stands behind `name` in a comment such as `with: a.yaml; says: unknown-pool`.
std::string option(std::string_view comment, std::string_view name) {
  const std::size_t at = comment.find(name);
  if (at == std::string_view::npos) return {};
  std::string_view rest = comment.substr(at + name.size());
  rest = rest.substr(0, rest.find(';'));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return std::string(rest);
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) result.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// Something for the specs of the documents to stage.
void add_files_beside(MemoryFileSystem& files) {
  files.files["page/train.py"] = "print('training')\n";
  files.files["page/configs/70b.yaml"] = "tensor: 8\n";
  files.files["page/bases/nlp.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\n"
      "spec: {image: registry.example.com/nlp/train:2.3, security: {runAsUser: 1000}}\n";
}

struct Said {
  std::set<std::string> kinds;
  std::string text;
};

Said said(const Session& session) {
  Said result;
  for (const Diagnostic& diagnostic : session.sink.all()) {
    result.kinds.emplace(info(diagnostic.kind).name);
  }
  result.text = render_text(session.sink.sorted(), session.sources, false);
  return result;
}

Said compiled(const Block& block) {
  MemoryFileSystem files;
  add_files_beside(files);
  files.files["page/spec.yaml"] = block.text;
  const std::string cluster = option(block.comment, "with:");
  if (!cluster.empty()) files.files["page/cluster.yaml"] = read_file(repository() / cluster);

  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  // Checked by validate, too, so that a Cluster or a plain manifest is a sample as well.
  if (block.text.find("kind: TrainingJob\n") == std::string::npos) {
    ValidateRequest request;
    request.inputs = {"page/spec.yaml"};
    validate(session, request);
    return said(session);
  }
  BuildRequest request;
  request.inputs = {"page/spec.yaml"};
  if (!cluster.empty()) request.cluster = "page/cluster.yaml";
  const BuildResult result = build(session, request);
  if (!session.sink.has_errors())
    CHECK(result.stream.whole().find("\nkind: ") != std::string::npos);
  return said(session);
}

}  // namespace

TEST_CASE("every spec in the documents compiles, and says what its page says it does") {
  std::size_t seen = 0;
  for (const Page& page : all_pages()) {
    for (const Block& block : page.blocks) {
      const bool ours = block.text.find("apiVersion: trainyard/") != std::string::npos;
      if (block.language != "yaml" || !ours) continue;
      ++seen;
      const Said result = compiled(block);
      INFO(page.path << ":" << block.line << "\n" << result.text);
      CHECK(result.kinds == words_of(option(block.comment, "says:")));
    }
  }
  CHECK(seen > 3);
}

}  // namespace trainyard::docs
