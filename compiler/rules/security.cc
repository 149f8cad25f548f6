#include <algorithm>
#include <string>

#include "rules/image_user.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "spec/known_images.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Builds the two security contexts of one role.
class SecurityContexts {
 public:
  SecurityContexts(RuleContext& context, const RoleInput& input)
      : context_(context),
        input_(input),
        role_(*input.role),
        by_pod_(makes_privileged(context.spec.pod) ||
                (input.own != nullptr && makes_privileged(input.own->pod))),
        runs_sshd_(!input.is_coordinator && started_by_mpirun(context)),
        spec_(*context.spec.security),
        tree_(context.tree()),
        asked_(context.security_level()),
        level_(image_needs_baseline(context, role_) ? SecurityLevel::Baseline
                                                    : asked_.value_or(SecurityLevel::Restricted)),
        origin_(asked_                              ? context.because({context.from(asked_)})
                : level_ == SecurityLevel::Baseline ? context.because({role_.image.origin})
                                                    : context.by_default("spec.security.level")) {}

  void build() {
    tell_of_image();
    const NodeId pod = tree_.add_map(origin_);
    identity(pod);
    seccomp(pod);
    if (tree_[pod].size != 0) context_.set(role_.pod_security, pod, origin_);

    const NodeId container = tree_.add_map(origin_);
    if (beside_root()) no_root(container);
    if (role_.privileged.is_set) {
      privileged(container);
    } else if (!by_pod_) {
      escalation(container);
    }
    capabilities(container);
    if (spec_.read_only_root_filesystem.value_or(false)) {
      put(container, "readOnlyRootFilesystem", true, spec_.read_only_root_filesystem);
    }
    if (tree_[container].size != 0) context_.set(role_.container_security, container, origin_);
  }

 private:
  bool restricted() const { return level_ == SecurityLevel::Restricted; }
  /// `baseline` for the sake of the image, which needs no more than that.
  bool baseline_by_image() const { return !asked_ && level_ == SecurityLevel::Baseline; }

  /// Whether a `pod` makes the training container privileged, which then may not be held back.
  bool makes_privileged(const Shape& pod) const {
    if (!pod) return false;
    const View containers = View(*context_.in.job_tree, pod.node)["spec"]["containers"];
    if (!containers || !containers->is_seq()) return false;
    for (const NodeId item : containers.tree().children(containers.id())) {
      const View container(containers.tree(), item);
      const std::string_view name = container["name"].text();
      if (name != kMainContainer && name != *role_.container_name) continue;
      const View privileged = container["securityContext"]["privileged"];
      if (privileged && privileged->kind == Kind::Bool && privileged.text() == "true") return true;
    }
    return false;
  }

  void put(NodeId map, std::string_view key, bool value, const Flag& from) {
    const OriginId origin = from ? context_.from(from) : origin_;
    tree_.append(map, key, tree_.add_bool(value, origin));
  }
  void put(NodeId map, std::string_view key, const Integer& value) {
    if (value) tree_.append(map, key, tree_.add_int(*value, context_.from(value)));
  }

  void identity(NodeId pod) {
    const bool by_user = spec_.run_as_user.given() && *spec_.run_as_user != 0;
    if (!beside_root()) no_root(pod);
    put(pod, "runAsUser", spec_.run_as_user);
    put(pod, "runAsGroup", spec_.run_as_group);
    put(pod, "fsGroup", spec_.fs_group);
    if (spec_.supplemental_groups) {
      const NodeId list = tree_.add_seq(context_.from(spec_.supplemental_groups));
      for (const Integer& group : *spec_.supplemental_groups) {
        tree_.append(list, tree_.add_int(*group, context_.from(group)));
      }
      tree_.append(pod, "supplementalGroups", list);
    }
    if (!non_root() || by_user) return;
    check_root();
    check_added(context_.spec.pod);
    if (input_.own != nullptr) check_added(input_.own->pod);
  }

