#pragma once

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/connect/connection.h"
#include "cluster/http/request.h"

namespace trainyard {

struct CloseEasy {
  void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, CloseEasy>;

struct CloseShare {
  void operator()(CURLSH* share) const { ::curl_share_cleanup(share); }
};

struct FreeUrl {
  void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
};

/// Zeroes the texts, which hold tokens, before it frees them.
struct FreeHeaders {
  void operator()(curl_slist* headers) const;
};
using Headers = std::unique_ptr<curl_slist, FreeHeaders>;

/// A text as a file that is only in memory. libcurl reads the authorities of a file once, and those
/// of a text for each connection; it also copies that text for each request.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text);
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile();

  /// "" where the system makes no such file.
  const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

/// An attempt of libcurl for a request: the handle, and what it points to.
struct Attempt {
  EasyHandle easy;
  Headers headers;
  char words[CURL_ERROR_SIZE] = {};
};

/// Makes attempts for the requests of one connection, which must outlive it. What they have in
/// common is done once: the address is read, and handles are used again, with the sessions of TLS.
class AttemptMaker {
 public:
  explicit AttemptMaker(const Connection& connection)
      : connection_(connection), authorities_(connection.endpoint.authorities) {}
  AttemptMaker(const AttemptMaker&) = delete;

  /// Prepares one, all but its limits of time and where its answer goes. The body of the request
  /// must outlive it. Null, with the reason in `problem`, where the connection must not be used.
  /// With `shares` it offers HTTP/2, and waits for a connection that it can share.
  std::unique_ptr<Attempt> make(const Request& request, const Identity& identity, bool shares,
                                std::string& problem);
  /// Takes one that is over, and no longer part of a multi handle.
  void take_back(std::unique_ptr<Attempt> attempt);

 private:
  struct Address {
    std::string url;  // of the server; with `tls-server-name` it has that name in it
    std::unique_ptr<CURLU, FreeUrl> read_url;  // the same, taken apart
    std::string prefix;                        // of all paths
    std::string host;
    bool is_plain = false;
  };

  bool read_address(std::string& problem);
  EasyHandle new_handle();
  void set_authorities(CURL* easy) const;
  void set_address(CURL* easy, const Request& request) const;

  const Connection& connection_;
  MemoryFile authorities_;
  std::optional<Address> address_;
  std::unique_ptr<curl_slist, FreeHeaders> connect_to_;
  std::unique_ptr<CURLSH, CloseShare> share_;
  std::vector<std::unique_ptr<Attempt>> idle_;
};

}  // namespace trainyard
