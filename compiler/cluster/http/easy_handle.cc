#include "cluster/http/easy_handle.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cluster/http/url_text.h"

namespace trainyard {
namespace {

/// From here on libcurl would wait for a `100 Continue`.
constexpr std::size_t kExpectsFrom = 1024 * 1024;

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

/// Of those that libcurl knows.
bool has_proxy_variable() {
  constexpr const char* kNames[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                    "ALL_PROXY"};
  return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

curl_blob blob_of(std::string_view bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};
}

Headers headers_of(const Request& request, const Connection& connection, const Identity& identity) {
  Headers headers;
  add_header(headers, "Accept", request.accept);
  add_header(headers, "User-Agent", "trainyard-cluster");
  // Without a value it takes the one away that libcurl gives each POST.
  const bool has_type = !request.content_type.empty() || request.method == Method::Post;
  if (has_type) add_header(headers, "Content-Type", request.content_type);
  if (request.body.size() >= kExpectsFrom) add_header(headers, "Expect", "");
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
  // Of POST and what has a body; a name of its own counts before that.
  ::curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  const bool has_body = request.method != Method::Get && !request.body.empty();
  if (has_body || request.method == Method::Post) {
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
  }
  const char* const name = request.method == Method::Patch    ? "PATCH"
                           : request.method == Method::Delete ? "DELETE"
                                                              : nullptr;
  ::curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, name);
}

/// An identity may be another one for each request; what it lacks is taken away.
void set_identity(CURL* easy, const Identity& identity) {
  const curl_blob certificate = blob_of(identity.certificate);
  const curl_blob key = blob_of(identity.key.view());
  const bool has_pair = !identity.certificate.empty();
  ::curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, has_pair ? &certificate : nullptr);
  ::curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, has_pair ? &key : nullptr);
  const bool has_user = !identity.user.empty();
  std::string password(identity.password.view());
  ::curl_easy_setopt(easy, CURLOPT_USERNAME, has_user ? identity.user.c_str() : nullptr);
  ::curl_easy_setopt(easy, CURLOPT_PASSWORD, has_user ? password.c_str() : nullptr);
  wipe(password);
}

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

}  // namespace

void FreeHeaders::operator()(curl_slist* headers) const {
  for (curl_slist* each = headers; each != nullptr; each = each->next) {
    ::explicit_bzero(each->data, std::strlen(each->data));
  }
  ::curl_slist_free_all(headers);
}

MemoryFile::MemoryFile(const std::string& text) {
  if (text.empty()) return;
  descriptor_ = ::memfd_create("authorities", MFD_CLOEXEC);
  if (descriptor_ == -1) return;
  const ssize_t written = ::write(descriptor_, text.data(), text.size());
  std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
  const bool is_whole = written == static_cast<ssize_t>(text.size());
  if (is_whole && ::access(path.c_str(), R_OK) == 0) path_ = std::move(path);
}

MemoryFile::~MemoryFile() {
  if (descriptor_ != -1) ::close(descriptor_);
}

void AttemptMaker::set_authorities(CURL* easy) const {
  const Endpoint& endpoint = connection_.endpoint;
  if (endpoint.skips_checks) {
    ::curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    ::curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  } else if (!endpoint.authorities.empty()) {
    const curl_blob text = blob_of(endpoint.authorities);
    const bool is_file = !authorities_.path().empty();
    if (!is_file) ::curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &text);
    // Not those of the system besides.
    ::curl_easy_setopt(easy, CURLOPT_CAINFO, is_file ? authorities_.path().c_str() : nullptr);
    ::curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
}

/// With `tls-server-name` the address has that name in it, and `connect_to_` leads to the real
/// host: so SNI and the check of the certificate both use the name.
bool AttemptMaker::read_address(std::string& problem) {
  const Endpoint& endpoint = connection_.endpoint;
  const std::unique_ptr<CURLU, FreeUrl> url(::curl_url());
  if (::curl_url_set(url.get(), CURLUPART_URL, endpoint.server.c_str(), 0) != CURLUE_OK) {
    problem = endpoint.names_server + " is no address: https://host:port";
    return false;
  }
  Address address;
  address.host = part_of(url.get(), CURLUPART_HOST);
  address.is_plain = part_of(url.get(), CURLUPART_SCHEME) == "http";
  address.prefix = part_of(url.get(), CURLUPART_PATH);
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  const std::string port = part_of(url.get(), CURLUPART_PORT);
  const bool has_name = !address.is_plain && !endpoint.tls_server_name.empty();
  const std::string& name = has_name ? endpoint.tls_server_name : address.host;
  if (has_name) {
    const std::string way = name + ":" + port + ":" + address.host + ":" + port;
    connect_to_.reset(::curl_slist_append(nullptr, way.c_str()));
  }
  address.url = (address.is_plain ? "http://" : "https://") + name + ":" + port + "/";
  address.read_url.reset(::curl_url());
  ::curl_url_set(address.read_url.get(), CURLUPART_URL, address.url.c_str(), 0);
  address_ = std::move(address);
  return true;
}

