#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// A NodeSelector: terms for nodes; at least one term must fit.
void check_node_selector_terms(View required, CheckContext& context);

/// A term of it. Of what is only preferred, values need not be those of labels.
void check_node_term(View term, bool required, CheckContext& context);

}  // namespace trainyard
