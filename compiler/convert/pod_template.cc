#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "convert/job_metadata.h"
#include "convert/numbered_tasks.h"
#include "convert/pod_template_reader.h"
#include "convert/recognize_fabric.h"
#include "convert/role_values.h"
#include "diag/words.h"
#include "manifest/devices.h"
#include "source/text_parts.h"
#include "spec/port_probe.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Reads what the pods are but not what they do: names, accounts, lifetimes.
class IdentityReader {
 public:
  explicit IdentityReader(PodParts& parts) : parts_(parts), job_(parts.job) {}

  void read() {
    image();
    account();
    pull_secrets();
    network();
    lifetime();
  }

 private:
  void image() {
    if (!get(parts_.main, "image") && string_at(job_.job, "kind") != "TrainJob") no_image();
    job_.carry(parts_.fields(), "image", get(parts_.main, "image"));
    job_.carry(parts_.fields(), "imagePullPolicy", get(parts_.main, "imagePullPolicy"));
    job_.ledger.derived(get(parts_.main, "name"));
  }

  void no_image() {
    const View name = get(parts_.main, "name");
    job_.sink
        ->report(DiagnosticKind::MissingField, (name ? name : job_.job)->span,
                 "the container " + shown(string_of(name)) + " has no image")
        .note("complete it first, as `kubectl kustomize` does for a base, and convert the result");
  }

  /// A field of the pod that a spec has once for all roles.
  void say(std::vector<std::string_view> field, std::string_view of_pod, View value) {
    say_of_role(job_, parts_.fields(), std::move(field), job_.maker.copy(value), value,
                [this_job = &job_, of_pod, value](NodeId fields) {
                  this_job->carry(own_spec_of(*this_job, fields), of_pod, value);
                });
  }

  void account() {
    View name = get(parts_.spec, "serviceAccountName");
    const View old = get(parts_.spec, "serviceAccount");
    if (!name) name = old;
    job_.ledger.derived(old);
    const View token = get(parts_.spec, "automountServiceAccountToken");
    if (name && name->text != "default") {
      say({"serviceAccount"}, "serviceAccountName", name);
    } else {
      job_.ledger.derived(name);
      if (is_false(token)) job_.ledger.derived(token);
    }
    if (is_false(get(parts_.spec, "enableServiceLinks"))) {
      job_.ledger.derived(get(parts_.spec, "enableServiceLinks"));
    }
  }

  void pull_secrets() {
    const View secrets = get(parts_.spec, "imagePullSecrets");
    const NodeId kept = job_.list();
    for (View each : Items(secrets)) {
      if (can_be_secret(string_at(each, "name"))) {
        job_.maker.tree.append(kept, job_.maker.copy(each));
      } else {
        job_.ledger.lost(each, "no Secret can have this name, and the kubelet ignores it",
                         "name the Secret of the registry in `imagePullSecrets`, if it needs one");
      }
    }
    if (job_.maker.tree[kept].size == 0) return;
    say_of_role(job_, parts_.fields(), {"imagePullSecrets"}, kept, secrets,
                [this_job = &job_, kept](NodeId fields) {
                  this_job->maker.put(own_spec_of(*this_job, fields), "imagePullSecrets", kept);
                });
  }

