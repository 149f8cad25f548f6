#include "effective/volcano_plugins.h"

#include <algorithm>
#include <map>

#include "source/characters.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The arguments of a plugin as Go's flags are read: `--port=23456`, `--port 23456`.
class Flags {
 public:
  explicit Flags(View arguments) {
    if (!arguments || !arguments->is_seq()) return;
    std::vector<std::string_view> words;
    for (View each : Items(arguments)) words.push_back(each->text);
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (!word.starts_with('-')) return;  // the flags end here
      word.remove_prefix(word.starts_with("--") ? 2 : 1);
      const std::size_t equals = word.find('=');
      if (equals != std::string_view::npos) {
        values_[std::string(word.substr(0, equals))] = word.substr(equals + 1);
      } else if (is_switch(word) || i + 1 == words.size()) {
        values_[std::string(word)] = "true";
      } else {
        values_[std::string(word)] = words[++i];
      }
    }
  }

  std::string text(std::string_view name, std::string_view standard) const {
    const auto found = values_.find(name);
    return std::string(found == values_.end() ? standard : found->second);
  }
  std::int64_t number(std::string_view name, std::int64_t standard) const {
    return read_number(text(name, "")).value_or(standard);
  }
  bool is_on(std::string_view name) const {
    const std::string given = text(name, "false");
    return given == "true" || given == "1" || given == "t" || given == "T" || given == "TRUE" ||
           given == "True";
  }

 private:
  /// Those that take no value from the next word.
  static bool is_switch(std::string_view name) {
    return name == "wait-master-enabled" || name == "publish-not-ready-addresses" ||
           name == "disable-network-policy";
  }

  std::map<std::string, std::string_view, std::less<>> values_;
};

struct Plugin {
  std::string_view name;
  void (*run)(PodBuilder& maker, const VolcanoPod& pod, const Flags& flags);
};

/// Name and number of the task's pods, each with the domain in which they are found.
std::string host_of(const VolcanoPod& pod, const VolcanoTask& task, std::int64_t index) {
  const View spec = get(get(task.spec, "template"), "spec");
  const std::string_view hostname = string_at(spec, "hostname");
  const std::string_view subdomain = string_at(spec, "subdomain");
  std::string host(hostname);
  if (host.empty()) {
    host = std::string(name_of(pod.job)) + "-" + task.name + "-" + std::to_string(index);
  }
  return host + "." + std::string(subdomain.empty() ? name_of(pod.job) : subdomain);
}

bool fixed_host(const VolcanoTask& task) {
  return !string_at(get(get(task.spec, "template"), "spec"), "hostname").empty();
}

const VolcanoTask* task_named(const VolcanoPod& pod, std::string_view name) {
  for (const VolcanoTask& each : pod.tasks) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::string upper(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c == '-') c = '_';
    c = to_upper(c);
  }
  return text;
}

std::vector<NodeId> all_containers(PodBuilder& maker, const VolcanoPod& pod) {
  std::vector<NodeId> all = containers(maker, pod.draft.spec);
  for (NodeId each : init_containers(maker, pod.draft.spec)) all.push_back(each);
  return all;
}

void open_port(PodBuilder& maker, NodeId container, std::string_view name, std::int64_t number) {
  for (View each : items_at(maker.view(container), "ports")) {
    if (integer_at(each, "containerPort") == number) return;
  }
  append_to(maker, container, "ports", port(maker, name, number, maker.mark("port of the plugin")));
}

void run_env(PodBuilder& maker, const VolcanoPod& pod, const Flags&) {
  const std::string index = std::to_string(pod.index);
  for (NodeId container : all_containers(maker, pod)) {
    const OriginId mark = maker.mark("index in the task");
    append_env(maker, container, "VK_TASK_INDEX", index, mark);
    append_env(maker, container, "VC_TASK_INDEX", index, mark);
  }
}

void run_svc(PodBuilder& maker, const VolcanoPod& pod, const Flags&) {
  const NodeId spec = pod.draft.spec;
  if (string_at(maker.view(spec), "hostname").empty()) {
    maker.put(spec, "hostname", string_at(maker.view(pod.draft.metadata), "name"),
              maker.mark("name of the pod"));
  }
  if (string_at(maker.view(spec), "subdomain").empty()) {
    maker.put(spec, "subdomain", name_of(pod.job), maker.mark("service of the job"));
  }
  const std::string config = std::string(name_of(pod.job)) + "-svc";
  const OriginId mark = maker.mark("lists of all hosts");
  for (NodeId container : all_containers(maker, pod)) {
    for (const VolcanoTask& task : pod.tasks) {
      for (std::string_view end : {"_HOSTS", "_NUM"}) {
        const std::string name = "VC_" + upper(task.name) + std::string(end);
        const NodeId variable = maker.map(mark);
        maker.put(variable, "name", name, mark);
        const NodeId key =
            maker.map_at(maker.map_at(variable, "valueFrom", mark), "configMapKeyRef", mark);
        maker.put(key, "name", config, mark);
        maker.put(key, "key", name, mark);
        append_env(maker, container, variable);
      }
    }
    append_to(maker, container, "volumeMounts", mount(maker, config, "/etc/volcano", mark));
  }
  const NodeId volume = maker.map(mark);
  maker.put(volume, "name", config, mark);
  maker.put(maker.map_at(volume, "configMap", mark), "name", config, mark);
  append_to(maker, spec, "volumes", volume);
}

