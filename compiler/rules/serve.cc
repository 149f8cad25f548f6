#include <algorithm>
#include <string>
#include <utility>

#include "rules/claims.h"
#include "rules/paths.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Where the NIM Operator mounts the model.
constexpr std::string_view kModelStore = "/model-store";
constexpr std::int64_t kPort = 8000;

using Mount = Entry<StorageMount>;

/// Access modes by which several nodes may have a claim.
bool for_several_nodes(AccessMode mode) {
  return mode == AccessMode::ReadWriteMany || mode == AccessMode::ReadOnlyMany;
}

/// Works out what is around the pods of a service.
class Service {
 public:
  explicit Service(RuleContext& context)
      : context_(context),
        training_(*context.in.training),
        spec_(*context.spec.serve),
        plan_(context.plan.serve),
        role_(context.plan.roles.front()) {}

  void build() {
    name();
    image();
    said(plan_.credentials, spec_.credentials);
    copies();
    model();
    exposure();
    said(plan_.shared_memory, spec_.resources->shared_memory);
  }

 private:
  OriginId whole() const { return context_.because({context_.from(context_.spec.serve)}); }
  void said(Field<std::string_view>& field, const Text& value) {
    if (value) context_.set(field, *value, context_.from(value));
  }
  void said(Field<std::int64_t>& field, const Integer& value) {
    if (value) context_.set(field, *value, context_.from(value));
  }

  /// Pods of the training meet by a Service that is called as the job is.
  void name() {
    const Text& of_job = training_.metadata->name;
    if (*spec_.name != *of_job) return;
    context_
        .report(DiagnosticKind::ConflictingValues, spec_.name.span,
                "the service and the training are both called " + code(*spec_.name))
        .also(of_job.span, "the training")
        .note("each makes a Service of its name; call the service another name");
  }

  /// The operator puts repository and tag together by a colon, which is right for a digest, too.
  void image() {
    const std::string_view whole_name = *spec_.image;
    const std::size_t colon = whole_name.rfind(':');
    const OriginId origin = context_.because({context_.from(spec_.image)});
    if (colon == std::string_view::npos) return;
    context_.set(plan_.repository, whole_name.substr(0, colon), origin);
    context_.set(plan_.tag, whole_name.substr(colon + 1), origin);
    if (role_.image_pull_secrets.empty()) return;
    const Fragment& first = role_.image_pull_secrets.front();
    context_.set(plan_.pull_secret, View(context_.tree(), *first)["name"].text(),
                 context_.because({first.origin}));
  }

  void copies() {
    const Autoscale& scale = *spec_.autoscale;
    if (spec_.autoscale) {
      if (scale.min_replicas.value_or(1) > *scale.max_replicas) {
        context_
            .report(DiagnosticKind::OutOfRange, scale.max_replicas.span,
                    "`maxReplicas` is below `minReplicas`")
            .also(scale.min_replicas.span, "the fewest copies");
      }
      said(plan_.min_replicas, scale.min_replicas);
      said(plan_.max_replicas, scale.max_replicas);
      if (scale.metrics) {
        context_.set(plan_.metrics, context_.shape(scale.metrics), context_.from(scale.metrics));
      }
    } else if (spec_.replicas) {
      said(plan_.replicas, spec_.replicas);
    } else {
      context_.set(plan_.replicas, std::int64_t{1}, context_.by_default("spec.serve.replicas"));
    }
    const Integer& nodes = spec_.nodes_per_replica;
    if (nodes.value_or(1) == 1) return;
    said(plan_.nodes, nodes);
    if (is_before_nim_2()) context_.set(plan_.by_mpi, true, plan_.tag.origin);
    if (!spec_.autoscale) return;
    context_
        .report(DiagnosticKind::ConflictingValues, spec_.autoscale.span,
                "copies on several nodes each cannot be scaled automatically")
        .also(nodes.span, "the nodes of a copy");
  }

  /// Whether the tag is a number below 2: from then on Ray starts the nodes of a copy.
  bool is_before_nim_2() const {
    const std::string_view tag = *plan_.tag;
    return tag.starts_with("0.") || tag.starts_with("1.") || tag == "1";
  }

  bool has_several_pods() const {
    return spec_.autoscale || spec_.replicas.value_or(1) > 1 ||
           spec_.nodes_per_replica.value_or(1) > 1;
  }

  void model() {
    const ServedModel& wanted = *spec_.model;
    if (wanted.path) return left_by_training(wanted.path);
    said(plan_.profile, wanted.profile);
    if (!wanted.uri) context_.set(plan_.own_model, true, whole());
    check_hub(wanted);
    cache();
  }

