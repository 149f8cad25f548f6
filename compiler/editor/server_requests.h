#pragma once

#include <string>

#include "editor/message_values.h"
#include "editor/name_places.h"
#include "editor/published_findings.h"
#include "editor/workspace.h"

namespace trainyard {

/// What a request has of the server.
struct RequestScope {
  Workspace& workspace;
  PublishedFindings& findings;
  const Cancelled& cancelled;
};

/// `ErrorCodes` and `LSPErrorCodes` of the protocol.
enum class ResponseError : int {
  None = 0,
  Parse = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  NotInitialized = -32002,
  RequestCancelled = -32800,
  RequestFailed = -32803,
};

struct Response {
  Json result = nullptr;
  ResponseError error = ResponseError::None;
  std::string fault = {};
};

/// Answers a request about a document.
Response answer(const std::string& method, const Json& params, RequestScope scope);

/// What the server can do, for a client that counts positions in this unit.
Json server_capabilities(PositionUnit unit);

}  // namespace trainyard
