#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"

/// What else is wrong behind an error. A stage that reports an error is the last one of a
/// compilation. To find the mistakes behind it, other readings of the document are compiled
/// (`readings.h`). What all of them report is a mistake of its own, and no consequence.
namespace trainyard {

/// Reports the mistakes behind the errors of a spec that does not compile.
void report_more_mistakes(Session& session, const Document& document,
                          const ClusterDocument* cluster, std::string_view target);

/// The same for a spec that makes no job, because of its layers or its matrix: only what is wrong
/// with its own words.
void report_own_mistakes(Session& session, const Document& document);

/// The mistakes of a Cluster behind those that `read_cluster` reported, and those of all specs
/// among the inputs.
void report_mistakes_behind_cluster(Session& session, const std::string& cluster,
                                    const std::vector<std::string>& inputs,
                                    std::string_view target);

}  // namespace trainyard
