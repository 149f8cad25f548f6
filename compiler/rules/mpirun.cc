#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "rules/host_ports.h"
#include "rules/image_user.h"
#include "rules/prepare.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "shell/shell_words.h"

namespace trainyard {
namespace {

using Words = std::vector<CommandWord>;

/// Whether the containers may run as root: nothing says otherwise.
bool may_be_root(const RuleContext& context, const Role& role) {
  const Security& wanted = *context.spec.security;
  if (wanted.run_as_user) return *wanted.run_as_user == 0;
  if (image_needs_baseline(context, role)) return true;
  const auto level = context.security_level().value_or(SecurityLevel::Restricted);
  return !wanted.run_as_non_root.value_or(level == SecurityLevel::Restricted);
}

/// How long a launcher waits for sshd on the last host: pulls of large images take minutes.
constexpr std::string_view kHostSeconds = "1800";

const EnvVar* find_variable(const Role& role, std::string_view name) {
  for (const EnvVar& known : role.env) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

/// Names that mpirun reads itself, or that say nothing to ranks on other hosts.
bool is_for_mpirun(std::string_view name) {
  constexpr std::string_view kOwn[] = {"OMPI_", "PRTE_", "PMIX_", "HYDRA_", "I_MPI_HYDRA_"};
  return std::ranges::any_of(kOwn, [&](std::string_view own) { return name.starts_with(own); });
}

/// Writes what a job needs whose ranks are started by mpirun: its line on the launcher, sshd on the
/// workers.
class Mpirun {
 public:
  Mpirun(RuleContext& context, RoleInput& launcher)
      : context_(context),
        facts_(context.in.target->mpirun),
        input_(launcher),
        launcher_(*launcher.role),
        run_(*context.of(launcher, &RoleFields::run)),
        nodes_of_(runs_on(context, launcher_)),
        wanted_(run_.mpi_implementation ? run_.mpi_implementation
                                        : context.spec.run->mpi_implementation),
        implementation_(wanted_.value_or(MpiImplementation::OpenMpi)) {}

  void build() {
    set_facts();
    host_variables();
    if (!calls_mpirun_itself(context_, input_)) {
      take_variables();
      if (launcher_.command.empty()) return no_program();
      put_in_front();
    }
    if (launcher_.trains) prepare(context_, launcher_, run_);
    reach_workers();
    for (RoleInput& input : context_.roles) {
      if (!input.is_coordinator) wait_for_launcher(input);
    }
    if (facts_.key_group > 0 && !may_be_root(context_, launcher_)) {
      for (RoleInput& input : context_.roles) share_keys(*input.role);
    }
  }

 private:
  bool open_mpi() const { return implementation_ == MpiImplementation::OpenMpi; }

  void set_facts() {
    MpirunPlan& plan = context_.plan.mpirun;
    if (wanted_) {
      context_.set(plan.implementation, spelling(implementation_), context_.from(wanted_));
    }
    context_.set(plan.slots, starts_per_node(context_, input_),
                 context_.because({nodes_of_.processes.origin}));
    std::int64_t nodes = launcher_.trains ? 1 : 0;
    for (const RoleInput& input : context_.roles) {
      if (!input.is_coordinator) nodes += *input.role->replicas;
      check_slots(input);
    }
    context_.set(plan.nodes, nodes, context_.plan.roles.back().replicas.origin);
    context_.set(plan.gang, nodes, context_.plan.roles.back().replicas.origin);
    if (launcher_.trains) {
      context_.set(plan.launcher_works, true, context_.because({launcher_.gpus.origin}));
    }
    const std::string path = ssh_path();
    if (path != facts_.ssh_path) {
      context_.set(plan.ssh_path, context_.text(path), context_.because({}));
    }
    set_port();
  }

  /// That of the image, unless the spec names one. A node has an sshd of its own at port 22; only
  /// an entry point of the image, to which nothing can be told, is left to find another.
  void set_port() {
    const Integer& wanted = run_.ssh_port ? run_.ssh_port : context_.spec.run->ssh_port;
    auto& port = context_.plan.mpirun.ssh_port;
    if (wanted) context_.set(port, *wanted, context_.from(wanted));
    for (const RoleInput& input : context_.roles) {
      const auto& on_host = input.role->host_network;
      if (port.is_set || input.is_coordinator || starts_own_sshd(input)) continue;
      if (!on_host || !*on_host || launcher_.command.empty()) continue;
      context_.set(port, host_port_of(context_, HostPort::Ssh), context_.because({on_host.origin}));
    }
  }

  static bool starts_own_sshd(const RoleInput& input) {
    return input.own != nullptr && input.own->run;
  }

  /// One number of slots counts for all hosts.
  void check_slots(const RoleInput& input) {
    if (!input.role->trains || *input.role->processes == *nodes_of_.processes) return;
    context_
        .report(DiagnosticKind::ConflictingValues, context_.place(input.role->processes.origin),
                "mpirun starts the same number of processes on every node, here " +
                    std::to_string(*input.role->processes) + " and " +
                    std::to_string(*nodes_of_.processes))
        .also(context_.place(nodes_of_.processes.origin), "the other nodes")
        .note("give all roles the same `processesPerNode`");
  }

  /// Where ssh looks for its keys: in the home of the user, which only `HOME` can name.
  std::string ssh_path() const {
    const EnvVar* home = find_variable(launcher_, "HOME");
    if (home != nullptr && home->is_literal()) return std::string(home->value) + "/.ssh";
    return std::string(may_be_root(context_, launcher_) ? facts_.ssh_path
                                                        : facts_.ssh_path_of_user);
  }

  /// A value of the user's own goes before it, such as another port of ssh.
  void put(std::string_view name, std::string_view value) {
    if (context_.injects(name)) return;
    if (std::ranges::find(launcher_.env, name, &EnvVar::name) != launcher_.env.end()) return;
    EnvVar variable;
    variable.name = name;
    variable.value = value;
    variable.origin = context_.because({context_.plan.mpirun.slots.origin});
    context_.add_env(launcher_, variable);
  }

  /// A controller's own value has no port, and wins over that of a manifest: a shell in front
  /// of mpirun has the last word.
  void ssh_options(std::string_view name, std::string_view options) {
    put(name, options);
    if (!context_.injects(name) || !context_.plan.mpirun.ssh_port) return;
    exports_ += "export " + std::string(name) + "=\"" + std::string(options) + "\"\n";
  }

  /// Where the hosts are. Open MPI 4 reads the ORTE names and ignores the PRRTE ones, Open MPI 5
  /// the other way round: with the wrong ones it starts every rank on the launcher, and the job
  /// succeeds (kubeflow/mpi-operator issue 842). Host names are not shortened by 4 and are by 5,
  /// which compares them with the short ones that it finds itself (kubeflow/trainer pull request
  /// 4029).
  void host_variables() {
    const auto& port = context_.plan.mpirun.ssh_port;
    constexpr std::string_view kAttempts = "-o ConnectionAttempts=10";
    const std::string_view ssh =
        port ? context_.text(kAttempts, " -p ", context_.number(*port)) : kAttempts;
    const std::string_view slots = context_.number(*context_.plan.mpirun.slots);
    switch (implementation_) {
      case MpiImplementation::OpenMpi:
        put("OMPI_MCA_orte_keep_fqdn_hostnames", "true");
        put("OMPI_MCA_orte_default_hostfile", facts_.host_file);
        ssh_options("OMPI_MCA_plm_rsh_args", ssh);
        put("OMPI_MCA_orte_set_default_slots", slots);
        put("PRTE_MCA_prte_default_hostfile", facts_.host_file);
        put("PRTE_MCA_prte_set_default_slots", slots);
        ssh_options("PRTE_MCA_plm_ssh_args", ssh);
        put("PRTE_MCA_prte_keep_fqdn_hostnames", "false");
        break;
      case MpiImplementation::Intel:
        put("I_MPI_HYDRA_HOST_FILE", facts_.host_file);
        ssh_options("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", ssh);
        put("I_MPI_PERHOST", slots);
        break;
      case MpiImplementation::Mpich:
        put("HYDRA_HOST_FILE", facts_.host_file);
        ssh_options("HYDRA_LAUNCH_EXTRA_ARGS", ssh);
        break;
    }
  }

  /// What the program's pods have as variables reaches it from the launcher: a process that sshd
  /// starts does not see those of its container.
  void take_variables() {
    for (const EnvVar& variable : nodes_of_.env) {
      if (!variable.field_path.empty() || differs(variable)) continue;
      context_.add_env(launcher_, variable);
    }
  }

  /// The launcher has another value for itself.
  bool differs(const EnvVar& of_node) const {
    const EnvVar* own = find_variable(launcher_, of_node.name);
    return own != nullptr && own->is_literal() && of_node.is_literal() &&
           own->value != of_node.value;
  }

  void no_program() {
    context_
        .report(DiagnosticKind::NoProgram, context_.place(launcher_.image.origin),
                "mpirun needs a program to start, and the image's own entry point cannot be known "
                "here")
        .note("give `run.script` or `run.command`");
  }

  void word(Words& out, std::string_view text, OriginId because) const {
    out.push_back({text, context_.because({because})});
  }

  void put_in_front() {
    Words line;
    const OriginId why = context_.from(run_.launcher);
    const std::int64_t each = *context_.plan.mpirun.slots;
    const auto& several = context_.plan.rendezvous.nodes;
    const std::int64_t nodes = several ? *several : 1;
    word(line, "mpirun", why);
    if (open_mpi() && may_be_root(context_, launcher_)) word(line, "--allow-run-as-root", why);
    word(line, "-np", context_.plan.mpirun.slots.origin);
    word(line, context_.number(nodes * each), context_.plan.mpirun.slots.origin);
    open_mpi() ? mapping(line) : per_node(line, each);
    variables(line);
    if (launcher_of(context_, input_) == Launcher::Mpirun) {
      for (const Text& option : *run_.launcher_args) {
        line.push_back({*option, context_.from(option)});
      }
    }
    tell_ranks();
    line.insert(line.end(), launcher_.command.begin(), launcher_.command.end());
    launcher_.command = std::move(line);
  }

  bool asks_for(std::string_view option) const {
    return std::ranges::any_of(*run_.launcher_args, [&](const Text& given) {
      std::string name = option_name(*given);
      name.erase(0, name.find_first_not_of('-'));
      return name == option;
    });
  }

  /// Ranks fill node after node, and use all of its CPUs: bound to one core by default, two ranks
  /// with their data loaders would share two cores.
  void mapping(Words& line) {
    const OriginId why = context_.from(run_.launcher);
    if (!asks_for("map-by")) {
      word(line, "--map-by", why);
      word(line, "slot", why);
    }
    if (!asks_for("bind-to")) {
      word(line, "--bind-to", why);
      word(line, "none", why);
    }
  }

  void per_node(Words& line, std::int64_t each) {
    word(line, "-ppn", context_.plan.mpirun.slots.origin);
    word(line, context_.number(each), context_.plan.mpirun.slots.origin);
  }

  /// By name, so that no secret stands in a command. The image's own come along.
  void variables(Words& line) {
    std::vector<const EnvVar*> passed;
    std::vector<const EnvVar*> other_values;
    for (const EnvVar& variable : nodes_of_.env) {
      if (!variable.field_path.empty() || is_for_mpirun(variable.name)) continue;
      if (variable.name == "PATH" || variable.name == "LD_LIBRARY_PATH") continue;
      (differs(variable) ? other_values : passed).push_back(&variable);
    }
    open_mpi() ? exports(line, passed, other_values) : genv(line, passed, other_values);
  }

  void exports(Words& line, const std::vector<const EnvVar*>& passed,
               const std::vector<const EnvVar*>& other_values) {
    const auto pass = [&](std::string_view text, OriginId origin) {
      word(line, "-x", origin);
      word(line, text, origin);
    };
    pass("PATH", kNoOrigin);
    pass("LD_LIBRARY_PATH", kNoOrigin);
    for (const EnvVar* each : passed) pass(each->name, each->origin);
    for (const EnvVar* each : other_values) {
      pass(context_.text(each->name, "=", each->value), each->origin);
    }
  }

  void genv(Words& line, const std::vector<const EnvVar*>& passed,
            const std::vector<const EnvVar*>& other_values) {
    std::string list = "PATH,LD_LIBRARY_PATH";
    for (const EnvVar* each : passed) list += "," + std::string(each->name);
    word(line, "-genvlist", kNoOrigin);
    word(line, context_.text(list), kNoOrigin);
    for (const EnvVar* each : other_values) {
      for (std::string_view text : {std::string_view("-genv"), each->name, each->value}) {
        word(line, text, each->origin);
      }
    }
  }

  /// What holds the rank of a process: of Open MPI, or of the Hydra of MPICH and Intel MPI.
  std::string rank_source(bool local) const {
    if (open_mpi()) return local ? "$OMPI_COMM_WORLD_LOCAL_RANK" : "$OMPI_COMM_WORLD_RANK";
    return local ? "$MPI_LOCALRANKID" : "$PMI_RANK";
  }

  /// A shell that turns the rank as MPI has it into what the framework reads, and then becomes the
  /// program. A launcher that takes the rank as an option gets it from the shell as well.
  void tell_ranks() {
    Words& program = launcher_.command;
    const auto mention = std::ranges::find(program, kNodeRank, &CommandWord::text);
    std::string script;
    for (const RankVariable& variable : nodes_of_.rank_variables) {
      script +=
          "export " + std::string(variable.name) + "=\"" + rank_source(variable.local) + "\"\n";
    }
    if (script.empty() && mention == program.end()) return;
    script += "exec ";
    if (mention != program.end()) {
      for (auto each = program.begin(); each != mention; ++each) {
        script += shell_quoted(each->text) + " ";
      }
      script += "\"" + rank_source(false) + "\" ";
      program.erase(program.begin(), mention + 1);
    }
    script += "\"$@\"\n";
    put_shell_in_front(context_, program, script,
                       context_.because({context_.plan.mpirun.slots.origin}));
  }

  /// A launcher that works is of one gang with the workers, so it is made with them, and has to
  /// wait until the last of them has pulled its image. It is the first of the hosts itself. The
  /// wait ends: a worker that never comes would keep the GPUs of all others idle.
  std::string wait_for_workers() const {
    const auto& port = context_.plan.mpirun.ssh_port;
    const std::string option = port ? "-p " + std::to_string(*port) + " " : "";
    const std::string itself = launcher_.trains ? "1d; " : "";
    return "end=$(($(date +%s) + " + std::string(kHostSeconds) + "))\nfor host in $(sed '" +
           itself + "s/[ :].*//' " + std::string(facts_.host_file) + "); do\n  until ssh " +
           option +
           "-o ConnectTimeout=5 \"$host\" true; do\n"
           "    [ \"$(date +%s)\" -lt \"$end\" ] || { echo \"no ssh to $host\" >&2; exit 1; }\n"
           "    sleep 2\n"
           "  done\n"
           "done\n";
  }

  /// A shell in front of all that says how to reach the workers, and waits for them.
  void reach_workers() {
    const bool waits = context_.roles.size() > 1 && (launcher_.trains || facts_.launcher_waits);
    if (launcher_.command.empty()) {
      if (waits && facts_.launcher_waits) cannot_wait();
      if (!exports_.empty()) cannot_tell_port();
      return;
    }
    const std::string script = exports_ + (waits ? wait_for_workers() : "");
    if (script.empty()) return;
    put_shell_in_front(context_, launcher_.command, script + "exec \"$@\"\n",
                       context_.because({context_.plan.mpirun.nodes.origin}));
  }

  /// Nothing else holds it back.
  void cannot_wait() {
    context_
        .report(DiagnosticKind::NoProgram, context_.place(launcher_.image.origin),
                "the image's own entry point cannot be made to wait for the other nodes")
        .note("give `run.script` or `run.command`");
  }

  void cannot_tell_port() {
    const Span place = context_.place(context_.plan.mpirun.ssh_port.origin);
    context_
        .report(DiagnosticKind::NoProgram, place,
                "the image's own entry point cannot get the port of sshd")
        .note("give `run.script` or `run.command`");
  }

  /// Keys that only a group may read are readable by a user of that group, which the pod gets.
  void share_keys(Role& role) {
    Tree& tree = context_.tree();
    if (!role.pod_security || tree.find(*role.pod_security, "fsGroup") != kNoNode) return;
    const OriginId origin = context_.because({});
    tree.append(*role.pod_security, "fsGroup", tree.add_int(facts_.key_group, origin));
  }

  /// A role that names a command of its own starts sshd as it likes.
  void wait_for_launcher(RoleInput& input) {
    Role& role = *input.role;
    const bool own = starts_own_sshd(input);
    if (own && !input.own->run->command) return refuse_program(*input.own->run);
    if (own) {
      for (const Text& text : *input.own->run->command) {
        role.command.push_back({*text, context_.from(text)});
      }
      for (const Text& text : *input.own->run->args) {
        role.args.push_back({*text, context_.from(text)});
      }
      const Text& directory = input.own->run->working_dir;
      if (directory && !role.working_dir) {
        context_.set(role.working_dir, *directory, context_.from(directory));
      }
    } else {
      sshd(role);
    }
    const bool prepares = run_.before || run_.packages;
    prepare(context_, role, run_);
    if (prepares && !own) wait_until_prepared(role);
  }

  void refuse_program(const Run& run) {
    const Span place = run.script ? run.script.span : run.module ? run.module.span : run.shell.span;
    context_
        .report(DiagnosticKind::ConflictingValues, place.known() ? place : run_.script.span,
                "these pods run sshd, through which mpirun starts the program of the job")
        .note("give the program in `spec.run`; here only a `command` that starts sshd has a place");
  }

  /// Without root it needs a configuration of its own, with a host key that it may read: that of
  /// the job (kubeflow/mpi-operator build/base/sshd_config).
  void sshd(Role& role) {
    const std::string path = ssh_path();
    word(role.command, "/usr/sbin/sshd", kNoOrigin);
    word(role.command, "-De", kNoOrigin);
    if (const auto& port = context_.plan.mpirun.ssh_port) {
      word(role.command, "-p", port.origin);
      word(role.command, context_.number(*port), port.origin);
    }
    if (may_be_root(context_, launcher_)) return;
    const std::string home = path.substr(0, path.rfind('/'));
    word(role.command, "-f", kNoOrigin);
    word(role.command, context_.text(home + "/.sshd_config"), kNoOrigin);
  }

  /// The launcher is not to come before the shell has become sshd.
  void wait_until_prepared(Role& role) {
    Tree& tree = context_.tree();
    const OriginId origin =
        context_.because({context_.from(run_.before), context_.from(run_.packages)});
    const NodeId command = tree.add_seq(origin);
    for (std::string_view text : {"grep", "-qx", "sshd", "/proc/1/comm"}) {
      tree.append(command, tree.add_string(text, origin));
    }
    const NodeId exec = tree.add_map(origin);
    tree.append(exec, "command", command);
    const NodeId probe = tree.add_map(origin);
    tree.append(probe, "exec", exec);
    context_.set(role.readiness, probe, origin);
  }

  RuleContext& context_;
  const MpirunFacts& facts_;
  RoleInput& input_;
  Role& launcher_;
  const Run& run_;
  const Role& nodes_of_;
  const Located<MpiImplementation>& wanted_;  // of the image, whatever program it starts
  MpiImplementation implementation_;
  std::string exports_;  // lines of the shell in front of mpirun
};

void run(RuleContext& context) {
  if (!started_by_mpirun(context)) return;
  for (RoleInput& input : context.roles) {
    if (input.is_coordinator) Mpirun(context, input).build();
  }
}

}  // namespace

extern const Rule mpirun_rule{
    "mpirun",
    Rule::Phase::Infer,
    "mpirun starts an explicit number of processes on the given hosts, with every "
    "variable "
    "of the job, and each process knows its rank by the name that its framework reads.",
    "A process that sshd starts has none of its container's variables, and Open MPI 5 does not "
    "read "
    "what operators set for Open MPI 4 (kubeflow/mpi-operator issue 842, kubeflow/trainer issue "
    "3427).",
    "spec.run spec.security spec.env cluster.defaults.security plan.name plan.namespace "
    "plan.framework plan.rendezvous role.trains role.processes role.replicas role.hostNetwork "
    "role.rankVariables role.image target.mpirun target.roles target.injects",
    "plan.mpirun role.command role.args role.env role.readiness role.podSecurity",
    run};

}  // namespace trainyard
