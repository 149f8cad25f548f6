#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "rules/image_user.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

std::string shown(SecurityLevel level) {
  return code(spelling(level));
}

/// What the controller adds to the pods fits no level above `baseline`.
void check_added_containers(RuleContext& context, const NamespaceInfo& known) {
  const std::string_view with = context.in.target->root_containers_with;
  if (with.empty() || !context.has_role(with)) return;
  if (*known.pod_security != SecurityLevel::Restricted) return;
  context
      .report(DiagnosticKind::ConflictingValues, context.spec.roles.span,
              "the controller adds a container that runs as root to the pods of a job with a " +
                  code(with) + ", which the namespace " + code(*known.name) + " refuses")
      .also(known.pod_security.span, "it admits the level " + shown(*known.pod_security) + " only")
      .note("without this role the nodes meet without such a container");
}

/// Something of a pod that only the level `privileged` admits, and why it is there.
struct Privilege {
  std::string what;
  OriginId origin = kNoOrigin;
};

/// kubernetes/pod-security-admission policy/check_capabilities_baseline.go.
constexpr std::string_view kBaseline[] = {
    "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};

bool is_beyond_baseline(std::string_view capability) {
  return std::ranges::find(kBaseline, capability) == std::end(kBaseline);
}

/// What a container beside the program has, such as the daemon of a fabric.
void beside(View container, const Fragment& made, std::vector<Privilege>& found) {
  const View security = container["securityContext"];
  const std::string name = code(container["name"].text());
  if (security["privileged"].text() == "true") {
    found.push_back({"the privileged container " + name, made.origin});
  }
  const View added = security["capabilities"]["add"];
  if (!added) return;
  for (NodeId id : added.tree().children(added.id())) {
    const std::string_view capability = added.tree()[id].text;
    if (!is_beyond_baseline(capability)) continue;
    found.push_back({"the capability " + code(capability) + " of container " + name, made.origin});
  }
}

std::vector<Privilege> privileges(const RuleContext& context, const Role& role) {
  std::vector<Privilege> found;
  if (role.privileged.is_set) found.push_back({"a privileged container", role.privileged.origin});
  if (role.host_network.is_set) {
    found.push_back({"the network of the node", role.host_network.origin});
  }
  for (const CommandWord& capability : role.capabilities) {
    if (!is_beyond_baseline(capability.text)) continue;
    found.push_back({"the capability " + code(capability.text), capability.origin});
  }
  for (const Volume& volume : role.volumes) {
    const View path = View(context.plan.tree, volume.fragment)["hostPath"]["path"];
    if (!path) continue;
    found.push_back({"the node's " + code(path.text()), volume.origin});
  }
  for (const auto* containers : {&role.init_containers, &role.sidecars}) {
    for (const Fragment& each : *containers) beside(View(context.plan.tree, *each), each, found);
  }
  return found;
}

/// Notes what the fabric gives to pods beyond the level of the spec, when no Cluster states what
/// the namespace admits.
void tell_of_privileges(RuleContext& context, const Located<SecurityLevel>& wanted) {
  for (const RoleInput& input : context.roles) {
    std::string given;
    for (const Privilege& each : privileges(context, *input.role)) {
      if (context.in.is_spec(context.place(each.origin))) continue;
      if (given.find(each.what) != std::string::npos) continue;
      given += (given.empty() ? "" : ", ") + each.what;
    }
    if (given.empty()) continue;
    Span place = wanted ? wanted.span : context.machine_place(input);
    if (!place.known()) place = context.of(input, &RoleFields::network)->fabric.span;
    context
        .report(DiagnosticKind::LeftToDo,
                place.known() ? place : context.in.job->metadata->name.span,
                "pods of this job need a namespace that admits the level `privileged`: the fabric "
                "gives them " +
                    given)
        .note(
            "if Pod Security admission is enabled, label the namespace "
            "`pod-security.kubernetes.io/enforce: privileged`; `namespaces[].podSecurity` of the "
            "Cluster states what it admits");
    return;
  }
}

/// Whatever the level that is asked for: the parts of a fabric are beyond it.
void check_privileges(RuleContext& context, const NamespaceInfo& known) {
  if (*known.pod_security == SecurityLevel::Privileged) return;
  for (const Role& role : context.plan.roles) {
    const auto found = privileges(context, role);
    if (found.empty()) continue;
    Diagnostic& report =
        context.report(DiagnosticKind::ConflictingValues, known.pod_security.span,
                       "pods of this job are refused in the namespace " + code(*known.name) +
                           ", which admits the level " + shown(*known.pod_security) + " only");
    for (const Privilege& each : found) {
      report.also(context.place(each.origin), "they have " + each.what);
    }
    report.note("the Job would be admitted, but never get a pod");
    return;
  }
}

void run(RuleContext& context) {
  const NamespaceInfo* known = namespace_of_job(context);
  const Located<SecurityLevel>& wanted = context.security_level();
  const SecurityLevel level = wanted.value_or(SecurityLevel::Restricted);
  if (known == nullptr || !known->pod_security) {
    const bool is_built = !context.sink.has_errors();
    if (is_built && level != SecurityLevel::Privileged) tell_of_privileges(context, wanted);
    return;
  }
  check_added_containers(context, *known);
  if (level <= *known->pod_security) return check_privileges(context, *known);
  context
      .report(DiagnosticKind::ConflictingValues, wanted.span,
              "pods of the level " + shown(level) + " are refused in the namespace " +
                  code(*known->name))
      .also(known->pod_security.span,
            "it admits the level " + shown(*known->pod_security) + " only")
      .note("the Job would be admitted, but never get a pod");
}

}  // namespace

extern const Rule namespace_security_check_rule{
    "namespace-security-check",
    Rule::Phase::Check,
    "The pods fit the Pod Security level that the Cluster says of their namespace.",
    "Pod Security admission refuses pods, not the objects that make them: the job would hang "
    "without one (kubernetes/pod-security-admission admission/admission.go).",
    "spec.security cluster.defaults.security cluster.namespaces plan.namespace role.name "
    "role.capabilities "
    "role.privileged role.hostNetwork role.volumes role.initContainers role.sidecars role.nodes "
    "spec.network spec.machine spec.pool target.security",
    "",
    run};

}  // namespace trainyard