  /// The API server checks the names of Secrets, not those in references to them.
  static bool can_be_secret(std::string_view name) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    return !name.empty() && name.find_first_not_of(kAllowed) == name.npos;
  }

  void network() {
    const View host = get(parts_.spec, "hostNetwork");
    const View dns = get(parts_.spec, "dnsPolicy");
    if (is_true(host)) {
      const bool usual = dns && dns->text == "ClusterFirstWithHostNet";
      say_of_role(job_, parts_.fields(), {"network", "hostNetwork"}, job_.maker.copy(host), host,
                  [this_job = &job_, host, dns, usual](NodeId fields) {
                    const NodeId spec = own_spec_of(*this_job, fields);
                    this_job->carry(spec, "hostNetwork", host);
                    if (usual) this_job->carry(spec, "dnsPolicy", dns);
                  });
      if (usual) job_.ledger.derived(dns);
    } else {
      job_.ledger.derived(host);
      if (dns && dns->text == "ClusterFirst") job_.ledger.derived(dns);
    }
    const View list = get(parts_.main, "ports");
    if (has_items(list) && !(job_.has_programs && exposes(list))) ports(list);
  }

  /// Whether a probe runs the command that a build writes for this port.
  static bool asks_first_pod(View exec, View number) {
    const auto port = integer_of(number);
    if (!exec || exec->size != 1 || !port) return false;
    std::vector<std::string_view> words;
    for (View each : items_at(exec, "command")) words.push_back(string_of(each));
    return words.size() == 3 && words[0] == "sh" && words[1] == "-c" &&
           words[2] == first_pod_listens(*port);
  }

  /// Takes the ports as those that a program exposes, if its probe is the one that a build gives
  /// it.
  bool exposes(View list) {
    std::map<std::string_view, View> by_name;
    for (View each : Items(list)) {
      const std::string_view protocol = string_at(each, "protocol");
      const std::size_t known = protocol.empty() ? 2 : 3;
      if (!get(each, "name") || !get(each, "containerPort") || each->size != known) return false;
      if (!protocol.empty() && protocol != "TCP") return false;
      by_name.emplace(string_at(each, "name"), get(each, "containerPort"));
    }
    const View probe = get(parts_.main, "readinessProbe");
    const View socket = get(probe, "tcpSocket");
    const View port = get(socket, "port");
    const auto& [name, number] = *by_name.begin();
    const bool asks_first = port && (port->text == name || port->text == number->text);
    const bool by_socket = asks_first && socket->size == 1;
    if (!(by_socket || asks_first_pod(get(probe, "exec"), number)) || probe->size != 1)
      return false;
    const NodeId exposed = job_.map_at(parts_.fields(), "expose");
    for (const auto& each : by_name) job_.carry(exposed, each.first, each.second);
    job_.ledger.carried(list);
    job_.ledger.derived(probe);
    return true;
  }

  /// Without those that a controller asks for or adds.
  void ports(View list) {
    const NodeId kept = job_.list();
    for (View each : Items(list)) {
      const std::string_view name = string_at(each, "name");
      const auto number = integer_at(each, "containerPort");
      const bool of_kind = !job_.container.empty() && number == job_.port;
      const bool of_paddle = job_.framework == "paddle" && name == "master" && !job_.ours;
      // Ranks meet at no port below 1024; sshd listens there, whatever the port is called.
      const bool of_job = name.ends_with("job-port") && number.value_or(0) >= 1024;
      if (of_job || of_kind || of_paddle) {
        if (number && *number != job_.port) {
          const NodeId run = job_.map_at(parts_.fields(), "run");
          job_.maker.put(job_.map_at(run, "rendezvous"), "port", job_.number(*number));
        }
        for (std::string_view key : {"name", "containerPort", "protocol"}) {
          job_.ledger.derived(get(each, key));
        }
      } else {
        job_.maker.tree.append(kept, job_.maker.copy(each));
      }
    }
    if (job_.maker.tree[kept].size == 0) return;
    say_of_role(job_, parts_.fields(), {"network", "ports"}, kept, list,
                [this_job = &job_, kept](NodeId fields) {
                  this_job->maker.put(own_container_of(*this_job, fields), "ports", kept);
                });
  }

  void lifetime() {
    const View grace = get(parts_.spec, "terminationGracePeriodSeconds");
    const auto seconds = integer_of(grace);
    if (!seconds) return;
    say_of_role(
        job_, parts_.fields(), {"lifecycle", "gracePeriod"}, job_.text(duration_text(*seconds)),
        grace, [this_job = &job_, grace](NodeId fields) {
          this_job->carry(own_spec_of(*this_job, fields), "terminationGracePeriodSeconds", grace);
        });
  }

  PodParts& parts_;
  Conversion& job_;
};