void run_ssh(PodBuilder& maker, const VolcanoPod& pod, const Flags& flags) {
  const std::string path = flags.text("ssh-key-file-path", "/root/.ssh");
  const std::string secret = std::string(name_of(pod.job)) + "-ssh";
  const OriginId mark = maker.mark("keys with which pods reach each other");
  const NodeId volume = maker.map(mark);
  maker.put(volume, "name", secret, mark);
  const NodeId source = maker.map_at(volume, "secret", mark);
  maker.put(source, "secretName", secret, mark);
  maker.put(source, "defaultMode", maker.number(path == "/root/.ssh" ? 0600 : 0644, mark));
  for (std::string_view file : {"id_rsa", "id_rsa.pub", "authorized_keys", "config"}) {
    append_to(maker, source, "items",
              key_to_path(maker, file, ".ssh/" + std::string(file), -1, mark));
  }
  append_to(maker, pod.draft.spec, "volumes", volume);
  for (NodeId container : all_containers(maker, pod)) {
    const NodeId made = mount(maker, secret, path, mark);
    maker.put(made, "subPath", ".ssh", mark);
    append_to(maker, container, "volumeMounts", made);
  }
}

void add_waiting_container(PodBuilder& maker, const VolcanoPod& pod, const Flags& flags,
                           const std::string& address, const std::string& port) {
  for (NodeId each : init_containers(maker, pod.draft.spec)) {
    if (string_at(maker.view(each), "name") == "wait-for-master") return;
  }
  const OriginId mark = maker.mark("waits for the master");
  const NodeId made = maker.map(mark);
  maker.put(made, "name", "wait-for-master", mark);
  maker.put(made, "image", flags.text("wait-master-image", "busybox:1.36.1"), mark);
  const std::string script =
      "echo \"Waiting for master node " + address + ":" + port +
      " to be ready...\"\nTIMEOUT=" + std::to_string(flags.number("wait-master-timeout", 300)) +
      "\nELAPSED=0\nuntil { nc -z " + address + " " + port + " || echo > /dev/tcp/" + address +
      "/" + port +
      "; } 2>/dev/null; do\n  if [ $ELAPSED -ge $TIMEOUT ]; then\n    echo \"Timeout waiting for "
      "master after ${TIMEOUT} seconds\"\n    exit 1\n  fi\n  echo \"Master not ready yet, "
      "retrying in 2 seconds... (elapsed: ${ELAPSED}s)\"\n  sleep 2\n  ELAPSED=$((ELAPSED + "
      "2))\ndone\necho \"Master node is ready!\"";
  for (const std::string& each : {std::string("sh"), std::string("-c"), script}) {
    append_to(maker, made, "command", maker.text(each, mark));
  }
  append_to(maker, pod.draft.spec, "initContainers", made);
}

void run_pytorch(PodBuilder& maker, const VolcanoPod& pod, const Flags& flags) {
  const std::string master = flags.text("master", "master");
  const std::string worker = flags.text("worker", "worker");
  const std::int64_t number = flags.number("port", 23456);
  const VolcanoTask* first = task_named(pod, master);
  if (first == nullptr) {
    pod.notes.push_back("plugin `pytorch` does nothing: there is no task `" + master + "`");
    return;
  }
  const std::string address = host_of(pod, *first, 0);
  std::int64_t total = 0;
  for (const VolcanoTask& each : pod.tasks) {
    if (each.name == master || each.name == worker) total += each.replicas;
  }
  const bool works = pod.task.name == worker;
  if (works && flags.is_on("wait-master-enabled")) {
    add_waiting_container(maker, pod, flags, address, std::to_string(number));
  }
  for (NodeId container : containers(maker, pod.draft.spec)) {
    const auto add = [&](std::string_view name, const std::string& value, std::string_view why) {
      append_env(maker, container, name, value, maker.mark(why));
    };
    open_port(maker, container, "pytorchjob-port", number);
    add("MASTER_ADDR", address, "first pod of the master");
    add("MASTER_PORT", std::to_string(number), "port of the plugin");
    add("WORLD_SIZE", std::to_string(total), "pods of master and workers, not processes");
    if (works) {
      add("RANK", std::to_string(pod.index + 1), "rank of this pod, not of a process");
    } else if (pod.task.name == master) {
      add("RANK", "0", "rank of this pod, not of a process");
    }
  }
}

