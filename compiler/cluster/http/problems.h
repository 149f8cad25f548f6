#pragma once

#include <curl/curl.h>

#include <string>
#include <string_view>

#include "cluster/connect/connection.h"
#include "cluster/http/request.h"

namespace trainyard {

/// How an attempt without an answer ended.
struct FailedAttempt {
  CURLcode code = CURLE_OK;
  long proxy_status = 0;   // of the proxy's answer to CONNECT; 0 without one
  std::string_view words;  // of libcurl
  bool was_connected = false;
};

/// Says in words what is wrong and what to do.
struct Explained {
  Trouble trouble;
  std::string problem;
};
Explained explain(const FailedAttempt& attempt, const Endpoint& endpoint);

/// Whether the certificates that identify the user or the server are in the way.
bool is_about_certificates(const FailedAttempt& attempt);

}  // namespace trainyard
