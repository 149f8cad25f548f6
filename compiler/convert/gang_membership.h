#pragma once

#include "convert/conversion.h"
#include "convert/pod_template_reader.h"

namespace trainyard {

/// How pods say which group they start with: a label, an annotation or a field, and the PodGroup
/// that it names, where that is among the inputs. A build makes both again.
void read_pod_group(PodParts& parts);

/// For a kind whose controller makes no group of its own: several pods under a scheduler that could
/// start them together, and nothing that asks for it.
void settle_gang(Conversion& job, std::initializer_list<std::string_view> systems);

}  // namespace trainyard
