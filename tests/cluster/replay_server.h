#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace trainyard::test {

/// What the server does with one request.
struct Reply {
  int status = 200;
  std::string body = {};
  std::map<std::string, std::string> headers = {};
  /// Pieces of a chunked answer, in the place of `body`; the answer ends well behind the last one.
  std::vector<std::string> pieces = {};
  bool is_cut = false;              // the connection is closed where the answer would end
  bool is_endless = false;          // the pieces come again and again until the client goes
  bool hangs = false;               // nothing is sent; the connection stays open
  int delay = 0;                    // milliseconds before the answer, and before each piece
  std::function<void()> does = {};  // what the request changes, such as what later requests get
  bool is_done = false;  // in the place of another reply: what that one does is done all the same
};

struct SeenRequest {
  std::string method;
  std::string path;                            // with its query
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

/// Gives recorded answers over HTTP/1.1 on loopback, with or without TLS. For each method and path,
/// without its query, replies come in order and the last one is repeated; a path that is not known
/// gets a 404 as the API server writes it.
class ReplayServer {
 public:
  /// PEM files of the certificate and key; "" for a server without TLS.
  explicit ReplayServer(std::string certificate = "", std::string key = "");
  ReplayServer(const ReplayServer&) = delete;
  ~ReplayServer();

  /// "GET /version"; "WATCH /path" for watches alone, where they are not to take turns with lists.
  void on(const std::string& call, std::vector<Reply> replies);
  /// The request `number` of all, from 0 on, gets this reply in the place of its own.
  void instead(std::size_t number, Reply reply);
  void forget_faults();         // each of these that has not come yet
  std::string address() const;  // http://127.0.0.1:port
  int port() const { return port_; }
  std::vector<SeenRequest> seen() const;
  std::size_t count() const;  // of these
  /// Those to one path, without the query.
  std::vector<SeenRequest> seen(const std::string& call) const;
  int connections() const { return connections_; }

 private:
  class Peer;
  void accept_all();
  void serve(int socket);
  Reply reply_to(const SeenRequest& request);
  bool answer(Peer& peer, const Reply& reply);

  void* tls_ = nullptr;  // SSL_CTX
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stops_ = false;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<Reply>> replies_;
  std::map<std::size_t, Reply> instead_;
  std::vector<SeenRequest> seen_;
  std::thread acceptor_;
  std::vector<std::thread> workers_;
};

/// A Status as the API server sends it. `details` is JSON.
std::string status_body(int code, const std::string& reason, const std::string& message,
                        const std::string& details = "{}");

}  // namespace trainyard::test
