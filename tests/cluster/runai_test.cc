// The verbs against a stand-in of Run:ai's control plane.
#include "cluster/runai_program.h"

using namespace trainyard;
using namespace trainyard::test;

TEST_CASE("apply exchanges the client for a token and submits the workload") {
  RunaiProgram program;
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  INFO(program.err);
  CHECK(has(program.out, "submitted TrainingWorkload/llama"));
  CHECK(has(program.out, "next: trainyard status llama -n runai-nlp --runai http://127.0.0.1"));
  const auto exchanges = program.server.seen(kTokenCall);
  REQUIRE(exchanges.size() == 1);
  CHECK(exchanges[0].body == R"({"grantType":"client_credentials","clientID":"ci-client",)"
                             R"("clientSecret":")" +
                                 kRunaiSecret + "\"}");
  CHECK(!exchanges[0].headers.contains("authorization"));
  const auto posts = program.server.seen("POST " + kTrainings);
  REQUIRE(posts.size() == 1);
  CHECK(posts[0].headers.at("authorization") == "Bearer " + kRunaiToken);
  CHECK(has(posts[0].body, R"({"name":"llama","projectId":"42","clusterId":"c-2","spec":{)"));
  CHECK(has(posts[0].body, R"("gpuDevicesRequest":1)"));
}

TEST_CASE("a token that another tool got is used as it is") {
  RunaiProgram program;
  program.variables = {{"RUNAI_TOKEN", kRunaiToken + "\n"}};
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(program.count(kTokenCall) == 0);
}

TEST_CASE("apply of what is there sends nothing") {
  RunaiProgram program;
  REQUIRE(program.run({"apply", "job.yaml"}) == 0);
  program.holds_what_was_submitted();
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(has(program.out, "unchanged TrainingWorkload/llama"));
  CHECK(program.run({"plan", "job.yaml", "--check"}) == 0);
  CHECK(program.count("POST " + kTrainings) == 1);
}

TEST_CASE("a change has its line in the spec, and needs --replace") {
  RunaiProgram program;
  REQUIRE(program.run({"apply", "job.yaml"}) == 0);
  program.holds_what_was_submitted();
  program.files.files["job.yaml"] = RunaiProgram::spec("a:3");
  CHECK(program.run({"plan", "job.yaml", "--check"}) == 3);
  CHECK(has(program.out, "Run:ai http://127.0.0.1"));
  CHECK(has(program.out, "! TrainingWorkload/llama"));
  CHECK(has(program.out, "must be replaced: it runs since 2026-07-29T10:01:00Z"));
  CHECK(has(program.out, "spec.image"));
  CHECK(has(program.out, "job.yaml:6:10"));
  CHECK(program.run({"apply", "job.yaml"}) == 8);
  CHECK(has(program.err, "`--replace` deletes it and makes it again"));
  CHECK(program.run({"apply", "job.yaml", "--replace"}) == 8);
  CHECK(has(program.err, "`--yes` agrees to it"));
  CHECK(program.count("DELETE " + kTraining) == 0);

  // As it is looked at, as it is looked for to be deleted, and gone.
  program.server.on(kListCall, {workload_in("Running"), workload_in("Running"), workloads("")});
  CHECK(program.run({"apply", "job.yaml", "--replace", "--yes"}) == 0);
  INFO(program.err);
  CHECK(has(program.out, "made again TrainingWorkload/llama"));
  CHECK(program.count("DELETE " + kTraining) == 1);
  CHECK(program.count("POST " + kTrainings) == 2);
}

TEST_CASE("a variable that changes has its line") {
  RunaiProgram program;
  program.files.files["job.yaml"] = RunaiProgram::spec("a:2", "  env: {MODE: slow}\n");
  REQUIRE(program.run({"apply", "job.yaml"}) == 0);
  program.holds_what_was_submitted();
  program.files.files["job.yaml"] = RunaiProgram::spec("a:2", "  env: {MODE: fast}\n");
  CHECK(program.run({"plan", "job.yaml"}) == 0);
  CHECK(has(program.out, "spec.environmentVariables[MODE].value"));
  CHECK(has(program.out, "job.yaml:10:"));
}

