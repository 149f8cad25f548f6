#include "driver/build/compile.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check/object_checks.h"
#include "check/objects.h"
#include "driver/build/able_to_build.h"
#include "driver/build/compile_once.h"
#include "driver/build/gitops_marks.h"
#include "driver/build/inferred_fields.h"
#include "driver/build/more_mistakes.h"
#include "driver/build/overrides.h"
#include "driver/build/run_ai_launch.h"
#include "driver/build/run_name.h"
#include "driver/build/staged_files.h"
#include "driver/build/unknown_target.h"
#include "driver/build/unsupported_fields.h"
#include "driver/build/written_form.h"
#include "driver/checks/file_scripts_check.h"
#include "driver/checks/reported_spans.h"
#include "driver/session/all_checks.h"
#include "driver/session/document_size.h"
#include "driver/session/lock_files.h"
#include "driver/session/meant_values.h"
#include "driver/session/surroundings.h"
#include "manifest/bare_launchers.h"
#include "rules/rule.h"
#include "spec/serving.h"
#include "target/content_name.h"

namespace trainyard {
namespace {

bool check_document(Session& session, const Document& document) {
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "TrainingJob");
  const std::size_t errors = session.sink.error_count();
  std::vector<Violation> violations =
      session.checker.check(kind->schema, document.tree, document.tree.root());
  add_meant_values(violations, document.tree);
  report(violations, document.tree, {}, session.sink);
  return session.sink.error_count() == errors;
}

/// The target of a job of several programs for which nothing names one.
constexpr std::string_view kTargetOfPrograms = "jobset";

struct TargetChoice {
  std::string_view name = "job";
  Span span;
};

TargetChoice chosen_target(const TrainingJob& job, const ClusterDocument* cluster,
                           std::string_view flag) {
  if (!flag.empty()) return {flag, {}};
  if (job.spec->target) return {*job.spec->target, job.spec->target.span};
  if (cluster != nullptr && cluster->cluster.spec->defaults->target) {
    const Text& target = cluster->cluster.spec->defaults->target;
    return {*target, target.span};
  }
  if (has_programs(*job.spec)) return {kTargetOfPrograms, {}};
  return {};
}

const TargetPack* load_target(Session& session, const TargetChoice& choice) {
  const std::size_t errors = session.sink.error_count();
  if (const TargetPack* pack = session.targets.pack(choice.name, session.sink)) return pack;
  if (session.sink.error_count() != errors) return nullptr;  // the pack itself is broken
  report_unknown_target(session, choice.name, choice.span);
  return nullptr;
}

/// Nothing where the Cluster does not say which release of the target's operator it has.
std::optional<Release> operator_release(const TargetPack& target, const ClusterDocument* cluster) {
  if (cluster == nullptr || target.facts.op.empty()) return std::nullopt;
  const auto names = words(Operator{});
  const auto at = std::find(names.begin(), names.end(), target.facts.op);
  if (at == names.end()) return std::nullopt;
  const Text stated = operator_version(cluster->cluster, static_cast<Operator>(at - names.begin()));
  return stated ? release(*stated) : std::nullopt;
}

bool apply_rules(Session& session, const Document& document, const ClusterDocument* cluster,
                 const TargetPack& target, Compilation& out) {
  RuleInput input;
  TrainingJob service;
  if (target.facts.serves) {
    service = serving_job(out.job);
    input.job = &service;
    input.training = &out.job;
  } else {
    input.job = &out.job;
  }
  input.job_tree = &document.tree;
  input.places = document.places.get();
  if (cluster != nullptr) {
    input.cluster = &cluster->cluster;
    input.cluster_tree = &cluster->tree;
  }
  input.machines = &session.machines;
  input.fabrics = &session.fabrics;
  input.transfers = &session.transfers;
  input.target = &target.facts;
  input.release = operator_release(target, cluster);
  input.targets = &session;
  if (!target.facts.serves) input.files = out.files;
  const std::size_t errors = session.sink.error_count();
  RuleContext context(input, out.plan, out.origins, session.sink);
  context.set(out.plan.target, target.facts.name, context.from(out.job.spec->target));
  run_rules(context);
  return session.sink.error_count() == errors;
}

/// What comes after a training can only be made of a job that says so.
bool has_required_serve(const TrainingJob& job, const TargetFacts& target, Span chosen,
                        Sink& sink) {
  if (!target.serves || job.spec->serve) return true;
  sink.report(DiagnosticKind::MissingChoice, chosen.known() ? chosen : job.spec.span,
              "target `" + std::string(target.name) +
                  "` makes what serves a trained model, and the job has no `serve`")
      .note("say in `spec.serve` by which image, and where the model is");
  return false;
}

/// Makes the objects of a finished plan, in the form in which they are written. False when that
/// went wrong.
bool make_objects(Session& session, const Document& document, const ClusterDocument* cluster,
                  const TargetPack& target, const std::optional<Release>& release,
                  Compilation& out) {
  const std::size_t errors = session.sink.error_count();
  fill_target(out.plan, target, release, out.origins, out.objects, session.sink);
  const auto& framework = out.job.spec->framework;
  report_inferred_shapes(out.objects, target.facts, out.origins,
                         framework ? framework.span : out.job.spec.span, session.sink);
  open_escape_hatches(session, document, out);
  pin_images(session, document.path, out.objects, out.origins);
  if (session.sink.error_count() != errors) return false;
  const RuntimePlan& runtime = out.plan.runtime;
  if (runtime.name && !runtime.exists && *runtime.name != *out.plan.name) {
    name_by_content(out.objects, *runtime.name);
  }
  name_by_run(session.job_kinds(), out);
  mark_for_gitops(session, cluster, out);
  if (session.sink.error_count() != errors) return false;
  // These are the objects.

  into_written_form(session, cluster, out.objects, out.origins);
  return true;
}

/// Whether a spec says by itself how ranks are started, or changes what we make of it.
bool states_launch(const JobSpec& spec) {
  const auto by_fields = [](const RoleFields& fields) {
    const Text& module = fields.run->module;
    return fields.run->command || fields.run->shell || fields.pod ||
           (module && is_launcher(*module));
  };
  if (by_fields(spec) || spec.patches.given()) return true;
  return std::ranges::any_of(*spec.roles, [&](const auto& role) { return by_fields(*role.value); });
}

/// Scripts that the spec puts into the pods, where it starts them by itself.
void check_scripts(const Compilation& job, const CheckInputs& surroundings, Documents documents,
                   Sink& sink) {
  Sink found;
  for (const Object& object : job.objects.objects) {
    ask_with_scripts(View(job.objects.tree, object.root),
                     std::string(object.kind) + "/" + std::string(object.name), surroundings,
                     job.origins, documents, found);
  }
  if (found.all().empty()) return;
  const ReportedSpans spoken(sink);
  for (const Diagnostic& each : found.all()) {
    if (!spoken.covers(each.span)) sink.report(each);
  }
}

/// The checks of the user's organisation that are for specs.
void ask_policies_of_spec(View spec, const CheckInputs& surroundings, Sink& sink) {
  std::vector<const Check*> wanted;
  for (const Check* each : surroundings.selection->of("trainyard", "TrainingJob").on_object) {
    if (each->policy != nullptr) wanted.push_back(each);
  }
  if (wanted.empty()) return;
  CheckContext context(surroundings, sink);
  run_some_checks(spec, {}, wanted, context);
}

}  // namespace

