#include "cluster/http/problems.h"

#include <algorithm>
#include <array>

#include "diag/foreign_text.h"

namespace trainyard {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// Without a user and a password in it.
std::string proxy_name(const Endpoint& endpoint) {
  if (endpoint.proxy.empty()) return "the proxy of HTTPS_PROXY";
  const std::size_t scheme = endpoint.proxy.find("://") + 3;
  const std::size_t user = endpoint.proxy.find('@');
  return "the proxy " +
         foreign_text(user == endpoint.proxy.npos
                          ? endpoint.proxy
                          : endpoint.proxy.substr(0, scheme) + endpoint.proxy.substr(user + 1));
}

std::string tls_problem(const FailedAttempt& attempt, const Endpoint& endpoint) {
  const std::string server = foreign_text(endpoint.server);
  if (attempt.code == CURLE_SSL_CERTPROBLEM) {
    return "the client certificate of the kubeconfig cannot be used (" +
           foreign_text(attempt.words) +
           "): log in again, or mend `client-certificate` and "
           "`client-key`";
  }
  if (contains(attempt.words, "alert")) {
    return server + " refuses the client certificate (" + foreign_text(attempt.words) +
           "): log in again";
  }
  std::string advice = endpoint.authorities.empty()
                           ? "no CA is named: set " + endpoint.names_authorities
                           : "is " + endpoint.names_authorities + " that of this cluster?";
  if (contains(attempt.words, "expired") || contains(attempt.words, "not yet valid")) {
    advice = "its administrator must renew it; is the clock of this machine right?";
  } else if (contains(attempt.words, "subject name") || contains(attempt.words, "IP address") ||
             contains(attempt.words, "ipv4 address")) {
    advice = "reach it by a name of the certificate, or set `tls-server-name`";
  } else if (contains(attempt.words, "wrong version number")) {
    advice = "something else than TLS answers at this port";
  }
  return "the certificate of " + server + " is not trusted (" + foreign_text(attempt.words) +
         "): " + advice;
}

Explained proxy_problem(const FailedAttempt& attempt, const Endpoint& endpoint) {
  const std::string proxy = proxy_name(endpoint);
  std::string problem = proxy + " cannot be reached: check `proxy-url`";
  if (attempt.proxy_status == 407) {
    problem = proxy + " wants a user and a password (407): http://user:password@host:port";
  } else if (attempt.proxy_status != 0) {
    problem = proxy + " refuses the way to " + foreign_text(endpoint.server) + " (" +
              std::to_string(attempt.proxy_status) + "): its administrator must allow it";
  }
  return {Trouble::Proxy, problem};
}

}  // namespace

bool is_about_certificates(const FailedAttempt& attempt) {
  constexpr std::array kCodes = {
      CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR,         CURLE_SSL_CIPHER,      CURLE_SSL_CONNECT_ERROR};
  const bool by_code = std::ranges::find(kCodes, attempt.code) != kCodes.end();
  // The handshake of a server that goes down ends in this code, too.
  const bool is_cut = attempt.code == CURLE_SSL_CONNECT_ERROR &&
                      (contains(attempt.words, "reset") || contains(attempt.words, "SYSCALL"));
  return (by_code && !is_cut) || contains(attempt.words, "alert");
}

Explained explain(const FailedAttempt& attempt, const Endpoint& endpoint) {
  const std::string server = foreign_text(endpoint.server);
  const bool is_proxy_code =
      attempt.code == CURLE_COULDNT_RESOLVE_PROXY || attempt.code == CURLE_PROXY;
  const bool is_unreached_proxy =
      attempt.code == CURLE_COULDNT_CONNECT && !endpoint.proxy.empty() && !attempt.was_connected;
  if (attempt.proxy_status >= 300 || is_proxy_code || is_unreached_proxy) {
    return proxy_problem(attempt, endpoint);
  }
  if (is_about_certificates(attempt)) return {Trouble::Tls, tls_problem(attempt, endpoint)};
  switch (attempt.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return {Trouble::NotReached, "the name of " + server + " is not known here: check " +
                                       endpoint.names_server + ", the network and the VPN"};
    case CURLE_COULDNT_CONNECT:
      return {Trouble::NotReached, server +
                                       " cannot be reached: is the API server up, the network and "
                                       "the VPN there, and " +
                                       endpoint.names_server + " right?"};
    case CURLE_OPERATION_TIMEDOUT:
      return {Trouble::TimedOut,
              attempt.was_connected
                  ? server + " gives no answer in time; `--request-timeout` waits longer"
                  : server + " cannot be reached in time: is a VPN or a firewall in the way?"};
    case CURLE_URL_MALFORMAT:
      return {Trouble::NotReached, server + " is no address: check " + endpoint.names_server};
    case CURLE_OUT_OF_MEMORY:
      return {Trouble::Lost, "memory ran out"};
    default:
      return {Trouble::Lost,
              "the connection to " + server + " is lost (" + foreign_text(attempt.words) + ")"};
  }
}

}  // namespace trainyard
