#pragma once

#include <pthread.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "cli/cli.h"
#include "cluster/client.h"
#include "cluster/replay_server.h"
#include "live/live_command.h"

namespace trainyard::test {

inline const std::string kRunaiSecret = "s3cret-of-the-client";
inline const std::string kRunaiToken = "t0ken-of-runai";
inline const std::string kRunaiId = "8d2e7c2a-6b8a-4c6e-9a11-0d7f5c4f0001";
inline const std::string kTokenCall = "POST /api/v1/token";
inline const std::string kProjectsCall = "GET /api/v1/org-unit/projects";
inline const std::string kListCall = "GET /api/v1/workloads";
inline const std::string kTrainings = "/api/v1/workloads/trainings";
inline const std::string kTraining = kTrainings + "/" + kRunaiId;
inline const std::string kPodsCall = "GET /api/v1/workloads/" + kRunaiId + "/pods";
inline const std::string kEventsCall = "GET /api/v1/workloads/" + kRunaiId + "/events";

/// Error of the document: `code` and `message`.
inline Reply runai_refusal(int status, const std::string& message) {
  return {status, R"({"code":)" + std::to_string(status) + R"(,"message":")" + message + "\"}"};
}

inline Reply token_reply(const std::string& token = kRunaiToken) {
  return {.body = R"({"accessToken":")" + token + R"(","expiresIn":300})"};
}

/// An item of `GET /api/v1/workloads`.
inline std::string workload_item(const std::string& phase, const std::string& more = "") {
  return R"({"type":"Training","name":"llama","id":")" + kRunaiId +
         R"(","projectName":"nlp","projectId":"42","namespace":"runai-nlp","createdAt":"2026-07-29T10:00:00Z","phaseUpdatedAt":"2026-07-29T10:01:00Z","deletedAt":null,"distributedFramework":null,"phase":")" +
         phase + R"(","runningPods":)" + (phase == "Running" ? "1" : "0") + more + "}";
}

inline Reply workloads(const std::string& items) {
  return {.body = R"({"next":0,"workloads":[)" + items + "]}"};
}
inline Reply workload_in(const std::string& phase, const std::string& more = "") {
  return workloads(workload_item(phase, more));
}

/// The program with a spec `job.yaml` of target runai, and a control plane with one project, as
/// runai-professional-services/runapy .generator/swagger.json describes it. No test has asked the
/// real one. Every run checks that no credential is printed.
struct RunaiProgram : Client {
  ReplayServer server;
  std::string out;
  std::string err;

  RunaiProgram() {
    variables["RUNAI_CLIENT_ID"] = "ci-client";
    variables["RUNAI_CLIENT_SECRET"] = kRunaiSecret;
    files.files["job.yaml"] = spec("a:2");
    server.on(kTokenCall, {token_reply()});
    server.on(
        kProjectsCall,
        {{.body =
              R"({"projects":[{"id":"7","name":"vision","clusterId":"c-1","status":{"namespace":"runai-vision"}},)"
              R"({"id":"42","name":"nlp","clusterId":"c-2","status":{"namespace":"runai-nlp"}}]})"}});
    server.on(kListCall, {workloads("")});
    server.on("POST " + kTrainings,
              {{202, R"({"name":"llama","workloadId":")" + kRunaiId + "\"}"}});
    server.on(kPodsCall, {{.body = R"({"pods":[]})"}});
    server.on(kEventsCall, {{.body = R"({"events":[]})"}});
    for (const std::string verb : {"/suspend", "/resume"}) {
      server.on("POST " + kTraining + verb, {runai_refusal(202, "Accepted")});
    }
    server.on("DELETE " + kTraining, {runai_refusal(202, "Accepted")});
  }

  static std::string spec(const std::string& image, const std::string& more = "") {
    return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: llama}\nspec:\n"
           "  target: runai\n  image: " +
           image + "\n  run: {script: train.py}\n  gpusPerNode: 1\n  scheduling: {queue: nlp}\n" +
           more;
  }

  /// The workload is there as it was submitted last, with what the control plane fills in.
  void holds_what_was_submitted(const std::string& phase = "Running") {
    const auto posts = server.seen("POST " + kTrainings);
    REQUIRE(!posts.empty());
    std::string body = posts.back().body;
    body.insert(body.find("\"spec\":{") + 8, R"("category":"Train","probes":null,)");
    server.on("GET " + kTraining, {{.body = body}});
    server.on(kListCall, {workload_in(phase)});
  }

  int run(std::vector<std::string> words) {
    out.clear();
    err.clear();
    Env env{files, nullptr};
    Io io{env, out, err};
    words.insert(words.end(), {"--runai", server.address()});
    const int code = static_cast<int>(run_cli(words, io, live_commands(machine)));
    for (const std::string& secret : {kRunaiSecret, kRunaiToken}) {
      CHECK(!has(out, secret));
      CHECK(!has(err, secret));
    }
    return code;
  }

  /// Sends Ctrl-C once the server has got so many requests.
  int run_and_interrupt(std::size_t requests, std::vector<std::string> words) {
    const pthread_t main = ::pthread_self();
    std::thread user([this, main, requests] {
      while (server.seen().size() < requests) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      ::pthread_kill(main, SIGINT);
    });
    const int code = run(std::move(words));
    user.join();
    return code;
  }

  std::size_t count(const std::string& call) const { return server.seen(call).size(); }
};

}  // namespace trainyard::test
