#include "driver/checks/partial_pods_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "check/check.h"
#include "check/objects.h"
#include "driver/checks/custom_kinds.h"
#include "driver/checks/path_at.h"
#include "driver/checks/reported_spans.h"
#include "driver/session/all_checks.h"
#include "effective/fold_train_job.h"
#include "effective/pods.h"
#include "effective/stated_parts.h"
#include "manifest/embedded_yaml.h"
#include "manifest/kinds.h"
#include "manifest/partial_pod.h"
#include "tree/node_paths.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Names = std::span<const std::string_view>;

/// What can be said of a container, or of where it is to run, without the rest of its pod.
constexpr auto kOfParts = std::to_array<std::string_view>(
    {"literal-credential", "container-image", "env-names", "env-source", "env-references",
     "resource-names", "resource-amounts", "requests-and-limits", "node-selector", "tolerations",
     "whole-bytes", "resource-name", "image-name", "mutable-image-tag", "command-words"});
/// Without the first one, which reads the fields of a TrainJob itself.
constexpr Names kOfTrainJobs = Names(kOfParts).subspan(1);

/// Lints that hold whatever an operator makes of a template.
constexpr auto kOfTemplates =
    std::to_array<std::string_view>({"whole-bytes", "resource-name", "image-name",
                                     "mutable-image-tag", "literal-credential", "command-words"});

/// Of Run:ai more is not known for certain than what the user wrote himself.
constexpr auto kOfRunAi = std::to_array<std::string_view>(
    {"image-name", "mutable-image-tag", "literal-credential", "command-words"});

