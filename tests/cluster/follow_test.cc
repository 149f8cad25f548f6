// Watches and followed logs: nothing is lost and nothing comes twice, whatever cuts the streams.
#include <catch2/catch_test_macros.hpp>

#include "cluster/api/pod_log.h"
#include "cluster/api/watch.h"
#include "cluster/client.h"
#include "cluster/replay_server.h"
#include "live/jobs/failed_logs.h"
#include "tree/typed_fields.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kPods = "GET /api/v1/namespaces/ml/pods";
const std::string kPod = "GET /api/v1/namespaces/ml/pods/p";
const std::string kLog = "GET /api/v1/namespaces/ml/pods/p/log";

std::string object(const std::string& name, const std::string& version) {
  return R"({"metadata":{"namespace":"ml","name":")" + name + R"(","resourceVersion":")" + version +
         "\"}}";
}

std::string list(const std::string& version, const std::string& items) {
  return R"({"metadata":{"resourceVersion":")" + version + R"("},"items":[)" + items + "]}";
}

std::string event(const std::string& type, const std::string& body) {
  return R"({"type":")" + type + R"(","object":)" + body + "}\n";
}

std::string line(int second, const std::string& text) {
  return "2026-07-29T10:00:0" + std::to_string(second) + ".123456789Z " + text + "\n";
}

std::string pod(const std::string& state, int restarts, const std::string& phase = "Running",
                const std::string& policy = "OnFailure") {
  return R"({"spec":{"restartPolicy":")" + policy + R"("},"status":{"phase":")" + phase +
         R"(","containerStatuses":[{"name":"main","restartCount":)" + std::to_string(restarts) +
         R"(,"state":{")" + state + "\"" +
         (state == "terminated" ? R"(:{"exitCode":3})" : std::string(":{}")) + "}}]}}";
}

Reply refused(int status, const std::string& reason) {
  return {status, status_body(status, reason, "no")};
}

/// What a watch told, one word an event.
struct Watched : Client {
  ReplayServer server;
  Connection connection = connection_to(server.address());
  Transport transport{connection, machine};
  std::string told;

  WatchEvents events() {
    return {
        .changed =
            [this](View each, const JsonAnswer&) {
              told += "+" + std::string(string_at(get(each, "metadata"), "name")) + " ";
            },
        .deleted = [this](const std::string&, const std::string& name,
                          View) { told += "-" + name + " "; },
        .synced = [this] { told += "synced "; },
        .troubled =
            [this](const std::string& problem) { told += problem.empty() ? "works " : "lost "; },
        .ended =
            [this](const ApiError& error) { told += "ended:" + std::to_string(error.status); }};
  }
  void run(Milliseconds reconnect = std::chrono::minutes(10)) {
    Watch watch(transport, {pods_resource(), "ml", "", ""}, events(), reconnect);
    while (told.find("ended") == told.npos && transport.turn()) {
    }
  }
};

/// The lines of a log, and how it ended.
struct Logged : Client {
  ReplayServer server;
  Connection connection = connection_to(server.address());
  Transport transport{connection, machine};
  std::string told;

  void run(LogRequest request) {
    bool ended = false;
    request.name_space = "ml";
    request.pod = "p";
    request.container = "main";
    PodLog log(
        transport, request,
        {.line = [this](std::string_view,
                        std::string_view text) { told += std::string(text) + " "; },
         .restarted = [this](long restarts) { told += "restart" + std::to_string(restarts) + " "; },
         .troubled = {},
         .ended =
             [&](const std::optional<ApiError>& error, std::optional<long> code) {
               ended = true;
               told += error ? "error:" + std::to_string(error->status) : "end";
               if (code) told += ":" + std::to_string(*code);
             }});
    while (!ended && transport.turn()) {
    }
  }
};

}  // namespace

TEST_CASE("a watch that may not list ends with the server's refusal") {
  Watched watched;
  watched.server.on(kPods, {refused(403, "Forbidden")});
  watched.run();
  CHECK(watched.told == "ended:403");
}

