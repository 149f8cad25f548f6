#include "cluster/api/access.h"
#include "diag/foreign_text.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/needed_rights.h"

namespace trainyard {
namespace {

class PingCommand : public LiveCommand {
 public:
  using LiveCommand::LiveCommand;

  std::string_view name() const override { return "ping"; }
  std::string_view summary() const override {
    return "Check whether a cluster can be reached, as whom, and with which rights";
  }
  std::string_view description() const override {
    return "Connects as kubectl would, and says which server answers, in which version, and as "
           "which user you are authenticated. Rights that other commands need in the namespace and "
           "that you lack are "
           "printed as a Role, which an administrator can grant.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard ping", "The cluster of the current context."},
            {"trainyard ping --context dgx -n nlp --as alice",
             "Another one, and what alice may do there."}};
  }

  Arguments arguments() override {
    Arguments rows = {output_argument()};
    add_cluster_arguments(rows);
    add_connection_arguments(rows);
    return rows;
  }

  ExitCode run(Io& io) override {
    ExitCode code = ExitCode::Good;
    const std::vector<MeantCluster> meant = this->meant(io, {}, code);
    if (code != ExitCode::Good) return code;
    const auto cluster = open(io, meant, code);
    if (cluster == nullptr) return code;
    ApiError error;
    const auto facts = ask_server(cluster->transport(), error);
    if (!facts) return tell(io, *cluster, error);
    const std::string& name_space = cluster->connection().name_space;
    const AccessReview review = review_access(cluster->transport(), rights_in(name_space));
    if (review.error) return tell(io, *cluster, *review.error);
    io.out += io.reports() ? json(*cluster, *facts, review) : text(*cluster, *facts, review);
    return review.missing.empty() ? ExitCode::Good : kNotReached;
  }

 private:
  static std::string text(const LiveCluster& cluster, const ServerFacts& facts,
                          const AccessReview& review) {
    const Connection& connection = cluster.connection();
    const std::string server =
        foreign_text(connection.endpoint.server) + ", Kubernetes " + foreign_text(facts.version);
    const std::string context = foreign_text(connection.context);
    std::string out = "Cluster " + (context.empty() ? server : context + " (" + server + ")") +
                      ", namespace " + foreign_text(connection.name_space);
    if (!facts.user.empty()) out += ", as " + foreign_text(facts.user);
    out += "\n";
    if (review.missing.empty()) {
      return out + "You have all rights that trainyard needs in this namespace.\n";
    }
    return out +
           "Rights are missing that trainyard needs in this namespace. With a binding to you, "
           "this grants them:\n\n" +
           foreign_lines(roles_for(review.missing));
  }

  static std::string json(const LiveCluster& cluster, const ServerFacts& facts,
                          const AccessReview& review) {
    const Connection& connection = cluster.connection();
    std::string missing;
    for (const Right& each : review.missing) {
      missing += (missing.empty() ? "{" : ", {") + json_member("verb", each.verb) + ", " +
                 json_member("group", each.group) + ", " + json_member("resource", each.resource) +
                 ", " + json_member("namespace", each.name_space) + "}";
    }
    return "{\"version\": 1, \"cluster\": {" + json_member("server", connection.endpoint.server) +
           ", " + json_member("context", connection.context) + ", " +
           json_member("kubernetes", facts.version) + "}, " +
           json_member("namespace", connection.name_space) + ", " +
           json_member("user", facts.user) + ", " + json_member("groups", facts.groups) +
           ", \"missing\": [" + missing + "]}\n";
  }
};

}  // namespace

std::unique_ptr<Command> ping_command(LocalMachine& machine) {
  return std::make_unique<PingCommand>(machine);
}

}  // namespace trainyard
