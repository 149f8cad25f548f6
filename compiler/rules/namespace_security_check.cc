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

std::vector<Privilege> privileges(const RuleContext& context, const Role& role) {
  std::vector<Privilege> found;
  if (role.privileged.is_set) found.push_back({"a privileged container", role.privileged.origin});
  if (role.host_network.is_set) {
    found.push_back({"the network of the node", role.host_network.origin});
  }
  for (const CommandWord& capability : role.capabilities) {
    if (std::ranges::find(kBaseline, capability.text) != std::end(kBaseline)) continue;
    found.push_back({"the capability " + code(capability.text), capability.origin});
  }
  for (const Volume& volume : role.volumes) {
    const View path = View(context.plan.tree, volume.fragment)["hostPath"]["path"];
    if (!path) continue;
    found.push_back({"the node's " + code(path.text()), volume.origin});
  }
  return found;
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
  if (known == nullptr || !known->pod_security) return;
  check_added_containers(context, *known);
  const Located<SecurityLevel>& wanted = context.security_level();
  const SecurityLevel level = wanted.value_or(SecurityLevel::Restricted);
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
    "role.privileged role.hostNetwork role.volumes target.security",
    "",
    run};

}  // namespace trainyard