TEST_CASE("a watch tells the list, then what changes, and goes on from a bookmark") {
  Watched watched;
  watched.server.on(
      kPods, {{.body = list("5", object("a", "1"))},
              {.pieces = {event("ADDED", object("b", "6")), event("DELETED", object("a", "7")),
                          event("BOOKMARK", object("", "9"))}},
              refused(403, "Forbidden")});
  watched.run();
  CHECK(watched.told == "+a synced +b -a ended:403");
  const auto seen = watched.server.seen();
  REQUIRE(seen.size() == 3);
  CHECK(has(seen[1].path, "watch=true&allowWatchBookmarks=true"));
  CHECK(has(seen[1].path, "resourceVersion=5"));
  CHECK(has(seen[2].path, "resourceVersion=9"));
}

TEST_CASE("after 410 a watch lists again and tells what went meanwhile") {
  const std::string gone = status_body(410, "Expired", "too old resource version");
  for (const Reply& forgotten : {Reply{.pieces = {event("ERROR", gone)}}, Reply{410, gone}}) {
    Watched watched;
    watched.server.on(kPods, {{.body = list("5", object("a", "1") + "," + object("b", "1"))},
                              forgotten,
                              {.body = list("8", object("b", "1"))},
                              refused(403, "Forbidden")});
    watched.run();
    CHECK(watched.told == "+a +b synced +b -a synced ended:403");
  }
}

TEST_CASE("a server that forgets at once, again and again, is asked at most once a second") {
  Watched watched;
  const Reply forgotten{410, status_body(410, "Expired", "too old resource version")};
  std::vector<Reply> replies;
  for (int i = 0; i < 100; ++i) {
    replies.push_back({.body = list("5", "")});
    replies.push_back(forgotten);
  }
  watched.server.on(kPods, replies);
  Watch watch(watched.transport, {pods_resource(), "ml", "", ""}, watched.events());
  bool over = false;
  watched.transport.after(Milliseconds(700), [&over] { over = true; });
  while (!over && watched.transport.turn()) {
  }
  CHECK(watched.told == "synced synced ");
}

TEST_CASE("a watch whose connection is cut goes on from the last event, and says so") {
  Watched watched;
  watched.server.on(
      kPods, {{.body = list("5", "")},
              {.pieces = {event("ADDED", object("a", "6")), "{\"type\":\"ADD"}, .is_cut = true},
              {.pieces = {event("ADDED", object("b", "7"))}},
              refused(403, "Forbidden")});
  watched.run();
  CHECK(watched.told == "synced +a lost works +b ended:403");
  CHECK(has(watched.server.seen()[2].path, "resourceVersion=6"));
}

TEST_CASE("a watch that stays lost ends when its patience does") {
  Watched watched;
  watched.server.on(kPods, {{.body = list("5", "")}, {.pieces = {" "}, .is_cut = true}});
  watched.run(Milliseconds(600));
  CHECK(watched.told == "synced lost ended:0");
}

TEST_CASE("the log of a pod that does not exist is an error at once") {
  Logged logged;
  logged.run({.follow = true});
  CHECK(logged.told == "error:404");
  Logged once;
  once.run({});
  CHECK(once.told == "error:404");
}

TEST_CASE("a log without follow is reported once, with its last line") {
  Logged logged;
  logged.server.on(kLog, {{.pieces = {line(1, "a"), line(2, "b").substr(0, 32)}}});
  logged.run({.tail = 10, .since = 60});
  CHECK(logged.told == "a b end");
  const auto seen = logged.server.seen(kLog);
  REQUIRE(seen.size() == 1);
  CHECK(has(seen[0].path, "timestamps=true"));
  CHECK(has(seen[0].path, "tailLines=10"));
  CHECK(has(seen[0].path, "sinceSeconds=60"));
}

