#include <algorithm>
#include <string>
#include <vector>

#include "diag/suggest.h"
#include "rules/mounts.h"
#include "rules/paths.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Finds the claim on which all data of the job is.
class Workspace {
 public:
  explicit Workspace(RuleContext& context)
      : context_(context), plan_(context.plan), role_(context.plan.roles.front()) {}

  void build() {
    check_output();
    const VolumeMount* found = the_mount();
    if (found == nullptr) return;
    const VolumeMount mount = *found;
    const Mount* entry = entry_of(mount.volume);
    if (entry == nullptr) return;
    take(*entry, mount);
    place(plan_.inputs, mount);
    place(plan_.outputs, mount);
    leave_to_system(mount, *entry->value);
  }

 private:
  using Mount = Entry<StorageMount>;

  std::string target() const { return "target " + code(context_.in.target->name); }

  /// One entity goes out of such a job.
  void check_output() {
    const auto& outputs = context_.spec.data->outputs;
    if (outputs->size() == 1) return;
    context_
        .report(DiagnosticKind::MissingChoice,
                outputs->empty() ? context_.in.job->spec.span : outputs->at(1).span,
                target() + " stores one output, and the job has " +
                    (outputs->empty() ? "none" : std::to_string(outputs->size())))
        .note("`data.outputs` says where the trained model goes, and by which handler");
  }

  /// That on which all data is; null after a report.
  const VolumeMount* the_mount() {
    const VolumeMount* found = nullptr;
    bool sound = true;
    const auto look = [&](const std::vector<DataPlan>& list) {
      for (const DataPlan& item : list) {
        sound = check(item) && sound;
        const VolumeMount* mount = mount_of(role_, plain_path(*item.path));
        if (mount == nullptr) {
          sound = false;
          no_claim(item);
        } else if (found != nullptr && mount != found) {
          sound = false;
          another_mount(item, *found);
        } else {
          found = mount;
        }
      }
    };
    look(plan_.inputs);
    look(plan_.outputs);
    return sound ? found : nullptr;
  }

  void no_claim(const DataPlan& item) {
    context_
        .report(DiagnosticKind::NotExpressible, context_.place(item.path.origin),
                code(*item.path) + " is on no claim")
        .note(target() + " has its data on a claim: mount one there in `storage`");
  }

  void another_mount(const DataPlan& item, const VolumeMount& found) {
    context_
        .report(DiagnosticKind::NotExpressible, context_.place(item.path.origin),
                target() + " cannot express data on several mounts")
        .also(context_.place(found.origin), "the mount of the data before")
        .note("all inputs and the output are on one claim");
  }

  /// Each is moved by a handler that has to know what it moves.
  bool check(const DataPlan& item) {
    const Span where = context_.place(item.uri.origin);
    if (!item.handler) {
      context_.report(DiagnosticKind::MissingChoice, where, code(*item.uri) + " has no `handler`")
          .note(target() + " moves data by a NemoEntityHandler, which must be there");
    }
    check_is_there(item.handler);
    if (!item.kind) {
      context_
          .report(DiagnosticKind::MissingChoice, where,
                  "nothing says what " + code(*item.uri) + " is")
          .note("write `kind: dataset` or `kind: model`");
    }
    return item.handler.is_set && item.kind.is_set;
  }

  /// Where the Cluster lists handlers, there are no others.
  void check_is_there(const Field<std::string_view>& handler) {
    if (!handler || context_.in.cluster == nullptr) return;
    std::vector<std::string_view> known;
    for (const auto& each : *context_.in.cluster->spec->nemo->handlers) {
      const Text& ns = each->ns ? each->ns : context_.in.cluster->spec->defaults->ns;
      if (!ns || !plan_.ns || *ns == *plan_.ns) known.push_back(*each->name);
    }
    if (known.empty() || std::ranges::find(known, *handler) != known.end()) return;
    Diagnostic& report = context_.report(
        DiagnosticKind::UnknownReference, context_.place(handler.origin),
        "the Cluster has no handler " + code(*handler) + " for the job's namespace");
    if (const auto near = suggest(*handler, known)) {
      report.fix(context_.place(handler.origin), std::string(*near),
                 "did you mean " + code(*near) + "?");
    }
  }

