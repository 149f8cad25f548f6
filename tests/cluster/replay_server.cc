#include "cluster/replay_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef TRAINYARD_OPENSSL
#include <openssl/ssl.h>
#endif

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace trainyard::test {

/// One connection, with or without TLS.
class ReplayServer::Peer {
 public:
  Peer(int socket, void* tls, const std::atomic<bool>& stops) : socket_(socket), stops_(stops) {
#ifdef TRAINYARD_OPENSSL
    if (tls != nullptr) {
      ssl_ = SSL_new(static_cast<SSL_CTX*>(tls));
      SSL_set_fd(ssl_, socket);
      good_ = SSL_accept(ssl_) == 1;
    }
#else
    static_cast<void>(tls);
#endif
  }
  ~Peer() {
#ifdef TRAINYARD_OPENSSL
    if (ssl_ != nullptr) SSL_free(ssl_);
#endif
    ::close(socket_);
  }

  bool good() const { return good_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
#ifdef TRAINYARD_OPENSSL
      const auto count = ssl_ != nullptr
                             ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
#else
      const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
#endif
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// More bytes; false at the end.
  bool receive() {
    char buffer[16 * 1024];
    while (!stops_) {
      pollfd watched = {socket_, POLLIN, 0};
      if (!has_pending() && ::poll(&watched, 1, 10) <= 0) continue;
#ifdef TRAINYARD_OPENSSL
      const auto count = ssl_ != nullptr ? SSL_read(ssl_, buffer, sizeof buffer)
                                         : ::recv(socket_, buffer, sizeof buffer, 0);
#else
      const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
#endif
      if (count <= 0) return false;
      text.append(buffer, static_cast<std::size_t>(count));
      return true;
    }
    return false;
  }

  void wait(int milliseconds) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (!stops_ && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(milliseconds, 10)));
    }
  }
  void hang() const {
    while (!stops_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  std::string text;  // what was received and is not taken yet

 private:
  bool has_pending() const {
#ifdef TRAINYARD_OPENSSL
    return ssl_ != nullptr && SSL_pending(ssl_) > 0;
#else
    return false;
#endif
  }

  int socket_;
  const std::atomic<bool>& stops_;
  bool good_ = true;
#ifdef TRAINYARD_OPENSSL
  SSL* ssl_ = nullptr;
#endif
};

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The head of a request, without its end.
SeenRequest read_head(std::string_view head) {
  SeenRequest request;
  const std::string first(head.substr(0, head.find("\r\n")));
  const std::size_t space = first.find(' ');
  request.method = first.substr(0, space);
  request.path = first.substr(space + 1, first.rfind(' ') - space - 1);
  for (std::size_t at = head.find("\r\n"); at != head.npos;) {
    const std::size_t end = head.find("\r\n", at + 2);
    const std::string line(head.substr(at + 2, std::min(end, head.size()) - at - 2));
    const std::size_t colon = line.find(':');
    if (colon != line.npos) {
      std::string& value = request.headers[lower(line.substr(0, colon))];
      value += (value.empty() ? "" : ",") + line.substr(std::min(colon + 2, line.size()));
    }
    at = end;
  }
  return request;
}

std::string call_of(const SeenRequest& request) {
  return request.method + " " + request.path.substr(0, request.path.find('?'));
}

}  // namespace

