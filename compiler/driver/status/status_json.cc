#include "driver/status/status_json.h"

#include "diag/secrets.h"
#include "tree/json.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Makes the tree of a job. Texts of others lose their secrets on the way.
class JobJson {
 public:
  std::string run(const JobStatus& status, const Finding* finding) {
    const NodeId job = tree_.add_map();
    const View metadata = get(status.job, "metadata");
    put(job, "kind", status.kind->kind);
    put(job, "group", status.kind->group);
    put(job, "namespace", string_at(metadata, "namespace"));
    put(job, "name", string_at(metadata, "name"));
    put(job, "created", string_at(metadata, "creationTimestamp"));
    put(job, "phase", name_of(status.state.phase));
    put(job, "since", status.since);
    put(job, "decidedBy", status.state.decided_by);
    put(job, "reason", status.state.reason);
    put(job, "message", status.state.message);
    const NodeId notes = list(job, "notes");
    for (const std::string& each : status.state.notes) tree_.append(notes, text(each));
    const NodeId queues = list(job, "queues");
    for (const QueueStatus& each : status.queues) tree_.append(queues, queue(each));
    const NodeId counts = tree_.add_map();
    put(counts, "wanted", static_cast<std::int64_t>(status.wanted));
    put(counts, "running", static_cast<std::int64_t>(status.running));
    put(counts, "succeeded", static_cast<std::int64_t>(status.succeeded));
    put(counts, "failed", static_cast<std::int64_t>(status.failed));
    put(counts, "restarts", status.restarts);
    tree_.append(job, "pods", counts);
    roles(job, status);
    const NodeId events = list(job, "events");
    for (const EventStatus& each : status.events) tree_.append(events, event(each));
    tree_.append(job, "finding",
                 finding == nullptr ? tree_.add(Kind::Null, "null") : first(*finding));
    std::string out;
    write_json(tree_, job, out, 0);
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }

 private:
  NodeId text(std::string_view value) {
    return tree_.add_string(tree_.intern(without_secrets(value)));
  }
  void put(NodeId map, std::string_view key, std::string_view value) {
    tree_.append(map, key, text(value));
  }
  void put(NodeId map, std::string_view key, std::int64_t value) {
    tree_.append(map, key, tree_.add_int(value));
  }
  void put(NodeId map, std::string_view key, std::optional<std::int64_t> value) {
    tree_.append(map, key, value ? tree_.add_int(*value) : tree_.add(Kind::Null, "null"));
  }
  NodeId list(NodeId map, std::string_view key) {
    const NodeId made = tree_.add_seq();
    tree_.append(map, key, made);
    return made;
  }

  NodeId queue(const QueueStatus& from) {
    const NodeId to = tree_.add_map();
    put(to, "kind", string_at(from.object, "kind"));
    put(to, "object", string_at(get(from.object, "metadata"), "name"));
    put(to, "name", from.name);
    put(to, "clusterQueue", from.cluster_queue);
    put(to, "phase", name_of(from.state.phase));
    put(to, "admitted", from.admitted);
    put(to, "position", from.position);
    put(to, "message", from.message);
    const NodeId flavors = list(to, "flavors");
    for (std::string_view each : from.flavors) tree_.append(flavors, text(each));
    return to;
  }

  /// The pods lie in the order of their roles.
  void roles(NodeId job, const JobStatus& status) {
    const NodeId roles = list(job, "roles");
    NodeId pods = kNoNode;
    std::string_view name;
    for (const PodStatus& each : status.pods) {
      if (pods == kNoNode || each.rank.role != name) {
        const NodeId role = tree_.add_map();
        tree_.append(roles, role);
        name = each.rank.role;
        put(role, "name", name);
        pods = list(role, "pods");
      }
      tree_.append(pods, pod(each));
    }
  }

  NodeId pod(const PodStatus& from) {
    const NodeId to = tree_.add_map();
    put(to, "name", from.name);
    put(to, "rank", from.rank.index);
    put(to, "node", from.node);
    put(to, "state", from.state);
    put(to, "phase", string_at(get(from.pod, "status"), "phase"));
    put(to, "restarts", from.restarts);
    put(to, "since", from.since);
    const NodeId containers = list(to, "containers");
    for (const ContainerStatus& each : from.containers) {
      const NodeId container = tree_.add_map();
      put(container, "name", each.name);
      tree_.append(container, "init", tree_.add_bool(each.is_init));
      put(container, "state", each.state);
      put(container, "reason", each.reason);
      put(container, "message", each.message);
      put(container, "exitCode", each.exit_code);
      put(container, "restarts", each.restarts);
      put(container, "since", each.since);
      tree_.append(containers, container);
    }
    return to;
  }

  NodeId event(const EventStatus& from) {
    const NodeId to = tree_.add_map();
    put(to, "type", from.type);
    put(to, "reason", from.reason);
    put(to, "message", from.message);
    put(to, "time", from.time);
    put(to, "object", from.about);
    put(to, "objects", static_cast<std::int64_t>(from.objects));
    put(to, "count", from.count);
    return to;
  }

  NodeId first(const Finding& finding) {
    const NodeId to = tree_.add_map();
    put(to, "id", finding.rule->id);
    put(to, "class", finding.rule->cause);
    put(to, "certainty", name_of(finding.rule->certainty));
    put(to, "message", finding.text);
    return to;
  }

  Tree tree_;
};

}  // namespace

std::string json_of(const JobStatus& status, const Finding* finding) {
  return JobJson().run(status, finding);
}

}  // namespace trainyard
