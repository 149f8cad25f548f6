// TLS: which certificates are trusted, and the errors of those that are not.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "cli/cli.h"
#include "cluster/certificates.h"
#include "cluster/client.h"
#include "cluster/replay_server.h"
#include "live/live_command.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// A server with a certificate, and a client that trusts some CA.
struct SecureWire : Client {
  Authority authority;
  Authority::Pair pair;
  ReplayServer server;
  Connection connection;

  explicit SecureWire(const std::string& name, bool is_expired = false)
      : pair(authority.sign(name, is_expired)),
        server(pair.certificate_file, pair.key_file),
        connection(connection_to(server.address(), "t0ken")) {
    server.on("GET /version", {{.body = "{}"}});
    connection.endpoint.authorities = authority.pem();
  }
  Answer get() {
    Transport transport(connection, machine);
    return transport.send({.path = "/version"});
  }
};

}  // namespace

TEST_CASE("a server whose certificate another CA signed gets no token") {
  SecureWire wire("127.0.0.1");
  const Authority other;
  wire.connection.endpoint.authorities = other.pem();
  const Answer answer = wire.get();
  CHECK(answer.trouble == Trouble::Tls);
  CHECK(answer.attempts == 1);
  CHECK(has(answer.problem, "is not trusted"));
  CHECK(has(answer.problem, "is `certificate-authority` of the kubeconfig that of this cluster?"));
  CHECK(wire.server.seen().empty());
}

TEST_CASE("many streams of a server without HTTP/2 have a connection each, and all are read") {
  SecureWire wire("127.0.0.1");
  constexpr int kStreams = 20;
  wire.server.on("GET /log", {{.pieces = {"a\n"}, .delay = 20}});
  Transport transport(wire.connection, wire.machine);
  int lines = 0;
  int ended = 0;
  for (int i = 0; i < kStreams; ++i) {
    transport.start(
        {.path = "/log", .streams = true},
        [&](const Answer& answer) {
          CHECK(answer.ok());
          ++ended;
        },
        [&](std::string_view) { ++lines; });
  }
  while (transport.turn()) {
  }
  CHECK(ended == kStreams);
  CHECK(lines == kStreams);
  // What the server speaks is asked once, and only for more than a few streams.
  CHECK(wire.server.seen("GET /version").size() == 1);
}

TEST_CASE("streams begin also without an answer to the question for HTTP/2") {
  SecureWire wire("127.0.0.1");
  wire.server.on("GET /version", {{404, ""}});
  wire.server.on("GET /log", {{.pieces = {"a\n"}, .delay = 20}});
  Transport transport(wire.connection, wire.machine);
  int good = 0;
  for (int i = 0; i < 12; ++i) {
    transport.start(
        {.path = "/log", .streams = true},
        [&](const Answer& answer) { good += answer.ok() ? 1 : 0; }, [](std::string_view) {});
  }
  while (transport.turn()) {
  }
  CHECK(good == 12);
}

TEST_CASE("of many streams those that are cut end with what they had, and the others go on") {
  SecureWire wire("127.0.0.1");
  wire.server.on("GET /cut", {{.pieces = {"a\n", "b"}, .is_cut = true, .delay = 20}});
  wire.server.on("GET /log", {{.pieces = {"a\n", "b\n"}, .delay = 20}});
  Transport transport(wire.connection, wire.machine);
  int lines = 0;
  int cut = 0;
  int good = 0;
  for (int i = 0; i < 20; ++i) {
    transport.start(
        {.path = i % 2 == 0 ? "/cut" : "/log", .streams = true},
        [&](const Answer& answer) {
          cut += answer.trouble == Trouble::Lost ? 1 : 0;
          good += answer.ok() ? 1 : 0;
        },
        [&](std::string_view) { ++lines; });
  }
  while (transport.turn()) {
  }
  CHECK(cut == 10);
  CHECK(good == 10);
  CHECK(lines == 30);
}