ReplayServer::ReplayServer([[maybe_unused]] std::string certificate,
                           [[maybe_unused]] std::string key) {
  std::signal(SIGPIPE, SIG_IGN);
#ifdef TRAINYARD_OPENSSL
  if (!certificate.empty()) {
    SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate_chain_file(context, certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
    // Without it OpenSSL refuses each session that a client resumes.
    static constexpr unsigned char kName[] = "replay";
    SSL_CTX_set_session_id_context(context, kName, sizeof kName - 1);
    tls_ = context;
  }
#endif
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port on loopback");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

ReplayServer::~ReplayServer() {
  stops_ = true;
  acceptor_.join();
  for (std::thread& each : workers_) each.join();
  ::close(listener_);
#ifdef TRAINYARD_OPENSSL
  if (tls_ != nullptr) SSL_CTX_free(static_cast<SSL_CTX*>(tls_));
#endif
}

void ReplayServer::on(const std::string& call, std::vector<Reply> replies) {
  const std::lock_guard lock(mutex_);
  replies_[call] = {replies.begin(), replies.end()};
}

void ReplayServer::instead(std::size_t number, Reply reply) {
  const std::lock_guard lock(mutex_);
  instead_[number] = std::move(reply);
}

void ReplayServer::forget_faults() {
  const std::lock_guard lock(mutex_);
  instead_.clear();
}

std::string ReplayServer::address() const {
  return (tls_ == nullptr ? "http" : "https") + std::string("://127.0.0.1:") +
         std::to_string(port_);
}

std::vector<SeenRequest> ReplayServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::size_t ReplayServer::count() const {
  const std::lock_guard lock(mutex_);
  return seen_.size();
}

std::vector<SeenRequest> ReplayServer::seen(const std::string& call) const {
  std::vector<SeenRequest> all = seen();
  std::erase_if(all, [&](const SeenRequest& each) { return call_of(each) != call; });
  return all;
}

void ReplayServer::accept_all() {
  while (!stops_) {
    pollfd watched = {listener_, POLLIN, 0};
    if (::poll(&watched, 1, 10) <= 0) continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket == -1) continue;
    ++connections_;
    workers_.emplace_back([this, socket] { serve(socket); });
  }
}

void ReplayServer::serve(int socket) {
  Peer peer(socket, tls_, stops_);
  while (peer.good()) {
    std::size_t end = 0;
    while ((end = peer.text.find("\r\n\r\n")) == std::string::npos) {
      if (!peer.receive()) return;
    }
    SeenRequest request = read_head(std::string_view(peer.text).substr(0, end));
    peer.text.erase(0, end + 4);
    const auto length = request.headers.find("content-length");
    const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
    while (peer.text.size() < size) {
      if (!peer.receive()) return;
    }
    request.body = peer.text.substr(0, size);
    peer.text.erase(0, size);
    const Reply reply = reply_to(request);
    if (reply.does) reply.does();
    if (!answer(peer, reply)) return;
  }
}

Reply ReplayServer::reply_to(const SeenRequest& request) {
  const std::lock_guard lock(mutex_);
  seen_.push_back(request);
  auto found = replies_.end();
  if (request.path.find("watch=true") != std::string::npos) {
    found = replies_.find("WATCH" + call_of(request).substr(request.method.size()));
  }
  if (found == replies_.end()) found = replies_.find(call_of(request));
  const bool is_known = found != replies_.end() && !found->second.empty();
  if (const auto fault = instead_.find(seen_.size() - 1); fault != instead_.end()) {
    Reply reply = fault->second;
    if (reply.is_done && is_known) reply.does = found->second.front().does;
    return reply;
  }
  if (!is_known) {
    return {404, status_body(404, "NotFound", "the server could not find the requested resource")};
  }
  const Reply reply = found->second.front();
  if (found->second.size() > 1) found->second.pop_front();
  return reply;
}

bool ReplayServer::answer(Peer& peer, const Reply& reply) {
  peer.wait(reply.delay);
  if (reply.hangs) peer.hang();
  const bool is_chunked = !reply.pieces.empty();
  if (reply.is_cut && reply.body.empty() && !is_chunked) return false;
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\n";
  if (!reply.headers.contains("Content-Type")) head += "Content-Type: application/json\r\n";
  for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
  if (is_chunked) {
    head += "Transfer-Encoding: chunked\r\n\r\n";
    if (!peer.send(head)) return false;
    do {
      for (const std::string& piece : reply.pieces) {
        peer.wait(reply.delay);
        char size[32];
        std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
        if (!peer.send(size + piece + "\r\n")) return false;
      }
    } while (reply.is_endless && !stops_);
    return !reply.is_cut && peer.send("0\r\n\r\n");
  }
  // A cut answer promises more than comes.
  const std::size_t promised = reply.body.size() + (reply.is_cut ? 100 : 0);
  head += "Content-Length: " + std::to_string(promised) + "\r\n\r\n";
  return peer.send(head + reply.body) && !reply.is_cut;
}

std::string status_body(int code, const std::string& reason, const std::string& message,
                        const std::string& details) {
  std::string escaped;
  for (const char c : message) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)" +
         (reason.empty() ? std::string() : "\"reason\":\"" + reason + "\",") + "\"message\":\"" +
         escaped + "\",\"details\":" + details + ",\"code\":" + std::to_string(code) + "}";
}

}  // namespace trainyard::test
