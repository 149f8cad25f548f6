#pragma once

#include <pthread.h>

#include <atomic>
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

inline const std::string kJob = "/apis/batch/v1/namespaces/ml/jobs/llama";
inline const std::string kStandIn = "/apis/batch/v1/namespaces/ml/jobs/llamx";
inline const std::string kService = "/api/v1/namespaces/ml/services/llama";
inline const std::string kRecord = "/api/v1/namespaces/ml/configmaps/trainyard-llama";

inline std::string discovered(const std::string& group, const std::string& plural,
                              const std::string& kind) {
  return R"({"metadata":{"name":")" + group +
         R"("},"versions":[{"version":"v1","freshness":"Current","resources":[{"resource":")" +
         plural + R"(","scope":"Namespaced","responseKind":{"group":")" + group +
         R"(","version":"v1","kind":")" + kind + "\"}}]}]}";
}

inline std::string job(const std::string& name, const std::string& image,
                       const std::string& uid = "j1", const std::string& more = "") {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":")" + name +
         R"(","namespace":"ml","uid":")" + uid + "\"" + more +
         R"(},"spec":{"template":{"spec":{"containers":[{"name":"main","image":")" + image +
         R"("}]}}},"status":{"active":2,"ready":2}})";
}

inline const std::string kLiveService =
    R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"llama","namespace":"ml","uid":"s1"},"spec":{"clusterIP":"None"}})";

/// The program with a spec `job.yaml`, and a cluster that has Services and Jobs.
struct Program : Client {
  ReplayServer server;
  std::string out;
  std::string err;
  std::vector<std::string> told;  // of the progress, each line once

  Program() {
    files.files["k"] =
        "current-context: dgx\ncontexts: [{name: dgx, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: '" +
        server.address() + "'}}]\nusers: [{name: u, user: {token: t0ken-of-alice}}]\n";
    files.files["job.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\n"
        "metadata: {name: llama, namespace: ml}\nspec:\n  target: job\n  image: a:2\n"
        "  run: {script: train.py}\n  nodes: 2\n  gpusPerNode: 8\n"
        "  security: {runAsUser: 1000}\n";
    server.on("GET /api", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                                    discovered("", "services", "Service") + "]}"}});
    server.on("GET /apis", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                                     discovered("batch", "jobs", "Job") + "]}"}});
    server.on("PATCH " + kRecord, {{.body = "{}"}});
  }

  /// Both objects are taken as they are sent.
  void takes_all() {
    server.on("PATCH " + kService, {{.body = kLiveService}});
    server.on("PATCH " + kJob, {{.body = job("llama", "a:2")}});
  }
  /// The job runs with another image, and its server refuses a change.
  void runs_another_image() {
    server.on("GET " + kService, {{.body = kLiveService}});
    server.on("GET " + kJob, {{.body = job("llama", "a:1")}});
    server.on("PATCH " + kService, {{.body = kLiveService}});
    server.on("PATCH " + kJob,
              {{422, status_body(422, "Invalid", "spec.template: field is immutable")},
               {.body = job("llama", "a:2", "j2")}});
    server.on("PATCH " + kStandIn, {{.body = job("llamx", "a:2", "x1")}});
  }

  /// The job was deleted, and waits for its pods.
  static Reply going_job() {
    return {.body = job("llama", "a:1", "j1", R"(,"deletionTimestamp":"2026-07-29T10:00:00Z")")};
  }
  void is_deleting_a_job() {
    runs_another_image();
    server.on("GET " + kJob, {going_job()});
  }

  int run(std::vector<std::string> words) {
    out.clear();
    err.clear();
    Env env{files, nullptr};
    told.clear();
    env.progress = [this](const WorkDone& work) {
      const std::string line = std::to_string(work.done) + " of " + std::to_string(work.all) + " " +
                               std::string(work.what);
      if (told.empty() || told.back() != line) told.push_back(line);
    };
    Io io{env, out, err};
    words.insert(words.end(), {"--kubeconfig", "k"});
    return static_cast<int>(run_cli(words, io, live_commands(machine)));
  }

  /// Sends Ctrl-C once the server has got so many requests. With `quiet` also once it has got no
  /// further one for that long: a command that waits has then asked for all that it needs.
  int run_and_interrupt(std::size_t requests, std::vector<std::string> words,
                        std::chrono::milliseconds quiet = std::chrono::hours(1)) {
    const pthread_t main = ::pthread_self();
    std::atomic<bool> is_over = false;
    std::thread user([this, main, requests, quiet, &is_over] {
      std::size_t last = 0;
      auto since = std::chrono::steady_clock::now();
      while (!is_over) {
        const auto now = std::chrono::steady_clock::now();
        const std::size_t count = server.count();
        if (count >= requests || (count > 0 && count == last && now - since > quiet)) {
          ::pthread_kill(main, SIGINT);
          return;
        }
        if (count != last) since = now;
        last = count;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    });
    const int code = run(std::move(words));
    is_over = true;
    user.join();
    return code;
  }

  /// Writes that are no dry run: `PATCH path` in their order. Only reviews are posted.
  std::vector<std::string> writes() const {
    std::vector<std::string> list;
    for (const SeenRequest& each : server.seen()) {
      if (!is_write(each)) continue;
      list.push_back(each.method + " " + each.path.substr(0, each.path.find('?')));
    }
    return list;
  }
  static bool is_write(const SeenRequest& request) {
    return request.method != "GET" && request.method != "POST" && !has(request.path, "dryRun=All");
  }
};

using Writes = std::vector<std::string>;

}  // namespace trainyard::test
