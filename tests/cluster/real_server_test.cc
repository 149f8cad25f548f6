// The client against a real API server, which tests/e2e/connect.py starts: KUBECONFIG names it.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>

#include "cluster/api/access.h"
#include "cluster/api/calls.h"
#include "cluster/api/discovery.h"
#include "cluster/api/watch.h"
#include "cluster/client.h"
#include "tree/typed_fields.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// The server of KUBECONFIG, in one of its contexts.
struct Server {
  RealFileSystem files;
  LocalMachine machine{files, [](const std::string& name) -> std::optional<std::string> {
                         const char* const value = std::getenv(name.c_str());
                         return value == nullptr ? std::nullopt : std::optional<std::string>(value);
                       }};
  SourceMap sources;
  Sink sink;
  std::optional<Connection> connection;
  std::optional<Transport> transport;

  explicit Server(const std::string& context = "") {
    connection = find_connection({.context = context}, machine, sources, sink);
    INFO(render_text(sink.sorted(), sources, false));
    REQUIRE(connection);
    transport.emplace(*connection, machine);
  }
  Answer apply(const std::string& name, const std::string& value, const std::string& manager = "") {
    const std::string object = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                               name + R"("},"data":{"a":")" + value + "\"}}";
    Request call = apply_call(config_maps_resource(), "default", name, object);
    const std::size_t at = call.path.find("=trainyard");
    if (!manager.empty()) call.path.replace(at + 1, 9, manager);
    return transport->send(call);
  }
};

}  // namespace

TEST_CASE("each way to log in is known to a real server", "[.server]") {
  for (const char* context : {"certificate", "token", "token-file", "exec", "impersonated"}) {
    Server server(context);
    ApiError error;
    const auto facts = ask_server(*server.transport, error);
    INFO(context << ": " << error.message);
    REQUIRE(facts);
    CHECK(facts->version.starts_with("v1."));
    CHECK(facts->user == (std::string(context) == "impersonated" ? "alice" : "tester"));
  }
  Server nobody("wrong-token");
  ApiError error;
  CHECK(!ask_server(*nobody.transport, error));
  CHECK(error.status == 401);
}

TEST_CASE("rights of a user who has none are missing", "[.server]") {
  Server server("impersonated");
  const AccessReview review = review_access(
      *server.transport, {{"list", "", "pods", "default"}, {"get", "", "pods/log", "default"}});
  CHECK(!review.error);
  CHECK(review.missing.size() == 2);
}

TEST_CASE("discovery of a real server takes two requests and knows its kinds", "[.server]") {
  Server server;
  ApiError error;
  const auto discovery = Discovery::of(*server.transport, error);
  REQUIRE(discovery);
  REQUIRE(discovery->find("batch/v1", "Job") != nullptr);
  CHECK(discovery->find("batch/v1", "Job")->plural == "jobs");
  CHECK(discovery->find_any("", "Pod")->namespaced);
  CHECK(discovery->size() > 60);
}

TEST_CASE("apply creates, changes nothing the second time, and meets another manager as a conflict",
          "[.server]") {
  Server server;
  CHECK(server.apply("one", "1").status == 201);
  const Answer first = server.apply("one", "1");
  const Answer second = server.apply("one", "1");
  CHECK(first.body == second.body);
  const Answer conflict = server.apply("one", "2", "other");
  const auto error = error_of(conflict);
  REQUIRE(error);
  CHECK(error->is_conflict());
  REQUIRE(error->causes.size() == 1);
  CHECK(error->causes[0].field == ".data.a");
  CHECK(has(error->causes[0].message, "\"trainyard\""));
}

TEST_CASE("an unknown field is reported with its name, after one attempt", "[.server]") {
  Server server;
  const Answer answer = server.transport->send(
      apply_call(config_maps_resource(), "default", "x",
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"date":{}})"));
  CHECK(answer.attempts == 1);
  CHECK(has(sentence(*error_of(answer)), "date"));
}

TEST_CASE("the refusal of a running Job's template shows no environment value", "[.server]") {
  Server server;
  const auto job = [](const std::string& image) {
    return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{)"
           R"("restartPolicy":"Never","containers":[{"name":"a","image":")" +
           image + R"(","env":[{"name":"X","value":"hunter22"}]}]}}}})";
  };
  CHECK(server.transport->send(apply_call(jobs_resource(), "default", "j", job("a"))).ok());
  const Answer answer =
      server.transport->send(apply_call(jobs_resource(), "default", "j", job("b")));
  const auto error = error_of(answer);
  REQUIRE(error);
  CHECK(error->is_invalid());
  CHECK(has(answer.body, "hunter22"));
  CHECK(!has(sentence(*error), "hunter22"));
  CHECK(has(sentence(*error), "spec.template: field is immutable"));
}

