// Time per spec of each stage on its own, over the same specs: one benchmark a stage, in the order
// of the pipeline. A stage gets the finished value of the one before it and is measured alone.
//
//   trainyard_bench SPECS.yaml [Google Benchmark's options]     SPECS.yaml from `bench/corpus
//   --stream`

#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"
#include "tree/yaml_writer.h"

namespace {

using namespace trainyard;

/// What every stage starts from; filled once, before anything is measured.
struct Corpus {
  SourceMap sources;
  FileId file = kNoFile;
  std::vector<Tree> specs;

  explicit Corpus(std::string text) : file(sources.add("specs.yaml", std::move(text))) {
    Sink sink;
    specs = read_yaml(sources, file, sink);
    if (sink.has_errors()) specs.clear();
  }
};

/// Rates in specs and in bytes, and the time for one spec.
void count(benchmark::State& state, const Corpus& corpus, std::size_t bytes) {
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(corpus.specs.size()));
  state.SetBytesProcessed(rounds * static_cast<std::int64_t>(bytes));
}

void read(benchmark::State& state, const Corpus& corpus) {
  for (auto _ : state) {
    Sink sink;
    benchmark::DoNotOptimize(read_yaml(corpus.sources, corpus.file, sink));
  }
  count(state, corpus, corpus.sources.text(corpus.file).size());
}

void write(benchmark::State& state, const Corpus& corpus) {
  std::string out;
  for (auto _ : state) {
    out.clear();
    for (const Tree& spec : corpus.specs) write_yaml(spec, spec.root(), out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, corpus, out.size());
}

/// The stages in the order in which data goes through them.
void register_stages(const Corpus& corpus) {
  const auto stage = [&corpus](const char* name, void (*run)(benchmark::State&, const Corpus&)) {
    benchmark::RegisterBenchmark(name, [run, &corpus](benchmark::State& state) {
      run(state, corpus);
    })->Unit(benchmark::kMicrosecond);
  };
  stage("read", read);
  stage("write", write);
}

std::string read_text(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: trainyard_bench SPECS.yaml [options]\n", stderr);
    return 2;
  }
  const Corpus corpus(read_text(argv[1]));
  if (corpus.specs.empty()) {
    std::fprintf(stderr, "no specs in %s\n", argv[1]);
    return 1;
  }
  argv[1] = argv[0];
  --argc;
  ++argv;
  benchmark::Initialize(&argc, argv);
  register_stages(corpus);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