  /// What only addresses of some schemes have.
  void check_hub(const ServedModel& wanted) {
    const std::string_view uri = *wanted.uri;
    const bool hub = uri.starts_with("hf://") || uri.starts_with("nemo://");
    for (const auto& [field, text] : {std::pair{std::string_view("revision"), &wanted.revision},
                                      std::pair{std::string_view("endpoint"), &wanted.endpoint}}) {
      if (!*text || hub) continue;
      context_.report(DiagnosticKind::NoEffect, text->span, code(field) + " has no effect here")
          .note("it is about a model of a hub");
    }
    if (!uri.starts_with("nemo://")) return;
    if (wanted.endpoint &&
        (wanted.endpoint->ends_with("/v1/hf") || wanted.endpoint->ends_with("/v1/hf/"))) {
      return;
    }
    context_
        .report(DiagnosticKind::DataAddress,
                wanted.endpoint ? wanted.endpoint.span : wanted.uri.span,
                "the address of the NeMo Data Store of " + code(uri) + " is missing")
        .note("write its URL, which ends in `/v1/hf`, in `endpoint`");
  }

  // --- a model of the training
  void left_by_training(const Text& wanted) {
    if (spec_.cache) {
      context_.report(DiagnosticKind::NoEffect, spec_.cache.span, "`cache` has no effect here")
          .also(wanted.span, "nothing is fetched")
          .note("the model is on the claim where the training left it");
    }
    const std::string path = plain_path(*wanted);
    const Mount* found = mount_of_training(path);
    if (found == nullptr) {
      context_
          .report(DiagnosticKind::MissingChoice, wanted.span,
                  code(path) +
                      " is on no mount of `storage`, so that nothing of it is left "
                      "after the training")
          .note("mount a claim there");
      return;
    }
    const StorageMount& mount = *found->value;
    claim(*found, wanted);
    const std::string directory = plain_path(*mount.mount_path);
    std::string sub(*mount.sub_path);
    if (path.size() > directory.size()) {
      const std::size_t from = directory == "/" ? 1 : directory.size() + 1;
      sub += (sub.empty() ? "" : "/") + path.substr(from);
    }
    const OriginId origin = context_.because({context_.from(wanted)});
    if (!sub.empty()) context_.set(plan_.sub_path, context_.text(sub), origin);
    if (mount.read_only.value_or(false)) {
      context_.set(plan_.read_only, true, context_.from(mount.read_only));
    }
    variable("NIM_MODEL_NAME", kModelStore, origin);
    variable("NIM_MODEL_PATH", kModelStore, origin);
    variable("NIM_SERVED_MODEL_NAME", *spec_.name, context_.because({context_.from(spec_.name)}));
    const Text& profile = spec_.model->profile;
    if (profile)
      variable("NIM_MODEL_PROFILE", *profile, context_.because({context_.from(profile)}));
  }

  /// Of several the innermost.
  const Mount* mount_of_training(std::string_view path) const {
    const Mount* found = nullptr;
    std::size_t longest = 0;
    for (const Mount& each : *training_.spec->storage) {
      const std::string directory = plain_path(*each.value->mount_path);
      if (!is_within(path, directory) || directory.size() < longest) continue;
      longest = directory.size();
      found = &each;
    }
    return found;
  }

  void claim(const Mount& entry, const Text& wanted) {
    const StorageMount& mount = *entry.value;
    if (mount.claim) {
      said(plan_.claim, mount.claim);
      return check_access(mount.claim.span, known_access_modes(context_, *mount.claim));
    }
    const CreatedClaim& made = *mount.create;
    if (!mount.create || !made.keep.value_or(true)) {
      context_
          .report(DiagnosticKind::ConflictingValues, wanted.span,
                  "the model goes with the training: " + code(entry.key) +
                      (mount.create ? " is not kept" : " is no claim"))
          .also(mount.create ? made.keep.span : entry.key_span, "the mount")
          .note("a model is served from a claim that outlives the job");
      return;
    }
    const OriginId origin = context_.because({context_.from(mount.create)});
    const std::string_view name =
        made.name ? *made.name : context_.text(*training_.metadata->name, "-", entry.key);
    context_.set(plan_.claim, name, origin);
    check_access(mount.create.span, made.access_modes ? &made.access_modes : nullptr);
  }

  void check_access(Span asked, const Located<std::vector<Located<AccessMode>>>* modes) {
    if (modes == nullptr || !has_several_pods()) return;
    const auto fits = [](const auto& mode) { return for_several_nodes(*mode); };
    if (std::ranges::any_of(**modes, fits)) return;
    context_
        .report(DiagnosticKind::ClaimAccess, asked,
                "this claim can be mounted on one node only, the service has several pods")
        .also(modes->span, "its access modes")
        .note("several nodes need `ReadOnlyMany` or `ReadWriteMany`");
  }

