#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "cluster/connect/connection.h"
#include "cluster/http/request.h"

namespace trainyard {

struct CloseEasy {
  void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, CloseEasy>;

/// Zeroes the texts, which hold tokens, before it frees them.
struct FreeHeaders {
  void operator()(curl_slist* headers) const;
};
using Headers = std::unique_ptr<curl_slist, FreeHeaders>;

/// An attempt of libcurl for a request: the handle, and what it points to.
struct Attempt {
  EasyHandle easy;
  Headers headers;
  std::unique_ptr<curl_slist, FreeHeaders> connect_to;
  char words[CURL_ERROR_SIZE] = {};
};

/// Prepares it, all but its limits of time and where its answer goes. The body of the request must
/// outlive it. Null, with the reason in `problem`, where the connection must not be used.
std::unique_ptr<Attempt> make_attempt(const Request& request, const Connection& connection,
                                      const Identity& identity, std::string& problem);

}  // namespace trainyard
