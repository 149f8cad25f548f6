#include "cluster/connect/identity.h"

#include <algorithm>
#include <utility>

#include "cluster/http/clock.h"
#include "diag/foreign_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestToken = 1024 * 1024;
constexpr auto kTokenLife = std::chrono::minutes(1);  // as client-go: transport/token_source.go

class FixedIdentity : public IdentitySource {
 public:
  explicit FixedIdentity(Identity identity) : identity_(std::move(identity)) {}
  const Identity* current(std::string&) override { return &identity_; }

 private:
  Identity identity_;
};

class TokenFile : public IdentitySource {
 public:
  TokenFile(std::string path, LocalMachine& machine) : path_(std::move(path)), machine_(machine) {}

  const Identity* current(std::string& problem) override {
    const ClockTime now = Clock::now();
    if (!identity_.token.empty() && now < read_again_) return &identity_;
    FileRead file = machine_.files.read(path_, kLongestToken);
    const std::string where = "the token file " + foreign_text(path_);
    if (file.error) {
      problem =
          where + " cannot be read: " + file.error->message + "; log in again, or mend `tokenFile`";
      return nullptr;
    }
    std::string token(trimmed(file.text));
    wipe(file.text);
    if (!is_token(token)) {
      problem = where + (token.empty() ? " is empty" : " holds no token") + ": log in again";
      wipe(token);
      return nullptr;
    }
    identity_.token = SecretBytes(std::move(token));
    read_again_ = now + kTokenLife;
    return &identity_;
  }

  bool refused() override {
    read_again_ = {};
    return true;
  }

 private:
  static std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
  }

  std::string path_;
  LocalMachine& machine_;
  Identity identity_;
  ClockTime read_again_;
};

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::unique_ptr<IdentitySource> fixed_identity(Identity identity) {
  return std::make_unique<FixedIdentity>(std::move(identity));
}

std::unique_ptr<IdentitySource> token_file(std::string path, LocalMachine& machine) {
  return std::make_unique<TokenFile>(std::move(path), machine);
}

}  // namespace trainyard