TEST_CASE("an interrupt ends streams, those that wait for the probe included") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  SecureWire wire("127.0.0.1");
  wire.machine.interrupt = ends[0];
  wire.server.on("GET /version", {{.hangs = true}});
  wire.server.on("GET /log", {{.pieces = {"a\n"}, .is_endless = true, .delay = 20}});
  Transport transport(wire.connection, wire.machine);
  int interrupted = 0;
  for (int i = 0; i < 20; ++i) {
    transport.start(
        {.path = "/log", .streams = true},
        [&](const Answer& answer) {
          interrupted += answer.trouble == Trouble::Interrupted ? 1 : 0;
        },
        [](std::string_view) {});
  }
  // Eight streams and the probe.
  const std::function<void()> look = [&] {
    if (wire.server.count() < 9) {
      transport.after(Milliseconds(10), look);
    } else {
      REQUIRE(::write(ends[1], "x", 1) == 1);
    }
  };
  look();
  while (transport.turn()) {
  }
  CHECK(interrupted == 20);
  CHECK(wire.server.count() == 9);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a kubeconfig without a CA trusts the system's, and the message says so") {
  SecureWire wire("127.0.0.1");
  wire.connection.endpoint.authorities.clear();
  CHECK(has(wire.get().problem, "no CA is named: set `certificate-authority` of the kubeconfig"));
}

TEST_CASE("a certificate of another name leads to tls-server-name, with which it is trusted") {
  SecureWire wire("api.example.com");
  const Answer answer = wire.get();
  CHECK(answer.trouble == Trouble::Tls);
  CHECK(has(answer.problem, "set `tls-server-name`"));
  wire.connection.endpoint.tls_server_name = "api.example.com";
  CHECK(wire.get().ok());
}

TEST_CASE("a certificate that has expired is the administrator's to renew") {
  SecureWire wire("127.0.0.1", true);
  CHECK(has(wire.get().problem, "its administrator must renew it"));
}

TEST_CASE("something else than TLS at the port is reported as such") {
  ReplayServer plain;
  Client client;
  Connection connection = connection_to("https://127.0.0.1:" + std::to_string(plain.port()));
  Transport transport(connection, client.machine);
  const Answer answer = transport.send({.path = "/version", .timeout = Milliseconds(2'000)});
  CHECK(answer.trouble != Trouble::None);
}

TEST_CASE("a client certificate that is no pair with its key is the kubeconfig's mistake") {
  SecureWire wire("127.0.0.1");
  Identity identity;
  identity.certificate = wire.pair.certificate;
  identity.key = SecretBytes(wire.authority.sign("bob").key);
  wire.connection.identity = fixed_identity(std::move(identity));
  const Answer answer = wire.get();
  CHECK(answer.trouble == Trouble::Tls);
  CHECK(has(answer.problem, "the client certificate of the kubeconfig cannot be used"));
}

TEST_CASE("the CA of the kubeconfig is trusted, and a client certificate is taken from memory") {
  SecureWire wire("127.0.0.1");
  CHECK(wire.get().ok());
  const Authority::Pair alice = wire.authority.sign("alice");
  Identity identity;
  identity.certificate = alice.certificate;
  identity.key = SecretBytes(alice.key);
  wire.connection.identity = fixed_identity(std::move(identity));
  CHECK(wire.get().ok());
}

TEST_CASE("with insecure-skip-tls-verify any certificate is taken") {
  SecureWire wire("api.example.com");
  wire.connection.endpoint.authorities.clear();
  wire.connection.endpoint.skips_checks = true;
  CHECK(wire.get().ok());
}

TEST_CASE("a command says which certificate is wrong, with exit code 4, and sends no token") {
  SecureWire wire("127.0.0.1");
  const Authority other;
  wire.files.files["ca.pem"] = other.pem();
  wire.files.files["k"] =
      "current-context: dgx\ncontexts: [{name: dgx, context: {cluster: c, user: u}}]\n"
      "clusters: [{name: c, cluster: {server: '" +
      wire.server.address() +
      "', certificate-authority: ca.pem}}]\nusers: [{name: u, user: {token: t0ken}}]\n";
  for (const char* command : {"ping", "status", "discover"}) {
    std::string out;
    std::string err;
    Env env{wire.files, nullptr};
    Io io{env, out, err};
    CHECK(static_cast<int>(
              run_cli({command, "--kubeconfig", "k"}, io, live_commands(wire.machine))) == 4);
    CHECK(has(err, "is not trusted"));
    CHECK(has(err, "is `certificate-authority` of the kubeconfig that of this cluster?"));
  }
  CHECK(wire.server.seen().empty());
}