  const Mount* entry_of(std::string_view volume) {
    const auto& storage = *context_.of(context_.roles.front(), &RoleFields::storage);
    const auto found = std::ranges::find(storage, volume, &Mount::key);
    const bool claim = found != storage.end() && (found->value->claim || found->value->create);
    if (claim && found->value->sub_path) return part_of(*found);
    if (claim) return &*found;
    context_.report(DiagnosticKind::NotExpressible,
                    found == storage.end() ? context_.in.job->spec.span : found->key_span,
                    target() + " has its data on a claim, and " + code(volume) + " is none");
    return nullptr;
  }

  const Mount* part_of(const Mount& entry) {
    context_.report(
        DiagnosticKind::NotExpressible, entry.value->sub_path.span,
        target() + " mounts a claim with data as a whole, not its " + code(*entry.value->sub_path));
    return nullptr;
  }

  void take(const Mount& entry, const VolumeMount& mount) {
    WorkspacePlan& to = plan_.workspace;
    const OriginId origin = context_.because({mount.origin});
    for (const Volume& volume : role_.volumes) {
      if (volume.name != mount.volume) continue;
      const View claim = View(context_.tree(), volume.fragment)["persistentVolumeClaim"];
      context_.set(to.claim, claim["claimName"].text(), claim["claimName"]->origin);
    }
    context_.set(to.path, mount.path, origin);
    if (!plan_.inputs.empty()) {
      context_.set(to.filled, true, context_.because({plan_.inputs.front().uri.origin}));
    }
    if (!entry.value->create || entry.value->create->keep.value_or(true)) return;
    context_.set(to.made, true, context_.from(entry.value->create->keep));
    for (const ClaimPlan& claim : plan_.claims) {
      if (claim.name != *to.claim) continue;
      const View spec(context_.tree(), *claim.spec);
      const auto set = [&](Field<std::string_view>& field, View value) {
        if (value) context_.set(field, value.text(), value->origin);
      };
      set(to.size, spec["resources"]["requests"]["storage"]);
      set(to.storage_class, spec["storageClassName"]);
      const View modes = spec["accessModes"];
      for (NodeId mode : context_.tree().children(modes.id())) {
        set(to.access_mode, View(context_.tree(), mode));
        break;
      }
    }
  }

  void place(std::vector<DataPlan>& list, const VolumeMount& mount) {
    const std::string directory = plain_path(mount.path);
    for (DataPlan& item : list) {
      const std::string path = plain_path(*item.path);
      const std::size_t from = directory == "/" ? 1 : directory.size() + 1;
      const std::string below = path.size() > from ? path.substr(from) : ".";
      context_.set(item.below, context_.text(below), context_.because({item.path.origin}));
    }
  }

  /// The system mounts it into the pods, and makes the claim that is not kept.
  void leave_to_system(const VolumeMount& mount, const StorageMount& wanted) {
    const std::string_view volume = mount.volume;
    for (Role& role : plan_.roles) {
      std::erase_if(role.mounts, [&](const VolumeMount& each) { return each.volume == volume; });
      std::erase_if(role.volumes, [&](const Volume& each) { return each.name == volume; });
    }
    if (wanted.read_only.value_or(false)) {
      context_.report(DiagnosticKind::NotExpressible, wanted.read_only.span,
                      target() + " cannot express a claim with data that is read-only");
    }
    if (!plan_.workspace.made) return;
    std::erase_if(plan_.claims,
                  [&](const ClaimPlan& each) { return each.name == *plan_.workspace.claim; });
  }

  RuleContext& context_;
  Plan& plan_;
  Role& role_;
};

void run(RuleContext& context) {
  if (context.in.target->workspace) Workspace(context).build();
}

}  // namespace

extern const Rule workspace_rule{
    "workspace",
    Rule::Phase::Infer,
    "Where a system has the data of a job on one claim, all inputs and the output are on it.",
    "A NemoTrainingJob has one claim, which handlers fill and empty and the trainer works on "
    "(nemo-operator-crds 0.1.2 nvidia.com_nemotrainingjobs.yaml).",
    "spec.data spec.storage cluster.nemo cluster.defaults.namespace plan.namespace plan.inputs "
    "plan.outputs role.mounts role.volumes plan.claims "
    "target.data",
    "plan.workspace plan.inputs plan.outputs role.mounts role.volumes plan.claims",
    run};

}  // namespace trainyard
