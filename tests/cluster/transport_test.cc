// Requests: what is repeated, what is final, how streams end, and the errors when nothing
// answers.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "cluster/api/api_error.h"
#include "cluster/api/calls.h"
#include "cluster/client.h"
#include "cluster/replay_server.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// A client of a replay server.
struct Wire : Client {
  ReplayServer server;
  Connection connection = connection_to(server.address(), "t0ken");
  Transport transport;

  explicit Wire(TransportLimits limits = {}) : transport(connection, machine, limits) {}
};

const std::string kWebhookDown =
    status_body(500, "InternalError", "failed calling webhook \"mjob.kb.io\": connection refused");

}  // namespace

TEST_CASE("a server that is not there is reported at once, with what to check") {
  Client client;
  Connection connection = connection_to("http://127.0.0.1:1");
  Transport transport(connection, client.machine);
  const Answer answer = transport.send({.path = "/version"});
  CHECK(answer.trouble == Trouble::NotReached);
  CHECK(answer.attempts == 1);
  CHECK(has(answer.problem, "http://127.0.0.1:1 cannot be reached"));
}

TEST_CASE("an unknown name, a bad address and a token without encryption are said") {
  Client client;
  const auto problem_of = [&](const std::string& server) {
    Connection connection = connection_to(server, "t0ken");
    Transport transport(connection, client.machine);
    return transport.send({.path = "/version"}).problem;
  };
  CHECK(has(problem_of("https://no-such-host.invalid:6443"), "is not known here"));
  CHECK(has(problem_of("http://10.0.0.1:8080"), "without encryption"));
  CHECK(has(problem_of("https://[:6443"), "no address"));
}

TEST_CASE("a server that hangs ends in a timeout that says how to wait longer") {
  Wire wire({.timeout = Milliseconds(200)});
  wire.server.on("GET /version", {{.hangs = true}});
  const Answer answer = wire.transport.send({.path = "/version"});
  CHECK(answer.trouble == Trouble::TimedOut);
  CHECK(has(answer.problem, "--request-timeout"));
}

TEST_CASE("a connection that is lost within the answer is tried again for what does no harm") {
  Wire wire;
  wire.server.on("GET /a", {{.is_cut = true}, {.body = "{", .is_cut = true}, {.body = "{}"}});
  wire.server.on("POST /b", {{.is_cut = true}, {.body = "{}"}});
  const Answer read = wire.transport.send({.path = "/a"});
  CHECK(read.status == 200);
  CHECK(read.body == "{}");
  CHECK(read.attempts == 3);
  const Answer written =
      wire.transport.send({.method = Method::Post, .path = "/b", .repeatable = false});
  CHECK(written.trouble == Trouble::Lost);
  CHECK(wire.server.seen("POST /b").size() == 1);
}

TEST_CASE("a server that is busy is asked again after the time that it names") {
  Wire wire;
  wire.server.on("GET /a", {{429, status_body(429, "TooManyRequests", "x"), {{"Retry-After", "1"}}},
                            {503, "down"},
                            {.body = "{}"}});
  const ClockTime begin = Clock::now();
  CHECK(wire.transport.send({.path = "/a"}).attempts == 3);
  CHECK(Clock::now() - begin >= Milliseconds(1'000));
}

TEST_CASE("a webhook that is down is tried again until there is no time left") {
  Wire wire({.timeout = Milliseconds(700)});
  wire.server.on("PATCH /a", {{500, kWebhookDown}});
  const Answer answer = wire.transport.send({.method = Method::Patch, .path = "/a"});
  CHECK(answer.status == 500);
  CHECK(answer.attempts >= 3);
  CHECK(has(sentence(*error_of(answer)), "mjob.kb.io"));
}

TEST_CASE("a 500 without a reason is final: the object is wrong") {
  Wire wire;
  wire.server.on("PATCH /a", {{500, status_body(500, "", ".date: field not declared in schema")}});
  const Answer answer = wire.transport.send({.method = Method::Patch, .path = "/a"});
  CHECK(answer.attempts == 1);
  CHECK(has(sentence(*error_of(answer)), ".date: field not declared in schema"));
}

TEST_CASE("what the server refuses is not tried again") {
  Wire wire;
  for (const int status : {400, 403, 404, 409, 410, 422}) {
    const std::string path = "/s" + std::to_string(status);
    wire.server.on("GET " + path, {{status, status_body(status, "X", "no")}});
    CHECK(wire.transport.send({.path = path}).attempts == 1);
  }
}

TEST_CASE("a token that the server refuses is requested again, once") {
  Wire wire;
  wire.files.files["/t"] = "old";
  wire.connection.identity = token_file("/t", wire.machine);
  wire.server.on("GET /a",
                 {{.body = "{}"}, {401, status_body(401, "Unauthorized", "Unauthorized")}});
  CHECK(wire.transport.send({.path = "/a"}).ok());
  wire.files.files["/t"] = "new";
  const Answer answer = wire.transport.send({.path = "/a"});
  CHECK(answer.status == 401);
  const auto seen = wire.server.seen("GET /a");
  REQUIRE(seen.size() == 3);
  CHECK(seen[1].headers.at("authorization") == "Bearer old");
  CHECK(seen[2].headers.at("authorization") == "Bearer new");
  CHECK(has(sentence(*error_of(answer)), "log in again"));
}

TEST_CASE("an identity that cannot be had sends nothing") {
  Wire wire;
  wire.connection.identity = token_file("/gone", wire.machine);
  const Answer answer = wire.transport.send({.path = "/a"});
  CHECK(answer.trouble == Trouble::NoIdentity);
  CHECK(has(answer.problem, "/gone cannot be read"));
  CHECK(wire.server.seen().empty());
}

TEST_CASE("a proxy that refuses, and one that is not there, are named without their password") {
  ReplayServer proxy;
  proxy.on("CONNECT api.invalid:6443", {{407, "no"}});
  Client client;
  Connection connection = connection_to("https://api.invalid:6443");
  const std::string port = std::to_string(proxy.port());
  connection.endpoint.proxy = "http://me:hunter22@127.0.0.1:" + port;
  Transport transport(connection, client.machine);
  const Answer answer = transport.send({.path = "/version"});
  CHECK(answer.trouble == Trouble::Proxy);
  CHECK(has(answer.problem, "the proxy http://127.0.0.1:" + port + " wants a user"));
  CHECK(!has(answer.problem, "hunter22"));
  connection.endpoint.proxy = "http://127.0.0.1:1";
  Transport another(connection, client.machine);
  CHECK(has(another.send({.path = "/version"}).problem, "cannot be reached: check `proxy-url`"));
}

TEST_CASE("impersonation and the body of a call arrive") {
  Wire wire;
  wire.connection.impersonation = {"alice", "7", {"a", "b"}, {{"k/x", "v"}}};
  wire.server.on("DELETE /apis/batch/v1/namespaces/ml/jobs/j", {{.body = "{}"}});
  CHECK(wire.transport.send(delete_call(jobs_resource(), "ml", "j", "u1")).ok());
  const auto seen = wire.server.seen();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].headers.at("impersonate-user") == "alice");
  CHECK(seen[0].headers.at("impersonate-uid") == "7");
  CHECK(seen[0].headers.at("impersonate-group") == "a,b");
  CHECK(seen[0].headers.at("impersonate-extra-k%2fx") == "v");
  CHECK(has(seen[0].body, "\"propagationPolicy\":\"Foreground\""));
  CHECK(has(seen[0].body, "\"uid\":\"u1\""));
}