TEST_CASE("apply waits for the end of a workload that is being deleted") {
  RunaiProgram program;
  program.server.on(kListCall, {workload_in("Deleting"), workloads("")});
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(program.count("DELETE " + kTraining) == 0);
  CHECK(program.count("POST " + kTrainings) == 1);
}

TEST_CASE("what the API has no field for is refused with its line, before anything is sent") {
  RunaiProgram program;
  program.files.files["job.yaml"] =
      RunaiProgram::spec("a:2", "  lifecycle: {suspend: true}\n  runai: {preemptionLimit: 3}\n");
  CHECK(program.run({"apply", "job.yaml"}) == 1);
  CHECK(has(program.out, "spec.active: the API has no field that submits a workload suspended"));
  CHECK(has(program.out, "spec.preemptionLimit (job.yaml:11:28)"));
  CHECK(program.count("POST " + kTrainings) == 0);
}

TEST_CASE("objects beside the workload are refused") {
  RunaiProgram program;
  program.files.files["m.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
  CHECK(program.run({"apply", "m.yaml"}) == 1);
  CHECK(has(program.out, "the API of Run:ai takes TrainingWorkloads and DistributedWorkloads"));
}

TEST_CASE("a project that is not there is reported with those that are") {
  RunaiProgram program;
  std::string text = program.files.files["job.yaml"];
  text.replace(text.find("queue: nlp"), 10, "queue: nlq");
  program.files.files["job.yaml"] = text;
  CHECK(program.run({"apply", "job.yaml"}) == 6);
  CHECK(has(program.out, "no project with the namespace or name `runai-nlq`"));
  CHECK(has(program.out, "there is `vision` and `nlp`"));
}

TEST_CASE("status shows one workload with its pods and events") {
  RunaiProgram program;
  program.server.on(
      kListCall,
      {workload_in("Pending", R"(,"phaseMessage":"Not enough resources in the nodepool")")});
  program.server.on(
      kPodsCall,
      {{.body = R"({"pods":[{"name":"llama-0-0","id":"p","nodeName":null,"containers":[],)"
                R"("createdAt":"2026-07-29T10:00:00Z","k8sPhase":"Pending"}]})"}});
  program.server.on(
      kEventsCall,
      {{.body = R"({"events":[{"id":"e","type":"Warning","reason":"Unschedulable","message":)"
                R"("no node fits","createdAt":"2026-07-29T10:00:30Z","involvedObject":)"
                R"({"kind":"Pod","name":"llama-0-0","namespace":"runai-nlp","uid":"p"}}]})"}});
  CHECK(program.run({"status", "llama"}) == 0);
  INFO(program.err);
  CHECK(has(program.out, "TrainingWorkload/llama"));
  CHECK(has(program.out, "pending"));
  CHECK(has(program.out, "Not enough resources in the nodepool"));
  CHECK(has(program.out, "llama-0-0"));
  CHECK(has(program.out, "no node fits"));
  CHECK(program.run({"diagnose", "llama"}) == 0);
}

TEST_CASE("status lists workloads, of all projects or of one") {
  RunaiProgram program;
  const std::string other =
      R"({"type":"Distributed","name":"big","id":"x","projectName":"vision","namespace":"runai-vision","createdAt":"2026-07-29T10:00:00Z","distributedFramework":"PyTorch","phase":"Running","runningPods":4})";
  const std::string notebook = R"({"type":"Workspace","name":"nb","id":"y","projectName":"nlp"})";
  program.server.on(kListCall,
                    {workloads(workload_item("Running") + "," + other + "," + notebook)});
  CHECK(program.run({"status"}) == 0);
  CHECK(has(program.out, "DistributedWorkload/big"));
  CHECK(has(program.out, "TrainingWorkload/llama"));
  CHECK(!has(program.out, "nb"));
  for (const char* project : {"nlp", "runai-nlp"}) {
    CHECK(program.run({"status", "-n", project}) == 0);
    CHECK(!has(program.out, "big"));
    CHECK(has(program.out, "llama"));
  }
  CHECK(program.run({"status", "--watch"}) == 2);
}

TEST_CASE("status ends with 5 for a workload that failed, with 6 for none") {
  RunaiProgram program;
  program.server.on(kListCall, {workload_in("Failed")});
  CHECK(program.run({"status", "job.yaml"}) == 5);
  program.server.on(kListCall, {workloads("")});
  CHECK(program.run({"status", "job.yaml"}) == 6);
  CHECK(has(program.err, "error: Run:ai has no job `llama`"));
}

TEST_CASE("wait follows the phases and ends as for a cluster") {
  const auto code = [](const std::vector<Reply>& replies, std::vector<std::string> more = {}) {
    RunaiProgram program;
    program.server.on(kListCall, replies);
    std::vector<std::string> words = {"wait", "llama"};
    words.insert(words.end(), more.begin(), more.end());
    return program.run(words);
  };
  CHECK(code({workload_in("Pending"), workload_in("Running"), workload_in("Completed")}) == 0);
  CHECK(code({workload_in("Running"), workload_in("Failed")}) == 5);
  CHECK(code({workload_in("Running"), workloads("")}) == 6);
  CHECK(code({workload_in("Creating"), workload_in("Running")}, {"--for", "running"}) == 0);
  CHECK(code({workload_in("Deleting"), workloads("")}, {"--for", "gone"}) == 0);
  CHECK(code({workload_in("Running")}, {"--timeout", "1"}) == 7);
  CHECK(code({workloads("")}) == 6);
}

TEST_CASE("apply --wait ends as wait does, and --logs is reported before anything is sent") {
  RunaiProgram program;
  // The list lags behind the submission.
  program.server.on(kListCall,
                    {workloads(""), workloads(""), workload_in("Running"), workload_in("Failed")});
  CHECK(program.run({"apply", "job.yaml", "--wait"}) == 5);
  RunaiProgram other;
  CHECK(other.run({"apply", "job.yaml", "--logs"}) == 2);
  CHECK(has(other.err, "the API of Run:ai gives no logs: use `--wait`"));
  CHECK(other.count("POST " + kTrainings) == 0);
}

TEST_CASE("cancel, resume and delete are calls of their own") {
  RunaiProgram program;
  program.server.on(kListCall, {workload_in("Running")});
  CHECK(program.run({"cancel", "llama"}) == 8);
  CHECK(has(program.err, "TrainingWorkload/llama is running since 2026-07-29T10:01:00Z"));
  CHECK(program.run({"cancel", "llama", "--yes"}) == 0);
  CHECK(has(program.out, "suspended TrainingWorkload/llama"));
  CHECK(program.count("POST " + kTraining + "/suspend") == 1);
  CHECK(program.run({"resume", "llama"}) == 0);
  CHECK(has(program.out, "is running, not suspended"));
  program.server.on(kListCall, {workload_in("Stopped")});
  CHECK(program.run({"resume", "llama"}) == 0);
  CHECK(program.count("POST " + kTraining + "/resume") == 1);
  CHECK(program.run({"delete", "llama", "--claims", "--yes"}) == 2);
  CHECK(program.run({"delete", "llama", "--yes"}) == 0);
  CHECK(has(program.out, "deleted TrainingWorkload/llama"));
  CHECK(program.count("DELETE " + kTraining) == 1);
}

TEST_CASE("a distributed workload has paths of its own") {
  RunaiProgram program;
  program.server.on(kListCall,
                    {workloads(R"({"type":"Distributed","name":"llama","id":"d1",)"
                               R"("projectName":"nlp","namespace":"runai-nlp",)"
                               R"("distributedFramework":"PyTorch","phase":"Stopped"})")});
  program.server.on("POST /api/v1/workloads/distributed/d1/resume", {runai_refusal(202, "ok")});
  CHECK(program.run({"resume", "llama"}) == 0);
  CHECK(has(program.out, "resumed DistributedWorkload/llama"));
}

TEST_CASE("two workloads of one name need the project") {
  RunaiProgram program;
  program.server.on(
      kListCall, {workloads(workload_item("Running") +
                            R"(,{"type":"Training","name":"llama","id":"z","projectName":"vision",)"
                            R"("namespace":"runai-vision","phase":"Running"})")});
  CHECK(program.run({"cancel", "llama", "--yes"}) == 2);
  CHECK(program.run({"cancel", "llama", "--yes", "-n", "nlp"}) == 0);
}
