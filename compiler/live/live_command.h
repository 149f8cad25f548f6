#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cluster/api/api_error.h"
#include "cluster/connect/connection.h"
#include "cluster/http/transport.h"
#include "diag/sink.h"
#include "live/interrupt.h"
#include "live/meant_cluster.h"
#include "source/source_map.h"

namespace trainyard {

/// A connection for as long as a command runs. While it lives, Ctrl-C ends requests in order; at
/// its end it zeroes the kubeconfigs that it read.
class LiveCluster {
 public:
  /// Null, after it has said why on standard error, when there is no way to a cluster.
  static std::unique_ptr<LiveCluster> open(const ConnectionRequest& request, TransportLimits limits,
                                           LocalMachine& machine, Io& io);
  /// The same for a control plane of Run:ai, at this address.
  static std::unique_ptr<LiveCluster> open_runai(const std::string& url, const std::string& project,
                                                 TransportLimits limits, LocalMachine& machine,
                                                 Io& io);
  ~LiveCluster();

  Transport& transport() const { return *transport_; }
  const Connection& connection() const { return *connection_; }
  /// Whether it is a control plane of Run:ai, which is no API server of Kubernetes.
  bool is_runai() const { return !runai_.empty(); }
  /// Whether the user has pressed Ctrl-C.
  bool interrupted() const { return interrupt_.caught(); }
  /// Nothing for an answer that is a success.
  std::optional<ApiError> error_in(const Answer& answer) const;
  /// `Cluster dgx (https://10.1.2.3:6443)`, `Run:ai https://acme.run.ai`
  std::string title() const;
  /// `dgx (https://10.1.2.3:6443)`
  std::string heading() const;
  /// `trainyard wait Job/llama -n ml --context dgx`: a call about a job of this cluster, for people
  /// to copy.
  std::string call(std::string_view command, std::string_view job,
                   std::string_view name_space) const;

 private:
  explicit LiveCluster(LocalMachine& machine);
  void open_transport(TransportLimits limits, const Env& env);

  LocalMachine& machine_;
  Interrupt
      interrupt_;  // from here on: what a command reads from standard input it has read before
  SourceMap sources_;
  ConnectionRequest request_;
  std::string runai_;  // its address as the call has it; "" for a cluster
  std::optional<Connection> connection_;
  std::unique_ptr<Transport> transport_;
};

/// A command that talks to a cluster.
class LiveCommand : public Command {
 public:
  explicit LiveCommand(LocalMachine& machine) : machine_(machine) {}

 protected:
  /// The options of every such command: which cluster, which namespace, as whom, how long.
  void add_connection_arguments(Arguments& rows);
  /// The option `--runai`, for commands that can talk to Run:ai, too.
  void add_runai_argument(Arguments& rows);
  /// The options `--cluster`, `--config` and `--no-config`.
  void add_cluster_arguments(Arguments& rows);
  /// What the Cluster document of these options means; on failure says why and sets `code`.
  std::vector<MeantCluster> meant(Io& io, const std::vector<std::string>& inputs,
                                  ExitCode& code) const;
  /// As LiveCluster::open with what these options say; on failure sets `code`. The context is that
  /// which a Cluster document means, unless the call names one. If it names another one, a command
  /// that writes is stopped.
  std::unique_ptr<LiveCluster> open(Io& io, const std::vector<MeantCluster>& meant, ExitCode& code);
  /// Whether the command changes what is on the cluster.
  virtual bool writes() const { return false; }
  const ClusterChoice& cluster_choice() const { return choice_; }
  LocalMachine& machine() { return machine_; }

 private:
  std::optional<TransportLimits> limits(Io& io, ExitCode& code) const;
  std::unique_ptr<LiveCluster> open_runai(Io& io, TransportLimits limits, ExitCode& code);
  ExitCode compare(Io& io, const std::vector<MeantCluster>& meant,
                   const LiveCluster& cluster) const;

  LocalMachine& machine_;
  ConnectionRequest request_;
  ClusterChoice choice_;
  std::string runai_;
  std::string request_timeout_;
};

/// Says on standard error why a request failed, and gives the exit code. After an interrupt it also
/// says what was changed on the cluster.
ExitCode tell(Io& io, const LiveCluster& cluster, const ApiError& error);
/// Says at which of several writes a command has ended, and what it has not done.
void tell_stopped(Io& io, const std::string& at, const std::vector<std::string>& not_done);

/// All commands of `trainyard-cluster`, in the order in which help lists them.
std::vector<std::unique_ptr<Command>> live_commands(LocalMachine& machine);
std::unique_ptr<Command> plan_command(LocalMachine& machine);
std::unique_ptr<Command> apply_command(LocalMachine& machine);
std::unique_ptr<Command> live_status_command(LocalMachine& machine);
std::unique_ptr<Command> logs_command(LocalMachine& machine);
std::unique_ptr<Command> live_diagnose_command(LocalMachine& machine);
std::unique_ptr<Command> live_doctor_command(LocalMachine& machine);
std::unique_ptr<Command> live_discover_command(LocalMachine& machine);
std::unique_ptr<Command> wait_command(LocalMachine& machine);
std::unique_ptr<Command> cancel_command(LocalMachine& machine);
std::unique_ptr<Command> resume_command(LocalMachine& machine);
std::unique_ptr<Command> delete_command(LocalMachine& machine);
std::unique_ptr<Command> ping_command(LocalMachine& machine);

}  // namespace trainyard
