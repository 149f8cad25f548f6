#include "target/content_name.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

constexpr std::string_view kRuntime =
    "kind: Runtime\n"
    "metadata: {name: train-00000000, labels: {a: b}, annotations: {digest: one}}\n"
    "spec: {image: x, nodes: 2}\n";
constexpr std::string_view kJob =
    "kind: Job\n"
    "metadata: {name: train}\n"
    "spec: {runtimeRef: {name: train-00000000}, command: [train-00000000]}\n";

struct Named {
  std::string runtime, reference, command, noted;
};

Named named(std::string runtime) {
  SourceMap sources;
  Sink sink;
  ObjectSet objects;
  for (std::string text : {std::move(runtime), std::string(kJob)}) {
    const FileId file = sources.add("objects.yaml", std::move(text));
    const std::vector<Tree> documents = read_yaml(sources, file, sink);
    REQUIRE(documents.size() == 1);
    objects.add(objects.tree.copy(documents[0], documents[0].root()));
  }
  name_by_content(objects, "train-00000000");
  const View made(objects.tree, objects.objects[0].root);
  const View spec = View(objects.tree, objects.objects[1].root)["spec"];
  return {std::string(made["metadata"]["name"].text()),
          std::string(spec["runtimeRef"]["name"].text()),
          std::string(objects.tree[objects.tree[spec["command"].id()].first].text),
          std::string(objects.objects[0].name)};
}

std::string replaced(std::string_view what, std::string_view by) {
  std::string text(kRuntime);
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("an object that is named by its content takes its references along, and nothing else") {
  const Named result = named(std::string(kRuntime));
  CHECK(result.runtime.starts_with("train-"));
  CHECK(result.runtime.size() == std::string_view("train-00000000").size());
  CHECK(result.runtime != "train-00000000");
  CHECK(result.reference == result.runtime);
  CHECK(result.noted == result.runtime);
  CHECK(result.command == "train-00000000");
}

TEST_CASE("the name changes with the content, and not with annotations or the order of fields") {
  const std::string name = named(std::string(kRuntime)).runtime;
  CHECK(named(replaced("digest: one", "digest: two")).runtime == name);
  CHECK(named(replaced("{image: x, nodes: 2}", "{nodes: 2, image: x}")).runtime == name);
  CHECK(named(replaced("nodes: 2", "nodes: 3")).runtime != name);
  CHECK(named(replaced("image: x", "image: y")).runtime != name);
  CHECK(named(replaced("a: b", "a: c")).runtime != name);
  CHECK(named(replaced("kind: Runtime", "kind: Other")).runtime != name);
}

TEST_CASE("two spellings of one amount make one name, two amounts make two") {
  const auto with = [](std::string_view amounts) {
    return named(replaced("image: x", "resources: {limits: {" + std::string(amounts) + "}}"))
        .runtime;
  };
  CHECK(with("cpu: '0.5', memory: 1536Mi") == with("cpu: 500m, memory: 1.5Gi"));
  CHECK(with("cpu: '0.5'") != with("cpu: '0.6'"));
}