bool is_among(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_run_ai(View object) {
  return group_of(string_at(object, "apiVersion")) == "run.ai" && find_pod_kind(object) != nullptr;
}

/// Other operators may fill in, add and rename what they like; and the levels of security are those
/// of the namespaces in which they make pods.
bool holds_in_own_kinds(const Check& check) {
  if (check.policy != nullptr) return true;
  if (check.is_lint()) return is_among(kOfTemplates, check.name);
  return check.operators.name.empty() && check.name != "pod-security";
}

class PartsCheck {
 public:
  PartsCheck(Session& session, const CheckInputs& surroundings, std::size_t first)
      : session_(session), surroundings_(surroundings), first_(first) {}

  void object(View object) {
    object_ = object;
    schemas_ = session_.schema_sources();
    if (is_run_ai(object)) return run_ai();
    if (states_parts(object)) return stated();
    SchemaId schema = kAnySchema;
    if (const SchemaPack* pack = own_kind(object, schemas_, schema)) {
      own(own_parts(object, *pack, schema));
    }
  }

 private:
  void stated() {
    const bool train_job = string_at(object_, "kind") == "TrainJob";
    if (train_job && find_runtime(object_, *surroundings_.inventory)) return;  // which is folded
    Tree made;
    Origins origins;
    PodBuilder maker(made, origins);
    for (const NodeId root : stated_parts(maker, object_)) {
      if (train_job) {
        ask_of_made(maker, root, kOfTrainJobs, kRestUnknown);
      } else {
        ask_of_made(maker, root, kOfParts, kIsPatch);  // there is nothing else to copy from
      }
    }
    for (View each : Items(workflow_templates(object_))) {
      const View resource = get(each, "resource");
      if (writes_whole(resource)) written_object(get(resource, "manifest"));
    }
  }

  /// To get, patch or delete an object, a part of it is enough.
  static bool writes_whole(View resource) {
    const std::string_view action = string_at(resource, "action");
    return action == "create" || action == "apply" || action == "replace";
  }

  /// An object that a workflow writes as a text.
  void written_object(View text) {
    const TextYaml yaml(text);
    const View object = yaml.root();
    if (!object) return;
    Sink found;
    check_inside(object, *yaml.sources(), found);
    Sink unused;
    const CheckContext places(surroundings_, unused);
    report(found, [&](Diagnostic& each) {
      each.labels.clear();
      each.fixes.clear();
      if (each.span.known()) each.span = places.place(yaml.place(each.span));
      if (is_to_be_filled_in(each.span)) each.span = {};
      each.path = path_at(document(), text->span) + (each.path.empty() ? "" : ": ") + each.path;
    });
  }

  void run_ai() {
    const PodKind* kind = find_pod_kind(object_);
    for (const PodRole& role : kind->roles(object_)) {
      if (role.count < 1) continue;
      Tree made;
      Origins origins;
      PodBuilder maker(made, origins);
      const EffectivePod pod =
          kind->pod(maker, object_, role.name, 0, surroundings_.versions.kubernetes);
      if (pod.root == kNoNode || !pod.failure.empty()) continue;
      ask_of_made(maker, pod.root, kOfRunAi, kIsPatch);
    }
  }

  /// Asks some checks of a pod that is made from parts of the object.
  void ask_of_made(PodBuilder& maker, NodeId root, Names names, std::uint16_t controller_defaults) {
    give_metadata(maker, root);
    Sink found;
    const Tree* const documents[] = {&object_.tree()};
    CheckContext context(surroundings_, maker.origins, documents, found);
    const View pod = maker.view(root);
    context.start(pod, {}, {});
    PodPlace place{"", "Pod", ""};
    place.controller_defaults = controller_defaults;
    ask(context, read_pod(pod, pod, place),
        [&](const Check& check) { return is_among(names, check.name); });
    const bool has_holes = bool(workflow_templates(object_));
    report(found, [&](Diagnostic& each) {
      each.path = path_at(document(), each.span);
      if (has_holes && is_to_be_filled_in(each.span)) each.span = {};
    });
  }

  /// Where the pod is, and what the object asks for of lints.
  void give_metadata(PodBuilder& maker, NodeId root) {
    const View own = get(object_, "metadata");
    const NodeId metadata = maker.map_at(root, "metadata", kNoOrigin);
    maker.put_copy(metadata, "namespace", get(own, "namespace"));
    const View choices = get(get(own, "annotations"), kChecksAnnotation);
    if (!choices) return;
    maker.put_copy(maker.map_at(metadata, "annotations", kNoOrigin), kChecksAnnotation, choices);
  }

  void own(const OwnParts& parts) {
    for (View holder : parts.templates) {
      Sink found;
      CheckContext context(surroundings_, found);
      context.start(object_, {}, {});
      PodPlace place{"", "Pod", ""};
      place.controller_defaults = kRestUnknown;
      ask(context, read_pod(object_, holder, place), holds_in_own_kinds);
      report_own(found, object_);
    }
    for (View each : parts.objects) whole_object(each);
  }

  /// An object inside another one comes to the API server when the operator takes it out: it is
  /// checked as one, but for how it runs, on which the outer one may have its part.
  void whole_object(View object) {
    Sink found;
    if (get(get(object, "metadata"), "name")) {
      check_inside(object, session_.sources, found);
    } else {
      Tree named;
      named.set_root(named.copy(object.tree(), object.id()));
      name(named);
      check_inside(View(named, named.root()), session_.sources, found);
    }
    report_own(found, object);
  }

  /// A controller names what it makes.
  static void name(Tree& tree) {
    NodeId metadata = tree.find(tree.root(), "metadata");
    if (metadata == kNoNode) {
      metadata = tree.add_map();
      tree.append(tree.root(), "metadata", metadata);
    }
    tree.append(metadata, "name", tree.add_string("trial"));
  }

  void check_inside(View object, const SourceMap& sources, Sink& found) {
    const std::string_view kind = string_at(object, "kind");
    const std::string_view version = string_at(object, "apiVersion");
    if (find_kind(schemas_, version, kind).kind == nullptr) return;
    Severities severities = *surroundings_.severities;
    for (const std::span<const Check>& table : all_checks()) {
      for (const Check& check : table) {
        const bool holds = !check.is_lint() || is_among(kOfTemplates, check.name);
        if (!holds) severities.set(std::string(check.name), kCheckOff);
      }
    }
    CheckInputs inside = surroundings_;
    CheckSelection selection(inside.versions, inside.selection->tables(), &severities);
    inside.severities = &severities;
    inside.selection = &selection;
    check_manifest(object.tree(), object.id(), sources, schemas_, inside, found);
  }

  template <class Holds>
  void ask(CheckContext& context, const Pod& pod, Holds holds) {
    for (const Check* check : context.selection().of("", "Pod").on_pods) {
      if (holds(*check) && context.use(*check)) check->pod(pod, context);
    }
  }

  /// What is found in a part that is complete: the operator may still fill in others.
  void report_own(const Sink& found, View at) {
    report(found, [&](Diagnostic& each) {
      if (is_to_be_filled_in(each.span)) each.span = {};
      std::string path;
      if (!paths_from_document().find(at.id(), path) || path.empty()) return;
      each.path = each.path.empty() ? path : path + "." + each.path;
    });
  }

  bool is_to_be_filled_in(Span span) const {
    if (!span.known()) return false;
    const std::string_view text = session_.sources.text(span.file).substr(span.begin, span.size());
    return std::ranges::any_of(
        std::to_array<std::string_view>({"{{", "${", "$("}),
        [&](std::string_view hole) { return text.find(hole) != std::string_view::npos; });
  }

  template <class Place>
  void report(const Sink& found, Place place) {
    if (found.all().empty()) return;
    if (!spoken_) spoken_.emplace(session_.sink, first_);
    for (Diagnostic each : found.all()) {
      place(each);
      if (!each.span.known() || spoken_->covers(each.span)) continue;
      if (!reported_.emplace(each.span.file, each.span.begin, each.message).second) continue;
      session_.sink.report(std::move(each));
    }
  }

  View document() const { return View(object_.tree(), object_.tree().root()); }

  FindingPaths& paths_from_document() {
    paths_.start(document());
    return paths_;
  }

  Session& session_;
  const CheckInputs& surroundings_;
  std::size_t first_;
  View object_;
  std::vector<SchemaSource> schemas_;
  FindingPaths paths_;
  std::optional<ReportedSpans> spoken_;
  std::set<std::tuple<FileId, std::uint32_t, std::string>> reported_;
};

}  // namespace

bool has_parts(View object, Session& session) {
  if (states_parts(object) || is_run_ai(object)) return true;
  if (holds_objects(group_of(string_at(object, "apiVersion")), string_at(object, "kind")))
    return true;
  if (session.user_schemas == nullptr && session.input_schemas == nullptr) return false;
  SchemaId schema = kAnySchema;
  return own_kind(object, session.schema_sources(), schema) != nullptr;
}

bool may_have_parts(std::string_view api_version, std::string_view kind, const Session& session) {
  constexpr auto groups = std::to_array<std::string_view>(
      {"trainer.kubeflow.org/", "apps.nvidia.com/", "run.ai/", "argoproj.io/",
       "workload.codeflare.dev/", "kubeflow.org/v1beta1"});
  const bool of_group = std::ranges::any_of(
      groups, [&](std::string_view group) { return api_version.starts_with(group); });
  const bool own = session.user_schemas != nullptr || session.input_schemas != nullptr;
  return of_group || own || kind.ends_with("List");
}

void check_parts(Session& session, const std::vector<View>& objects,
                 const CheckInputs& surroundings, std::size_t first) {
  if (objects.empty() || surroundings.inventory == nullptr) return;
  PartsCheck check(session, surroundings, first);
  for (View each : objects) check.object(each);
}

}  // namespace trainyard