  /// Containers that a `pod` adds are refused for their images, too.
  void check_added(const Shape& pod) {
    if (!pod) return;
    const Tree& tree = context_.tree_of(pod.span);
    const View spec = View(tree, pod.node)["spec"];
    if (spec["securityContext"]["runAsUser"] || spec["securityContext"]["runAsNonRoot"]) return;
    for (std::string_view list : {"initContainers", "containers"}) {
      for (View container : items_at(spec, list)) {
        const View image = container["image"];
        const View security = container["securityContext"];
        const auto known = known_image(string_of(image));
        if (!known || known->starts_without_root() || container["name"].text() == kMainContainer ||
            security["runAsUser"] || security["runAsNonRoot"]) {
          continue;
        }
        context_
            .report(DiagnosticKind::ImageRunsAsRoot, image->span,
                    "images " + code(known->repository) + " start as " + user_of(*known) +
                        ": the kubelet refuses this container in pods that refuse root")
            .note(
                "write `securityContext: {runAsUser: 1000}` beside `image`, or `security: {level: "
                "baseline}`");
      }
    }
  }

  bool non_root() const { return spec_.run_as_non_root.value_or(restricted()); }
  void no_root(NodeId security) {
    if (!non_root() && !spec_.run_as_non_root) return;
    put(security, "runAsNonRoot", non_root(), spec_.run_as_non_root);
  }
  /// Whether the controller adds a container that runs as root and that the pod must not forbid.
  bool beside_root() const {
    const std::string_view with = context_.in.target->root_containers_with;
    return !with.empty() && !spec_.run_as_user && context_.has_role(with);
  }

  /// The kubelet starts no container whose image it cannot tell from root's.
  void check_root() {
    if (spec_.run_as_user && *spec_.run_as_user == 0) {
      context_
          .report(DiagnosticKind::ConflictingValues, spec_.run_as_user.span,
                  "user 0 is root, which the security level refuses")
          .note("write `security: {level: baseline}` to run as root");
      return;
    }
    const auto image = known_image(*role_.image);
    if (!image || image->starts_without_root()) return;
    context_
        .report(DiagnosticKind::ImageRunsAsRoot, context_.place(role_.image.origin),
                "images " + code(image->repository) + " start as " + user_of(*image) +
                    ": the kubelet refuses them at the level `restricted`")
        .note(
            "write `security: {level: baseline}`, or `security: {runAsUser: 1000}` if the program "
            "can run as another user");
  }

  static std::string user_of(const KnownImage& image) {
    if (image.user == "root") return "root";
    return "user " + code(image.user) + ", a name that the kubelet cannot tell from root's";
  }

  /// Reports what the image decides, and once in a run that some image is unknown.
  void tell_of_image() {
    if (!image_decides_user(context_, role_)) return;
    const auto image = known_image(*role_.image);
    if (baseline_by_image()) {
      note_on_image((image ? "images " + code(image->repository) + " start as " + user_of(*image)
                           : "`--allow-run-as-root` says that image " + code(*role_.image) +
                                 " starts as root") +
                    ": the pods are of the level `baseline`")
          .note(
              "write `security: {runAsUser: 1000}` if the program can run as another user, or "
              "`security: {level: baseline}` to end this note");
    } else if (!image && is_plain_name(*role_.image) && !has_told_of_unknown()) {
      note_on_image("nothing is known of the user of image " + code(*role_.image) +
                    ": the kubelet refuses it if it starts as root")
          .note(std::string(kUnknownImage));
    }
  }

  static constexpr std::string_view kUnknownImage =
      "if so, write `security: {level: baseline}`; `security: {level: restricted}` ends this note";

  /// Parts that others fill in are no name.
  static bool is_plain_name(std::string_view image) {
    return !image.empty() && image.find_first_of("${}<> ") == image.npos;
  }

  bool has_told_of_unknown() const {
    return std::ranges::any_of(context_.sink.all(), [](const Diagnostic& told) {
      return told.kind == DiagnosticKind::ImageRunsAsRoot && !told.notes.empty() &&
             told.notes.front() == kUnknownImage;
    });
  }

  Diagnostic& note_on_image(std::string message) {
    Diagnostic note(DiagnosticKind::ImageRunsAsRoot, context_.place(role_.image.origin),
                    std::move(message));
    note.severity = Severity::Note;
    return context_.sink.report(std::move(note));
  }