Compilation::Compilation() = default;
Compilation::~Compilation() = default;

void Compilation::clear() {
  origins.clear();
  files.clear();
  plan.clear();
  objects.clear();
}

Reached compile_objects(Session& session, const Document& document, const ClusterDocument* cluster,
                        std::string_view target, Compilation& out) {
  out.clear();
  Sink& sink = session.sink;
  const std::size_t errors = sink.error_count();

  if (!has_sensible_size(session, document.tree)) return Reached::Nothing;
  if (!check_document(session, document)) return Reached::Nothing;
  // The document has the shape of the language.

  out.job = decode_training_job(document.tree, document.tree.root(), sink);
  const TargetChoice choice = chosen_target(out.job, cluster, target);
  const TargetPack* pack = load_target(session, choice);
  load_staged_files(session, document, out.job, out.files);
  if (pack == nullptr || sink.error_count() != errors) return Reached::Words;
  if (!has_required_serve(out.job, pack->facts, choice.span, sink)) return Reached::Words;
  // All input has been read.

  if (!apply_rules(session, document, cluster, *pack, out)) return Reached::Input;
  report_unsupported_fields(out.job, out.plan, *pack, sink);
  if (sink.error_count() != errors) return Reached::Input;
  // The plan is finished; nothing below decides anything.

  const auto release = operator_release(*pack, cluster);
  if (!make_objects(session, document, cluster, *pack, release, out)) return Reached::Rules;
  return Reached::Objects;
}

Reached compile_once(Session& session, const Document& document, const ClusterDocument* cluster,
                     std::string_view target, Compilation& out) {
  Sink& sink = session.sink;
  const std::size_t errors = sink.error_count();
  const Reached reached = compile_objects(session, document, cluster, target, out);
  if (reached != Reached::Objects) return reached;
  std::vector<const Tree*> documents{&document.tree};
  if (cluster != nullptr) documents.push_back(&cluster->tree);
  Inventory inventory(cluster == nullptr ? nullptr : &cluster->inventory);
  for (const Object& object : out.objects.objects) {
    inventory.add(View(out.objects.tree, object.root));
  }
  CheckInputs surroundings = surroundings_of(session, cluster, &inventory);
  surroundings.from_spec = true;
  if (states_launch(*out.job.spec)) {
    if (!session.launch_checks)
      session.launch_checks.emplace(versions_for(session, cluster), session.policies.checks(),
                                    &session.severities);
    surroundings.own_launch = true;
    surroundings.selection = &*session.launch_checks;
  }
  check_objects(out.objects, session.schema_sources(), surroundings, out.origins, documents, sink);
  if (surroundings.own_launch) check_scripts(out, surroundings, documents, sink);
  check_run_ai_launch(out, surroundings, documents, sink);
  if (!session.policies.empty()) session.policies.check(document.root(), true, sink);
  ask_policies_of_spec(document.root(), surroundings, sink);
  for (const Object& object : out.objects.objects) {
    if (session.policies.empty()) break;
    session.policies.check_ours(View(out.objects.tree, object.root),
                                std::string(object.kind) + "/" + std::string(object.name),
                                out.origins, documents, sink);
  }
  return sink.error_count() == errors ? Reached::All : Reached::Objects;
}

bool compile(Session& session, const Document& document, const ClusterDocument* cluster,
             std::string_view target, Compilation& out) {
  const std::size_t first = session.sink.all().size();
  if (compile_once(session, document, cluster, target, out) == Reached::All) return true;
  report_more_mistakes(session, document, cluster, target);
  keep_targets_that_build(session, document, cluster, first);
  return false;
}

}  // namespace trainyard