/// What no reader has taken goes into `pod`, where a pod template has such a field.
class RestReader {
 public:
  explicit RestReader(PodParts& parts) : parts_(parts), job_(parts.job) {
    const SchemaKind* kind = job_.schemas.find_definition("", "v1", "PodTemplateSpec");
    if (kind != nullptr) template_ = kind->schema;
  }

  void read() {
    metadata();
    for (View each : Items(parts_.spec)) {
      if (is_one_of(each->key, {"containers", "volumes", "securityContext", "restartPolicy"}))
        continue;
      keep(each, SpecOf::Pod);
    }
    for (View each : Items(get(parts_.spec, "securityContext"))) {
      keep_context(each, is_open(each) ? parts_.own_spec() : kNoNode);
    }
    restart_policy();
    for (View each : Items(parts_.main)) {
      if (is_one_of(each->key, {"env", "volumeMounts", "securityContext", "resources"})) continue;
      keep(each, SpecOf::Container);
    }
    for (View each : Items(get(parts_.main, "securityContext"))) {
      keep_context(each, is_open(each) ? parts_.own_container() : kNoNode);
    }
    // A map without entries is a field that is not set.
    for (View holder : {parts_.main, parts_.spec}) {
      for (std::string_view key : {"resources", "securityContext", "affinity", "nodeSelector"}) {
        const View value = get(holder, key);
        if (value && value->first == kNoNode) job_.ledger.derived(value);
      }
    }
    for (View each : Items(get(parts_.main, "resources"))) {
      if (each->key != "claims" || !is_open(each)) continue;
      job_.carry(job_.map_at(parts_.own_container(), "resources"), "claims", each);
    }
    sidecars();
  }

 private:
  enum class SpecOf { Pod, Container };

  bool is_open(View value) const { return is_untouched(job_.ledger, value); }

  static bool is_untouched(const Ledger& ledger, View value) {
    if (value->first == kNoNode) return ledger.fate(value) == Fate::Open;
    for (View each : Items(value)) {
      if (!is_untouched(ledger, each)) return false;
    }
    return true;
  }

  SchemaId below(SchemaId schema, std::string_view key) const {
    return job_.schemas.property(job_.schemas[schema], key).value_or(kAnySchema);
  }

  /// Unknown fields are left for the report: no build would let them through.
  bool is_known(std::string_view key, SpecOf where) const {
    SchemaId schema = below(template_, "spec");
    if (where == SpecOf::Container) schema = job_.schemas[below(schema, "containers")].items;
    return schema != kNoLimit && job_.schemas.property(job_.schemas[schema], key).has_value();
  }

  void keep(View value, SpecOf where) {
    if (value->kind == Kind::Null || !is_open(value) || !is_known(value->key, where)) return;
    const bool is_empty = !value.is_scalar() && value->size == 0;
    if (is_empty || is_server_default(value)) return job_.ledger.derived(value);
    const NodeId map = where == SpecOf::Pod ? parts_.own_spec() : parts_.own_container();
    const std::string_view key = value->key;
    const NodeId copy = job_.maker.copy(value);
    if (key == "initContainers") {
      auto made = Items(job_.maker.view(copy)).begin();
      for (View each : Items(value)) withhold_credentials(each, (*made++).id());
    }
    job_.maker.put(map, key, copy);
    job_.ledger.carried(value);
  }

  /// A Secret takes the place of each value that looks like a credential, in the copy of a
  /// container beside the one that trains.
  void withhold_credentials(View container, NodeId copy) {
    const View variables = get(job_.maker.view(copy), "env");
    std::vector<NodeId> made;
    for (View each : Items(variables)) made.push_back(each.id());
    std::size_t index = 0;
    for (View each : items_at(container, "env")) {
      const NodeId variable = made.at(index++);
      const View value = get(each, "value");
      const std::string_view name = string_at(each, "name");
      if (!value || !looks_like_credential(name, value->text)) continue;
      job_.ledger.withheld(value, "put it into a Secret, and name that where `" +
                                      std::string(kSecretToName) + "` stands");
      PodBuilder& maker = job_.maker;
      maker.tree.remove(variable, maker.tree.find(variable, "value"));
      const NodeId from = job_.map_at(variable, "valueFrom");
      const NodeId key = job_.map_at(from, "secretKeyRef");
      maker.put(key, "name", job_.text(kSecretToName));
      maker.put(key, "key", job_.text(name));
    }
  }

