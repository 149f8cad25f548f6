#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/connect/local_machine.h"
#include "cluster/connect/secret_bytes.h"

namespace trainyard {

/// What requests show so that the server knows the user. At most one of token, user name and
/// certificate is what counts; the server refuses a request that has none.
struct Identity {
  SecretBytes token;
  std::string user;  // of basic authentication, which few servers still take
  SecretBytes password;
  std::string certificate;  // PEM
  SecretBytes key;          // PEM
};

/// Gives the identity for each request, anew where it comes to its end.
class IdentitySource {
 public:
  virtual ~IdentitySource() = default;
  /// The identity for a request that is sent now. It stays valid until the next call of a member.
  /// Null where it cannot be had; `problem` then says why and what to do, in one sentence or more.
  virtual const Identity* current(std::string& problem) = 0;
  /// The server did not know the identity (401). True when the next one may be another.
  virtual bool refused() { return false; }
};

/// Whether a text can be a bearer token: no space, no line break, ASCII alone. Anything else could
/// add headers to a request.
bool is_token(std::string_view text);

/// The one that a kubeconfig holds.
std::unique_ptr<IdentitySource> fixed_identity(Identity identity);
/// The token of a file, which is read anew each minute and when the server refuses it.
std::unique_ptr<IdentitySource> token_file(std::string path, LocalMachine& machine);

}  // namespace trainyard
