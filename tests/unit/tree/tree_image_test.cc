#include "tree/tree_image.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "file_text.h"
#include "folders.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// A text that was read, and the tree that its image gives.
struct Pair {
  SourceMap sources;
  Sink sink;
  FileId file;
  Tree read;
  std::string image;
  Tree loaded;

  explicit Pair(std::string text) : file(sources.add("a.yaml", std::move(text))) {
    std::vector<Tree> documents = read_yaml(sources, file, sink);
    REQUIRE(documents.size() == 1);
    read = std::move(documents[0]);
    image = tree_image(read, sources.text(file));
    loaded = load_tree_image(image, sources.text(file), file);
    REQUIRE(loaded.root() != kNoNode);
  }

  void check_places() const {
    REQUIRE(loaded.size() == read.size());
    for (NodeId id = 0; id < read.size(); ++id) {
      CHECK(loaded[id].span == read[id].span);
      CHECK(loaded[id].key_span == read[id].key_span);
      CHECK(loaded[id].style == read[id].style);
      CHECK(loaded[id].size == read[id].size);
      CHECK(loaded[id].last == read[id].last);
    }
  }
};

}  // namespace

TEST_CASE("an image gives the tree that was read, with its places") {
  const Pair pair(
      "plain: text\n"
      "'quoted': \"a\\tb\"  # a comment\n"
      "numbers: [1, -2.5, 0x10, true, null, ~]\n"
      "literal: |\n  two\n  lines\n"
      "folded: >-\n  one\n  line\n"
      "empty: {}\n"
      "nothing:\n"
      "base: &base {x: 1}\n"
      "merged:\n  <<: *base\n  y: *base\n");
  CHECK(equal(pair.read, pair.read.root(), pair.loaded, pair.loaded.root()));
  pair.check_places();
}

TEST_CASE("an image gives the spans the file that it is loaded for") {
  const Pair pair("a: 1\n");
  const Tree other = load_tree_image(pair.image, "a: 1\n", 7);
  const NodeId a = other.find(other.root(), "a");
  REQUIRE(a != kNoNode);
  CHECK(other[a].span == Span{7, 3, 4});
  CHECK(other[a].key_span == Span{7, 0, 1});
}

TEST_CASE("every template has an image that gives what reading it gives") {
  namespace fs = std::filesystem;
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(testing::repository() / "templates")) {
    if (entry.path().extension() != ".yaml") continue;
    const Pair pair(trainyard::testing::read_file(entry.path()));
    INFO(entry.path());
    CHECK(equal(pair.read, pair.read.root(), pair.loaded, pair.loaded.root()));
    pair.check_places();
    ++count;
  }
  CHECK(count > 20);
}

TEST_CASE("an image of another text is refused") {
  const Pair pair("a: 1\n");
  CHECK(load_tree_image(pair.image, "a: 12\n", 0).root() == kNoNode);
  CHECK(load_tree_image(pair.image, "", 0).root() == kNoNode);
}

TEST_CASE("an image that is cut short or overwritten never leads out of bounds") {
  const Pair pair("a: 'x''y'\nb: [1, 2]\n");
  const std::string_view text = pair.sources.text(pair.file);
  for (std::size_t size = 0; size < pair.image.size(); ++size) {
    CHECK(load_tree_image(std::string_view(pair.image).substr(0, size), text, 0).root() == kNoNode);
  }
  for (std::size_t at = 0; at < pair.image.size(); ++at) {
    std::string damaged = pair.image;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    const Tree tree = load_tree_image(damaged, text, 0);
    for (NodeId id = 0; id < tree.size(); ++id) {
      const Node& node = tree[id];
      for (NodeId link : {node.first, node.last, node.next}) {
        CHECK((link == kNoNode || link < tree.size()));
      }
      const std::string copy(node.text);
      CHECK(copy.size() <= text.size() + damaged.size());
    }
  }
}
