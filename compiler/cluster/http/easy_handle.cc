#include "cluster/http/easy_handle.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <string_view>

#include "cluster/http/url_text.h"

namespace trainyard {
namespace {

void add_header(Headers& headers, std::string_view name, std::string_view value) {
  std::string line = std::string(name) + ": " + std::string(value);
  // `X:` alone takes a header of libcurl's own away.
  curl_slist* const longer = ::curl_slist_append(headers.get(), line.c_str());
  wipe(line);
  if (longer == nullptr) throw std::bad_alloc();
  static_cast<void>(headers.release());
  headers.reset(longer);
}

/// A peer that is silently gone is noticed within half a minute, also by a watch that is quiet.
int notice_dead_peers(void*, curl_socket_t socket, curlsocktype) {
  const unsigned milliseconds = 30'000;
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
  return CURL_SOCKOPT_OK;
}

curl_blob blob_of(std::string_view bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};
}

Headers headers_of(const Request& request, const Connection& connection, const Identity& identity) {
  Headers headers;
  add_header(headers, "Accept", request.accept);
  add_header(headers, "Content-Type", request.content_type);
  add_header(headers, "Expect", "");
  if (!identity.token.empty()) {
    std::string value = "Bearer " + std::string(identity.token.view());
    add_header(headers, "Authorization", value);
    wipe(value);
  }
  const Impersonation& as = connection.impersonation;
  if (!as.user.empty()) add_header(headers, "Impersonate-User", as.user);
  if (!as.uid.empty()) add_header(headers, "Impersonate-Uid", as.uid);
  for (const std::string& each : as.groups) add_header(headers, "Impersonate-Group", each);
  for (const auto& [name, value] : as.extra) {
    add_header(headers, "Impersonate-Extra-" + encoded(name), value);
  }
  return headers;
}

void set_method(CURL* easy, const Request& request) {
  const auto set_body = [&] {
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
  };
  switch (request.method) {
    case Method::Get:
      break;
    case Method::Post:
      set_body();
      break;
    case Method::Patch:
      set_body();
      ::curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "PATCH");
      break;
    case Method::Delete:
      if (!request.body.empty()) set_body();
      ::curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
      break;
  }
}

void set_tls(CURL* easy, const Endpoint& endpoint, const Identity& identity) {
  if (endpoint.skips_checks) {
    ::curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    ::curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  } else if (!endpoint.authorities.empty()) {
    const curl_blob authorities = blob_of(endpoint.authorities);
    ::curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &authorities);
    ::curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);  // not those of the system besides
    ::curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  if (identity.certificate.empty()) return;
  const curl_blob certificate = blob_of(identity.certificate);
  const curl_blob key = blob_of(identity.key.view());
  ::curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
  ::curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
}

struct FreeUrl {
  void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
};
struct FreeText {
  void operator()(char* text) const { ::curl_free(text); }
};

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (::curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return "";
  const std::unique_ptr<char, FreeText> owner(text);
  return text;
}

bool is_local(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "[::1]";
}

/// The address of a request. With `tls-server-name` it has that name in it, and `connect_to` leads
/// to the real host: so SNI and the check of the certificate both use the name.
std::string address_of(const Request& request, const Connection& connection,
                       const Identity& identity, Attempt& attempt, std::string& problem) {
  const Endpoint& endpoint = connection.endpoint;
  const std::unique_ptr<CURLU, FreeUrl> url(::curl_url());
  if (::curl_url_set(url.get(), CURLUPART_URL, endpoint.server.c_str(), 0) != CURLUE_OK) {
    problem = endpoint.names_server + " is no address: https://host:port";
    return "";
  }
  const std::string host = part_of(url.get(), CURLUPART_HOST);
  const bool is_plain = part_of(url.get(), CURLUPART_SCHEME) == "http";
  if (is_plain && !is_local(host) && (!identity.token.empty() || !identity.password.empty())) {
    problem = "a token would go to " + host + " without encryption: " + endpoint.names_server +
              " must begin with https://";
    return "";
  }
  const std::string& name = endpoint.tls_server_name;
  if (is_plain || name.empty()) return endpoint.server + request.path;
  const std::string port = part_of(url.get(), CURLUPART_PORT);
  const std::string way = name + ":" + port + ":" + host + ":" + port;
  attempt.connect_to.reset(::curl_slist_append(nullptr, way.c_str()));
  ::curl_easy_setopt(attempt.easy.get(), CURLOPT_CONNECT_TO, attempt.connect_to.get());
  std::string path = part_of(url.get(), CURLUPART_PATH);
  while (path.ends_with('/')) path.pop_back();
  return "https://" + name + ":" + port + path + request.path;
}

}  // namespace

void FreeHeaders::operator()(curl_slist* headers) const {
  for (curl_slist* each = headers; each != nullptr; each = each->next) {
    ::explicit_bzero(each->data, std::strlen(each->data));
  }
  ::curl_slist_free_all(headers);
}

std::unique_ptr<Attempt> make_attempt(const Request& request, const Connection& connection,
                                      const Identity& identity, std::string& problem) {
  auto attempt = std::make_unique<Attempt>();
  attempt->easy.reset(::curl_easy_init());
  CURL* const easy = attempt->easy.get();
  if (easy == nullptr) throw std::bad_alloc();
  const std::string address = address_of(request, connection, identity, *attempt, problem);
  if (address.empty()) return nullptr;
  const Endpoint& endpoint = connection.endpoint;
  ::curl_easy_setopt(easy, CURLOPT_URL, address.c_str());
  ::curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, attempt->words);
  ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  ::curl_easy_setopt(easy, CURLOPT_USERAGENT, "trainyard-cluster");
  ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 15L);
  ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 5L);
  ::curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, notice_dead_peers);
  // Not HTTP/2: libcurl 7.88 of Debian 12 may wait for ever for one of several answers on one
  // connection although all of it has come (tests/cluster/real_server_test.cc).
  ::curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  // libcurl repeats by itself what an idle connection that has just been closed did not take.
  if (!request.repeatable) ::curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  if (endpoint.compress && !request.streams) {
    ::curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  }
  if (!endpoint.proxy.empty()) {
    ::curl_easy_setopt(easy, CURLOPT_PROXY, endpoint.proxy.c_str());
    ::curl_easy_setopt(easy, CURLOPT_NOPROXY, "");  // a kubeconfig counts before the environment
  }
  if (!identity.user.empty()) {
    ::curl_easy_setopt(easy, CURLOPT_USERNAME, identity.user.c_str());
    ::curl_easy_setopt(easy, CURLOPT_PASSWORD, std::string(identity.password.view()).c_str());
  }
  set_method(easy, request);
  set_tls(easy, endpoint, identity);
  attempt->headers = headers_of(request, connection, identity);
  ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, attempt->headers.get());
  return attempt;
}

}  // namespace trainyard
