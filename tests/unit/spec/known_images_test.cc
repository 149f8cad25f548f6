// What is known of public images: how they are found, and what the kubelet makes of their users.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string_view>

#include "spec/known_images.h"

using namespace trainyard;

namespace {

/// The user of an image; "" when nothing is known.
std::string_view user_of(std::string_view image) {
  const std::optional<KnownImage> known = known_image(image);
  return known ? known->user : std::string_view();
}

}  // namespace

TEST_CASE("nothing is known of an image that only resembles a public one") {
  for (std::string_view image :
       {"", "pytorch", "registry.corp/pytorch/pytorch:2.7", "my-python:3.12", "python-tools",
        "corp/python:3.12", "nvidia/cuda-samples", "ghcr.io/corp/huggingface", "example.com/a"}) {
    INFO(image);
    CHECK(user_of(image) == "");
  }
}

TEST_CASE("an image is known with registry, tag and digest or without") {
  for (std::string_view image :
       {"pytorch/pytorch", "pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime",
        "docker.io/pytorch/pytorch:2.7.1", "index.docker.io/pytorch/pytorch",
        "mirror.gcr.io/pytorch/pytorch@sha256:00", "docker.io/library/python:3.12",
        "public.ecr.aws/docker/library/ubuntu:24.04", "python", "nvcr.io/nvidia/tao/tao-toolkit:6",
        "huggingface/transformers-pytorch-gpu:4.41", "vllm/vllm-openai:v0.9.1",
        "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.5"}) {
    INFO(image);
    CHECK(user_of(image) == "root");
  }
}

TEST_CASE("the kubelet knows users by their numbers only") {
  CHECK_FALSE(KnownImage{"a", "root"}.starts_without_root());
  CHECK_FALSE(KnownImage{"a", "0"}.starts_without_root());
  CHECK_FALSE(KnownImage{"a", "deepspeed"}.starts_without_root());
  CHECK(KnownImage{"a", "1000"}.starts_without_root());
  CHECK_FALSE(known_image("deepspeed/deepspeed:v072")->starts_without_root());
  CHECK(known_image("docker.io/rayproject/ray:2.46.0")->starts_without_root());
  CHECK(known_image("registry.example.com:5000/a")->starts_without_root());
}
