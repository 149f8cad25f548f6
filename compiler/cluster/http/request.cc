#include "cluster/http/request.h"

#include "cluster/json_document.h"
#include "tree/typed_fields.h"

namespace trainyard {

bool is_passing(const Answer& answer) {
  switch (answer.status) {
    case 429:
    case 503:
    case 504:
      return true;
    case 500: {
      const JsonAnswer document = JsonDocument::read(answer.body);
      const std::string_view reason = document ? string_at(document->root(), "reason") : "";
      return reason == "InternalError" || reason == "ServerTimeout";
    }
    default:
      return false;
  }
}

}  // namespace trainyard
