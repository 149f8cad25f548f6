// How addresses of data are taken apart, and which of them look like one file.
#include <catch2/catch_test_macros.hpp>

#include "rules/data_address.h"

using namespace trainyard;

TEST_CASE("versions and names of models are no extensions") {
  for (const char* name :
       {"", "coco", ".hidden", "v1.2", "Llama-3.1-8B", "Qwen2.5-7B", "a.", "a.b-c"}) {
    INFO(name);
    CHECK(extension_of(name) == "");
  }
  CHECK(extension_of("train.json") == "json");
  CHECK(extension_of("model-00001.safetensors") == "safetensors");
  CHECK(extension_of("a.tar.gz") == "gz");
}

TEST_CASE("a file within a repository or a version is distinguished from its name") {
  const DataAddress hub = split_address("hf://datasets/org/name/data/train.json");
  CHECK(hub.is_dataset);
  CHECK(hub.owner == "org");
  CHECK(hub.item == "name");
  CHECK(hub.inner == "data/train.json");
  const DataAddress ngc = split_address("ngc://org/team/name:1.0/weights/model.nemo");
  CHECK(ngc.item == "team/name");
  CHECK(ngc.version == "1.0");
  CHECK(ngc.inner == "weights/model.nemo");
  const DataAddress prefix = split_address("s3://bucket/coco/");
  CHECK(prefix.is_prefix);
  CHECK(prefix.item == "coco");
  CHECK(prefix.inner == "");
}
