#include <catch2/catch_test_macros.hpp>
#include <string>

#include "everything.h"
#include "spec/training_job.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

struct Decoded {
  Document document;
  Sink sink;
  TrainingJob job;
  explicit Decoded(std::string text) : document(std::move(text)) {
    job = decode_training_job(document.tree(), document.root(), sink);
  }
};

std::string with_spec(const std::string& spec) {
  return "metadata: {name: a}\nspec:\n  image: x\n" + spec;
}

/// The only diagnostic of a document.
Diagnostic only(const Decoded& decoded) {
  REQUIRE(decoded.sink.all().size() == 1);
  return decoded.sink.all().front();
}

}  // namespace

TEST_CASE("every group of a TrainingJob is decoded") {
  const Decoded decoded(kEveryJobField);
  CHECK(decoded.sink.all().empty());
  const JobSpec& spec = *decoded.job.spec;
  CHECK(*decoded.job.metadata->name == "llama");
  CHECK(*decoded.job.metadata->ns == "nlp");
  CHECK(**find(*decoded.job.metadata->labels, "team") == "a");
  CHECK(*spec.image == "registry.example.com/train:1.0");
  CHECK(spec.image_pull_secrets.given());
  CHECK(*spec.framework == Framework::Tao);
  CHECK(*spec.run->script == "train.py");
  REQUIRE(spec.run->args->size() == 2);
  CHECK(*spec.run->args->at(1) == "10");
  CHECK(*spec.run->launcher == Launcher::Torchrun);
  CHECK(*spec.run->rendezvous->backend == RendezvousBackend::C10d);
  CHECK(spec.run->rendezvous->timeout->count == 900);
  CHECK(*spec.run->mpi_implementation == MpiImplementation::Mpich);
  CHECK(*spec.target == "trainjob");
  CHECK(*spec.runtime == "torch-distributed");
  CHECK(*spec.nodes == 4);
  CHECK(*spec.gpu->fraction == "0.5");
  CHECK(*spec.gpu->sharing == GpuSharing::TimeSlicing);
  CHECK(*spec.resources->cpu == "16");
  CHECK(*spec.resources->limits->cpu == "32");
  CHECK(**find(*spec.resources->extended, "hugepages-2Mi") == "5Gi");
  CHECK(*spec.elastic->max_nodes == 8);
  CHECK(*spec.parallelism->tensor == 8);
  CHECK_FALSE(spec.parallelism->pipeline.given());
  CHECK(*spec.network->fabric == "gke-tcpxo");
  CHECK(*spec.placement->topology->mode == TopologyMode::Preferred);
  CHECK(*spec.placement->topology->slice->nodes == 2);
  CHECK(*spec.scheduling->system == SchedulingSystem::Kueue);
  CHECK(spec.scheduling->timeout->count == 90);
  CHECK(**find(*spec.env, "OMP_NUM_THREADS") == "8");
  CHECK(*find(*spec.secret_env, "TOKEN")->value.optional);
  CHECK(*spec.files->items->at(0)->content == "hello");
  CHECK(*find(*spec.storage, "out")->value.create->access_modes->at(0) ==
        AccessMode::ReadWriteMany);
  CHECK(*spec.data->inputs->at(0)->kind == DataKind::Dataset);
  CHECK(spec.lifecycle->deadline->count == 604800);
  CHECK(*spec.lifecycle->retry_on == RetryOn::Any);
  CHECK(*spec.lifecycle->checkpoint->signal == CheckpointSignal::Usr1);
  CHECK(*spec.security->supplemental_groups->at(1) == 2);
  CHECK(*spec.security->level == SecurityLevel::Baseline);
  CHECK(spec.patches->at(0)->patch.given());
}

TEST_CASE("roles keep their order, their names and only what they say") {
  const Decoded decoded(kEveryJobField);
  const auto& roles = *decoded.job.spec->roles;
  REQUIRE(roles.size() == 2);
  CHECK(roles[0].key == "launcher");
  CHECK(roles[1].key == "worker");
  CHECK(from_spelling<RoleKind>(roles[1].key) == RoleKind::Worker);
  CHECK(*roles[0].value->gpus_per_node == 0);
  CHECK(roles[0].value->gpus_per_node.given());
  CHECK_FALSE(roles[0].value->nodes.given());
  CHECK(*roles[1].value->nodes == 3);
}

TEST_CASE("every field knows the text it was written as") {
  const Decoded decoded(kEveryJobField);
  const JobSpec& spec = *decoded.job.spec;
  const Document& document = decoded.document;
  CHECK(document.at(spec.image.span) == "registry.example.com/train:1.0");
  CHECK(document.at(spec.lifecycle->deadline.span) == "7d");
  CHECK(document.at(spec.framework.span) == "tao");
  CHECK(document.at(spec.env->at(1).key_span) == "OMP_NUM_THREADS");
  CHECK(document.at(find(*spec.storage, "data")->value.claim.span) == "imagenet");
  const NodeId tolerations = spec.placement->tolerations.node;
  REQUIRE(tolerations != kNoNode);
  CHECK(document.tree()[tolerations].is_seq());
}

