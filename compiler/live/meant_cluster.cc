#include "live/meant_cluster.h"

#include <algorithm>

#include "diag/place.h"
#include "diag/words.h"
#include "driver/session/config.h"
#include "source/characters.h"

namespace trainyard {
namespace {

std::string place_text(Span span, const SourceMap& sources) {
  const Place place = place_of(span, sources);
  return std::string(place.file) + ":" + std::to_string(place.start.line) + ":" +
         std::to_string(place.start.column);
}

/// `https://host:port/path`: in lower case up to the path, with the port.
std::string full_address(std::string_view address) {
  while (address.ends_with('/')) address.remove_suffix(1);
  const std::size_t scheme = address.find("://");
  if (scheme == std::string_view::npos) return std::string(address);
  const std::size_t begin = scheme + 3;
  const std::size_t end = std::min(address.find('/', begin), address.size());
  std::string front = lower_case(address.substr(0, end));
  // A colon within brackets is one of an IPv6 address.
  const std::size_t colon = front.find(':', std::max(begin, front.rfind(']') + 1));
  if (colon == std::string::npos) front += front.starts_with("https:") ? ":443" : ":80";
  return front + std::string(address.substr(end));
}

}  // namespace

std::optional<MeantCluster> meant_by(const Cluster& cluster, const SourceMap& sources) {
  const auto& api = cluster.spec->api;
  const Text& stated = api->server ? api->server : api->context;
  if (!stated) return std::nullopt;
  return MeantCluster{std::string(*api->context), std::string(*api->server),
                      place_text(stated.span, sources)};
}

std::vector<MeantCluster> find_meant(Session& session, const ClusterChoice& choice,
                                     const std::vector<std::string>& inputs) {
  RunSettings settings;
  settings.cluster = choice.path;
  std::string path = choice.config;
  const NamedBy named_by = path.empty() ? NamedBy::Document : NamedBy::CommandLine;
  if (path.empty() && !choice.no_config) path = find_config(inputs, session.env);
  if (!path.empty() && !choice.no_config) {
    const auto config = read_config(session, path, named_by);
    if (config != nullptr) apply_config(session, *config, settings);
  }
  if (settings.cluster.empty() || session.sink.has_errors()) return {};
  const auto document = read_cluster(session, settings.cluster);
  if (document == nullptr) return {};
  const auto meant = meant_by(document->cluster, session.sources);
  return meant ? std::vector{*meant} : std::vector<MeantCluster>();
}

bool is_same_server(std::string_view a, std::string_view b) {
  return full_address(a) == full_address(b);
}

std::string wrong_cluster(const MeantCluster& meant, const Connection& connection,
                          bool is_put_together) {
  const std::string& server = connection.endpoint.server;
  if (connection.context.empty() && !is_put_together) return {};
  if (!meant.server.empty() ? is_same_server(meant.server, server)
                            : meant.context == connection.context && !is_put_together) {
    return {};
  }
  const std::string wanted = meant.server.empty() ? "context " + shown(meant.context)
                                                  : "the server " + shown(meant.server);
  const std::string chosen = connection.context.empty() || is_put_together
                                 ? "the server " + shown(server)
                                 : "context " + shown(connection.context) + " (" + server + ")";
  return chosen + " is chosen, and " + meant.place + " means " + wanted;
}

}  // namespace trainyard
