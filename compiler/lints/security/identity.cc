// What the node makes of the user and the capabilities of a container.

#include <algorithm>
#include <string>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/tables.h"
#include "manifest/pod_security.h"
#include "source/characters.h"
#include "source/word_table.h"
#include "spec/known_images.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void refused_root(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View not_root = security_of(pod, each.node, "runAsNonRoot");
    const View user = security_of(pod, each.node, "runAsUser");
    if (!is_true(not_root) || integer_of(user) != 0) continue;
    context
        .lint(user, "container " + shown(string_at(each.node, "name")) +
                        " is to run as root, which `runAsNonRoot` forbids")
        .also(context.place(not_root), "forbidden here");
  }
}

/// Where no user is given, the image decides.
void refused_image(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View not_root = security_of(pod, each.node, "runAsNonRoot");
    if (!is_true(not_root) || security_of(pod, each.node, "runAsUser")) continue;
    const View image = get(each.node, "image");
    const auto known = known_image(string_of(image));
    if (!known || known->starts_without_root()) continue;
    const std::string user =
        known->user == "root" ? "root"
                              : "user " + shown(known->user) + ", which may be root to the kubelet";
    context
        .lint(image, "image " + shown(string_of(image)) + " starts as " + user +
                         ", and `runAsNonRoot` forbids that")
        .also(context.place(not_root), "forbidden here");
  }
}

// torvalds/linux include/uapi/linux/capability.h
constexpr auto kCapabilities = word_table<
    "ALL AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN "
    "DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE "
    "MAC_ADMIN MAC_OVERRIDE MKNOD NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON "
    "SETFCAP SETGID SETPCAP SETUID SYSLOG SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE "
    "SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG WAKE_ALARM">;

bool is_capability(std::string_view upper) {
  return std::ranges::find(kCapabilities, upper) != kCapabilities.end();
}

/// containerd/containerd pkg/cri/opts/spec_opts.go WithCapabilities puts `CAP_` in front of
/// whatever there is; CRI-O only where it is missing.
bool is_prefixed(std::string_view upper) {
  constexpr std::string_view kPrefix = "CAP_";
  return upper.starts_with(kPrefix) && is_capability(upper.substr(kPrefix.size()));
}

void capability_names(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View capabilities = get(get(each.node, "securityContext"), "capabilities");
    for (std::string_view list : {"add", "drop"}) {
      for (View capability : items_at(capabilities, list)) {
        const std::string_view name = string_of(capability);
        const std::string upper = upper_case(name);
        if (name.empty() || is_capability(upper)) continue;
        if (is_prefixed(upper)) {
          context
              .lint(capability, "containerd puts `CAP_` in front of " + shown(name) +
                                    ", and Linux has no such capability")
              .note("did you mean " + shown(upper.substr(4)) + "?");
          continue;
        }
        Diagnostic& report = context.lint(capability, "Linux has no capability " + shown(name));
        const std::string_view near = closest_known_value(name, kCapabilities);
        if (!near.empty()) report.note("did you mean " + shown(near) + "?");
      }
    }
  }
}

/// kubernetes/kubernetes plugin/pkg/admission/serviceaccount/admission.go: a pod whose account is
/// not in its namespace is refused.
void service_account(const Pod& pod, CheckContext& context) {
  View name = get(pod.spec, "serviceAccountName");
  if (string_of(name).empty()) name = get(pod.spec, "serviceAccount");
  if (string_of(name).empty() || name->text == "default") return;
  static constexpr std::string_view kIdle[] = {"service-account", "serviceaccount", "account",
                                               "sa"};
  const NamedObject account{"",
                            "ServiceAccount",
                            "service account",
                            string_at(get(context.object(), "metadata"), "namespace"),
                            name,
                            kIdle};
  if (!report_wrong_namespace(account, context)) report_similar_name(account, context);
}

