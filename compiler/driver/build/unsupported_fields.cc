#include "driver/build/unsupported_fields.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace trainyard {
namespace {

using Words = std::initializer_list<std::string_view>;

class Wishes {
 public:
  Wishes(const Plan& plan, const TargetPack& pack, Sink& sink)
      : plan_(plan), pack_(pack), sink_(sink) {}

  void check(const JobSpec& spec) {
    lifecycle(*spec.lifecycle);
    if (spec.elastic) wants(spec.elastic.span, "elastic", {"elastic.minNodes"});
    if (spec.runtime) wants(spec.runtime.span, "runtime", {"job.runtime"});
    if (spec.ray) wants(spec.ray.span, "ray", {"ray.redisAddress"});
    if (spec.runai) wants(spec.runai.span, "runai", {"runai.usage", "runai."});
    if (spec.files->items) wants(spec.files.span, "files", {"job.configMaps"});
    if (spec.network->isolate.value_or(false)) {
      wants(spec.network->isolate.span, "network.isolate", {"isolation.name"});
    }
    for (const auto& entry : *spec.storage) {
      const auto& create = entry.value->create;
      if (create) wants(create.span, "storage.*.create", {"job.claims", "workspace.claim"});
    }
    if (!plan_.gang.groups.empty()) {
      wants(spec.scheduling.span, "scheduling", {"group.name"});
    }
    mpirun(spec);
    for (const auto& entry : *spec.roles) role(entry.key, entry.key_span);
  }

 private:
  void lifecycle(const Lifecycle& wanted) {
    if (wanted.deadline) {
      wants(wanted.deadline.span, "lifecycle.deadline", {"lifecycle.deadline", "role.deadline"});
    }
    if (wanted.ttl) wants(wanted.ttl.span, "lifecycle.ttl", {"lifecycle.ttl", "role.ttl"});
    if (wanted.suspend.value_or(false)) {
      wants(wanted.suspend.span, "lifecycle.suspend", {"lifecycle.suspend"});
    }
    if (wanted.retries.value_or(0) > 0) {
      wants(wanted.retries.span, "lifecycle.retries",
            {"lifecycle.retries", "lifecycle.restarts", "lifecycle.restartLimit",
             "lifecycle.starts"});
    }
    if (wanted.pod_failure_policy) {
      wants(wanted.pod_failure_policy.span, "lifecycle.podFailurePolicy",
            {"lifecycle.failurePolicy", "role.failurePolicy"});
    }
  }

  /// The rules know how mpirun gets its hosts if the target says so, and only then.
  void mpirun(const JobSpec& spec) {
    if (plan_.mpirun.slots.is_set) return;
    const auto& launcher = spec.run->launcher;
    const bool by_launcher = launcher && *launcher == Launcher::Mpirun;
    const bool by_framework = spec.framework && *spec.framework == Framework::Mpi;
    if (!by_launcher && !by_framework) return;
    sink_
        .report(DiagnosticKind::NotExpressible, by_launcher ? launcher.span : spec.framework.span,
                "target `" + std::string(pack_.facts.name) +
                    "` does not say how mpirun finds the nodes")
        .note("`mpirun` in its target.yaml names the host file and the place of the keys");
  }

  void role(std::string_view name, Span place) {
    const auto known = std::ranges::find(plan_.roles, name, &Role::name);
    if (known == plan_.roles.end()) return;
    if (names("job.roles") || names_role(name)) return;
    report(place, "roles." + std::string(name), "has a part for this role (`$role`)");
  }

  void wants(Span place, const std::string& field, Words any_of) {
    if (std::ranges::any_of(any_of, [&](std::string_view word) { return names(word); })) return;
    report(place, field, "names `" + std::string(*any_of.begin()) + "`");
  }

  void report(Span place, const std::string& field, const std::string& lacking) {
    sink_
        .report(
            DiagnosticKind::NotExpressible, place,
            "target `" + std::string(pack_.facts.name) + "` writes nothing of `spec." + field + "`")
        .note("none of its templates " + lacking)
        .note("write it there, or say under `cannot` in its target.yaml why it has no place");
  }

  template <class Test>
  bool any_node(Test test) const {
    return std::ranges::any_of(pack_.documents, [&](const DocumentTemplate& document) {
      const Tree& tree = document.form->tree();
      for (NodeId id = 0; id < tree.size(); ++id) {
        if (test(tree[id])) return true;
      }
      return false;
    });
  }

  bool names(std::string_view field) const {
    return any_node([&](const Node& node) { return node.text.find(field) != node.text.npos; });
  }
  bool names_role(std::string_view name) const {
    return any_node([&](const Node& node) { return node.key == "$role" && node.text == name; });
  }

  const Plan& plan_;
  const TargetPack& pack_;
  Sink& sink_;
};

}  // namespace

void report_unsupported_fields(const TrainingJob& job, const Plan& plan, const TargetPack& pack,
                               Sink& sink) {
  if (pack.facts.serves) return;  // of the training it makes nothing
  Wishes(plan, pack, sink).check(*job.spec);
}

}  // namespace trainyard
