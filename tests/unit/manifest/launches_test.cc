#include "manifest/launches.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// A container, as long as this lives.
struct Container {
  explicit Container(const std::string& yaml) {
    Sink sink;
    trees = read_yaml(sources, sources.add("a.yaml", yaml), sink);
    REQUIRE(trees.size() == 1);
  }
  View view() const { return View(trees[0], trees[0].root()); }

  SourceMap sources;
  std::vector<Tree> trees;
};

std::string word(Channel channel) {
  constexpr const char* words[] = {"none", "agent", "ssh", "api"};
  return words[static_cast<int>(channel)];
}

/// `mpirun ssh a:4,b`: program, channel and hosts of each launcher, with `|` between.
std::string read(const std::string& command) {
  const Container container("{command: " + command + "}");
  std::string all;
  for (const Launch& launch : launches_in(container.view(), {})) {
    all += (all.empty() ? "" : "|") + std::string(launch.program) + " " + word(launch.channel);
    for (const LaunchHosts& hosts : launch.hosts) {
      all += hosts.in_file ? " file " + hosts.told.text : "";
      for (const LaunchHost& host : hosts.each) {
        all += " " + host.name + (host.slots ? ":" + std::to_string(*host.slots) : "");
      }
    }
  }
  return all;
}

std::string ports(const std::string& script) {
  const Container container("{command: [bash, -c, \"" + script + "\"]}");
  std::string all;
  for (const Sshd& each : sshds_in(container.view())) {
    all += (all.empty() ? "" : " ") + (each.port ? std::to_string(*each.port) : "?");
    all += each.stays ? "D" : "";
    all += each.is_last ? "." : "";
  }
  return all;
}

}  // namespace

TEST_CASE("a launcher is read with its channel and its hosts") {
  CHECK(read("[mpirun, -np, '8', --host, 'a:4,b', train]") == "mpirun ssh a:4 b");
  CHECK(read("[mpirun, --host, 'localhost:8', train]") == "mpirun none localhost:8");
  CHECK(read("[mpirun, -np, '8', train, --host, a]") == "mpirun none");
  CHECK(read("[mpiexec.hydra, -f, /conf/hosts, train]") == "mpirun ssh file /conf/hosts");
  CHECK(read("[mpirun, --mca, plm_rsh_agent, /opt/a, --host, a, train]") == "mpirun agent a");
  CHECK(read("[mpirun, --mca, plm_rsh_agent, /etc/mpi/kubexec.sh, -H, a, train]") ==
        "mpirun api a");
  CHECK(read("[deepspeed, --hostfile, /job/hosts, train.py]") == "deepspeed ssh file /job/hosts");
  CHECK(read("[deepspeed, --no_ssh, --hostfile, /h, train.py]") == "deepspeed agent file /h");
  CHECK(read("[bash, -c, 'horovodrun --verbose -np 8 -H a:4,b:4 python t.py']") ==
        "horovodrun ssh a:4 b:4");
  CHECK(read("[colossalai, run, --host, 'a,b', t.py]") == "colossalai ssh a b");
  CHECK(read("[pdsh, -f, '8', -w, 'a,b', hostname]") == "pdsh ssh a b");
  CHECK(read("[accelerate, launch, --num_machines, '2', t.py]") == "accelerate agent");
  CHECK(read("[accelerate, launch, --use_deepspeed, --num_machines, '2', t.py]") ==
        "accelerate ssh");
  CHECK(read("[python, -c, 'jax.distributed.initialize()']") == "jax api");
  CHECK(read("[spark-submit, --master, 'k8s://https://a', t.py]") == "spark api");
  CHECK(read("[torchrun, t.py]").empty());
}

TEST_CASE("a file of hosts is read where its text is known") {
  const Container text("\"# nodes\\na slots=4\\n\\nb:2\\nc\\n\"");
  const Container container("{command: [mpirun, --hostfile, /h, train]}");
  const auto read_file = [&](std::string_view path) { return path == "/h" ? text.view() : View(); };
  const Launch launch = mpi_launch_in(container.view(), read_file);
  REQUIRE(launch.hosts.size() == 1);
  REQUIRE(launch.hosts[0].each.size() == 3);
  CHECK(launch.hosts[0].each[0].slots == 4);
  CHECK(launch.hosts[0].each[1].name == "b");
  CHECK(launch.hosts[0].each[1].slots == 2);
  CHECK_FALSE(launch.hosts[0].each[2].slots);
  CHECK(launch.channel == Channel::Ssh);
}

TEST_CASE("the first word that only one MPI knows says which one it is") {
  const auto mpi = [](const std::string& command) {
    const Container container("{command: " + command + "}");
    return mpi_launch_in(container.view()).mpi;
  };
  CHECK(mpi("[mpirun, -n, '4', -genv, A, b, train]") == Mpi::Hydra);
  CHECK(mpi("[mpirun.hydra, -n, '4', train]") == Mpi::Hydra);
  CHECK(mpi("[mpirun, -np, '4', -x, A, train]") == Mpi::Open);
  CHECK(mpi("[orterun, -np, '4', train]") == Mpi::Open);
  CHECK(mpi("[mpirun, -np, '4', train, -genv]") == Mpi::Any);
}

TEST_CASE("sshd is read with its port") {
  CHECK(ports("/usr/sbin/sshd -D") == "22D.");
  CHECK(ports("/usr/sbin/sshd -p 2222; sleep 1") == "2222");
  CHECK(ports("/usr/sbin/sshd -D -p2222") == "2222D.");
  CHECK(ports("/usr/sbin/sshd -oPort=2222 -De") == "2222D.");
  CHECK(ports("/usr/sbin/sshd -o Port=2222") == "2222.");
  CHECK(ports("/usr/sbin/sshd -D -f /conf") == "?D.");
  CHECK(ports("service ssh start; sleep 1") == "22");
  CHECK(ports("echo Port 2 >> /etc/ssh/sshd_config; service ssh start") == "?.");
  CHECK(ports("which sshd").empty());
}