  /// The defaults that the server writes.
  bool is_server_default(View value) const {
    // A build leaves out what is false; where it stands there, `pod` says it.
    if (job_.ours && value->text == "false") return false;
    struct Default {
      std::string_view key;
      std::string_view text;
    };
    constexpr Default kDefaults[] = {{"terminationMessagePath", "/dev/termination-log"},
                                     {"terminationMessagePolicy", "File"},
                                     {"schedulerName", "default-scheduler"},
                                     {"hostPID", "false"},
                                     {"hostIPC", "false"},
                                     {"stdin", "false"},
                                     {"tty", "false"}};
    return std::ranges::any_of(kDefaults, [&](const Default& each) {
      return each.key == value->key && each.text == value->text;
    });
  }

  void keep_context(View value, NodeId owner) {
    if (owner == kNoNode || value->kind == Kind::Null || !is_open(value)) return;
    job_.carry(job_.map_at(owner, "securityContext"), value);
  }

  void restart_policy() {
    const View policy = get(parts_.spec, "restartPolicy");
    if (!policy) return;
    if (policy->text == "Never" || !is_open(policy)) return job_.ledger.derived(policy);
    job_.ledger.lost(policy,
                     "a pod that failed is replaced and its containers are not started again",
                     "`lifecycle.retries` says how often the job starts again");
  }

  /// Whether pods prefer the nodes of others by this label of theirs: a build keeps such a wish as
  /// it is written.
  static bool is_preferred_by(View node, View label) {
    if (node->is_scalar()) return false;
    if (node->key == "preferredDuringSchedulingIgnoredDuringExecution") {
      return std::ranges::any_of(Items(node), [&](View term) {
        const View selector = get(get(term, "podAffinityTerm"), "labelSelector");
        const Items wanted = items_at(selector, "matchExpressions");
        return std::ranges::any_of(wanted,
                                   [&](View each) { return string_at(each, "key") == label->key; });
      });
    }
    return std::ranges::any_of(Items(node),
                               [&](View each) { return is_preferred_by(each, label); });
  }

  bool is_made_again(View label) const {
    if (is_label_of_build(label->key)) return true;
    if (!is_own_label(job_, label)) return false;
    return label->key != "trainyard/role" || std::ranges::none_of(job_.objects, [&](View object) {
             return is_preferred_by(object, label);
           });
  }

  void metadata() {
    for (View each : entries_at(parts_.metadata, "labels")) {
      const auto known = job_.labels.find(each->key);
      const bool of_job = known != job_.labels.end() && known->second == each->text;
      if (of_job || each->key == kTaskNumberLabel || is_made_again(each) ||
          is_label_of_controller(each->key)) {
        job_.ledger.derived(each);
      } else if (is_open(each)) {
        job_.carry(job_.map_at(parts_.own_metadata(), "labels"), each);
      }
    }
    for (View each : entries_at(parts_.metadata, "annotations")) {
      if (is_annotation_of_tool(each->key)) {
        job_.ledger.derived(each);
      } else if (is_open(each)) {
        carry_annotation(job_, parts_.own_metadata(), each);
      }
    }
    settle_set_by_server(job_, parts_.metadata);
    // Controllers make pods in the namespace of their object, by names of their own.
    for (std::string_view key : {"namespace", "name"}) {
      job_.ledger.derived(get(parts_.metadata, key));
    }
  }