TEST_CASE("a field that is left out or null is not given") {
  const Decoded decoded(with_spec("  nodes: null\n"));
  const JobSpec& spec = *decoded.job.spec;
  CHECK(decoded.sink.all().empty());
  CHECK_FALSE(spec.nodes.given());
  CHECK_FALSE(spec.run.given());
  CHECK_FALSE(spec.run->script.given());
  CHECK_FALSE(spec.nodes.span.known());
  CHECK(spec.nodes.value_or(1) == 1);
}

TEST_CASE("two ways to say what runs are one too many") {
  const Decoded decoded(with_spec("  run: {script: a.py, command: [b]}\n"));
  const Diagnostic diagnostic = only(decoded);
  CHECK(diagnostic.kind == DiagnosticKind::ExclusiveFields);
  CHECK(diagnostic.path == "spec.run.command");
  CHECK(decoded.document.at(diagnostic.span) == "command");
  CHECK(diagnostic.message.find("`script`") != std::string::npos);
  REQUIRE(diagnostic.labels.size() == 1);
  CHECK(decoded.document.at(diagnostic.labels[0].span) == "script");
}

TEST_CASE("arguments without a program are those of the image's entry point") {
  const Decoded decoded(with_spec("  run: {args: [a]}\n"));
  CHECK(decoded.sink.all().empty());
}

TEST_CASE("a mount and a file need exactly one source") {
  CHECK(only(Decoded(with_spec("  storage: {d: {mountPath: /d}}\n"))).kind ==
        DiagnosticKind::MissingChoice);
  CHECK(
      only(Decoded(with_spec("  storage: {d: {mountPath: /d, claim: c, emptyDir: {}}}\n"))).path ==
      "spec.storage.d.emptyDir");
  CHECK(only(Decoded(with_spec("  files: {items: [{path: a, content: b}, {path: c}]}\n"))).path ==
        "spec.files.items[1]");
  CHECK(only(Decoded(with_spec("  gpu: {mig: 1g.5gb, memory: 1Gi}\n"))).kind ==
        DiagnosticKind::ExclusiveFields);
}

TEST_CASE("three sources of one mount are two diagnostics") {
  const Decoded decoded(
      with_spec("  storage: {d: {mountPath: /d, claim: c, emptyDir: {}, nfs: {server: s}}}\n"));
  CHECK(decoded.sink.all().size() == 2);
}

TEST_CASE("a length of time that is none is reported with its place") {
  const Decoded decoded(with_spec("  lifecycle: {deadline: 99999999999999999999d}\n"));
  const Diagnostic diagnostic = only(decoded);
  CHECK(diagnostic.kind == DiagnosticKind::BadDuration);
  CHECK(diagnostic.path == "spec.lifecycle.deadline");
  CHECK_FALSE(decoded.job.spec->lifecycle->deadline.given());
}

TEST_CASE("an integer beyond 64 bits is reported, not wrapped") {
  const Decoded decoded(with_spec("  nodes: 99999999999999999999\n"));
  CHECK(only(decoded).kind == DiagnosticKind::OutOfRange);
  CHECK_FALSE(decoded.job.spec->nodes.given());
}

TEST_CASE("fields that the language does not have are ignored") {
  const Decoded decoded(with_spec("  nodez: 4\n  run: {scrpt: a}\n"));
  CHECK(decoded.sink.all().empty());
  CHECK_FALSE(decoded.job.spec->nodes.given());
}

TEST_CASE("an empty tree and a tree of another kind decode to nothing") {
  Sink sink;
  Tree empty;
  CHECK_FALSE(decode_training_job(empty, kNoNode, sink).spec.given());
  for (const char* text : {"a", "[1, 2]", "3", "spec: 5", "spec: []", "spec: {run: [], storage: 1}",
                           "metadata: {labels: [a]}", "spec: {roles: {worker: 3, ps: []}}"}) {
    const Document document(text);
    CHECK_FALSE(decode_training_job(document.tree(), document.root(), sink).metadata->name.given());
  }
  CHECK(sink.all().empty());
}

TEST_CASE("a value of the wrong kind, wherever it is, leaves the rest decoded") {
  const Document original(kEveryJobField);
  std::size_t trees = 0;
  for (NodeId victim = 0; victim < original.tree().size(); ++victim) {
    for (const Kind kind :
         {Kind::Null, Kind::Bool, Kind::Int, Kind::Float, Kind::String, Kind::Seq, Kind::Map}) {
      Tree tree;
      tree.set_root(tree.copy(original.tree(), original.root()));
      if (victim >= tree.size()) continue;
      const NodeId metadata = tree.find(tree.root(), "metadata");
      const NodeId name = tree.find(metadata, "name");
      Node& node = tree[victim];
      node.kind = kind;
      if (kind < Kind::Seq) {
        node.first = node.last = kNoNode;
        node.size = 0;
        node.text = "1";
      }
      Sink sink;
      const TrainingJob job = decode_training_job(tree, tree.root(), sink);
      CHECK(sink.all().size() <= 2);
      if (victim == tree.root() || victim == metadata || victim == name) continue;
      CHECK(*job.metadata->name == "llama");
      ++trees;
    }
  }
  CHECK(trees == (original.tree().size() - 3) * 7);
}
