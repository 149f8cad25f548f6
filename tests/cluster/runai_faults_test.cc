// What goes wrong on the way to Run:ai's control plane, or there.
#include "cluster/runai_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// An answer to a submission, and how `apply` ends.
struct RefusedSubmission {
  int status;
  const char* message;
  int code;
  const char* told;
};

}  // namespace

TEST_CASE("a token that is refused is exchanged again, once") {
  RunaiProgram program;
  program.server.on(kTokenCall, {token_reply("old"), token_reply()});
  program.server.on(kProjectsCall,
                    {runai_refusal(401, "Issuer is not familiar."),
                     {.body = R"({"projects":[{"id":"42","name":"nlp","clusterId":"c-2",)"
                              R"("status":{"namespace":"runai-nlp"}}]})"}});
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(program.count(kTokenCall) == 2);
  CHECK(program.server.seen(kProjectsCall).back().headers.at("authorization") ==
        "Bearer " + kRunaiToken);

  program.server.on(kProjectsCall, {runai_refusal(401, "Issuer is not familiar.")});
  CHECK(program.run({"apply", "job.yaml"}) == 4);
  CHECK(has(program.err, "Issuer is not familiar. [401]"));
  CHECK(has(program.err, "help: the token is refused"));
}

TEST_CASE("a client that is not known is reported, and its secret is not") {
  RunaiProgram program;
  program.server.on(kTokenCall, {runai_refusal(400, "no client ci-client with " + kRunaiSecret)});
  CHECK(program.run({"apply", "job.yaml"}) == 4);
  CHECK(
      has(program.err, "no token for the client of RUNAI_CLIENT_ID: no client ci-client with ***"));
  program.server.on(kTokenCall, {{.body = R"({"accessToken":"two words"})"}});
  CHECK(program.run({"apply", "job.yaml"}) == 4);
  CHECK(has(program.err, "has no token"));
  program.server.on(kTokenCall, {{.body = "<html>"}});
  CHECK(program.run({"status"}) == 4);
  CHECK(has(program.err, "the answer is not that of a control plane of Run:ai"));
}

TEST_CASE("credentials that are missing or half there are reported before a request") {
  RunaiProgram program;
  program.variables.clear();
  CHECK(program.run({"status"}) == 1);
  CHECK(has(program.err, "set RUNAI_CLIENT_ID and RUNAI_CLIENT_SECRET"));
  program.variables["RUNAI_CLIENT_ID"] = "a";
  CHECK(program.run({"status"}) == 1);
  CHECK(has(program.err, "RUNAI_CLIENT_SECRET is not set"));
  program.variables = {{"RUNAI_TOKEN", "a b"}};
  CHECK(program.run({"status"}) == 1);
  program.variables = {{"RUNAI_TOKEN", "a"}, {"RUNAI_CA_FILE", "ca.pem"}};
  CHECK(program.run({"status"}) == 1);
  CHECK(has(program.err, "RUNAI_CA_FILE"));
  CHECK(program.server.seen().empty());
}

TEST_CASE("a secret goes nowhere without encryption") {
  RunaiProgram program;
  for (const char* url : {"http://acme.run.ai", "acme.run.ai", "https://", "http://localhost.evil",
                          "https://user:pw@acme.run.ai", "ftp://acme.run.ai"}) {
    INFO(url);
    std::string out;
    std::string err;
    Env env{program.files, nullptr};
    Io io{env, out, err};
    CHECK(static_cast<int>(run_cli(std::vector<std::string>{"status", "--runai", url}, io,
                                   live_commands(program.machine))) == 1);
    CHECK(has(err, "`--runai` is the address of a control plane, https://HOST"));
    CHECK(!has(err, kRunaiSecret));
  }
}

TEST_CASE("the options of a kubeconfig do not go with --runai") {
  RunaiProgram program;
  CHECK(program.run({"status", "--context", "dgx"}) == 2);
  CHECK(program.server.seen().empty());
}

