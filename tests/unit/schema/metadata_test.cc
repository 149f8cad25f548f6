#include <catch2/catch_test_macros.hpp>

#include "unit/schema/built_pack.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;
using trainyard::testing::Lines;

namespace {

constexpr std::string_view kCustom = R"({type: object, required: [spec], properties: {
    apiVersion: {type: string}, kind: {type: string}, metadata: {type: object},
    spec: {type: object, properties: {nn: {type: integer}}}}})";

std::string object(const std::string& metadata) {
  return "{apiVersion: test.io/v1, kind: K, metadata: " + metadata + ", spec: {nn: 1}}";
}

}  // namespace

TEST_CASE("good metadata passes") {
  const BuiltPack pack(kCustom);
  CHECK(pack.object_faults(object("{name: a, namespace: b}")).empty());
  CHECK(pack.object_faults(object("{generateName: a-}")).empty());
  CHECK(pack.object_faults(object("{name: a.b, labels: {a.b/C_d: E.f, x: ''}, annotations: "
                                  "{A.b/c: 'any thing'}, finalizers: [a/b], ownerReferences: "
                                  "[{apiVersion: v1, kind: Pod, name: x, uid: y}]}"))
            .empty());
}

TEST_CASE("an object needs a name") {
  const BuiltPack pack(kCustom);
  CHECK(pack.object_faults("{apiVersion: test.io/v1, kind: K, spec: {}}") ==
        Lines{": missing field `metadata`: every object needs a name"});
  CHECK(pack.object_faults(object("{namespace: a}")) ==
        Lines{"metadata: missing field `name` (or `generateName`)"});
}

TEST_CASE("names and namespaces say what is wrong with them") {
  const BuiltPack pack(kCustom);
  CHECK(pack.object_faults(object("{name: A}")) ==
        Lines{"metadata.name: name `\"A\"` holds `A`, only lower-case letters, digits, `-` and `.` "
              "are allowed"});
  CHECK(pack.object_faults(object("{name: a, namespace: b.c}")) ==
        Lines{"metadata.namespace: namespace `\"b.c\"` holds `.`, only lower-case letters, digits "
              "and `-` are allowed"});
  CHECK(pack.object_faults(object("{generateName: a_}")).size() == 1);
  CHECK(pack.object_faults(object("{name: " + std::string(254, 'a') + "}")).size() == 1);
}

TEST_CASE("an object of the cluster is in no namespace, and one that is given is dropped") {
  const BuiltPack pack(kCustom, false);
  CHECK(pack.object_faults(object("{name: a, namespace: b}")) ==
        Lines{"note: metadata.namespace: an object of this kind is in no namespace: leave "
              "`namespace` "
              "out"});
}

TEST_CASE("labels and annotations are maps of strings with qualified keys") {
  const BuiltPack pack(kCustom);
  CHECK(pack.object_faults(object("{name: a, labels: {x: true}}")) ==
        Lines{"metadata.labels.x: found the boolean `true`, wanted a string: write `\"true\"`"});
  CHECK(pack.object_faults(object("{name: a, labels: {a.b/c/d: x}}")) ==
        Lines{"metadata.labels[\"a.b/c/d\"]: label key `a.b/c/d` has more than one `/`"});
  CHECK(pack.object_faults(object("{name: a, labels: {x: 'a b'}}")) ==
        Lines{"metadata.labels.x: label value `\"a b\"` holds ` `, only letters, digits, `-`, `_` "
              "and `.` are allowed"});
  CHECK(pack.object_faults(object("{name: a, labels: [x]}")) ==
        Lines{"metadata.labels: found a list, wanted a map"});
  CHECK(
      pack.object_faults(object("{name: a, annotations: {x: " + std::string(262144, 'y') + "}}")) ==
      Lines{"metadata.annotations: the annotations take 262145 bytes, at most 262144 are allowed "
            "for one object"});
}

