#pragma once

#include <cstdint>
#include <string>

namespace trainyard {

/// A script that succeeds if the pod is not the first, or if something listens at the port. The
/// first pod is known by the variable of its controller (kubernetes/kubernetes
/// pkg/controller/job/indexed_job_utils.go, volcano-sh/volcano
/// pkg/controllers/job/plugins/env/env.go). The kernel lists sockets with the port in hexadecimal
/// digits, and 0A for one that listens (torvalds/linux Documentation/networking/proc_net_tcp.rst).
std::string first_pod_listens(std::int64_t port);

}  // namespace trainyard
