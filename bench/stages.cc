// Time per spec of each stage on its own, over the same specs: one benchmark a stage, in the order
// of the pipeline. A stage gets the finished value of the one before it and is measured alone; the
// last one is all of them together, as `trainyard build` runs them.
//
//   trainyard_bench SPECS.yaml [OPTIONS]     SPECS.yaml from `bench/corpus --stream`; options of
//                                            Google Benchmark

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

#include "check/objects.h"
#include "driver/build/compile.h"
#include "driver/session/surroundings.h"
#include "emit/artifact.h"
#include "emit/field_order.h"
#include "rules/rule.h"
#include "tree/yaml_reader.h"

namespace {

using namespace trainyard;

/// What one spec becomes on its way; every stage is measured from here.
struct Job {
  Document document;
  Compilation done;
};

/// What every stage starts from; filled once, before anything is measured.
struct Corpus {
  RealFileSystem files;
  Env env{files, nullptr};
  Session session{env};
  FileId file = kNoFile;
  std::vector<Job> jobs;
  const TargetPack* target = nullptr;
  const SchemaKind* kind = nullptr;

  explicit Corpus(const std::string& path) {
    target = session.targets.pack("job", session.sink);
    kind = session.schemas.find("trainyard/v1alpha1", "TrainingJob");
    std::vector<Document> documents =
        read_inputs({path}, env, session.sources, session.sink, session.limits, Ambiguity::Refuse);
    jobs.resize(documents.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      jobs[i].document = std::move(documents[i]);
      file = jobs[i].document.file;
      compile(session, jobs[i].document, nullptr, "job", jobs[i].done);
    }
    if (session.sink.has_errors()) jobs.clear();
  }

  std::size_t bytes_in() const { return session.sources.text(file).size(); }
};

/// Rates in specs and, of the stages that read or write text, in bytes.
void count(benchmark::State& state, const Corpus& corpus, std::size_t bytes = 0) {
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(corpus.jobs.size()));
  if (bytes != 0) state.SetBytesProcessed(rounds * static_cast<std::int64_t>(bytes));
}

void read(benchmark::State& state, Corpus& corpus) {
  for (auto _ : state) {
    Sink sink;
    benchmark::DoNotOptimize(read_yaml(corpus.session.sources, corpus.file, sink));
  }
  count(state, corpus, corpus.bytes_in());
}

void check_spec(benchmark::State& state, Corpus& corpus) {
  for (auto _ : state) {
    for (const Job& job : corpus.jobs) {
      const Tree& tree = job.document.tree;
      benchmark::DoNotOptimize(
          corpus.session.checker.check_object(*corpus.kind, tree, tree.root()));
    }
  }
  count(state, corpus);
}

void decode(benchmark::State& state, Corpus& corpus) {
  for (auto _ : state) {
    Sink sink;
    for (const Job& job : corpus.jobs) {
      const Tree& tree = job.document.tree;
      benchmark::DoNotOptimize(decode_training_job(tree, tree.root(), sink));
    }
  }
  count(state, corpus);
}

void rules(benchmark::State& state, Corpus& corpus) {
  Plan plan;
  Origins origins;
  for (auto _ : state) {
    Sink sink;
    for (const Job& job : corpus.jobs) {
      plan.clear();
      origins.clear();
      RuleInput input;
      input.job = &job.done.job;
      input.job_tree = &job.document.tree;
      input.machines = &corpus.session.machines;
      input.target = &corpus.target->facts;
      input.targets = &corpus.session;
      RuleContext context(input, plan, origins, sink);
      context.set(plan.target, corpus.target->facts.name, kNoOrigin);
      run_rules(context);
    }
  }
  count(state, corpus);
}

void fill(benchmark::State& state, Corpus& corpus) {
  ObjectSet objects;
  Origins origins;
  for (auto _ : state) {
    Sink sink;
    for (const Job& job : corpus.jobs) {
      objects.clear();
      origins.clear();
      fill_target(job.done.plan, *corpus.target, std::nullopt, origins, objects, sink);
    }
  }
  count(state, corpus);
}

void order(benchmark::State& state, Corpus& corpus) {
  std::vector<ObjectSet> sets(corpus.jobs.size());
  for (auto _ : state) {
    state.PauseTiming();
    Sink sink;
    Origins origins;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      sets[i].clear();
      fill_target(corpus.jobs[i].done.plan, *corpus.target, std::nullopt, origins, sets[i], sink);
    }
    state.ResumeTiming();
    for (ObjectSet& objects : sets) {
      for (const Object& object : objects.objects) {
        into_written_form(objects.tree, object.root);
      }
    }
  }
  count(state, corpus);
}

void check_output(benchmark::State& state, Corpus& corpus) {
  Session& session = corpus.session;
  const Inventory nothing;
  for (auto _ : state) {
    Sink sink;
    for (const Job& job : corpus.jobs) {
      const Tree* const documents[] = {&job.document.tree};
      check_objects(job.done.objects, session.schema_sources(),
                    surroundings_of(session, nullptr, &nothing), job.done.origins, documents, sink);
    }
  }
  count(state, corpus);
}

void write(benchmark::State& state, Corpus& corpus) {
  std::string out;
  for (auto _ : state) {
    out.clear();
    for (const Job& job : corpus.jobs) write_objects(job.done.objects, out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, corpus, out.size());
}

void whole(benchmark::State& state, Corpus& corpus) {
  Session& session = corpus.session;
  Compilation compilation;
  std::string out;
  for (auto _ : state) {
    out.clear();
    session.sink = Sink();
    Document document;
    for (Tree& tree : read_yaml(session.sources, corpus.file, session.sink)) {
      document.tree = std::move(tree);
      compile(session, document, nullptr, "job", compilation);
      write_objects(compilation.objects, out);
    }
    benchmark::DoNotOptimize(out.data());
  }
  count(state, corpus, out.size());
}

/// The stages in the order in which data goes through them.
void register_stages(Corpus& corpus) {
  const auto stage = [&corpus](const char* name, void (*run)(benchmark::State&, Corpus&)) {
    benchmark::RegisterBenchmark(name, [run, &corpus](benchmark::State& state) {
      run(state, corpus);
    })->Unit(benchmark::kMicrosecond);
  };
  stage("read", read);
  stage("check spec", check_spec);
  stage("decode", decode);
  stage("rules", rules);
  stage("fill", fill);
  stage("order", order);
  stage("check output", check_output);
  stage("write", write);
  stage("whole", whole);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: trainyard_bench SPECS.yaml [options]\n", stderr);
    return 2;
  }
  Corpus corpus(argv[1]);
  if (corpus.jobs.empty()) {
    std::fprintf(stderr, "no specs in %s that compile\n", argv[1]);
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
