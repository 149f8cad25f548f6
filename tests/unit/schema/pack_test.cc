#include "schema/pack.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <set>

#include "schema/pack_builder.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::tree_of;

namespace {

std::string small_image() {
  PackBuilder builder;
  SchemaFacts facts;
  facts.group = "g";
  facts.version = "v1";
  facts.kind = "K";
  facts.source = "project v1 path";
  builder.add_kind(facts, tree_of(R"(
type: object
required: [a]
properties:
  a: {type: string, enum: [x, y], pattern: "^x", default: x}
  b: {type: array, items: {type: integer, minimum: 1}, x-kubernetes-list-type: set}
  c: {allOf: [{minLength: 1}], not: {enum: [z]}, x-kubernetes-validations: [{rule: "true", message: m}]}
  d: {additionalProperties: {$ref: '#/$defs/d'}, description: text}
$defs: {d: {type: object, properties: {d: {$ref: '#/$defs/d'}}}}
)"));
  builder.add_definitions("g", "v1", "s", tree_of("{$defs: {P: {type: string}}}"));
  Sink sink;
  return builder.build(sink);
}

/// Everything that a pack can be asked for, to show that nothing is outside of it.
std::size_t read_all(const SchemaPack& pack) {
  std::size_t sum = 0;
  const auto read = [&](PackText t) {
    for (const char c : pack.text(t)) sum += static_cast<unsigned char>(c);
  };
  const auto read_list = [&](PackRange range) {
    for (const PackText t : pack.texts(range)) read(t);
  };
  for (SchemaId id = 0; id < pack.size(); ++id) {
    const SchemaNode& node = pack[id];
    for (const auto& p : pack.properties(node)) {
      read(p.name);
      sum += pack[p.schema].types;
    }
    for (const auto& range : {node.required, node.enum_values, node.list_keys, node.merge_keys}) {
      read_list(range);
    }
    for (const auto& range : {node.all_of, node.any_of, node.one_of}) {
      for (const SchemaId part : pack.ids(range)) sum += pack[part].types;
    }
    for (const SchemaId part : {node.negated, node.items, node.additional}) {
      if (part != kNoLimit) sum += pack[part].types;
    }
    for (const auto& rule : pack.rules(node)) {
      for (const auto& t : {rule.rule, rule.message, rule.message_expression, rule.reason}) read(t);
    }
    for (const auto& t : {node.pattern, node.format, node.default_value, node.description}) read(t);
  }
  for (const auto& kinds : {pack.kinds(), pack.definitions()}) {
    for (const SchemaKind& kind : kinds) {
      for (const auto& t :
           {kind.group, kind.version, kind.kind, kind.source, kind.replicas_path, kind.before}) {
        read(t);
      }
      sum += pack[kind.schema].types;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("what is not a pack is refused") {
  CHECK_FALSE(SchemaPack::open(""));
  CHECK_FALSE(SchemaPack::open("TYPACK01"));
  CHECK_FALSE(SchemaPack::open(std::string(4096, 'x')));
  CHECK_FALSE(SchemaPack::open(std::string(4096, '\0')));
}

TEST_CASE("a cut or misplaced image is refused") {
  const std::string image = small_image();
  REQUIRE(SchemaPack::open(image));
  for (std::size_t size = 0; size < image.size(); ++size) {
    const std::string cut = image.substr(0, size);
    CHECK_FALSE(SchemaPack::open_trusted(cut));
  }
  CHECK_FALSE(SchemaPack::open(image + " "));
  const std::string shifted = " " + image;
  CHECK_FALSE(SchemaPack::open(std::string_view(shifted).substr(1)));
}

TEST_CASE("an image of another version or byte order is refused") {
  std::string image = small_image();
  image[7] = '0';
  CHECK_FALSE(SchemaPack::open_trusted(image));
  image = small_image();
  std::swap(image[8], image[11]);
  CHECK_FALSE(SchemaPack::open_trusted(image));
}

TEST_CASE("an image with any byte changed is refused or stays within itself") {
  const std::string image = small_image();
  std::size_t refused = 0;
  std::size_t sum = 0;
  for (std::size_t at = 0; at < image.size(); ++at) {
    for (const unsigned mask : {0x01u, 0x80u, 0xffu}) {
      std::string mutated = image;
      mutated[at] = static_cast<char>(static_cast<unsigned char>(mutated[at]) ^ mask);
      const auto pack = SchemaPack::open(mutated);
      if (!pack) {
        ++refused;
      } else {
        sum += read_all(*pack);
      }
    }
  }
  CHECK(refused > image.size() / 4);
  CHECK(sum > 0);
}

TEST_CASE("an image with random words changed is refused or stays within itself") {
  const std::string image = small_image();
  std::minstd_rand generator(7);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  std::size_t sum = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string mutated = image;
    for (unsigned n = 1 + random() % 3; n != 0; --n) {
      const std::uint32_t word = random() % 2 != 0 ? random() : random() % 64;
      std::memcpy(mutated.data() + random() % (image.size() / 4) * 4, &word, sizeof word);
    }
    if (const auto pack = SchemaPack::open(mutated)) sum += read_all(*pack);
  }
  CHECK(sum > 0);
}

TEST_CASE("the built-in pack has what targets emit and embed") {
  const SchemaPack& pack = SchemaPack::builtin();
  REQUIRE(pack.size() > 1000);
  for (const auto& [api_version, kind] : std::initializer_list<std::pair<const char*, const char*>>{
           {"v1", "Pod"},
           {"v1", "Service"},
           {"v1", "List"},
           {"batch/v1", "Job"},
           {"jobset.x-k8s.io/v1alpha2", "JobSet"},
           {"kubeflow.org/v1", "PyTorchJob"},
           {"kubeflow.org/v1", "MPIJob"},
           {"kubeflow.org/v2beta1", "MPIJob"},
           {"trainer.kubeflow.org/v1alpha1", "TrainJob"},
           {"batch.volcano.sh/v1alpha1", "Job"},
           {"kueue.x-k8s.io/v1beta1", "ClusterQueue"},
           {"kueue.x-k8s.io/v1beta2", "ClusterQueue"},
           {"ray.io/v1", "RayJob"},
           {"run.ai/v2alpha1", "TrainingWorkload"},
           {"run.ai/v1", "RunaiJob"},
           {"nvidia.com/v1alpha1", "NemoTrainingJob"},
           {"scheduling.k8s.io/v1alpha2", "Workload"}}) {
    INFO(api_version << " " << kind);
    const SchemaKind* found = pack.find(api_version, kind);
    REQUIRE(found != nullptr);
    CHECK_FALSE(pack.text(found->source).empty());
    CHECK(pack.property(pack[found->schema], "metadata"));
  }
  for (const char* name :
       {"PodTemplateSpec", "PodSpec", "Affinity", "Toleration", "SecurityContext", "EnvVar",
        "EnvFromSource", "Volume", "VolumeMount", "ResourceRequirements", "ObjectMeta", "Taint",
        "ContainerPort", "TopologySpreadConstraint", "SeccompProfile", "Capabilities"}) {
    INFO(name);
    CHECK(pack.find_definition("", "v1", name) != nullptr);
    CHECK(pack.find("v1", name) == nullptr);
  }
  CHECK(pack.find_definition("batch", "v1", "PodFailurePolicy") != nullptr);
}

TEST_CASE("the built-in pack passes the full check of packs and is sorted") {
  PackBuilder builder(&SchemaPack::builtin());
  Sink sink;
  CHECK(SchemaPack::open(builder.build(sink)));
  const SchemaPack& pack = SchemaPack::builtin();
  CHECK(read_all(pack) > 0);
  const auto kinds = pack.kinds();
  for (const SchemaKind& kind : kinds) {
    const SchemaKind* found =
        pack.find(pack.text(kind.group), pack.text(kind.version), pack.text(kind.kind));
    REQUIRE(found != nullptr);
    CHECK(found->before.size == 0);
    const auto older = pack.older(*found);
    const bool is_older = older.data() <= &kind && &kind < older.data() + older.size();
    CHECK((kind.before.size == 0 ? found == &kind : is_older));
  }
  for (SchemaId id = 0; id < pack.size(); ++id) {
    const auto properties = pack.properties(pack[id]);
    for (std::size_t i = 1; i < properties.size(); ++i) {
      CHECK(pack.text(properties[i - 1].name) < pack.text(properties[i].name));
    }
  }
}

TEST_CASE("core types are what the API server reads, not only what the document says") {
  const SchemaPack& pack = SchemaPack::builtin();
  const auto definition = [&](const char* name) -> const SchemaNode& {
    const SchemaKind* found = pack.find_definition("", "v1", name);
    REQUIRE(found != nullptr);
    return pack[found->schema];
  };
  const auto property = [&](const SchemaNode& node, const char* name) -> const SchemaNode& {
    const auto id = pack.property(node, name);
    REQUIRE(id);
    return pack[*id];
  };
  const SchemaNode& limits = property(definition("ResourceRequirements"), "limits");
  CHECK((pack[limits.additional].flags & kQuantity) != 0);
  CHECK((limits.flags & kNullable) != 0);
  CHECK((property(definition("ServicePort"), "targetPort").flags & kIntOrString) != 0);
  CHECK(pack.text(property(definition("ContainerPort"), "protocol").default_value) == "\"TCP\"");
  const SchemaNode& created = property(definition("ObjectMeta"), "creationTimestamp");
  CHECK(pack.text(created.format) == "date-time");
  CHECK((created.flags & kNullable) != 0);
  const SchemaNode& containers = property(definition("PodSpec"), "containers");
  CHECK((containers.flags & kNullable) == 0);
  CHECK(containers.list_type == ListType::Map);
  CHECK(pack.text(pack.texts(containers.merge_keys)[0]) == "name");
  CHECK((definition("PodSpec").flags & kClosed) != 0);
}

TEST_CASE("a schema that contains itself ends") {
  const SchemaPack& pack = SchemaPack::builtin();
  const SchemaKind* props = pack.find_definition("apiextensions.k8s.io", "v1", "JSONSchemaProps");
  REQUIRE(props != nullptr);
  const auto inner = pack.property(pack[props->schema], "properties");
  REQUIRE(inner);
  CHECK(pack[*inner].additional == props->schema);
}

TEST_CASE("a kind has its newest schema first, then those before releases, the latest first") {
  PackBuilder builder;
  const auto add = [&](std::string_view kind, std::string_view before) {
    SchemaFacts facts;
    facts.group = "g";
    facts.version = "v1";
    facts.kind = kind;
    facts.before = before;
    builder.add_kind(facts, tree_of("{type: object}"));
  };
  add("K", "op 2.9");
  add("L", "");
  add("K", "op 2.10");
  add("K", "");
  Sink sink;
  const std::string image = builder.build(sink);
  const auto pack = SchemaPack::open(image);
  REQUIRE(pack);
  const SchemaKind* newest = pack->find("g/v1", "K");
  REQUIRE(newest != nullptr);
  CHECK(newest->before.size == 0);
  const auto older = pack->older(*newest);
  REQUIRE(older.size() == 2);
  CHECK(pack->text(older[0].before) == "op 2.10");
  CHECK(pack->text(older[1].before) == "op 2.9");
  CHECK(pack->older(*pack->find("g/v1", "L")).empty());
}
