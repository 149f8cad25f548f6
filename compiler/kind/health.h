#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kind/job_kind.h"
#include "tree/tree.h"

namespace trainyard {

// The health of jobs for GitOps tools, made from the signs of templates/kinds.yaml, which `status`
// and `explain status` read, too.

/// What Flux waits for: that a job has started, or waits in a queue; or that it has ended well.
enum class FluxGate { Started, Finished };

/// What Argo CD calls a job that is suspended, as by its queue.
enum class QueuedIs { Suspended, Healthy };

/// The word of Argo CD for a job in this phase: `Healthy`, `Progressing`, `Suspended`, `Degraded`.
/// A kind that never ends is healthy while it runs.
std::string_view argocd_word(const JobKind& kind, JobPhase phase,
                             QueuedIs queued = QueuedIs::Suspended);
/// The word of Flux: `Current`, `InProgress`, `Failed`.
std::string_view flux_word(const JobKind& kind, JobPhase phase, FluxGate gate = FluxGate::Started);

/// A health script of Argo CD, in Lua. It needs the libraries that Argo CD opens: base and table.
std::string argocd_health(const JobKind& kind, QueuedIs queued = QueuedIs::Suspended);
/// Its key in the ConfigMap argocd-cm: `resource.customizations.health.<group>_<Kind>`.
std::string argocd_health_key(const JobKind& kind);

/// An item of `healthCheckExprs` of a Kustomization of Flux. The expressions are CEL, which cannot
/// add up a list: each item has to have what it wants, in place of the sum.
struct FluxHealth {
  std::string api_version;
  std::string kind;
  std::string failed;
  std::string current;
};
FluxHealth flux_health(const JobKind& kind, FluxGate gate = FluxGate::Started);

/// Whether a GitOps tool, such as `flux`, reads the status of a kind by code of its own, which no
/// expression changes.
bool is_native(const JobKind& kind, std::string_view tool);

/// Kinds of jobs whose own status tells their health; for Flux without those that are native to it.
std::vector<const JobKind*> argocd_kinds(const JobKinds& kinds = JobKinds::builtin());
std::vector<const JobKind*> flux_kinds(const JobKinds& kinds = JobKinds::builtin());

/// Adds a ConfigMap argocd-cm to the tree, with nothing but the scripts of these kinds.
NodeId add_argocd_health(Tree& tree, std::span<const JobKind* const> kinds,
                         QueuedIs queued = QueuedIs::Suspended);
/// Adds a list of `healthCheckExprs` for these kinds.
NodeId add_flux_health(Tree& tree, std::span<const JobKind* const> kinds,
                       FluxGate gate = FluxGate::Started);

}  // namespace trainyard
