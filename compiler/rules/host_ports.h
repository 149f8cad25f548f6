#pragma once

#include <cstdint>

#include "rules/rule_context.h"

namespace trainyard {

/// What puts the role's pods on the network of their node: the spec, or the fabric; null for
/// neither. There pods share the ports of the node and of all other pods on it.
const Flag* host_network_of(RuleContext& context, const RoleInput& input);

/// What listens at a port of the node.
enum class HostPort { Rendezvous, Ssh };

/// The port that a job takes from its nodes where the spec names none. It follows from the names of
/// namespace and job, so that jobs beside each other on a node listen at different ones. It is from
/// 20000 to 27999: above the ports of nodes and their agents
/// (kubernetes/kubernetes pkg/cluster/ports/ports.go), below those of Services, which begin at
/// 30000, and of outgoing connections, which begin at 32768.
std::int64_t host_port_of(const RuleContext& context, HostPort use);

}  // namespace trainyard
