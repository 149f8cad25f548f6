// Exec plugins: how they are run, what they may answer, and the errors when they fail.
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "cluster/client.h"
#include "cluster/connect/exec_plugin.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kV1 = "client.authentication.k8s.io/v1";

ExecPlugin shell(const std::string& script) {
  return {.command = "sh", .arguments = {"-c", script}, .environment = {}, .api_version = kV1};
}

std::string credential(const std::string& status) {
  return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
         status + "}";
}

/// The token that a plugin gives, or why there is none.
std::string given_by(ExecPlugin plugin, Client& client) {
  const auto source = exec_identity(std::move(plugin), client.machine);
  std::string problem;
  const Identity* const identity = source->current(problem);
  return identity == nullptr ? problem : std::string(identity->token.view());
}

std::string given_by(ExecPlugin plugin) {
  Client client;
  return given_by(std::move(plugin), client);
}

}  // namespace

TEST_CASE("a plugin that is not installed is reported with its hint") {
  ExecPlugin plugin = shell("");
  plugin.command = "no-such-plugin";
  plugin.install_hint = "Get it from https://example.com.";
  CHECK(given_by(plugin) ==
        "the exec plugin `no-such-plugin` is not installed. Get it from https://example.com.");
}

TEST_CASE("a plugin that fails is reported with its exit code, and its output is not shown") {
  const std::string said = given_by(shell("echo hidden-token; exit 3"));
  CHECK(has(said, "ended with exit code 3"));
  CHECK(!has(said, "hidden-token"));
}

TEST_CASE("output that is no ExecCredential is refused and not shown") {
  for (const std::string& output :
       {std::string("hidden-token"), std::string("{\"kind\":\"Other\",\"hidden-token\":1}"),
        credential("{}"), credential(R"({"clientCertificateData":"hidden-token"})"),
        credential(R"({"token":"hidden-token with space"})"),
        credential(R"({"token":"hidden-token","expirationTimestamp":"soon"})"),
        std::string(R"({"apiVersion":"client.authentication.k8s.io/v1beta1",)"
                    R"("kind":"ExecCredential","status":{"token":"hidden-token"}})")}) {
    const std::string said = given_by(shell("cat <<'X'\n" + output + "\nX"));
    INFO(output);
    CHECK(has(said, "the exec plugin `sh` "));
    CHECK(!has(said, "hidden-token"));
  }
}

TEST_CASE("a plugin that prints without end is stopped") {
  CHECK(has(given_by(shell("yes")), "prints more than 1 MiB"));
}

TEST_CASE("a plugin that must ask and finds no terminal is not run") {
  ExecPlugin plugin = shell("echo never");
  plugin.interactive = ExecPlugin::Interactive::Always;
  CHECK(has(given_by(plugin), "there is no terminal"));
}

TEST_CASE("a plugin gets what it may know, and gives a token") {
  ExecPlugin plugin = shell(
      R"X(told=$(printf '%s' "$MINE$KUBERNETES_EXEC_INFO" | tr -d '" ')
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$told")X");
  plugin.environment = {{"MINE", "yes:"}};
  plugin.cluster = R"({"server":"https://h"})";
  CHECK(given_by(plugin) ==
        "yes:{kind:ExecCredential,apiVersion:client.authentication.k8s.io/v1,spec:{interactive:"
        "false,cluster:{server:https://h}}}");
}

TEST_CASE("a plugin runs again once its credential has ended or is refused, and not before") {
  const std::filesystem::path counter =
      std::filesystem::temp_directory_path() / ("trainyard-plugin-" + std::to_string(::getpid()));
  std::filesystem::remove(counter);
  const auto source_with = [&](const std::string& expiry, Client& client) {
    const std::string status = R"({"token":"t$count","expirationTimestamp":")" + expiry + "\"}";
    return exec_identity(shell("echo x >>" + counter.string() + "; count=$(grep -c x " +
                               counter.string() + "); cat <<X\n" + credential(status) + "\nX"),
                         client.machine);
  };
  std::string problem;
  const auto token = [&](IdentitySource& source) {
    const Identity* const identity = source.current(problem);
    INFO(problem);
    REQUIRE(identity != nullptr);
    return std::string(identity->token.view());
  };
  Client client;
  const auto lasting = source_with("2999-01-01T00:00:00Z", client);
  CHECK(token(*lasting) == "t1");
  CHECK(token(*lasting) == "t1");
  CHECK(lasting->refused());
  CHECK(token(*lasting) == "t2");
  const auto ended = source_with("2001-01-01T00:00:00Z", client);
  CHECK(token(*ended) == "t3");
  CHECK(token(*ended) == "t4");
  std::filesystem::remove(counter);
}

TEST_CASE("a plugin may give a certificate with its key") {
  Client client;
  const auto source = exec_identity(
      shell("cat <<'X'\n" + credential(R"({"clientCertificateData":"C","clientKeyData":"K"})") +
            "\nX"),
      client.machine);
  std::string problem;
  const Identity* const identity = source->current(problem);
  REQUIRE(identity != nullptr);
  CHECK(identity->certificate == "C");
  CHECK(identity->key.view() == "K");
}