  void sidecars() {
    for (View each : items_at(parts_.spec, "containers")) {
      if (each.id() == parts_.main.id()) continue;
      const NodeId list = job_.list_at(parts_.own_spec(), "containers");
      const NodeId copy = job_.maker.copy(each);
      withhold_credentials(each, copy);
      job_.maker.tree.append(list, copy);
      job_.ledger.carried(each);
    }
  }

  PodParts& parts_;
  Conversion& job_;
  SchemaId template_ = kAnySchema;
};

/// What is known of launcher and processes once command and variables have been read.
void settle_launch(PodParts& parts) {
  Conversion& job = parts.job;
  ConvertedRole& role = parts.role;
  const bool told = role.processes != 0 || job.injects("PET_NPROC_PER_NODE");
  if (role.one_process_unless_told && !told) role.processes = 1;
  const std::int64_t usual = std::max<std::int64_t>(role.gpus, 1);
  if (role.processes != 0 && role.processes != usual) {
    job.maker.put(role.fields, "processesPerNode", job.number(role.processes));
  }
  if (role.program != ProgramKind::Script) return;
  const bool torch = job.framework == "pytorch" || job.framework == "nemo";
  const std::string_view by_framework = torch                    ? "torchrun"
                                        : job.framework == "mpi" ? "mpirun"
                                                                 : "none";
  if (role.launcher != by_framework) {
    job.maker.put(job.map_at(role.fields, "run"), "launcher", job.text(role.launcher));
  }
}

}  // namespace

NodeId own_spec_of(Conversion& job, NodeId fields) {
  return job.map_at(job.map_at(fields, "pod"), "spec");
}

NodeId PodParts::own_spec() const {
  return own_spec_of(job, role.fields);
}

NodeId PodParts::own_metadata() const {
  return job.map_at(job.map_at(role.fields, "pod"), "metadata");
}

NodeId PodParts::own_container() const {
  return own_container_of(job, role.fields);
}

NodeId own_container_of(Conversion& job, NodeId fields) {
  const NodeId containers = job.list_at(own_spec_of(job, fields), "containers");
  for (NodeId each : job.maker.tree.children(containers)) {
    if (string_at(job.maker.view(each), "name") == kMainContainer) return each;
  }
  const NodeId added = job.map();
  job.maker.put(added, "name", job.text(kMainContainer));
  job.maker.tree.append(containers, added);
  return added;
}

View training_container(View pod_spec, std::string_view wanted) {
  View first;
  View with_gpus;
  for (View each : items_at(pod_spec, "containers")) {
    const std::string_view name = string_at(each, "name");
    if (!wanted.empty() && name == wanted) return each;
    if (!first) first = each;
    if (!with_gpus && devices_of(get(each, "resources")).all() > 0) with_gpus = each;
  }
  for (View each : items_at(pod_spec, "containers")) {
    if (string_at(each, "name") == kMainContainer) return each;
  }
  return with_gpus ? with_gpus : first;
}

void read_identity(PodParts& parts) {
  IdentityReader(parts).read();
}

void read_rest_of_pod(PodParts& parts) {
  RestReader(parts).read();
}

void read_pod_template(Conversion& job, ConvertedRole& role, View pod_template) {
  if (role.fields == kNoNode) role.fields = job.map();
  job.read_roles.push_back(role.fields);
  const View whole = get(pod_template, "spec");
  pod_template = take_out_fabric(job, role, pod_template);
  const View spec = get(pod_template, "spec");
  PodParts parts{
      job,  role, get(pod_template, "metadata"), spec, training_container(spec, job.container),
      whole};
  if (!parts.main) {
    job.ledger.lost(pod_template ? pod_template : job.job, "it has no container that trains",
                    "name the image in the spec");
    return;
  }
  read_identity(parts);
  read_resources(parts);
  read_command(parts);
  read_environment(parts);
  settle_launch(parts);
  read_mounts(parts);
  read_pod_scheduling(parts);
  read_placement(parts);
  read_security(parts);
  read_rest_of_pod(parts);
}

}  // namespace trainyard