EasyHandle AttemptMaker::new_handle() {
  EasyHandle handle(::curl_easy_init());
  CURL* const easy = handle.get();
  if (easy == nullptr) throw std::bad_alloc();
  if (share_ == nullptr) {
    share_.reset(::curl_share_init());
    ::curl_share_setopt(share_.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  }
  const Endpoint& endpoint = connection_.endpoint;
  ::curl_easy_setopt(easy, CURLOPT_SHARE, share_.get());
  ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  // The target of a request libcurl takes as it is. A proxy for plain HTTP wants the whole address
  // in it, which set_address sets.
  if (!address_->is_plain) ::curl_easy_setopt(easy, CURLOPT_CURLU, address_->read_url.get());
  ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 15L);
  ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 5L);
  ::curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, notice_dead_peers);
  if (connect_to_ != nullptr) ::curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  if (!endpoint.proxy.empty()) {
    ::curl_easy_setopt(easy, CURLOPT_PROXY, endpoint.proxy.c_str());
    ::curl_easy_setopt(easy, CURLOPT_NOPROXY, "");  // a kubeconfig counts before the environment
  }
  // Else libcurl asks the environment for each request.
  if (endpoint.proxy.empty() && !has_proxy_variable()) {
    ::curl_easy_setopt(easy, CURLOPT_PROXY, "");
  }
  set_authorities(easy);
  return handle;
}

/// libcurl takes a URL apart and puts it together again, letter by letter, for each request.
void AttemptMaker::set_address(CURL* easy, const Request& request) const {
  const std::string path = address_->prefix + request.path;
  if (address_->is_plain) {
    ::curl_easy_setopt(easy, CURLOPT_URL, (address_->url + path.substr(1)).c_str());
  } else {
    ::curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, path.c_str());
  }
}

std::unique_ptr<Attempt> AttemptMaker::make(const Request& request, const Identity& identity,
                                            bool shares, std::string& problem) {
  if (!address_ && !read_address(problem)) return nullptr;
  const Endpoint& endpoint = connection_.endpoint;
  if (address_->is_plain && !is_local(address_->host) &&
      (!identity.token.empty() || !identity.password.empty())) {
    problem = "a token would go to " + address_->host +
              " without encryption: " + endpoint.names_server + " must begin with https://";
    return nullptr;
  }
  std::unique_ptr<Attempt> attempt;
  if (idle_.empty()) {
    attempt = std::make_unique<Attempt>();
    attempt->easy = new_handle();
    ::curl_easy_setopt(attempt->easy.get(), CURLOPT_ERRORBUFFER, attempt->words);
  } else {
    attempt = std::move(idle_.back());
    idle_.pop_back();
  }
  // Each option that is set from here on is set for every request.
  CURL* const easy = attempt->easy.get();
  set_address(easy, request);
  // Not HTTP/2 for answers: libcurl 7.88 of Debian 12 may wait for ever for one of several on one
  // connection although all of it has come (tests/cluster/real_server_test.cc).
  ::curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     shares ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  ::curl_easy_setopt(easy, CURLOPT_PIPEWAIT, shares ? 1L : 0L);
  // libcurl repeats by itself what an idle connection that has just been closed did not take.
  ::curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, request.repeatable ? 0L : 1L);
  // The API server compresses what is large: lists, not the answer to a write.
  const bool compresses = endpoint.compress && request.method == Method::Get && !request.streams;
  ::curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, compresses ? "gzip" : nullptr);
  set_identity(easy, identity);
  set_method(easy, request);
  attempt->headers = headers_of(request, connection_, identity);
  ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, attempt->headers.get());
  return attempt;
}

void AttemptMaker::take_back(std::unique_ptr<Attempt> attempt) {
  ::curl_easy_setopt(attempt->easy.get(), CURLOPT_HTTPHEADER, nullptr);
  attempt->headers.reset();
  attempt->words[0] = '\0';
  idle_.push_back(std::move(attempt));
}

}  // namespace trainyard