TEST_CASE("metadata has no other fields, even where the CRD leaves it open") {
  const BuiltPack pack(kCustom);
  CHECK(pack.object_faults(object("{name: a, label: {}}")) ==
        Lines{"metadata.label: unknown field `label`: did you mean `labels`?"});
  CHECK(pack.object_faults(object("{name: 5}")) ==
        Lines{"metadata.name: found the integer `5`, wanted a string: write `\"5\"`"});
  CHECK(pack.object_faults(object("x")) ==
        Lines{"metadata: found the string `\"x\"`, wanted a map"});
}

TEST_CASE("the root of an object may leave apiVersion, kind and metadata to Kubernetes") {
  const BuiltPack pack("{type: object, properties: {spec: {type: object}}}");
  CHECK(pack.object_faults("{apiVersion: test.io/v1, kind: K, metadata: {name: a}}").empty());
  CHECK(pack.object_faults("{apiVersion: test.io/v1, kind: K, metadata: {name: a}, status: {}}")
            .size() == 1);
}

TEST_CASE("an embedded resource is an object with its own head") {
  const BuiltPack pack(R"({type: object, properties: {t: {type: object,
      x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}})");
  CHECK(pack.accepts("{t: {apiVersion: v1, kind: Pod, spec: {x: 1}}}"));
  CHECK(pack.accepts("{t: {apiVersion: v1, kind: Pod, metadata: {name: 'A:b'}}}"));
  CHECK(pack.faults("{t: {spec: 1}}").size() == 2);
  CHECK(pack.faults("{t: {apiVersion: a/b/c, kind: Pod}}").size() == 1);
  CHECK(pack.faults("{t: {apiVersion: v1, kind: 0x}}").size() == 1);
  CHECK(pack.faults("{t: {apiVersion: v1, kind: Pod, metadata: {name: a/b}}}") ==
        Lines{"t.metadata.name: name `\"a/b\"` must not hold `/`"});
  CHECK(pack.faults("{t: {apiVersion: v1, kind: Pod, metadata: {labels: {a: 1}}}}").size() == 1);
}

TEST_CASE("times, owners and managers of an embedded resource are those of any object") {
  const BuiltPack pack(R"({type: object, properties: {t: {type: object,
      x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}})");
  const auto with = [&](const std::string& metadata) {
    return pack.faults("{t: {apiVersion: v1, kind: Pod, metadata: {" + metadata + "}}}");
  };
  CHECK(with("creationTimestamp: '2025-01-31T12:00:00Z', deletionTimestamp: null").empty());
  CHECK(with("creationTimestamp: soon") ==
        Lines{"t.metadata.creationTimestamp: `\"soon\"` is no time, wanted a time such as "
              "`2025-01-31T12:00:00Z`"});
  CHECK(with("ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: b, controller: true, "
             "blockOwnerDeletion: null}]")
            .empty());
  CHECK(with("ownerReferences: [{apiVersion: v1, kind: Pod, nam: a, uid: b}]") ==
        Lines{"t.metadata.ownerReferences[0].nam: unknown field `nam`: did you mean `name`?",
              "t.metadata.ownerReferences[0]: missing field `name`"});
  CHECK(with("ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: b, controller: 1}]") ==
        Lines{"t.metadata.ownerReferences[0].controller: found the integer `1`, wanted a boolean"});
  CHECK(with("ownerReferences: [a]").size() == 1);
  CHECK(with("managedFields: [{manager: a, operation: Apply, fieldsV1: {f:spec: {}}}]").empty());
  CHECK(with("managedFields: [{time: now}]").size() == 1);
  CHECK(with("managedFields: [{who: a}]").size() == 1);
}

TEST_CASE("an owner has a version, with one group in front at most") {
  const BuiltPack pack(kCustom);
  const auto owned_by = [&](const std::string& version) {
    return pack.object_faults(object("{name: a, ownerReferences: [{apiVersion: " + version +
                                     ", kind: Pod, name: x, uid: y}]}"));
  };
  CHECK(owned_by("v1").empty());
  CHECK(owned_by("apps/v1").empty());
  CHECK(owned_by("apps/").size() == 1);
  CHECK(owned_by("a/b/c") == Lines{"metadata.ownerReferences[0].apiVersion: the apiVersion of an "
                                   "owner is not of the form `group/version` or `version`"});
}
