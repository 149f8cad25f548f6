#pragma once

#include <map>
#include <optional>
#include <string>

#include "cluster/connect/connection.h"
#include "cluster/http/transport.h"
#include "diag/render.h"

namespace trainyard::test {

/// A machine without files and variables, until a test gives it some.
struct Client {
  MemoryFileSystem files;
  std::map<std::string, std::string> variables;
  LocalMachine machine{files, [this](const std::string& name) -> std::optional<std::string> {
                         const auto found = variables.find(name);
                         if (found == variables.end()) return std::nullopt;
                         return found->second;
                       }};
  SourceMap sources;
  Sink sink;

  Client() = default;
  Client(const Client&) = delete;

  std::optional<Connection> find(const ConnectionRequest& request = {}) {
    return find_connection(request, machine, sources, sink);
  }
  /// What a person would see of it.
  std::string said() const { return render_text(sink.sorted(), sources, false); }
};

/// A connection without a kubeconfig.
inline Connection connection_to(const std::string& server, const std::string& token = "") {
  Connection connection;
  connection.endpoint.server = server;
  Identity identity;
  identity.token = SecretBytes(token);
  connection.identity = fixed_identity(std::move(identity));
  return connection;
}

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace trainyard::test