  /// What the spec says of it counts.
  void variable(std::string_view name, std::string_view value, OriginId origin) {
    const auto same = [&](const EnvVar& known) { return known.name == name; };
    if (std::ranges::any_of(role_.env, same)) return;
    EnvVar added;
    added.name = name;
    added.value = value;
    added.origin = origin;
    context_.add_env(role_, added);
  }

  // --- a model that is fetched
  void cache() {
    const ModelCache& wanted = *spec_.cache;
    if (!spec_.cache) {
      context_
          .report(DiagnosticKind::MissingChoice, context_.spec.serve.span,
                  "the model is fetched, and has no place")
          .note("say in `serve.cache` how large the claim for it is to be, or which one there is");
      return;
    }
    context_.set(plan_.cache, *context_.plan.name, whole());
    const Text& puller = wanted.image ? wanted.image : spec_.image;
    context_.set(plan_.cache_image, *puller, context_.from(puller));
    check_pull_secret();
    if (wanted.claim) {
      said(plan_.cache_claim, wanted.claim);
      return check_access(wanted.claim.span, known_access_modes(context_, *wanted.claim));
    }
    context_.set(plan_.cache_made, true, context_.because({context_.from(wanted.size)}));
    said(plan_.cache_size, wanted.size);
    said(plan_.cache_class, storage_class_of(context_, wanted.storage_class_name));
    cache_access(wanted.access_mode);
  }

  void cache_access(const Located<AccessMode>& wanted) {
    const AccessMode otherwise =
        has_several_pods() ? AccessMode::ReadWriteMany : AccessMode::ReadWriteOnce;
    const AccessMode mode = wanted.value_or(otherwise);
    context_.set(
        plan_.cache_access, spelling(mode),
        wanted ? context_.from(wanted) : context_.by_default("spec.serve.cache.accessMode"));
    if (!has_several_pods() || for_several_nodes(mode)) return;
    context_
        .report(DiagnosticKind::ClaimAccess, wanted.span,
                "this claim can be mounted on one node only, the service has several pods")
        .note("several nodes need `ReadOnlyMany` or `ReadWriteMany`");
  }

  /// The schema of a NIMCache wants one for models of a hub.
  void check_pull_secret() {
    const std::string_view uri = *spec_.model->uri;
    if (plan_.pull_secret || uri.empty() || uri.starts_with("ngc://")) return;
    context_
        .report(DiagnosticKind::MissingChoice, spec_.model->uri.span,
                "an image fetches the model of a hub with a Secret; name the Secret")
        .note("name one in `imagePullSecrets`, or in the Cluster's defaults");
  }

  void exposure() {
    const Exposure& wanted = *spec_.expose;
    if (wanted.port) {
      said(plan_.port, wanted.port);
    } else {
      context_.set(plan_.port, kPort, context_.by_default("spec.serve.expose.port"));
    }
    const ServiceType type = wanted.type.value_or(ServiceType::ClusterIp);
    context_.set(
        plan_.service_type, spelling(type),
        wanted.type ? context_.from(wanted.type) : context_.by_default("spec.serve.expose.type"));
    said(plan_.domain, wanted.domain);
    said(plan_.ingress_class, wanted.ingress_class);
    said(plan_.tls_secret, wanted.tls_secret);
    const bool ingress = wanted.domain.given() && wanted.ingress_class.given();
    if (ingress || (!wanted.domain && !wanted.ingress_class && !wanted.tls_secret)) return;
    context_.report(DiagnosticKind::MissingChoice, spec_.expose.span,
                    "an Ingress needs both `domain` and `ingressClass`");
  }

  RuleContext& context_;
  const TrainingJob& training_;
  const Serve& spec_;
  ServePlan& plan_;
  Role& role_;
};

void run(RuleContext& context) {
  if (context.in.training != nullptr) return Service(context).build();
  const auto& serve = context.spec.serve;
  if (!serve) return;
  context
      .report(DiagnosticKind::LeftToDo, serve.span,
              "target " + code(context.in.target->name) + " makes the training and no service")
      .note("once the model is there, `trainyard build --target nim` makes what serves it");
}

}  // namespace

extern const Rule serve_rule{
    "serve",
    Rule::Phase::Infer,
    "A service of the model finds it where the training left it, or fetches it into a claim.",
    "NIM takes its model from the directory that the operator mounts at /model-store, by "
    "NIM_MODEL_NAME, from NIM 2 on by NIM_MODEL_PATH (NVIDIA/k8s-nim-operator "
    "internal/controller/platform/standalone/nimservice.go).",
    "spec.serve spec.storage spec.metadata.name cluster.claims cluster.defaults.storageClassName "
    "plan.name plan.namespace role.imagePullSecrets role.env target.serves",
    "plan.serve role.env",
    run};

}  // namespace trainyard
