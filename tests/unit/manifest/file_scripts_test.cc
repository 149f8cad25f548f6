#include "manifest/file_scripts.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "manifest/inventory.h"
#include "shell/command_line.h"
#include "source/source_map.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

constexpr const char* kScripts = R"(
{apiVersion: v1, kind: ConfigMap, metadata: {name: s}, data: {
  a.sh: "set -e\ntorchrun a.py\n", e.sh: "#!/bin/bash -eu\ntorchrun a.py\n",
  env.sh: "#!/usr/bin/env bash\nexport A=1\n", a.py: "#!/usr/bin/env python\nimport torch\n",
  "empty.sh": ""}}
)";

/// The arguments of the container when its script stands in it, with `|` between; "-" where it has
/// none. `more` are further fields of the container.
std::string with_script(const std::string& arguments, const std::string& more = "") {
  SourceMap sources;
  Sink sink;
  const std::string object = R"({apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {
    containers: [{name: c, volumeMounts: [{name: v, mountPath: /s}], )" +
                             arguments + more + R"(}],
    volumes: [{name: v, configMap: {name: s}}]}})";
  const auto trees =
      read_yaml(sources, sources.add("a.yaml", std::string(kScripts) + "---\n" + object), sink);
  REQUIRE_FALSE(sink.has_errors());
  REQUIRE(trees.size() == 2);
  Inventory inventory;
  inventory.add(View(trees[0], trees[0].root()));
  const ScriptedObject made = with_scripts(View(trees[1], trees[1].root()), inventory);
  if (made.scripts.empty()) return "-";
  const View root(made.tree, made.tree.root());
  std::string all;
  for (View container : items_at(get(root, "spec"), "containers")) {
    CHECK_FALSE(get(container, "args"));
    for (View each : items_at(container, "command")) {
      std::string text(each->text);
      for (const ScriptedObject::Script& script : made.scripts) {
        CHECK(script.container == "c");
        if (text != script.text->text) continue;
        CHECK(each->span == script.text->span);
        text = "<" + std::string(script.text->key) + ">";
      }
      all += (all.empty() ? "" : "|") + text;
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a script of a ConfigMap stands instead of its path", "[check]") {
  CHECK(with_script("command: [bash, /s/a.sh]") == "bash|-c|<a.sh>|/s/a.sh");
  CHECK(with_script("command: [bash, -eo, pipefail, /s/a.sh, --lr, '1']") ==
        "bash|-eo|pipefail|-c|<a.sh>|/s/a.sh|--lr|1");
  CHECK(with_script("command: [tini, --, bash], args: [/s/a.sh]") ==
        "tini|--|bash|-c|<a.sh>|/s/a.sh");
  CHECK(with_script("command: [/s/e.sh, --lr]") == "/bin/bash|-eu|-c|<e.sh>|/s/e.sh|--lr");
  CHECK(with_script("command: [bash, a.sh]", ", workingDir: /s") == "bash|-c|<a.sh>|a.sh");
  CHECK(with_script("command: [./e.sh]", ", workingDir: /s/") == "/bin/bash|-eu|-c|<e.sh>|./e.sh");
}

TEST_CASE("so does one that another script calls, which stays beside it where it does more",
          "[check]") {
  CHECK(with_script("command: [sh, -c, exec bash -x /s/a.sh]") == "bash|-x|-c|<a.sh>|/s/a.sh");
  CHECK(with_script("command: [sh, -c, 'cd /w && bash /s/a.sh']") ==
        "bash|-c|<a.sh>|cd /w && bash /s/a.sh");
  CHECK(with_script("command: [bash, -c, '. /s/env.sh; torchrun b.py']") ==
        "bash|-c|. /s/env.sh; torchrun b.py|<env.sh>");
  CHECK(with_script("command: [sh, -c, cd /s && sh a.sh]") == "sh|-c|<a.sh>|cd /s && sh a.sh");
  CHECK(with_script("command: [sh, -c, . /s/env.sh && sh /s/a.sh]") ==
        "sh|-c|<a.sh>|. /s/env.sh && sh /s/a.sh|<env.sh>");
  CHECK(with_script("command: [sh, -c, sh /s/a.sh && . /s/env.sh]") ==
        "sh|-c|<a.sh>|sh /s/a.sh && . /s/env.sh|<env.sh>");
  CHECK(with_script("command: [sh, -c, . /s/env.sh && . /s/e.sh && x]") ==
        "sh|-c|. /s/env.sh && . /s/e.sh && x|<env.sh>|<e.sh>");
}

TEST_CASE("other files are ignored", "[check]") {
  CHECK(with_script("command: [sh, -c, /s/a.py && sh /s/a.sh]") ==
        "sh|-c|<a.sh>|/s/a.py && sh /s/a.sh");
  CHECK(with_script("command: [python, /s/a.py]") == "-");
  CHECK(with_script("command: [/s/a.py]") == "-");
  CHECK(with_script("command: [bash, /s/none.sh]") == "-");
  CHECK(with_script("command: [bash, /s/empty.sh]") == "-");
  CHECK(with_script("command: [bash, /elsewhere/a.sh]") == "-");
  CHECK(with_script("command: [bash, -c, 'cat /s/a.sh']") == "-");
  CHECK(with_script("args: [/s/a.sh]") == "-");
}
