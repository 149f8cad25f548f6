#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// Looks for a fabric whose parts a pod template has, all of them and as a build writes them. The
/// template without them, in the tree of results, and the fabric noted in the spec; where there is
/// none, the template as it is.
View take_out_fabric(Conversion& job, ConvertedRole& role, View pod_template);

}  // namespace trainyard
