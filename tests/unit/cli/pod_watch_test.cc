// What a rehearsal sees of its pods: their sockets, where ranks meet, and names that nothing has.
#include "cli/rehearse/pod_watch.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "cli/rehearse/pod_names.h"

using namespace trainyard;
using State = PodSocket::State;

namespace {

const std::string kHead =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";

Rehearsal two_pods() {
  Rehearsal rehearsal;
  for (const char* number : {"0", "1"}) {
    RehearsedPod pod;
    pod.label = std::string("worker ") + number;
    pod.names = {std::string("train-") + number + ".train"};
    pod.address = std::string("10.99.0.") + (number[0] == '0' ? "1" : "2");
    pod.meeting = {"train-0.train", 29500};
    rehearsal.pods.push_back(pod);
  }
  return rehearsal;
}

}  // namespace

TEST_CASE("sockets of a pod are read, also those of IPv6 that hold an IPv4 address") {
  const auto sockets = read_sockets(
      kHead + "   0: 00000000:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0\n" +
      "   1: 0200630A:D5D4 0100630A:733C 02 00000001:00000000 01:00000064 00000001  0\n" +
      "   2: 0000000000000000FFFF00000200630A:D5D4 0000000000000000FFFF00000100630A:733C 01 0 0\n" +
      "   3: short\n");
  REQUIRE(sockets.size() == 3);
  CHECK(sockets[0].state == State::Listening);
  CHECK(sockets[0].local_port == 29500);
  CHECK(sockets[1].state == State::Asking);
  CHECK(sockets[1].remote == "10.99.0.1");
  CHECK(sockets[1].remote_port == 29500);
  CHECK(sockets[2].state == State::Connected);
  CHECK(sockets[2].remote == "10.99.0.1");
  CHECK(read_sockets("").empty());
  CHECK(read_sockets(kHead).empty());
}

TEST_CASE("a pod has met others if either side has the connection") {
  const Rehearsal rehearsal = two_pods();
  const bool at_the_host = GENERATE(false, true);
  std::vector<SeenPod> seen(2);
  note_meetings(rehearsal, seen);
  CHECK(is_missing(rehearsal, 1, seen[1]));
  CHECK_FALSE(is_missing(rehearsal, 0, seen[0]));  // the others come to it
  if (at_the_host) {
    seen[0].sockets = {{"10.99.0.2", 29500, 40000, State::Connected}};
  } else {
    seen[1].sockets = {{"10.99.0.1", 40000, 29500, State::Connected}};
  }
  note_meetings(rehearsal, seen);
  CHECK_FALSE(is_missing(rehearsal, 1, seen[1]));
  seen[0].sockets.clear();  // it stays seen
  seen[1].sockets.clear();
  note_meetings(rehearsal, seen);
  CHECK_FALSE(is_missing(rehearsal, 1, seen[1]));
}

TEST_CASE("what a pod waits for has its name, its port and why") {
  const Rehearsal rehearsal = two_pods();
  std::vector<SeenPod> seen(2);
  using Lines = std::vector<std::string>;
  CHECK(waits_of(rehearsal, 1, seen) ==
        Lines{"train-0.train, port 29500: nothing listens there on worker 0"});
  seen[0].sockets = {{"0.0.0.0", 29500, 0, State::Listening}};
  CHECK(waits_of(rehearsal, 1, seen) ==
        Lines{"train-0.train, port 29500: worker 0 listens there, and worker 1 does not connect"});
  seen[1].sockets = {{"10.99.0.9", 40000, 80, State::Asking}};
  seen[1].unknown = {"store"};
  seen[1].has_met = true;
  CHECK(waits_of(rehearsal, 1, seen) ==
        Lines{"10.99.0.9, no pod of the job, port 80: no answer", "`store`: no such name"});
}

TEST_CASE("a pod that ssh starts has met its launcher by any connection, and says who is missing") {
  Rehearsal rehearsal = two_pods();
  rehearsal.pods[0].meeting = {};
  rehearsal.pods[0].awaits = {{"train-1.train", 0}};
  rehearsal.pods[1].meeting = {"train-0.train", 0};
  std::vector<SeenPod> seen(2);
  CHECK_FALSE(is_awaited_ready(rehearsal, 0, seen));
  CHECK(is_awaited_ready(rehearsal, 1, seen));
  CHECK(waits_of(rehearsal, 0, seen) ==
        std::vector<std::string>{"train-1.train: nothing listens there on worker 1"});
  CHECK(waits_of(rehearsal, 1, seen) ==
        std::vector<std::string>{"train-0.train: worker 0 does not connect"});
  seen[1].sockets = {{"0.0.0.0", 22, 0, State::Listening}};
  CHECK(is_awaited_ready(rehearsal, 0, seen));
  seen[1].sockets.push_back({"10.99.0.1", 22, 40000, State::Connected});
  note_meetings(rehearsal, seen);
  CHECK(seen[1].has_met);
}

TEST_CASE("the name server of a rehearsal answers with an address or `no such name`") {
  using namespace std::string_literals;
  const std::string head = "\x12\x34\1\0\0\1\0\0\0\0\0\0"s;
  const std::string name = "\5store\2ml\3svc\7cluster\5local\0\0\1\0\1"s;
  const auto question = read_question(head + name);
  REQUIRE(question);
  CHECK(question->name == "store.ml");
  CHECK(answer_to(*question, "") == "\x12\x34\x85\x83\0\1\0\0\0\0\0\0"s + name);
  CHECK(answer_to(*question, "10.99.0.2") ==
        "\x12\x34\x85\x80\0\1\0\1\0\0\0\0"s + name + "\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x0a\x63\0\2"s);
  const auto ipv6 = read_question(head + "\5store\7cluster\5local\0\0\x1c\0\1"s);
  REQUIRE(ipv6);
  CHECK(ipv6->name == "store");
  CHECK(ipv6->asks_for_ipv6);
  CHECK(ipv6->in_cluster);
  const auto outside = read_question(head + "\4pypi\3org\0\0\1\0\1"s);
  REQUIRE(outside);
  CHECK(outside->asks_for_ipv4);
  CHECK_FALSE(outside->in_cluster);
  CHECK(answer_to(*ipv6, "10.99.0.2").substr(2, 6) == "\x85\x80\0\1\0\0"s);
}

TEST_CASE("the name server of a rehearsal reads no broken question") {
  using namespace std::string_literals;
  const std::string head = "\x12\x34\1\0\0\1\0\0\0\0\0\0"s;
  CHECK_FALSE(read_question(""));
  CHECK_FALSE(read_question(head));
  CHECK_FALSE(read_question(head + "\x3fstore\0\0\1\0\1"s));
  CHECK_FALSE(read_question(head + "\5store\0\0"s));
  CHECK_FALSE(read_question(head + std::string(5, '\xff')));
}
