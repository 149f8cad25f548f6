#include "live/live_command.h"

#include <algorithm>
#include <utility>

#include "cli/cluster_program.h"
#include "cli/told_commands.h"
#include "cluster/runai/runai_access.h"
#include "cluster/runai/runai_calls.h"
#include "diag/foreign_text.h"
#include "diag/render.h"
#include "diag/words.h"
#include "live/live_exit.h"
#include "live/time_word.h"

namespace trainyard {
std::unique_ptr<LiveCluster> LiveCluster::open(const ConnectionRequest& request,
                                               TransportLimits limits, LocalMachine& machine,
                                               Io& io) {
  auto cluster = std::unique_ptr<LiveCluster>(new LiveCluster(machine));
  cluster->request_ = request;
  Sink sink;
  cluster->connection_ = find_connection(request, machine, cluster->sources_, sink);
  if (io.reports() && sink.has_errors()) {
    io.out += render_json(sink.sorted(), cluster->sources_);
  } else {
    io.err += render_text(sink.sorted(), cluster->sources_, io.colour);
  }
  if (!cluster->connection_) return nullptr;
  if (cluster->connection_->endpoint.skips_checks) {
    io.err += "trainyard: warning: no check of the certificate of " +
              foreign_text(cluster->connection_->endpoint.server) +
              " (`insecure-skip-tls-verify`): a machine in between can read everything\n";
  }
  cluster->open_transport(limits, io.env);
  return cluster;
}

std::unique_ptr<LiveCluster> LiveCluster::open_runai(const std::string& url,
                                                     const std::string& project,
                                                     TransportLimits limits, LocalMachine& machine,
                                                     Io& io) {
  auto cluster = std::unique_ptr<LiveCluster>(new LiveCluster(machine));
  std::string problem;
  cluster->runai_ = url;
  cluster->connection_ = runai_connection(url, machine, limits, problem);
  if (!cluster->connection_) {
    io.err += "error: " + foreign_text(problem) + "\n";
    return nullptr;
  }
  cluster->connection_->name_space = project;
  cluster->open_transport(limits, io.env);
  return cluster;
}

void LiveCluster::open_transport(TransportLimits limits, const Env& env) {
  transport_ = std::make_unique<Transport>(*connection_, machine_, limits);
  transport_->report_to([&env](std::size_t done, std::size_t all, std::string_view what) {
    env.tell({done, all, what});
  });
}

LiveCluster::LiveCluster(LocalMachine& machine) : machine_(machine) {
  machine_.interrupt = interrupt_.descriptor();
}

LiveCluster::~LiveCluster() {
  wipe_kubeconfigs(sources_);
  machine_.interrupt = -1;
}

std::optional<ApiError> LiveCluster::error_in(const Answer& answer) const {
  return is_runai() ? runai_error_of(answer) : error_of(answer);
}

std::string LiveCluster::title() const {
  return (is_runai() ? "Run:ai " : "Cluster ") + heading();
}

std::string LiveCluster::heading() const {
  const std::string server = foreign_text(connection_->endpoint.server);
  if (connection_->context.empty()) return server;
  return foreign_text(connection_->context) + " (" + server + ")";
}

std::string LiveCluster::call(std::string_view command, std::string_view job,
                              std::string_view name_space) const {
  std::string text = "trainyard " + std::string(command);
  if (!job.empty()) text += " " + std::string(job);
  if (!name_space.empty()) text += " -n " + std::string(name_space);
  if (is_runai()) text += " --runai " + runai_;
  if (!request_.kubeconfig.empty()) text += " --kubeconfig " + request_.kubeconfig;
  // The account of a pod has none.
  if (!request_.context.empty() && !connection_->context.empty())
    text += " --context " + request_.context;
  if (!request_.as.empty()) text += " --as " + request_.as;
  return foreign_text(text);
}

void LiveCommand::add_connection_arguments(Arguments& rows) {
  const Arguments ours = {
      {.name = "kubeconfig",
       .value = "FILE",
       .help = "The kubeconfig; else those of KUBECONFIG, else ~/.kube/config, else the account of "
               "the pod",
       .kind = ValueKind::File,
       .into = &request_.kubeconfig},
      {.name = "context",
       .value = "NAME",
       .help = "The context of the kubeconfig; else its `current-context`",
       .into = &request_.context},
      {.name = "namespace",
       .letter = 'n',
       .value = "NAME",
       .help = "The namespace; else that of the context, else default",
       .into = &request_.name_space},
      {.name = "kube-cluster",
       .value = "NAME",
       .help = "The entry of `clusters`, instead of the context's",
       .into = &request_.cluster},
      {.name = "kube-user",
       .value = "NAME",
       .help = "The entry of `users`, instead of the context's",
       .into = &request_.user},
      {.name = "as", .value = "USER", .help = "Act as this user, if you may", .into = &request_.as},
      {.name = "as-group",
       .value = "GROUP",
       .help = "Act as a member of this group; may be given more than once",
       .into = &request_.as_groups},
      {.name = "request-timeout",
       .value = "TIME",
       .help = "How long one request may take, with its repeats: 30s (the default), 2m",
       .into = &request_timeout_},
  };
  rows.insert(rows.end(), ours.begin(), ours.end());
}

void LiveCommand::add_runai_argument(Arguments& rows) {
  rows.push_back({.name = "runai",
                  .value = "URL",
                  .help = "The control plane of Run:ai to talk to instead of a cluster, as "
                          "RUNAI_CLIENT_ID and RUNAI_CLIENT_SECRET, or RUNAI_TOKEN",
                  .into = &runai_});
}

void LiveCommand::add_cluster_arguments(Arguments& rows) {
  CallArgument cluster = cluster_argument(choice_.path);
  cluster.help = "The Cluster document, whose `spec.api` names the cluster to talk to";
  rows.push_back(std::move(cluster));
  rows.push_back(config_argument(choice_.config));
  rows.push_back(no_config_argument(choice_.no_config));
}

std::vector<MeantCluster> LiveCommand::meant(Io& io, const std::vector<std::string>& inputs,
                                             ExitCode& code) const {
  Session session(io.env);
  std::vector<MeantCluster> found = find_meant(session, choice_, inputs);
  if (session.sink.has_errors()) code = finish(io, session);
  return found;
}

std::optional<TransportLimits> LiveCommand::limits(Io& io, ExitCode& code) const {
  TransportLimits limits;
  if (request_timeout_.empty()) return limits;
  const auto timeout = read_duration(request_timeout_);
  if (!timeout) {
    code = wrong_call(io, "`--request-timeout` is a time such as `30s` or `2m`, not `" +
                              foreign_text(request_timeout_) + "`");
    return std::nullopt;
  }
  limits.timeout = *timeout;
  return limits;
}

std::unique_ptr<LiveCluster> LiveCommand::open(Io& io, const std::vector<MeantCluster>& meant,
                                               ExitCode& code) {
  const auto limits = this->limits(io, code);
  if (!limits) return nullptr;
  if (!runai_.empty()) return open_runai(io, *limits, code);
  if (request_.as.empty() && !request_.as_groups.empty()) {
    code = wrong_call(io, "`--as-group` needs `--as`");
    return nullptr;
  }
  ConnectionRequest request = request_;
  const auto stated =
      std::ranges::find_if(meant, [](const MeantCluster& each) { return !each.context.empty(); });
  const bool is_stated =
      request.context.empty() && request.cluster.empty() && stated != meant.end();
  if (is_stated) request.context = stated->context;
  auto cluster = LiveCluster::open(request, *limits, machine_, io);
  if (cluster == nullptr) {
    code = ExitCode::InputWrong;
    if (is_stated && !io.reports()) {
      io.err += "   = note: " + foreign_text(stated->place) + " names context " +
                shown(stated->context) + "; `--context` chooses another\n";
    }
    return nullptr;
  }
  code = compare(io, meant, *cluster);
  return code == ExitCode::Good ? std::move(cluster) : nullptr;
}

std::unique_ptr<LiveCluster> LiveCommand::open_runai(Io& io, TransportLimits limits,
                                                     ExitCode& code) {
  const bool names_cluster = !request_.kubeconfig.empty() || !request_.context.empty() ||
                             !request_.cluster.empty() || !request_.user.empty() ||
                             !request_.as.empty() || !request_.as_groups.empty();
  if (names_cluster) {
    code =
        wrong_call(io, "`--runai` is reached without a kubeconfig: leave the options of one out");
    return nullptr;
  }
  auto cluster = LiveCluster::open_runai(runai_, request_.name_space, limits, machine_, io);
  if (cluster == nullptr) code = ExitCode::InputWrong;
  return cluster;
}

ExitCode LiveCommand::compare(Io& io, const std::vector<MeantCluster>& meant,
                              const LiveCluster& cluster) const {
  for (const MeantCluster& each : meant) {
    const std::string problem =
        foreign_text(wrong_cluster(each, cluster.connection(), !request_.cluster.empty()));
    if (problem.empty()) continue;
    if (!writes()) {
      io.err += "note: " + problem + "\n";
      continue;
    }
    io.err += "error: " + problem +
              "; nothing was written\n   = help: leave `--context` and `--kube-cluster` out, or "
              "name the Cluster document of that cluster by `--cluster`\n";
    return kNotDone;
  }
  return ExitCode::Good;
}

namespace {

ExitCode tell_of_runai(Io& io, const LiveCluster& cluster, const ApiError& error) {
  io.err += "trainyard: " + cluster.title() + ": " + error.message + "\n";
  for (const ApiCause& each : error.causes) {
    io.err += "   = note: the policy for `" + each.field + "`: " + each.message + "\n";
  }
  if (const std::string_view help = help_for_runai(error); !help.empty()) {
    io.err += "   = help: " + std::string(help) + "\n";
  }
  // An interrupt within the exchange of a token looks like one that failed.
  return cluster.interrupted() ? kInterrupted : exit_code_of(error);
}

/// `jobs/llama` of a path and its query.
std::string object_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  const std::size_t name = path.rfind('/');
  const std::size_t plural = path.rfind('/', name - 1);
  return std::string(path.substr(plural == path.npos ? 0 : plural + 1));
}

std::string state_of(const SentWrites& writes) {
  if (!writes.any) return "; nothing was changed";
  if (writes.unanswered.empty()) return "; each change that had begun is done";
  std::vector<std::string> objects;
  for (const std::string& each : writes.unanswered) objects.push_back(object_of(each));
  return " before it had answered: the change of " + foreign_text(listed(objects, "and")) +
         " may be done or not";
}

}  // namespace