/// kubernetes/kubernetes plugin/pkg/admission/priority/admission.go: a pod with a class that is not
/// there is refused.
void priority_class(const Pod& pod, CheckContext& context) {
  const View name = get(pod.spec, "priorityClassName");
  static constexpr std::string_view kIdle[] = {"priority-class", "priorityclass", "priority"};
  if (string_of(name).starts_with("system-")) return;
  report_similar_name({"scheduling.k8s.io", "PriorityClass", "priority class", "", name, kIdle},
                      context);
}

constexpr std::string_view kRoleOfAws = "eks.amazonaws.com/role-arn";
constexpr std::string_view kAccountOfGoogle = "iam.gke.io/gcp-service-account";

/// Read where the account of the pods is, and nowhere else.
void identity_of_pod(const Pod& pod, CheckContext& context) {
  for (std::string_view key : {kRoleOfAws, kAccountOfGoogle}) {
    const View at = get(get(pod.metadata, "annotations"), key);
    if (!at) continue;
    context.lint(at,
                 shown(key) + " is read from the ServiceAccount of the pods, not from the pods");
  }
}

constexpr Check kChecks[] = {
    {.name = "cloud-identity-of-pod",
     .group = CheckGroup::Security,
     .effect = Effect::RunsWrong,
     .sentence = "The identity of pods in a cloud is that of their ServiceAccount.",
     .source = "aws/amazon-eks-pod-identity-webhook README.md; documentation of GKE, Workload "
               "Identity Federation",
     .pod = identity_of_pod,
     .severity = Severity::Warning,
     .because = "Nothing reads it there: the pods have the rights of the node, or none.",
     .fix = "annotate the ServiceAccount, and name it in `serviceAccountName`"},
    {.name = "priority-class-name",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The priority class that pods name is there.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/priority/admission.go",
     .pod = priority_class,
     .severity = Severity::Warning,
     .because = "What makes the pods is admitted, and each pod is refused: its class is not found.",
     .fix = "write the name of an existing PriorityClass"},
    {.name = "service-account",
     .group = CheckGroup::Security,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The service account that pods name is in their namespace.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/serviceaccount/admission.go",
     .pod = service_account,
     .severity = Severity::Warning,
     .because = "What makes the pods is admitted, and each pod is refused: its account is not "
                "found.",
     .fix = "make the account in the namespace of the pods, or name an existing one"},
    {.name = "capability-name",
     .group = CheckGroup::Security,
     .effect = Effect::NeverRuns,
     .sentence = "Linux has the capabilities that containers name.",
     .source = "torvalds/linux include/uapi/linux/capability.h; opencontainers/runc "
               "libcontainer/capabilities/capabilities.go; containerd/containerd "
               "pkg/cri/opts/spec_opts.go WithCapabilities",
     .pod = capability_names,
     .severity = Severity::Warning,
     .because = "The API server takes any text; the runtime leaves it out with a line in its log, "
                "or does not start the container.",
     .fix = "write the name as in capabilities(7), without `CAP_`: `IPC_LOCK`"},
    {.name = "image-root-is-refused",
     .group = CheckGroup::Security,
     .effect = Effect::NeverRuns,
     .sentence = "A container that must not run as root has a user, where its image is known to "
                 "start as root.",
     .source = "kubernetes/kubernetes pkg/kubelet/kuberuntime/security_context_others.go "
               "verifyRunAsNonRoot; templates/images/",
     .pod = refused_image,
     .severity = Severity::Warning,
     .because = "The kubelet does not start it: the pod stays in CreateContainerConfigError.",
     .fix = "give `runAsUser` the number of another user, or leave `runAsNonRoot` out",
     .rule = "security"},
    {.name = "root-is-refused",
     .group = CheckGroup::Security,
     .effect = Effect::NeverRuns,
     .sentence = "A container that must not run as root has another user.",
     .source = "kubernetes/kubernetes pkg/kubelet/kuberuntime/security_context.go "
               "verifyRunAsNonRoot",
     .pod = refused_root,
     .because = "The kubelet does not start it: the pod stays in CreateContainerConfigError.",
     .fix = "give `runAsUser` another number, or leave one of the two out"},
};

}  // namespace

const std::span<const Check> identity_lints = kChecks;

}  // namespace trainyard
