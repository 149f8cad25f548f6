#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "property/oracle.h"
#include "property/tree_generator.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"
#include "tree/yaml_writer.h"

using namespace trainyard;

namespace {

constexpr std::size_t kDocuments = 400;

/// More documents than usual: TRAINYARD_PROPERTY_SCALE=10.
std::size_t scale() {
  const char* text = std::getenv("TRAINYARD_PROPERTY_SCALE");
  return text == nullptr ? 1 : std::max(1ul, std::strtoul(text, nullptr, 10));
}

struct Corpus {
  std::vector<Tree> trees;
  std::vector<std::string> texts;
  std::string stream;
};

Corpus make_corpus(std::size_t count, std::uint64_t seed) {
  Corpus corpus;
  TreeGenerator generator(seed);
  for (std::size_t i = 0; i < count; ++i) {
    corpus.trees.push_back(generator.document());
    const Tree& tree = corpus.trees.back();
    std::string text;
    write_yaml(tree, tree.root(), text);
    corpus.stream += i == 0 ? text : "---\n" + text;
    corpus.texts.push_back(std::move(text));
  }
  return corpus;
}

void compare(const Corpus& corpus, const std::vector<std::string>& answers, BigInts big) {
  if (answers.size() != corpus.trees.size()) {
    FAIL(answers.size() << " answers; the last is " << (answers.empty() ? "" : answers.back()));
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string expected = typed_json(corpus.trees[i], corpus.trees[i].root(), big);
    if (same_value(expected, answers[i])) continue;
    if (++wrong > 3) continue;  // three are enough to see what is wrong
    UNSCOPED_INFO("document " << i << ":\n"
                              << corpus.texts[i] << "meant " << expected << "\nread  "
                              << answers[i]);
    CHECK(expected == answers[i]);
  }
  CHECK(wrong == 0);
}

bool is_quoted_or_block(const YAML::Node& node) {
  return node.Tag() == "!";
}

bool converts_to_other_type(const YAML::Node& node) {
  bool flag = false;
  double number = 0;
  return node.IsNull() || YAML::convert<bool>::decode(node, flag) ||
         YAML::convert<double>::decode(node, number);
}

bool reads_as(const Tree& tree, NodeId id, const YAML::Node& got);

bool entries_read_as(const Tree& tree, NodeId id, const YAML::Node& got) {
  if (tree[id].size == 0 && got.size() == 0) return true;
  if (tree[id].size != got.size()) return false;
  auto at = got.begin();
  for (NodeId child : tree.children(id)) {
    const auto entry = *at++;
    if (tree[id].is_seq()) {
      if (!reads_as(tree, child, entry)) return false;
      continue;
    }
    if (entry.first.Scalar() != tree[child].key) return false;
    if (!is_quoted_or_block(entry.first) && converts_to_other_type(entry.first)) return false;
    if (!reads_as(tree, child, entry.second)) return false;
  }
  return true;
}

bool reads_as(const Tree& tree, NodeId id, const YAML::Node& got) {
  const Node& node = tree[id];
  bool flag = false;
  switch (node.kind) {
    case Kind::Null:
      return got.IsNull();
    case Kind::Bool:
      return !is_quoted_or_block(got) && YAML::convert<bool>::decode(got, flag) &&
             flag == (node.text == "true");
    case Kind::Int:
    case Kind::Float:
      return got.IsScalar() && !is_quoted_or_block(got) && got.Scalar() == node.text;
    case Kind::String:
      return got.IsScalar() && got.Scalar() == node.text &&
             (is_quoted_or_block(got) || !converts_to_other_type(got));
    case Kind::Seq:
      return got.IsSequence() && entries_read_as(tree, id, got);
    case Kind::Map:
      return got.IsMap() && entries_read_as(tree, id, got);
  }
  return false;
}

}  // namespace

TEST_CASE("what is written reads back equal by go-yaml and by sigs.k8s.io/yaml", "[go]") {
  const Oracle go = go_oracle("yaml");
  if (!go.missing.empty()) SKIP(go.missing);
  const Corpus corpus = make_corpus(10 * kDocuments * scale(), 1);
  compare(corpus, ask(go, "yaml-go", corpus.stream), BigInts::Floats);
}

TEST_CASE("what is written reads back equal by PyYAML") {
  const Oracle python = python_oracle(false);
  if (!python.missing.empty()) SKIP(python.missing);
  const Corpus corpus = make_corpus(kDocuments * scale(), 2);
  compare(corpus, ask(python, "yaml-python", corpus.stream), BigInts::Kept);
}

TEST_CASE("what is written reads back equal by libyaml") {
  const Oracle python = python_oracle(true);
  if (!python.missing.empty()) SKIP(python.missing);
  const Corpus corpus = make_corpus(4 * kDocuments * scale(), 3);
  compare(corpus, ask(python, "yaml-libyaml", corpus.stream), BigInts::Kept);
}

TEST_CASE("what is written reads back equal by yaml-cpp") {
  const Corpus corpus = make_corpus(kDocuments * scale(), 4);
  const std::vector<YAML::Node> documents = YAML::LoadAll(corpus.stream);
  REQUIRE(documents.size() == corpus.trees.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < documents.size() && wrong < 3; ++i) {
    const Tree& tree = corpus.trees[i];
    INFO("document " << i << ":\n" << corpus.texts[i]);
    const bool same = reads_as(tree, tree.root(), documents[i]);
    CHECK(same);
    if (!same) ++wrong;
  }
}

TEST_CASE(
    "what is written reads back equal by our reader, and is written again as the same bytes") {
  const Corpus corpus = make_corpus(2 * kDocuments * scale(), 5);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < corpus.trees.size() && wrong < 3; ++i) {
    INFO("document " << i << ":\n" << corpus.texts[i]);
    SourceMap sources;
    Sink sink;
    const FileId file = sources.add("written.yaml", corpus.texts[i]);
    const std::vector<Tree> read = read_yaml(sources, file, sink);
    for (const Diagnostic& diagnostic : sink.sorted()) UNSCOPED_INFO(diagnostic.message);
    const Tree& tree = corpus.trees[i];
    const bool one = read.size() == 1 && sink.error_count() == 0;
    const bool same = one && equal(tree, tree.root(), read[0], read[0].root());
    CHECK(same);
    std::string again;
    if (one) write_yaml(read[0], read[0].root(), again);
    CHECK(again == corpus.texts[i]);
    if (!same || again != corpus.texts[i]) ++wrong;
  }
}

TEST_CASE("texts of random bytes are written as UTF-8 that reads back as what was written") {
  std::string bytes;
  std::uint64_t state = 6;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    bytes.clear();
    for (std::uint64_t left = 1 + i % 9; left > 0; --left) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes += static_cast<char>(state >> 56);
    }
    Tree tree;
    tree.set_root(tree.add_seq());
    tree.append(tree.root(), tree.add_string(bytes));
    std::string text;
    write_yaml(tree, tree.root(), text);
    SourceMap sources;
    Sink sink;
    const std::vector<Tree> read = read_yaml(sources, sources.add("bytes.yaml", text), sink);
    REQUIRE(read.size() == 1);
    std::string again;
    write_yaml(read[0], read[0].root(), again);
    REQUIRE(again == text);
  }
}
