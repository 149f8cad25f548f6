#pragma once

#include <string_view>

namespace trainyard {

/// The default, as JSON, that the API server's own code gives a property of a definition of its
/// OpenAPI document, which does not have it; "" for none. Only of what may stand inside of a
/// list or map that one field manager owns as a whole: elsewhere it makes no difference to us.
std::string_view api_default(std::string_view definition, std::string_view property);

}  // namespace trainyard
