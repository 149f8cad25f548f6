// Input of four times the size costs about four times as much, whatever it is that grows.
#include "growth.h"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "driver/build/build.h"
#include "driver/format/format_files.h"
#include "driver/validate/validate.h"

using namespace trainyard;
using trainyard::testing::growth;
using trainyard::testing::kMostGrowth;

namespace {

struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};
};

void build_it(World& world) {
  BuildRequest request;
  request.inputs = {"in.yaml"};
  build(world.session, request);
}
void build_beside_a_file(World& world) {
  world.files.files[std::string(24, 'a')] = "text";
  build_it(world);
}
void validate_it(World& world) {
  ValidateRequest request;
  request.inputs = {"in.yaml"};
  validate(world.session, request);
}
void check_format(World& world) {
  FormatRequest request;
  request.inputs = {"in.yaml"};
  request.check = true;
  format_files(world.session, request);
}

/// `count` texts of `part`, in which `#` stands for the number.
std::string many(std::size_t count, const std::string& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    for (const char c : part) text += c == '#' ? std::to_string(i) : std::string(1, c);
  }
  return text;
}

/// Words without a likeness to a field, all of one length.
std::string words(std::size_t count, const std::string& before, const std::string& after) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += before;
    for (std::size_t j = 0, rest = i * 2654435761U; j < 20; ++j, rest = rest / 7 + j * 31) {
      text += static_cast<char>('a' + rest % 26);
    }
    text += std::to_string(i) + after;
  }
  return text;
}

std::string spec(const std::string& metadata, const std::string& fields) {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a" + metadata +
         "}\nspec:\n  image: a/b:1\n  run: {script: train.py}\n  nodes: 4\n  gpusPerNode: 8\n" +
         fields;
}

std::string pod(const std::string& container, const std::string& rest) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
         "  - name: c\n    image: a/b:1\n" +
         container + rest;
}

/// What grows, and how an input with so many of it looks.
struct Cost {
  const char* name;
  void (*use)(World&);
  std::size_t amount;
  std::string (*input)(std::size_t);
};

const Cost kCosts[] = {
    {"labels of a job", build_it, 2000,
     [](std::size_t n) { return spec(", labels: {" + many(n, "l#: a, ") + "}", ""); }},
    {"annotations of a job", build_it, 2000,
     [](std::size_t n) { return spec(", annotations: {" + many(n, "l#: a, ") + "}", ""); }},
    {"variables of a job", build_it, 2000,
     [](std::size_t n) { return spec("", "  env:\n" + many(n, "    V#: a\n")); }},
    {"variables that mention what is not there", build_it, 400,
     [](std::size_t n) { return spec("", "  env:\n" + many(n, "    V#: \"$(X#)\"\n")); }},
    {"mentions in one variable", build_it, 4000,
     [](std::size_t n) { return spec("", "  env: {A: \"" + many(n, "$(") + ")\"}\n"); }},
    {"unknown fields of a spec", build_it, 500,
     [](std::size_t n) { return spec("", words(n, "  ", ": 1\n")); }},
    {"unknown fields of an object", validate_it, 500,
     [](std::size_t n) { return pod(words(n, "    ", ": 1\n"), ""); }},
    {"volumes of a pod", validate_it, 1500,
     [](std::size_t n) {
       return pod("    volumeMounts:\n" + many(n, "    - {name: v#, mountPath: /m#}\n"),
                  "  volumes:\n" + many(n, "  - {name: v#, emptyDir: {}}\n"));
     }},
    {"containers of a pod", validate_it, 1500,
     [](std::size_t n) { return pod("", many(n, "  - {name: c#, image: a/b:1}\n")); }},
    {"variables of a container that mention others", validate_it, 1000,
     [](std::size_t n) {
       return pod("    env:\n" + many(n, "    - {name: EE#, value: \"$(EE#) $(DD#)\"}\n"), "");
     }},
    {"pods", validate_it, 500,
     [](std::size_t n) {
       return many(n,
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p#}\nspec: {containers: "
                   "[{name: c, image: a/b:1}]}\n");
     }},
    {"objects of one name in a file", validate_it, 500,
     [](std::size_t n) {
       return many(n, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata: {a: b#}\n");
     }},
    {"words behind the beginning of a key", build_it, 4000,
     [](std::size_t n) {
       return spec("", "  env:\n    A: \"-----BEGIN PRIVATE KEY-----" + words(n, " ", "") + "\"\n");
     }},
    {"stars in the pattern of a staged file", build_beside_a_file, 3,
     [](std::size_t n) {
       return spec("", "  files: {items: [{from: \"" + many(n, "*a") + "b\"}]}\n");
     }},
    {"keys of a file to be laid out", check_format, 4000,
     [](std::size_t n) { return many(n, "k#:   a\n"); }},
};

}  // namespace

TEST_CASE("four times as much costs about four times as much, whatever grows", "[driver]") {
  for (const Cost& cost : kCosts) {
    const double found = growth(cost.amount, [&cost](std::size_t amount) {
      World world;
      world.files.files["in.yaml"] = cost.input(amount);
      cost.use(world);
    });
    INFO(cost.name);
    CHECK(found < kMostGrowth);
  }
}
