// Layers made at random: what their merge holds whatever they say.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "source/sha256.h"
#include "source/source_map.h"
#include "spec/layers.h"
#include "tree/digest.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// Documents of few keys and values, so that layers often speak of the same.
class LayerWriter {
 public:
  explicit LayerWriter(std::uint64_t seed) : state_(seed * 2654435761 + 1) {}

  std::string document() {
    std::string text;
    map(text, 0);
    return text.empty() ? "{}\n" : text;
  }

 private:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

  void map(std::string& text, std::size_t depth) {
    for (const char* key : {"a", "b", "c"}) {
      if (below(3) == 0) continue;
      text.append(2 * depth, ' ').append(key).append(":");
      const std::uint64_t sort = below(8);
      if (sort < 3 && depth < 3) {
        std::string inner;
        map(inner, depth + 1);
        text += inner.empty() ? " {}\n" : "\n" + inner;
      } else if (sort == 3) {
        text += " null\n";
      } else if (sort == 4) {
        text += below(2) == 0 ? " [1, 2]\n" : " [3]\n";
      } else {
        text += " " + std::to_string(below(3)) + "\n";
      }
    }
  }

  std::uint64_t state_;
};

struct Layers {
  SourceMap sources;
  std::vector<Tree> trees;

  Layers(std::uint64_t seed, std::size_t count) {
    LayerWriter writer(seed);
    for (std::size_t i = 0; i < count; ++i) {
      Sink sink;
      const FileId file = sources.add(std::to_string(i) + ".yaml", writer.document());
      trees.push_back(std::move(read_yaml(sources, file, sink).front()));
      REQUIRE_FALSE(sink.has_errors());
    }
  }
};

struct Merged {
  Tree tree;
  std::size_t conflicts = 0;
};

Merged merged(const std::vector<Layer>& layers) {
  SpecPlaces places;
  Sink sink;
  Merged result;
  result.tree =
      merge_layers(SchemaPack::builtin(), kAnySchema, layers, layers.size() - 1, places, sink);
  result.conflicts = sink.error_count();
  return result;
}

/// Each of them above all before it.
std::vector<Layer> chain(const std::vector<const Tree*>& trees) {
  std::vector<Layer> layers;
  for (const Tree* tree : trees) {
    Layer layer{tree, {}};
    for (std::size_t i = 0; i < layers.size(); ++i) layer.below.push_back(i);
    layers.push_back(layer);
  }
  return layers;
}

std::string digest(const Tree& tree) {
  Sha256 hash;
  hash_tree(hash, tree, tree.root());
  return hash.finish_hex();
}

/// Every leaf with its path and place.
void leaves(const Tree& tree, NodeId id, const std::string& path,
            std::map<std::string, std::vector<Span>>& found) {
  if (tree[id].size == 0) found[path + "=" + std::string(tree[id].text)].push_back(tree[id].span);
  for (NodeId child : tree.children(id)) {
    leaves(tree, child, path + "." + std::string(tree[child].key), found);
  }
}

constexpr std::uint64_t kRounds = 3000;

}  // namespace

TEST_CASE("layers one above the other give the same at once as one after another") {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    const Layers made(seed, 4);
    const auto& t = made.trees;
    const Merged at_once = merged(chain({&t[0], &t[1], &t[2], &t[3]}));
    Merged step = merged(chain({&t[0], &t[1]}));
    step = merged(chain({&step.tree, &t[2]}));
    step = merged(chain({&step.tree, &t[3]}));
    INFO("seed " << seed);
    CHECK(at_once.conflicts == 0);
    CHECK(digest(at_once.tree) == digest(step.tree));
    std::map<std::string, std::vector<Span>> a;
    std::map<std::string, std::vector<Span>> b;
    leaves(at_once.tree, at_once.tree.root(), "", a);
    leaves(step.tree, step.tree.root(), "", b);
    CHECK(a == b);
  }
}

TEST_CASE("every leaf of merged layers stands in one of them, at that place") {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    const Layers made(seed, 3);
    const auto& t = made.trees;
    const Merged result = merged(chain({&t[0], &t[1], &t[2]}));
    std::map<std::string, std::vector<Span>> written;
    for (const Tree& tree : t) leaves(tree, tree.root(), "", written);
    std::map<std::string, std::vector<Span>> found;
    leaves(result.tree, result.tree.root(), "", found);
    INFO("seed " << seed);
    for (const auto& [leaf, places] : found) {
      if (leaf.ends_with("=")) continue;  // an empty map may be what nulls have left of one
      INFO(leaf);
      REQUIRE(written.contains(leaf));
      for (Span place : places) {
        CHECK(place.known());
        CHECK(std::ranges::find(written[leaf], place) != written[leaf].end());
      }
    }
  }
}

TEST_CASE("the order of layers that stand beside one another counts for no value") {
  std::size_t agreed = 0;
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    const Layers made(seed, 4);
    const auto& t = made.trees;
    // 0 is below 1 and 2, which are below 3.
    const Merged one = merged({{&t[0], {}}, {&t[1], {0}}, {&t[2], {0}}, {&t[3], {0, 1, 2}}});
    const Merged other = merged({{&t[0], {}}, {&t[2], {0}}, {&t[1], {0}}, {&t[3], {0, 1, 2}}});
    INFO("seed " << seed);
    CHECK(one.conflicts == other.conflicts);
    if (one.conflicts != 0) continue;
    ++agreed;
    CHECK(digest(one.tree) == digest(other.tree));
  }
  CHECK(agreed > 100);
}

TEST_CASE("layers with equal values are one, whichever is above") {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    const Layers made(seed, 1);
    const Tree& t = made.trees[0];
    const Merged alone = merged({{&t, {}}});
    const Merged beside = merged({{&t, {}}, {&t, {}}});
    const Merged above = merged({{&t, {}}, {&t, {0}}});
    INFO("seed " << seed);
    CHECK(beside.conflicts == 0);
    CHECK(digest(beside.tree) == digest(alone.tree));
    CHECK(digest(above.tree) == digest(alone.tree));
  }
}
