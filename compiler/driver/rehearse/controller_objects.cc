#include "driver/rehearse/controller_objects.h"

#include <algorithm>
#include <cctype>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Data = ControllerObjects::Data;
using Hosts = std::vector<std::string>;

Hosts hosts_of(const std::vector<MadePod>& pods, std::string_view role,
               std::string_view (*name)(const MadePod&), const std::string& end = "") {
  Hosts hosts;
  for (const MadePod& each : pods) {
    if (each.role.name == role) hosts.push_back(known_here(name(each)) + end);
  }
  return hosts;
}

std::string_view hostname(const MadePod& pod) {
  return pod.made.hostname;
}
std::string_view address(const MadePod& pod) {
  return pod.made.address;
}

std::string joined(const Hosts& hosts, std::string_view between, const std::string& end = "") {
  std::string text;
  for (const std::string& each : hosts) {
    text += (text.empty() ? "" : std::string(between)) + each + end;
  }
  return text;
}

/// Intel MPI and MPICH have a form of their own.
std::string host_file(const Hosts& hosts, std::int64_t slots, bool is_open_mpi = true) {
  return joined(hosts, "\n", (is_open_mpi ? " slots=" : ":") + std::to_string(slots)) + "\n";
}

Data keys_of_jobs(const KeyPair& keys) {
  return {{"ssh-privatekey", keys.secret}, {"ssh-publickey", keys.shared}};
}

/// A variable of any container.
std::string_view variable(View pod, std::string_view name) {
  for (View container : items_at(get(pod, "spec"), "containers")) {
    for (View each : items_at(container, "env")) {
      if (string_at(each, "name") == name) return string_at(each, "value");
    }
  }
  return {};
}

/// Whether the controller of Volcano completes a job with a task.
bool completes_job(View task) {
  return std::ranges::any_of(items_at(task, "policies"), [](View each) {
    const Items events = items_at(each, "events");
    return string_at(each, "action") == "CompleteJob" &&
           (string_at(each, "event") == "TaskCompleted" ||
            std::ranges::any_of(events,
                                [](View event) { return string_of(event) == "TaskCompleted"; }));
  });
}

class Maker {
 public:
  Maker(View job, View first, const std::vector<MadePod>& pods,
        const std::function<KeyPair()>& make_keys)
      : job_(job), first_(first), pods_(pods), make_keys_(make_keys), name_(name_of(job)) {}

  ControllerObjects make() {
    const std::string_view kind = string_at(job_, "kind");
    const std::string_view version = string_at(job_, "apiVersion");
    if (kind == "MPIJob") of_mpi_operator();
    if (kind == "TrainJob" && mounts_keys("-mpi-ssh-auth")) of_trainer();
    if (kind == "RayJob") result_.ending = {"submitter"};
    if (kind == "Job" && version.starts_with("batch.volcano.sh/")) of_volcano();
    return std::move(result_);
  }

 private:
  void of_mpi_operator() {
    const View spec = get(job_, "spec");
    const std::string end = "." + name_ + "." + known_here(namespace_of(job_)) + ".svc";
    Hosts hosts = hosts_of(pods_, "Worker", hostname, end);
    if (is_true(get(spec, "runLauncherAsWorker"))) {
      hosts.insert(hosts.begin(), hosts_of(pods_, "Launcher", hostname, end).front());
    }
    const std::string_view kind = string_at(spec, "mpiImplementation");
    result_.data[name_ + "-config"] = {
        {"hostfile", host_file(hosts, integer_at(spec, "slotsPerWorker").value_or(1),
                               kind.empty() || kind == "OpenMPI")},
        {"discover_hosts.sh", "#!/bin/sh\necho " + joined(hosts, "\necho ") + "\n"}};
    add_keys("-ssh", keys_of_jobs);
    result_.ending = {"Launcher"};
  }

  void of_trainer() {
    const std::string_view slots = variable(first_, "OMPI_MCA_orte_set_default_slots");
    result_.data[name_ + "-mpi-hostfile"] = {
        {"hostfile", joined(hosts_of(pods_, "node", address), "\n",
                            " slots=" + std::string(slots.empty() ? "1" : slots)) +
                         "\n"}};
    add_keys("-mpi-ssh-auth", keys_of_jobs);
    result_.ending = {"launcher"};
  }

  void of_volcano() {
    for (View task : items_at(get(job_, "spec"), "tasks")) {
      if (completes_job(task)) result_.ending.emplace_back(string_at(task, "name"));
    }
    const View plugins = get(get(job_, "spec"), "plugins");
    if (get(plugins, "svc")) {
      Data data;
      for (View task : items_at(get(job_, "spec"), "tasks")) {
        const std::string role(string_at(task, "name"));
        const Hosts hosts = hosts_of(pods_, role, address);
        std::string word = "VC_" + role;
        for (char& each : word) {
          each =
              each == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
        }
        data[word + "_HOSTS"] = joined(hosts, ",");
        data[word + "_NUM"] = std::to_string(hosts.size());
        data[role + ".host"] = joined(hosts, "\n");
      }
      result_.data[name_ + "-svc"] = std::move(data);
    }
    if (!get(plugins, "ssh")) return;
    add_keys("-ssh", [](const KeyPair& keys) -> Data {
      return {{"id_rsa", keys.secret},
              {"id_rsa.pub", keys.shared},
              {"authorized_keys", keys.shared},
              {"config", "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n"}};
    });
    std::string& config = result_.data[result_.keys]["config"];
    for (const MadePod& each : pods_) {
      config += "Host " + known_here(each.made.hostname) + "\n  HostName " +
                known_here(each.made.address) + "\n";
    }
  }

  bool mounts_keys(std::string_view end) const {
    return std::ranges::any_of(items_at(get(first_, "spec"), "volumes"), [&](View each) {
      return string_at(get(each, "secret"), "secretName").ends_with(end);
    });
  }

  void add_keys(const std::string& end, Data (*form)(const KeyPair&)) {
    const KeyPair keys = make_keys_();
    result_.fault = keys.fault;
    result_.keys = name_ + end;
    result_.data[result_.keys] = form(keys);
  }

  View job_;
  View first_;  // pod: that of the launcher
  const std::vector<MadePod>& pods_;
  const std::function<KeyPair()>& make_keys_;
  std::string name_;
  ControllerObjects result_;
};

}  // namespace

ControllerObjects controller_objects(View job, View pod, const std::vector<MadePod>& pods,
                                     const std::function<KeyPair()>& make_keys) {
  return Maker(job, pod, pods, make_keys).make();
}

bool ControllerObjects::ends_with(const std::string& role) const {
  return ending.empty() || std::ranges::count(ending, role) != 0;
}

std::string known_here(std::string_view text) {
  std::string result(text);
  for (const auto& [from, to] :
       {std::pair(kNamespace, std::string_view("default")),
        std::pair(kRandom, std::string_view("r")), std::pair(kUid, std::string_view("uid"))}) {
    for (std::size_t at = 0; (at = result.find(from, at)) != std::string::npos;) {
      result.replace(at, from.size(), to);
    }
  }
  return result;
}

}  // namespace trainyard