TEST_CASE("each refusal of a submission has its words and its exit code") {
  for (const RefusedSubmission& each : std::vector<RefusedSubmission>{
           {400, "The workload request does not comply with the policy", 1, "does not comply"},
           {403, "You do not have sufficient permissions.", 4, "an access rule of Run:ai"},
           {404, "Resource id not found.", 6, "this user may not see it"},
           {409, "Resource with this name already exists", 8, "another workload has this name"},
           {422, "name is too long", 1, "name is too long [422]"},
           {500, "internal", 4, "try again later"},
           {503, "Please try again in few minutes.", 4, "try again later"}}) {
    INFO(each.status);
    RunaiProgram program;
    program.server.on("POST " + kTrainings, {runai_refusal(each.status, each.message)});
    CHECK(program.run({"apply", "job.yaml", "--request-timeout", "1"}) == each.code);
    CHECK(has(program.err, each.told));
    CHECK(has(program.err, "stopped at TrainingWorkload/llama"));
    CHECK(program.count("POST " + kTrainings) == 1);
  }
}

TEST_CASE("the fields that a policy refuses are listed") {
  RunaiProgram program;
  program.server.on(
      "POST " + kTrainings,
      {{400, R"({"code":400,"message":"not compliant","complianceIssues":[{"field":)"
             R"("compute.gpuDevicesRequest","details":"value must be no less than 3"}]})"}});
  CHECK(program.run({"apply", "job.yaml"}) == 1);
  CHECK(
      has(program.err, "the policy for `compute.gpuDevicesRequest`: value must be no less than 3"));
}

TEST_CASE("a submission that is cut is not sent twice, and the next run sees it") {
  RunaiProgram program;
  program.server.on("POST " + kTrainings, {{.body = "{", .is_cut = true}});
  CHECK(program.run({"apply", "job.yaml"}) == 4);
  CHECK(has(program.err, "the same command goes on from here"));
  CHECK(program.count("POST " + kTrainings) == 1);
  program.holds_what_was_submitted();
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(has(program.out, "unchanged TrainingWorkload/llama"));
  CHECK(program.count("POST " + kTrainings) == 1);
}

TEST_CASE("an address where something else answers, or nothing, is reported") {
  RunaiProgram program;
  program.variables = {{"RUNAI_TOKEN", kRunaiToken}};
  program.server.on(kListCall, {{.body = "<html>hello</html>"}});
  CHECK(program.run({"status"}) == 1);
  CHECK(has(program.err, "check `--runai`"));
  program.server.on(kListCall, {{302, ""}});
  CHECK(program.run({"status"}) == 1);
  std::string out;
  std::string err;
  Env env{program.files, nullptr};
  Io io{env, out, err};
  const std::vector<std::string> words = {"status", "--runai", "http://127.0.0.1:1",
                                          "--request-timeout", "1"};
  CHECK(static_cast<int>(run_cli(words, io, live_commands(program.machine))) == 4);
  CHECK(has(err, "and `--runai` right?"));
  CHECK(!has(err, "kubeconfig"));
}

TEST_CASE("pods that may not be read leave a note") {
  RunaiProgram program;
  program.server.on(kListCall, {workload_in("Running")});
  program.server.on(kPodsCall, {runai_refusal(403, "You do not have sufficient permissions.")});
  CHECK(program.run({"status", "llama"}) == 0);
  CHECK(has(program.err, "note: the pods of TrainingWorkload/llama are not known"));
}

TEST_CASE("Ctrl-C at any request ends with 130, and the same command finishes") {
  std::size_t requests = 0;
  {
    RunaiProgram program;
    REQUIRE(program.run({"apply", "job.yaml"}) == 0);
    requests = program.server.seen().size();
  }
  for (std::size_t at = 0; at < requests; ++at) {
    INFO(at);
    RunaiProgram program;
    program.server.instead(at, {.hangs = true});
    CHECK(program.run_and_interrupt(at + 1, {"apply", "job.yaml"}) == 130);
    CHECK(program.run({"apply", "job.yaml"}) == 0);
  }
}

TEST_CASE("Ctrl-C within a wait leaves the workload alone") {
  RunaiProgram program;
  program.server.on(kListCall, {workload_in("Running")});
  CHECK(program.run_and_interrupt(3, {"wait", "llama"}) == 130);
  CHECK(has(program.err, "TrainingWorkload/llama was running and goes on; it is not touched"));
  CHECK(has(program.err, "trainyard cancel TrainingWorkload/llama -n runai-nlp --runai http://"));
}