TEST_CASE("500 requests go over a few connections, with answers in their order") {
  Wire wire;
  std::vector<Request> requests;
  for (int i = 0; i < 500; ++i) {
    const std::string path = "/n" + std::to_string(i);
    wire.server.on("GET " + path, {{.body = std::to_string(i)}});
    requests.push_back({.path = path});
  }
  const auto answers = wire.transport.send_all(std::move(requests));
  REQUIRE(answers.size() == 500);
  for (std::size_t i = 0; i < 500; ++i) CHECK(answers[i].body == std::to_string(i));
  CHECK(wire.server.connections() <= Transport::kConnections);
}

TEST_CASE("a stream gives whole lines, and its rest apart") {
  Wire wire;
  wire.server.on("GET /s", {{.pieces = {"one\ntw", "o\n\nthr"}}});
  std::vector<std::string> lines;
  std::string rest;
  bool ended = false;
  wire.transport.start(
      {.path = "/s", .streams = true},
      [&](Answer& answer) {
        ended = answer.ok();
        rest = answer.body;
      },
      [&](std::string_view line) { lines.emplace_back(line); });
  while (wire.transport.turn()) {
  }
  CHECK(ended);
  CHECK(lines == std::vector<std::string>{"one", "two", ""});
  CHECK(rest == "thr");
}

TEST_CASE("a stream that is cut is lost, and not begun again by itself") {
  Wire wire;
  wire.server.on("GET /s", {{.pieces = {"one\n"}, .is_cut = true}});
  Trouble trouble = Trouble::None;
  wire.transport.start(
      {.path = "/s", .streams = true}, [&](Answer& answer) { trouble = answer.trouble; },
      [](std::string_view) {});
  while (wire.transport.turn()) {
  }
  CHECK(trouble == Trouble::Lost);
  CHECK(wire.server.seen().size() == 1);
}

TEST_CASE("an interrupt ends every request, those that wait for another attempt included") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Wire wire;
  wire.machine.interrupt = ends[0];
  wire.server.on("GET /hang", {{.hangs = true}});
  wire.server.on("GET /busy", {{503, "", {{"Retry-After", "20"}}}});
  std::vector<Trouble> troubles;
  for (const char* path : {"/hang", "/busy"}) {
    wire.transport.start({.path = path},
                         [&](Answer& answer) { troubles.push_back(answer.trouble); });
  }
  wire.transport.after(Milliseconds(100), [&] { REQUIRE(::write(ends[1], "x", 1) == 1); });
  while (wire.transport.turn()) {
  }
  CHECK(troubles == std::vector<Trouble>{Trouble::Interrupted, Trouble::Interrupted});
  CHECK(wire.transport.interrupted());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a callback may start and cancel requests, its own included") {
  Wire wire;
  wire.server.on("GET /s", {{.pieces = {"one\ntwo\n"}, .delay = 5}});
  wire.server.on("GET /next", {{.body = "{}"}});
  int lines = 0;
  bool next_came = false;
  Transport::Ticket ticket = 0;
  ticket = wire.transport.start(
      {.path = "/s", .streams = true}, [](Answer&) { FAIL("it was cancelled"); },
      [&](std::string_view) {
        ++lines;
        wire.transport.cancel(ticket);
        wire.transport.start({.path = "/next"}, [&](Answer& answer) { next_came = answer.ok(); });
      });
  while (wire.transport.turn()) {
  }
  CHECK(lines == 1);
  CHECK(next_came);
}
