#include "cluster/runai/runai_access.h"

#include <utility>

#include "cluster/json_document.h"
#include "cluster/runai/runai_calls.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestCertificates = 1024 * 1024;
constexpr std::chrono::seconds kMargin{30};      // a token is renewed this long before its end
constexpr std::chrono::minutes kUnknownLife{5};  // of a token without `expiresIn`

/// The token of a client, which is asked for when it is needed.
class ExchangedToken : public IdentitySource {
 public:
  ExchangedToken(Endpoint endpoint, std::string client, std::string secret, LocalMachine& machine,
                 const TransportLimits& limits)
      : client_(std::move(client)), secret_(std::move(secret)), machine_(machine), limits_(limits) {
    connection_.endpoint = std::move(endpoint);
    connection_.identity = fixed_identity({});
  }

  const Identity* current(std::string& problem) override {
    if (!identity_.token.empty() && Clock::now() < renew_) return &identity_;
    return exchange(problem) ? &identity_ : nullptr;
  }

  bool refused() override {
    identity_.token.clear();
    return true;
  }

 private:
  bool exchange(std::string& problem) {
    identity_.token.clear();
    Transport transport(connection_, machine_, limits_);
    Answer answer = transport.send({.method = Method::Post,
                                    .path = "/api/v1/token",
                                    .body = R"({"grantType":"client_credentials","clientID":)" +
                                            quoted(client_) +
                                            ",\"clientSecret\":" + quoted(secret_.view()) + "}",
                                    .content_type = "application/json"});
    if (const auto error = runai_error_of(answer)) {
      problem = "no token for the client of RUNAI_CLIENT_ID: " + error->message;
      // A server may quote what it refuses.
      const std::size_t at = problem.find(secret_.view());
      if (at != std::string::npos) problem.replace(at, secret_.view().size(), "***");
      return false;
    }
    const JsonAnswer document = JsonDocument::read(answer.body);
    wipe(answer.body);
    if (document == nullptr) {
      problem = unreadable_runai_answer().message;
      return false;
    }
    return take(document->root(), problem);
  }

  bool take(View answer, std::string& problem) {
    const std::string_view token = string_at(answer, "accessToken");
    if (!is_token(token)) {
      problem = "the answer of " + connection_.endpoint.server + " to the exchange has no token";
      return false;
    }
    identity_.token = SecretBytes(std::string(token));
    const auto seconds = integer_at(answer, "expiresIn");
    renew_ = Clock::now() + (seconds ? std::chrono::seconds(*seconds) - kMargin : kUnknownLife);
    return true;
  }

  Connection connection_;
  std::string client_;
  SecretBytes secret_;
  LocalMachine& machine_;
  TransportLimits limits_;
  Identity identity_;
  ClockTime renew_;
};

/// Whether a secret may go there: with encryption, or to this machine.
bool is_safe_address(std::string_view url) {
  if (url.find_first_of("@?# ") != url.npos) return false;
  if (url.starts_with("https://")) return url.size() > 8;
  for (const std::string_view local : {"http://localhost", "http://127.0.0.1", "http://[::1]"}) {
    if (!url.starts_with(local)) continue;
    const std::string_view rest = url.substr(local.size());
    if (rest.empty() || rest.front() == ':' || rest.front() == '/') return true;
  }
  return false;
}

/// The variable's text without what a file or a here-document adds.
std::string variable(const LocalMachine& machine, const std::string& name) {
  std::string text = machine.variable(name).value_or("");
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

bool read_authorities(LocalMachine& machine, Endpoint& endpoint, std::string& problem) {
  const std::string path = variable(machine, "RUNAI_CA_FILE");
  if (path.empty()) return true;
  FileRead file = machine.files.read(path, kLongestCertificates);
  const std::string where = "the file of RUNAI_CA_FILE, " + foreign_text(path) + ", ";
  if (file.error) {
    problem = where + "cannot be read: " + file.error->message;
  } else if (file.text.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    problem = where + "has no certificate in PEM";
  }
  endpoint.authorities = std::move(file.text);
  return problem.empty();
}

}  // namespace

std::optional<Connection> runai_connection(const std::string& url, LocalMachine& machine,
                                           const TransportLimits& limits, std::string& problem) {
  if (!is_safe_address(url)) {
    problem = "`--runai` is the address of a control plane, https://HOST, not " +
              shown(foreign_text(url));
    return std::nullopt;
  }
  Connection connection;
  Endpoint& endpoint = connection.endpoint;
  endpoint.server = url;
  while (endpoint.server.ends_with('/')) endpoint.server.pop_back();
  endpoint.names_server = "`--runai`";
  endpoint.names_authorities = "RUNAI_CA_FILE";
  if (!read_authorities(machine, endpoint, problem)) return std::nullopt;
  const std::string client = variable(machine, "RUNAI_CLIENT_ID");
  std::string secret = variable(machine, "RUNAI_CLIENT_SECRET");
  std::string token = variable(machine, "RUNAI_TOKEN");
  if (client.empty() != secret.empty()) {
    problem = "RUNAI_CLIENT_ID and RUNAI_CLIENT_SECRET belong together, and " +
              std::string(client.empty() ? "RUNAI_CLIENT_ID" : "RUNAI_CLIENT_SECRET") +
              " is not set";
  } else if (!client.empty()) {
    connection.identity =
        std::make_unique<ExchangedToken>(endpoint, client, std::move(secret), machine, limits);
  } else if (token.empty()) {
    problem =
        "Run:ai wants to know the user: set RUNAI_CLIENT_ID and RUNAI_CLIENT_SECRET to those "
        "of a service account or an access key, or RUNAI_TOKEN to a token";
  } else if (!is_token(token)) {
    problem = "RUNAI_TOKEN holds no token";
  } else {
    Identity identity;
    identity.token = SecretBytes(std::move(token));
    connection.identity = fixed_identity(std::move(identity));
  }
  if (connection.identity == nullptr) return std::nullopt;
  return connection;
}

}  // namespace trainyard
