// The bar of work that takes long, and the summary at its end.
#include <catch2/catch_test_macros.hpp>

#include "cli/progress_bar.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// A bar with a clock and a terminal of its own.
struct Drawn {
  double now = 0;
  std::string text;

  ProgressBar bar(std::size_t columns = 80) {
    return {[this] { return now; }, [this](std::string_view more) { text += more; }, columns};
  }
};

const std::string kQuietSpec = kSpec + "  security: {level: baseline}\n";
const std::string kJob =
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  template:\n    spec:\n"
    "      restartPolicy: Never\n      containers: [{name: c, image: 'x:1', command: [a]}]\n";

}  // namespace

TEST_CASE("work of less than a second shows no bar, and leaves nothing to take away") {
  Drawn drawn;
  ProgressBar bar = drawn.bar();
  for (std::size_t i = 1; i < 10; ++i) {
    drawn.now = static_cast<double>(i) / 10;
    bar.show({i, 10, "files"});
  }
  bar.clear();
  CHECK(drawn.text.empty());
}

TEST_CASE("a bar says how much is done of what and at which rate, and goes away") {
  Drawn drawn;
  ProgressBar bar = drawn.bar();
  drawn.now = 0.5;
  bar.show({0, 400, "files"});
  drawn.now = 2.5;
  bar.show({100, 400, "files"});
  CHECK(drawn.text == "\r\x1b[K[######..................] 100 of 400 files, 40/s");
  drawn.text.clear();
  bar.clear();
  CHECK(drawn.text == "\r\x1b[K");
}

TEST_CASE("a bar is drawn at most ten times a second") {
  Drawn drawn;
  ProgressBar bar = drawn.bar();
  drawn.now = 2;
  bar.show({1, 9, "files"});
  const std::string first = drawn.text;
  drawn.now = 2.05;
  bar.show({2, 9, "files"});
  CHECK(drawn.text == first);
  drawn.now = 2.2;
  bar.show({3, 9, "files"});
  CHECK(drawn.text != first);
}

TEST_CASE("the rate of a new stage counts from its start") {
  Drawn drawn;
  ProgressBar bar = drawn.bar();
  drawn.now = 1.5;
  bar.show({900, 900, "files"});
  drawn.now = 10;
  bar.show({0, 50, "pictures"});
  drawn.text.clear();
  drawn.now = 12;
  bar.show({10, 50, "pictures"});
  CHECK(contains(drawn.text, "10 of 50 pictures, 5/s"));
}

TEST_CASE("a bar fits a narrow terminal") {
  for (const std::size_t columns : {1U, 10U, 30U, 45U}) {
    Drawn drawn;
    ProgressBar bar = drawn.bar(columns);
    drawn.now = 2;
    bar.show({100, 400, "files"});
    CHECK(drawn.text.size() - std::string("\r\x1b[K").size() < columns);
  }
}

TEST_CASE("a terminal gets counts, time and findings by effect at the end") {
  Caller call;
  call.seconds = [] { return 1.21; };
  call.files.files["a.yaml"] = kSpec;
  CHECK(call({"validate", "a.yaml"}).summary == "1 document is valid in 1.2 s\n");
  CHECK(call({"build", "a.yaml"}).summary == "1 spec compiled in 1.2 s\n");
  CHECK(call({"build", "a.yaml", "-o", "out"}).summary ==
        "1 spec compiled, 2 files written, 0 removed in 1.2 s\n");
  call.files.files["a.yaml"] += "  env:   {A: b}\n";
  CHECK(call({"fmt", "a.yaml"}).summary == "1 file read, 1 written in 1.2 s\n");
  call.files.files["job.yaml"] = kJob;
  CHECK(call({"convert", "job.yaml"}).summary == "1 job converted in 1.2 s\n");
}

TEST_CASE("findings are counted by effect, the worst first") {
  Caller call;
  call.seconds = [] { return 0.0123; };
  std::string job = kJob;
  job.replace(job.find("Never"), 5, "Always");
  call.files.files["job.yaml"] = job;
  const Called checked = call({"validate", "job.yaml"});
  CHECK(checked.code == ExitCode::InputWrong);
  CHECK(checked.summary == "1 document checked in 12 ms: 1 refused\n");
  call.files.files["spec.yaml"] = kSpec + "  wrong: 1\n";
  CHECK(contains(call({"build", "spec.yaml"}).summary, "1 spec read in 12 ms: 1 refused"));
  CHECK(contains(call({"build", "spec.yaml", "-o", "out"}).summary,
                 "1 spec read, nothing written in 12 ms: 1 refused"));
}

TEST_CASE("a pipe gets no time, and `-q` leaves findings alone") {
  Caller call;
  call.files.files["a.yaml"] = kQuietSpec;
  CHECK(call({"validate", "a.yaml"}).err == "1 document is valid\n");
  CHECK(call({"validate", "a.yaml"}).summary.empty());
  CHECK(call({"validate", "-q", "a.yaml"}).err.empty());
  call.seconds = [] { return 1.25; };
  for (const std::string command : {"validate", "build", "fmt"}) {
    INFO(command);
    const Called called = call({command, "-q", "a.yaml"});
    CHECK(called.err.empty());
    CHECK(called.summary.empty());
  }
}

TEST_CASE("a report for programs has no summary beside it") {
  Caller call;
  call.seconds = [] { return 1.25; };
  call.files.files["a.yaml"] = kQuietSpec;
  const Called called = call({"validate", "--output", "json", "a.yaml"});
  CHECK(called.err.empty());
  CHECK(called.summary.empty());
}

TEST_CASE("commands that read many files say how far they are") {
  Caller call;
  std::vector<WorkDone> done;
  call.progress = [&](const WorkDone& work) { done.push_back(work); };
  for (int i = 0; i < 3; ++i) {
    std::string spec = kSpec;
    spec.replace(spec.find("llama"), 5, "job-" + std::to_string(i));
    call.files.files["specs/" + std::to_string(i) + ".yaml"] = spec;
  }
  for (const std::string command : {"validate", "build", "fmt"}) {
    INFO(command);
    done.clear();
    call({command, "specs"});
    REQUIRE(!done.empty());
    CHECK(done.back().done == 3);
    CHECK(done.back().all == 3);
    CHECK(done.back().what == "files");
    done.clear();
    call({command, "-q", "specs"});
    CHECK(done.empty());
  }
}
