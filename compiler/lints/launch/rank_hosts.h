#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// A host that is written down as where rank 0 is.
struct Host {
  std::string name;        // of the pod: up to the first dot
  std::string domain;      // up to the next one; "" for none
  std::string name_space;  // behind that, where `svc` or nothing follows
  WordView at;
  std::string_view from = {};          // the variable, or the option of torchrun
  std::string domain_of_cluster = {};  // behind `svc.`
  std::string_view more = {};          // what stands there besides a host: `a port`
};

Host host_of(std::string text, const WordView& at);
/// Whether a text may be a host with a port or scheme, and holds nothing that is still to come.
bool is_plain_host(std::string_view text);
/// The hosts at which a container looks for rank 0.
std::vector<Host> hosts_in(View container);

/// The Service of this name in the namespace of the workload; an empty view for none.
View service_named(const Workload& workload, std::string_view name, CheckContext& context);
/// How the names of pods of a role go on behind that of their workload; "" for pods of one sort.
std::string start_of(const WorkloadRole& role);
/// Whether a host goes by the name of a pod of this workload, which need not be there.
bool is_called_as_pod(const Workload& workload, std::string_view host);

}  // namespace trainyard