ExitCode tell(Io& io, const LiveCluster& cluster, const ApiError& error) {
  if (cluster.is_runai()) return tell_of_runai(io, cluster, error);
  const bool is_interrupted = error.trouble == Trouble::Interrupted;
  io.err += "trainyard: cluster " + cluster.heading() + ": " + sentence(error) +
            (is_interrupted ? state_of(cluster.transport().writes()) : "") + "\n";
  if (const std::string_view help = help_for(error); !help.empty()) {
    io.err += "   = help: " + std::string(help) + "\n";
  }
  return exit_code_of(error);
}

void tell_stopped(Io& io, const std::string& at, const std::vector<std::string>& not_done) {
  io.err += "error: stopped at " + foreign_text(at) + "; the same command goes on from here\n";
  if (not_done.size() > 1) {
    io.err += "   = note: not done: " + foreign_text(listed(not_done, "and")) + "\n";
  }
}

namespace {

/// For the manual and the completions: `trainyard` and this program are one tool.
ToldCommands told_with_clusters(LocalMachine& machine) {
  ToldCommands told = told_commands();
  for (auto& command : live_commands(machine)) {
    const auto row = std::ranges::find(cluster_commands(), command->name(), &ClusterCommand::name);
    const bool is_same_here = row->is_here_too && row->here_with.empty();
    if (!is_same_here) {
      told.on_cluster.push_back(std::move(command));
    }
  }
  told.exit_codes = live_exit_texts();
  return told;
}

}  // namespace

std::vector<std::unique_ptr<Command>> live_commands(LocalMachine& machine) {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(plan_command(machine));
  commands.push_back(apply_command(machine));
  commands.push_back(live_status_command(machine));
  commands.push_back(logs_command(machine));
  commands.push_back(live_diagnose_command(machine));
  commands.push_back(live_doctor_command(machine));
  commands.push_back(live_discover_command(machine));
  commands.push_back(wait_command(machine));
  commands.push_back(cancel_command(machine));
  commands.push_back(resume_command(machine));
  commands.push_back(delete_command(machine));
  commands.push_back(ping_command(machine));
  const Telling told = [&machine] { return told_with_clusters(machine); };
  commands.push_back(completion_command(told));
  commands.push_back(man_command(told));
  return commands;
}

}  // namespace trainyard