std::string hosts_json(const VolcanoPod& pod, const VolcanoTask& task, const std::string& port) {
  std::string text;
  for (std::int64_t i = 0; i < task.replicas; ++i) {
    text += (i == 0 ? "\"" : ",\"") + host_of(pod, task, i) + ":" + port + "\"";
  }
  return "[" + text + "]";
}

void run_tensorflow(PodBuilder& maker, const VolcanoPod& pod, const Flags& flags) {
  if (pod.tasks.size() == 1 && pod.tasks[0].replicas == 1) return;
  const std::string port = std::to_string(flags.number("port", 2222));
  std::string type = pod.task.name;
  std::string cluster;
  for (std::string_view role : {"ps", "worker", "chief", "evaluator"}) {
    const std::string name = flags.text(role, role);
    if (pod.task.name == name) type = role;
    const VolcanoTask* task = task_named(pod, name);
    if (task == nullptr || task->replicas == 0) continue;
    cluster +=
        (cluster.empty() ? "\"" : ",\"") + std::string(role) + "\":" + hosts_json(pod, *task, port);
  }
  const std::string config = "{\"cluster\":{" + cluster + "},\"task\":{\"type\":\"" + type +
                             "\",\"index\":" + std::to_string(pod.index) + "}}";
  for (NodeId container : containers(maker, pod.draft.spec)) {
    append_env(maker, container, "TF_CONFIG", config,
               maker.mark("hosts of all tasks, and which one this is"));
  }
}

void run_mpi(PodBuilder& maker, const VolcanoPod& pod, const Flags& flags) {
  const bool is_master = pod.task.name == flags.text("master", "master");
  const VolcanoTask* workers = task_named(pod, flags.text("worker", "worker"));
  if (is_master && workers == nullptr) return;
  std::string hosts;
  for (std::int64_t i = 0; is_master && i < workers->replicas; ++i) {
    hosts += (i == 0 ? "" : ",") + host_of(pod, *workers, i);
    if (fixed_host(*workers)) break;
  }
  for (NodeId container : all_containers(maker, pod)) {
    open_port(maker, container, "mpijob-port", flags.number("port", 22));
    if (is_master) {
      append_env(maker, container, "MPI_HOST", hosts, maker.mark("hosts of the workers"));
    }
  }
}

constexpr Plugin kPlugins[] = {
    {"env", run_env}, {"mpi", run_mpi}, {"pytorch", run_pytorch},
    {"ssh", run_ssh}, {"svc", run_svc}, {"tensorflow", run_tensorflow},
};

}  // namespace

std::vector<VolcanoTask> volcano_tasks(View job) {
  std::vector<VolcanoTask> tasks;
  for (View each : items_at(get(job, "spec"), "tasks")) {
    std::string name(string_at(each, "name"));
    if (name.empty()) name = "default" + std::to_string(tasks.size());
    tasks.push_back({std::move(name), each, integer_at(each, "replicas").value_or(0)});
  }
  return tasks;
}

void run_volcano_plugins(PodBuilder& maker, const VolcanoPod& pod) {
  std::map<std::string, View, std::less<>> wanted;
  for (View each : entries_at(get(pod.job, "spec"), "plugins")) {
    wanted.emplace(std::string(each->key), each);
  }
  const auto has = [&](std::string_view name) { return wanted.contains(name); };
  if (has("tensorflow") || has("mpi") || has("pytorch") || has("ray")) wanted.try_emplace("svc");
  if (has("mpi")) wanted.try_emplace("ssh");
  for (const auto& [name, arguments] : wanted) {
    const auto* plugin = std::ranges::find(kPlugins, name, &Plugin::name);
    if (plugin == std::end(kPlugins)) {
      pod.notes.push_back("what plugin `" + name + "` does is not shown");
      continue;
    }
    maker.act_for(maker.tree.intern("volcano plugin " + name));
    plugin->run(maker, pod, Flags(arguments));
  }
  const bool several =
      std::ranges::count_if(wanted, [](const auto& each) { return each.first != "ssh"; }) > 1;
  if (several) {
    pod.notes.push_back(
        "plugins work in no fixed order: what different ones add may stand the other way round");
  }
}

}  // namespace trainyard