TEST_CASE("a watch sees what is applied and deleted, and lists come in pages", "[.server]") {
  Server server;
  std::vector<Request> requests;
  for (int i = 0; i < 600; ++i) {
    const std::string name = "many-" + std::to_string(i);
    requests.push_back(apply_call(config_maps_resource(), "default", name,
                                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                      name + R"(","labels":{"many":"yes"}}})"));
  }
  for (const Answer& each : server.transport->send_all(std::move(requests))) CHECK(each.ok());
  const Selection many{config_maps_resource(), "default", "many=yes", ""};
  const Listed listed = list_objects(*server.transport, many);
  CHECK(listed.items.size() == 600);
  CHECK(listed.pages.size() == 2);

  std::size_t seen = 0;
  std::string deleted;
  const auto send = [&](Request call) {
    server.transport->start(std::move(call), [](Answer& answer) { CHECK(answer.ok()); });
  };
  // There is no garbage collector, which would take the finalizer of foreground deletion away.
  const auto changed = [&](View object, const JsonAnswer&) {
    ++seen;
    if (!get(get(object, "metadata"), "deletionTimestamp")) return;
    send(merge_patch_call(config_maps_resource(), "default", "many-7",
                          R"({"metadata":{"finalizers":null}})"));
  };
  Watch watch(
      *server.transport, many,
      {.changed = changed,
       .deleted = [&](const std::string&, const std::string& name, View) { deleted = name; },
       .synced = [&] { send(delete_call(config_maps_resource(), "default", "many-7", "")); },
       .ended = [](const ApiError& error) { FAIL(error.message); }});
  for (int i = 0; i < 60 && deleted.empty(); ++i) server.transport->turn();
  CHECK(seen >= 600);
  CHECK(deleted == "many-7");
  const Answer wrong = server.transport->send(delete_call(
      config_maps_resource(), "default", "many-8", "00000000-0000-0000-0000-000000000000"));
  CHECK(error_of(wrong)->is_conflict());
}

TEST_CASE("several large answers at the same time all come to their end", "[.server]") {
  {
    Server server;
    std::vector<Request> requests;
    for (int i = 0; i < 500; ++i) {
      const std::string name = "large-" + std::to_string(i);
      requests.push_back(apply_call(
          config_maps_resource(), "default", name,
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
              R"(","labels":{"large":"yes"}},"data":{"a":")" + std::string(2000, 'x') + "\"}}"));
    }
    for (const Answer& each : server.transport->send_all(std::move(requests))) CHECK(each.ok());
  }
  for (int round = 0; round < 40; ++round) {
    Server server;
    const std::vector<Selection> lists(
        6, Selection{config_maps_resource(), "default", "large=yes", ""});
    for (const Listed& each : list_all(*server.transport, lists)) {
      CHECK(!each.error);
      CHECK(each.items.size() == 500);
    }
  }
}

TEST_CASE("hundreds of streams share a few connections, and each gets a change", "[.server]") {
  constexpr int kStreams = 300;
  Server server;
  const auto sockets = [] {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(each.path(), error).string();
      count += target.starts_with("socket:") ? 1U : 0U;
    }
    return count;
  };
  const std::size_t before = sockets();
  int synced = 0;
  int told = 0;
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < kStreams; ++i) {
    watches.push_back(std::make_unique<Watch>(
        *server.transport, Selection{config_maps_resource(), "default", "shared=yes", ""},
        WatchEvents{.changed = [&](View, const JsonAnswer&) { ++told; },
                    .deleted = [](const std::string&, const std::string&, View) {},
                    .synced = [&] { ++synced; },
                    .troubled = [](const std::string&) {},
                    .ended = [](const ApiError& error) { FAIL_CHECK(error.message); }}));
  }
  while (synced < kStreams && server.transport->turn()) {
  }
  const std::string name = "shared-" + std::to_string(::getpid());
  Server other;
  const std::string object = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                             name + R"(","labels":{"shared":"yes"}}})";
  // A watch begins once its list has come.
  bool is_over = false;
  server.transport->after(Milliseconds(3'000), [&] { is_over = true; });
  while (!is_over && server.transport->turn()) {
  }
  CHECK(other.transport->send(apply_call(config_maps_resource(), "default", name, object)).ok());
  is_over = false;
  server.transport->after(Milliseconds(20'000), [&] { is_over = true; });
  const int first = told;
  while (told < first + kStreams && !is_over && server.transport->turn()) {
  }
  CHECK(told >= kStreams);
  CHECK(sockets() - before < 40);
}