  void seccomp(NodeId pod) {
    if (spec_.seccomp_profile) {
      tree_.append(pod, "seccompProfile", context_.shape(spec_.seccomp_profile));
    } else if (level_ != SecurityLevel::Privileged) {
      const NodeId profile = tree_.add_map(origin_);
      tree_.append(profile, "type", tree_.add_string("RuntimeDefault", origin_));
      tree_.append(pod, "seccompProfile", profile);
    }
  }

  void escalation(NodeId container) {
    // A program that is root gains nothing by it.
    if (spec_.allow_privilege_escalation || restricted() || baseline_by_image()) {
      put(container, "allowPrivilegeEscalation", spec_.allow_privilege_escalation.value_or(false),
          spec_.allow_privilege_escalation);
    }
  }

  /// A privileged container has every right; the API server refuses one that may not gain any.
  void privileged(NodeId container) {
    tree_.append(container, "privileged", tree_.add_bool(true, role_.privileged.origin));
  }

  void capabilities(NodeId container) {
    NodeId capabilities = kNoNode;
    if (spec_.capabilities) {
      capabilities = context_.shape(spec_.capabilities);
    } else if (restricted() && !role_.privileged.is_set && !by_pod_) {
      const NodeId dropped = tree_.add_seq(origin_);
      tree_.append(dropped, tree_.add_string("ALL", origin_));
      capabilities = tree_.add_map(origin_);
      if (runs_sshd_) listen_below_1024(capabilities);
      tree_.append(capabilities, "drop", dropped);
    }
    if (!role_.capabilities.empty()) {
      if (capabilities == kNoNode) capabilities = tree_.add_map(role_.capabilities[0].origin);
      add_for_fabric(capabilities);
    }
    if (capabilities != kNoNode) tree_.append(container, "capabilities", capabilities);
  }

  /// Those that the fabric needs, beside what the spec says of them.
  void add_for_fabric(NodeId capabilities) {
    NodeId added = tree_.find(capabilities, "add");
    if (added == kNoNode) {
      added = tree_.add_seq(role_.capabilities[0].origin);
      tree_.append(capabilities, "add", added);
    }
    for (const CommandWord& each : role_.capabilities) {
      const auto children = tree_.children(added);
      const bool there = std::any_of(children.begin(), children.end(),
                                     [&](NodeId known) { return tree_[known].text == each.text; });
      if (!there) tree_.append(added, tree_.add_string(each.text, each.origin));
    }
  }

  /// The sshd of the MPI Operator's images has this as a capability of its file, and does not start
  /// where it is out of bounds (kubeflow/mpi-operator build/base/Dockerfile).
  void listen_below_1024(NodeId capabilities) {
    const NodeId added = tree_.add_seq(origin_);
    tree_.append(added, tree_.add_string("NET_BIND_SERVICE", origin_));
    tree_.append(capabilities, "add", added);
  }

  RuleContext& context_;
  const RoleInput& input_;
  Role& role_;
  bool by_pod_;
  bool runs_sshd_;
  const Security& spec_;
  Tree& tree_;
  const Located<SecurityLevel>& asked_;
  SecurityLevel level_;
  OriginId origin_;
};

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) SecurityContexts(context, input).build();
}

}  // namespace

extern const Rule security_rule{
    "security",
    Rule::Phase::Infer,
    "Pods fit the restricted Pod Security level unless the spec asks for more rights, or their "
    "image "
    "is known to start as root.",
    "kubernetes/pod-security-admission policy/check_*.go lists what each level allows; with "
    "`runAsNonRoot` the kubelet starts no image whose user is root or a name "
    "(kubernetes/kubernetes "
    "pkg/kubelet/kuberuntime/security_context_others.go).",
    "spec.security spec.run spec.pod cluster.defaults.security cluster.namespaces plan.namespace "
    "role.image "
    "role.name role.containerName "
    "role.capabilities "
    "role.privileged plan.framework target.security target.mpirun target.roles",
    "role.podSecurity role.containerSecurity",
    run};

}  // namespace trainyard
