#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// The headless Services through which the pods of the job find each other: a build makes its own.
/// `pod` is the template whose `subdomain` names one.
void settle_services(Conversion& job, View pod_template);

}  // namespace trainyard
