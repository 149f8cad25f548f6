#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// The headless Services through which the pods of the job find each other: a build makes its own.
/// `pod_template` is the one whose `subdomain` names one; `name` is that of the object with it.
void settle_services(Conversion& job, View pod_template, std::string_view name);

}  // namespace trainyard
