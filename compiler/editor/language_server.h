#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "driver/session/session.h"
#include "driver/validate/validate.h"

namespace trainyard {

/// What a server has of the world around it.
struct ServerWorld {
  FileSystem& files;
  /// Gives a session the settings of the config file for the inputs of a request.
  std::function<void(Session&, ValidateRequest&)> prepare;
  /// Sends the body of a message.
  std::function<void(const std::string& body)> send;
  /// Hands all messages to `take` that have come meanwhile, and does not wait for any.
  std::function<void()> read_more;
};

/// A server of the Language Server Protocol, version 3.17, for one client
/// (microsoft/language-server-protocol). It writes no file.
///
/// Messages are worked off in their order. Findings are published when no message waits, so that
/// of several keystrokes only the last one is checked. A request that waits, or that looks through
/// many files, can be cancelled.
class LanguageServer {
 public:
  explicit LanguageServer(ServerWorld world);
  LanguageServer(const LanguageServer&) = delete;
  ~LanguageServer();

  /// The body of a message that has come.
  void take(const std::string& body);
  /// Works until nothing is left to do.
  void work();
  /// How the program ends, once the client has said `exit`: badly without a `shutdown` before it.
  std::optional<ExitCode> ended() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace trainyard