TEST_CASE(
    "a followed stream that ends while the container runs is resumed without a loss or a double") {
  for (const bool is_cut : {false, true}) {
    Logged logged;
    logged.server.on(kPod, {{.body = pod("running", 0)},
                            {.body = pod("running", 0)},
                            {.body = pod("terminated", 0, "Failed", "Never")}});
    logged.server.on(
        kLog,
        {{.pieces = {line(1, "a") + line(2, "b") + line(2, "b"), "2026-07-29T10:00:03.1"},
          .is_cut = is_cut},
         {.pieces = {line(1, "a") + line(2, "b") + line(2, "b") + line(2, "c") + line(3, "d")}},
         {.pieces = {line(3, "d") + line(4, "e")}}});
    logged.run({.follow = true, .tail = 5});
    INFO(is_cut);
    CHECK(logged.told == "a b b c d e end:3");
    const auto seen = logged.server.seen(kLog);
    REQUIRE(seen.size() == 3);
    CHECK(has(seen[0].path, "tailLines=5"));
    CHECK(has(seen[1].path, "sinceTime=2026-07-29T10%3A00%3A02.123456789Z"));
    CHECK(!has(seen[1].path, "tailLines"));
    CHECK(!has(seen[2].path, "follow"));
  }
}

TEST_CASE("a container that is not started yet is waited for") {
  Logged logged;
  logged.server.on(kPod, {{.body = pod("waiting", 0, "Pending")},
                          {.body = pod("running", 0)},
                          {.body = pod("terminated", 0, "Succeeded", "Never")}});
  logged.server.on(kLog, {refused(400, "BadRequest"), {.pieces = {line(1, "a")}}});
  logged.run({.follow = true, .restarts = 0});
  CHECK(logged.told == "a end:3");
}

TEST_CASE("after a restart the end of the old run comes before the new one") {
  Logged logged;
  logged.server.on(kPod, {{.body = pod("running", 0)},
                          {.body = pod("running", 1)},
                          {.body = pod("terminated", 1, "Failed")}});
  logged.server.on(kLog, {{.pieces = {line(1, "a")}},
                          {.pieces = {line(1, "a") + line(2, "b")}},
                          {.pieces = {line(1, "new")}},
                          {.pieces = {line(1, "new")}}});
  logged.run({.follow = true});
  CHECK(logged.told == "a b restart1 new end:3");
  CHECK(has(logged.server.seen(kLog)[1].path, "previous=true"));
}

TEST_CASE("a pod that is deleted while it is followed ends the log well") {
  Logged logged;
  logged.server.on(kPod, {{.body = pod("running", 0)}, refused(404, "NotFound")});
  logged.server.on(kLog, {{.pieces = {line(1, "a")}}});
  logged.run({.follow = true});
  CHECK(logged.told == "a end");
}

TEST_CASE("logs that never end or may not be read are reported, and the others are still read") {
  Logged logged;
  const auto running = [](const std::string& name) {
    return JsonDocument::read(
        R"({"metadata":{"name":")" + name +
        R"("},"status":{"containerStatuses":[{"name":"main","state":{"running":{}}}]}})");
  };
  const std::vector<JsonAnswer> pods = {running("a"), running("b"), running("c"), running("d")};
  logged.server.on(kPods + "/a/log", {{.hangs = true}});
  logged.server.on(kPods + "/b/log", {refused(403, "Forbidden")});
  logged.server.on(kPods + "/c/log", {{.pieces = {line(1, "good")}}});
  logged.server.on(kPods + "/d/log",
                   {{.pieces = {line(1, std::string(900, 'x'))}, .is_endless = true}});
  std::vector<View> views;
  for (const JsonAnswer& each : pods) views.push_back(each->root());
  const LastWords words =
      last_words(logged.transport, "ml", views, {.bytes = 5'000, .time = Milliseconds(500)});
  REQUIRE(words.said.size() == 4);
  CHECK(words.said[2] == "[pod/c/main] 2026-07-29T10:00:01.123456789Z good\n");
  CHECK(words.said[3].size() < 10'000);
  CHECK(words.problems == std::vector<std::string>{"b/main: no",
                                                   "a/main: it does not come to an end",
                                                   "d/main: it does not come to an end"});
  CHECK(has(logged.server.seen(kPods + "/c/log").front().path, "limitBytes=5000"));
}
