#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "rules/host_names.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/write_tf_config.h"

namespace trainyard {
namespace {

/// Sets variables of one role; a number becomes its text. What the target's controller sets itself
/// is left to it.
class Variables {
 public:
  Variables(RuleContext& context, RoleInput& input) : context_(context), role_(*input.role) {}

  bool injected(std::string_view name) const { return context_.injects(name); }
  void put(std::string_view name, std::string_view value, OriginId because) {
    if (injected(name)) return;
    EnvVar variable;
    variable.name = name;
    variable.value = value;
    variable.origin = context_.because({because});
    context_.add_env(role_, variable);
  }
  void put(std::string_view name, std::int64_t value, OriginId because) {
    put(name, context_.number(value), because);
  }
  /// What no field of the pod holds, mpirun tells the processes that it starts.
  void put_rank(std::string_view name, bool local = false) {
    const auto& field = context_.plan.rendezvous.rank_field;
    if (injected(name)) return;
    if (started_by_mpirun(context_) || context_.plan.rendezvous.rank_variable) {
      const auto known = [&](const RankVariable& other) { return other.name == name; };
      if (std::ranges::any_of(role_.rank_variables, known)) return;
      role_.rank_variables.push_back({name, local, context_.because({})});
      return;
    }
    if (!field) return;
    if (context_.in.target->rank_within_role) check_one_role();
    EnvVar variable;
    variable.name = name;
    variable.field_path = *field;
    variable.origin = context_.because({field.origin});
    context_.add_env(role_, variable);
  }

 private:
  /// Pods of several roles would have the same rank.
  void check_one_role() {
    const auto has_rank = [](const Role& role) { return role.first_rank.is_set; };
    if (std::ranges::count_if(context_.plan.roles, has_rank) < 2) return;
    context_
        .report(DiagnosticKind::NotExpressible, context_.spec.roles.span,
                "target " + code(context_.in.target->name) +
                    " cannot number the nodes of several " + "roles for framework " +
                    code(*context_.plan.framework))
        .note("it numbers the pods of each role from 0; make the nodes one role");
  }

  RuleContext& context_;
  Role& role_;
};

struct Meeting {
  const RendezvousPlan& plan;
  const Role& role;
  bool multi_node;  // and their ranks find each other by name
  bool elastic;     // so that neither their number nor their ranks are known beforehand
};

/// Names that command lines and scripts mention; torchrun itself reads none of them.
void common(Variables& out, const Meeting& at) {
  if (at.elastic) return out.put("NPROC_PER_NODE", *at.role.processes, at.role.processes.origin);
  out.put("MASTER_ADDR", *at.plan.master, at.plan.master.origin);
  out.put("MASTER_PORT", *at.plan.port, at.plan.port.origin);
  out.put("NNODES", *at.plan.nodes, at.plan.nodes.origin);
  out.put("NPROC_PER_NODE", *at.role.processes, at.role.processes.origin);
  out.put_rank("NODE_RANK");
}

/// Nodes start minutes apart when they pull an image. `join_timeout` is how long the ranks wait for
/// each other; for the store of the first node each waits `read_timeout`, by default a tenth of it
/// (pytorch/pytorch torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py).
void c10d_timeouts(RuleContext& context, Variables& out, const RendezvousRequest& wanted) {
  constexpr std::int64_t kJoinTimeout = 600;
  const auto seconds = context.number(wanted.timeout ? wanted.timeout->count : kJoinTimeout);
  out.put("PET_RDZV_CONF", context.text("join_timeout=", seconds, ",read_timeout=", seconds),
          wanted.timeout ? context.from(wanted.timeout)
                         : context.by_default("spec.run.rendezvous.timeout"));
}

/// The rendezvous of torchrun takes no timeout of 0.
void check_timeout(RuleContext& context, const Duration& wanted) {
  if (!wanted || wanted->count > 0) return;
  context.report(DiagnosticKind::OutOfRange, wanted.span,
                 "a timeout of no time; expected 1s or more");
}

/// Before PyTorch 2.0 a node takes itself for the host of the store only if the endpoint is its own
/// host name, without the Service (torch/distributed/elastic/rendezvous/utils.py
/// _matches_machine_hostname). So none of the nodes does.
void tell_of_old_torch(RuleContext& context, const RoleInput& input, const Meeting& at) {
  constexpr auto kOldImages = std::to_array<std::string_view>(
      {"pytorch/pytorch:1.", "nvidia/pytorch:19.", "nvidia/pytorch:20.", "nvidia/pytorch:21.",
       "nvidia/pytorch:22."});
  const Text& image = context.of(input, &RoleFields::image);
  const auto is_in = [&](std::string_view old) { return image->find(old) != image->npos; };
  if (!image || at.plan.master->find('.') == std::string_view::npos) return;
  if (std::ranges::none_of(kOldImages, is_in)) return;
  context
      .report(DiagnosticKind::RunsWrong, image.span,
              "backend `c10d` needs PyTorch 2.0 on this target: the nodes of an older one wait for "
              "each other in vain")
      .note(
          "take a newer image, or `run.rendezvous.backend: static` for a job that is not elastic");
}

/// The backend that numbers nodes as they join, and how long all of them are waited for.
void rendezvous_options(RuleContext& context, const RoleInput& input, Variables& out,
                        const Meeting& at) {
  const RendezvousRequest& wanted = *context.of(input, &RoleFields::run)->rendezvous;
  check_timeout(context, wanted.timeout);
  if (numbers_by_joining(context, wanted)) {
    const OriginId chosen =
        wanted.backend ? context.from(wanted.backend) : context.from(context.spec.elastic);
    const std::string endpoint = std::string(*at.plan.master) + ":" + std::to_string(*at.plan.port);
    out.put("PET_RDZV_BACKEND", "c10d", chosen);
    out.put("PET_RDZV_ENDPOINT", context.text(endpoint), chosen);
    out.put("PET_RDZV_ID", *context.plan.name, chosen);
    c10d_timeouts(context, out, wanted);
    tell_of_old_torch(context, input, at);
  } else {
    out.put_rank("PET_NODE_RANK");
    out.put("PET_MASTER_ADDR", *at.plan.master, at.plan.master.origin);
    out.put("PET_MASTER_PORT", *at.plan.port, at.plan.port.origin);
    if (wanted.timeout) {
      out.put("PET_RDZV_CONF", context.text("timeout=", context.number(wanted.timeout->count)),
              context.from(wanted.timeout));
    }
  }
}

/// torchrun tells a node that joins later the address of rank 0 only if the launchers share no
/// store with the ranks; else that node waits in vain, and the others with it (pytorch/pytorch
/// torch/distributed/elastic/rendezvous/dynamic_rendezvous.py next_rendezvous).
void elastic_range(RuleContext& context, Variables& out) {
  const ElasticPlan& elastic = context.plan.elastic;
  const auto range =
      context.text(context.number(*elastic.min_nodes), ":", context.number(*elastic.max_nodes));
  out.put("PET_NNODES", range, elastic.min_nodes.origin);
  out.put("PET_MAX_RESTARTS", *elastic.max_restarts, elastic.max_restarts.origin);
  out.put("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", 1, elastic.min_nodes.origin);
}

void torchrun(RuleContext& context, const RoleInput& input, Variables& out, const Meeting& at) {
  if (!at.multi_node) {
    out.put("PET_NNODES", 1, at.role.replicas.origin);
    out.put("PET_NPROC_PER_NODE", *at.role.processes, at.role.processes.origin);
    return;
  }
  if (at.elastic) {
    elastic_range(context, out);
  } else {
    out.put("PET_NNODES", *at.plan.nodes, at.plan.nodes.origin);
  }
  out.put("PET_NPROC_PER_NODE", *at.role.processes, at.role.processes.origin);
  rendezvous_options(context, input, out, at);
}

/// What `init_method="env://"` reads when nothing but the pod starts the process.
void plain_process(Variables& out, const Meeting& at) {
  if (at.multi_node) {
    out.put("WORLD_SIZE", *at.plan.nodes, at.plan.nodes.origin);
    out.put_rank("RANK");
  } else {
    out.put("MASTER_ADDR", "127.0.0.1", at.role.replicas.origin);
    out.put("MASTER_PORT", 29500, at.role.replicas.origin);
    out.put("WORLD_SIZE", 1, at.role.replicas.origin);
    out.put("RANK", 0, at.role.replicas.origin);
  }
  out.put("LOCAL_RANK", 0, at.role.processes.origin);
}

/// What `init_method="env://"` reads where mpirun starts a process for each GPU.
void process_of_mpirun(Variables& out, const Meeting& at, std::int64_t nodes) {
  if (at.multi_node) {
    out.put("MASTER_ADDR", *at.plan.master, at.plan.master.origin);
    out.put("MASTER_PORT", *at.plan.port, at.plan.port.origin);
  } else {
    out.put("MASTER_ADDR", "127.0.0.1", at.role.replicas.origin);
    out.put("MASTER_PORT", 29500, at.role.replicas.origin);
  }
  out.put("WORLD_SIZE", nodes * *at.role.processes, at.role.processes.origin);
  out.put_rank("RANK");
  out.put_rank("LOCAL_RANK", true);
}

void pytorch(RuleContext& context, RoleInput& input, const Meeting& at) {
  if (!context.in.target->launcher.empty()) return;  // its controller tells it everything
  Variables out(context, input);
  const RoleInput& program = program_of(context, input);
  const Launcher launcher = launcher_of(context, program);
  if (launcher == Launcher::Mpirun) {
    return process_of_mpirun(out, at, at.multi_node ? *at.plan.nodes : 1);
  }
  if (at.multi_node) common(out, at);
  if (reads_torchrun_variables(context, program)) {
    torchrun(context, program, out, at);
  }
  const bool one_process = *at.role.processes == 1;
  if (launcher == Launcher::None && one_process) plain_process(out, at);
}

/// WORLD_SIZE counts nodes here. Whatever TAO finds wrong makes every node train alone, without an
/// error (NVIDIA-TAO/tao-pytorch nvidia_tao_pytorch/core/distributed/validator.py).
void tao(RuleContext& context, RoleInput& input, const Meeting& at) {
  if (!at.multi_node) return;
  if (*at.role.gpus == 0) {
    context
        .report(DiagnosticKind::ProcessesAgainstGpus, context.place(at.role.gpus.origin),
                "TAO needs GPUs to train on several nodes")
        .note("without them each of the nodes would train alone");
  }
  Variables out(context, input);
  out.put("WORLD_SIZE", *at.plan.nodes, at.plan.nodes.origin);
  out.put("NUM_GPU_PER_NODE", *at.role.processes, at.role.processes.origin);
  common(out, at);
}

/// Whether a program is given its rank by its arguments, or is known to read the variables.
bool passes_rank(const Run& run) {
  const auto tells = [](std::string_view text) {
    return text.find("JAX_PROCESS_ID") != text.npos || text.find("axtext") != text.npos ||
           text.find("axText") != text.npos;
  };
  const auto any_tells = [&](const TextList& words) {
    return std::ranges::any_of(*words, [&](const Text& word) { return tells(*word); });
  };
  return tells(*run.shell) || tells(*run.module) || tells(*run.script) || any_tells(run.command) ||
         any_tells(run.args);
}

/// On nodes with TPUs JAX finds its peers by what GKE sets (jax-ml/jax
/// jax/_src/clusters/cloud_tpu_cluster.py GkeTpuCluster, which comes before the API server).
bool has_tpus(RuleContext& context) {
  return std::ranges::any_of(context.roles, [&](const RoleInput& input) {
    const auto& resources = context.of(input, &RoleFields::resources);
    return std::ranges::any_of(*resources->extended,
                               [](const auto& each) { return each.key == "google.com/tpu"; });
  });
}

/// jax-ml/jax jax/_src/distributed.py reads the address alone from a variable, and
/// jax/_src/clusters/k8s_cluster.py asks the API server for the rest.
void tell_of_jax(RuleContext& context) {
  if (passes_rank(*context.spec.run) || has_tpus(context)) return;
  const bool has_account =
      context.spec.service_account ||
      (context.in.cluster != nullptr && context.in.cluster->spec->defaults->service_account);
  if (has_account) return;
  const auto& framework = context.spec.framework;
  const Text& target = context.spec.target;
  const Span place = framework ? framework.span : target ? target.span : context.in.job->spec.span;
  context
      .report(DiagnosticKind::LeftToDo, place,
              "`jax.distributed.initialize()` without arguments asks the API server for its peers, "
              "which the account of these pods may not")
      .note(
          "pass `num_processes` and `process_id` from JAX_NUM_PROCESSES and JAX_PROCESS_ID, or "
          "name a `serviceAccount` that may read pods, jobs and services");
}

/// JAX and its users read a whole address; MaxText reads the parts, and counts processes by
/// `NNODES` and `NODE_RANK` (AI-Hypercomputer/maxtext src/maxtext/utils/max_utils.py
/// initialize_jax_for_gpu).
void jax(RuleContext& context, RoleInput& input, const Meeting& at) {
  const bool by_mpirun = launcher_of(context, program_of(context, input)) == Launcher::Mpirun;
  const std::int64_t on_node = by_mpirun ? *at.role.processes : 1;
  if (!at.multi_node && on_node == 1) return;
  Variables out(context, input);
  const std::string_view host = at.multi_node ? *at.plan.master : "127.0.0.1";
  const std::int64_t port = at.multi_node ? *at.plan.port : 29500;
  const OriginId where = at.multi_node ? at.plan.master.origin : at.role.replicas.origin;
  const std::int64_t processes = (at.multi_node ? *at.plan.nodes : 1) * on_node;
  const OriginId why = by_mpirun ? at.role.processes.origin : at.plan.nodes.origin;
  out.put("JAX_COORDINATOR_ADDRESS", context.text(host, ":", context.number(port)), where);
  out.put("JAX_NUM_PROCESSES", processes, why);
  out.put_rank("JAX_PROCESS_ID");
  out.put("JAX_COORDINATOR_IP", host, where);
  out.put("JAX_COORDINATOR_PORT", port, at.multi_node ? at.plan.port.origin : where);
  out.put("NNODES", processes, why);
  out.put_rank("NODE_RANK");
  const bool is_first = at.multi_node && *at.role.first_rank == 0;
  if (is_first && !by_mpirun) tell_of_jax(context);
}

/// Whether the target's controller sets the variables of the framework, or takes none at all.
bool left_to_controller(const RuleContext& context, std::string_view variable) {
  if (context.injects(variable)) return true;
  if (context.program != nullptr) return false;
  const auto& injected = context.in.target->injected;
  return std::ranges::any_of(injected, [&](const InjectedVariables& row) {
    if (!row.without.empty() && context.has_role(row.without)) return false;
    return std::ranges::find(row.frameworks, *context.plan.framework) != row.frameworks.end();
  });
}

/// Where hosts or ranks are not known each of several nodes would train alone.
void refuse_meeting(RuleContext& context) {
  context
      .report(DiagnosticKind::NotExpressible, context.spec.framework.span,
              "target " + code(context.in.target->name) +
                  " does not tell by which names and numbers the nodes of " +
                  code(*context.plan.framework) + " find each other")
      .note(
          "without them each of the nodes would train alone; with `framework: none` the program "
          "finds them itself");
}

bool knows_ranks(const RuleContext& context) {
  const RendezvousPlan& plan = context.plan.rendezvous;
  return plan.rank_field.is_set || plan.rank_variable.is_set || started_by_mpirun(context);
}

/// Parameter servers and evaluators have no rank and take part all the same.
void tensorflow(RuleContext& context, Role& role) {
  if (!context.plan.rendezvous.master || left_to_controller(context, "TF_CONFIG")) return;
  if (!knows_all_hosts(context)) return refuse_meeting(context);
  write_tf_config(context, role);
}

/// An image's own entry point has no shell in front that knows a rank of the controller's.
bool reads_rank_of_controller(const RuleContext& context, const RoleInput& input) {
  return context.plan.rendezvous.rank_variable &&
         program_form(*context.of(input, &RoleFields::run)) == ProgramForm::ImageDefault;
}

/// As the Trainer has it: the tracker is on the first node, and each GPU is a worker
/// (kubeflow/trainer pkg/runtime/framework/plugins/xgboost/xgboost.go). The Training Operator sets
/// other variables, which stand beside these.
void xgboost(RuleContext& context, RoleInput& input, const Meeting& at) {
  if (!at.multi_node || context.injects("DMLC_TRACKER_URI")) return;
  if (reads_rank_of_controller(context, input)) return;
  if (!knows_ranks(context)) return refuse_meeting(context);
  const bool by_mpirun = launcher_of(context, program_of(context, input)) == Launcher::Mpirun;
  std::int64_t workers = 0;
  for (const Role& role : context.plan.roles) {
    if (!role.first_rank) continue;
    const std::int64_t each = by_mpirun ? *role.processes : std::max<std::int64_t>(1, *role.gpus);
    workers += *role.replicas * each;
  }
  Variables out(context, input);
  out.put("DMLC_TRACKER_URI", *at.plan.master, at.plan.master.origin);
  out.put("DMLC_TRACKER_PORT", *at.plan.port, at.plan.port.origin);
  out.put_rank("DMLC_TASK_ID");
  out.put("DMLC_NUM_WORKER", workers, at.plan.nodes.origin);
}

/// Where a system has a pod for mpirun with some frameworks only. One that has none at all says so
/// in its limits.
bool lacks_mpirun(const RuleContext& context, const RoleInput& input) {
  return context.program == nullptr && launcher_of(context, input) == Launcher::Mpirun &&
         !started_by_mpirun(context) && !context.in.target->mpirun.host_file.empty();
}

void refuse_mpirun(RuleContext& context, const RoleInput& input) {
  context
      .report(DiagnosticKind::NotExpressible, context.of(input, &RoleFields::run)->launcher.span,
              "target " + code(context.in.target->name) + " has no pod that runs mpirun for " +
                  "framework " + code(*context.plan.framework))
      .note("with `framework: mpi` it has one");
}

/// Whether a role has no rank, as a parameter server, which would not wait for others.
void refuse_servers(RuleContext& context, const RoleInput& input) {
  context
      .report(DiagnosticKind::NotExpressible, context.spec.roles.span,
              "target " + code(context.in.target->name) + " does not tell role " +
                  code(input.role->name) + " of framework `paddle` where the others are")
      .note("target `paddlejob` does; without parameter servers the nodes are workers");
}

/// Paddle's own launcher reads PADDLE_NNODES and PADDLE_MASTER and tells the processes their ranks.
void check_paddle_launch(RuleContext& context, const RoleInput& input) {
  const Run& run = *context.of(input, &RoleFields::run);
  if (starts_own_command(context, input)) return;
  if (run.module && run.module->starts_with("paddle.distributed.launch")) return;
  const Text& program = run.module ? run.module : run.script;
  context
      .report(DiagnosticKind::LauncherNeedsProcesses, program.span,
              "nothing tells this program which of the nodes it runs on")
      .also(context.spec.framework.span, "with this framework only the launcher knows its node")
      .note(
          "start it by `module: paddle.distributed.launch`, its name first in `args`; another "
          "`framework` has other variables");
}

/// The node whose address is the master's starts the store by which the launchers meet. It compares
/// addresses, so the first node has its own; `launch-line` puts it there (PaddlePaddle/Paddle
/// python/paddle/distributed/launch/controllers/master.py).
void paddle(RuleContext& context, RoleInput& input, const Meeting& at) {
  const bool left = left_to_controller(context, "PADDLE_MASTER");
  if (!left && context.plan.rendezvous.master && !at.role.first_rank)
    refuse_servers(context, input);
  if (!at.multi_node) return;
  check_paddle_launch(context, input);
  if (left) return;
  if (!knows_ranks(context) || started_by_mpirun(context)) return refuse_meeting(context);
  Variables out(context, input);
  const std::string address = std::string(*at.plan.master) + ":" + std::to_string(*at.plan.port);
  out.put("PADDLE_JOB_ID", *context.plan.name, context.plan.name.origin);
  out.put("PADDLE_NNODES", *at.plan.nodes, at.plan.nodes.origin);
  out.put("PADDLE_MASTER", context.text(address), at.plan.master.origin);
  out.put_rank(kPaddleRank);
  EnvVar own_address;
  own_address.name = kPaddleAddress;
  own_address.field_path = "status.podIP";
  own_address.origin = context.because({at.plan.master.origin});
  context.add_env(*input.role, own_address);
}

/// Stands in front of the addresses that it is a part of.
void add_group(RuleContext& context, Role& role) {
  if (context.program == nullptr || *role.parts == 1) return;
  EnvVar variable;
  variable.name = kGroupVariable;
  variable.field_path = context.in.target->programs.groups;
  variable.origin = context.because({role.parts.origin});
  context.add_env(role, variable);
}

void run(RuleContext& context) {
  const Framework framework = framework_of(context);
  for (RoleInput& input : context.roles) {
    add_group(context, *input.role);
    if (!input.role->trains) continue;
    if (lacks_mpirun(context, input)) {
      refuse_mpirun(context, input);
      continue;
    }
    // A role without ranks, such as an evaluator, is a job of its own to its program.
    const Role& role = *input.role;
    const bool meets = context.plan.rendezvous.master.is_set && role.first_rank.is_set;
    const Meeting at{context.plan.rendezvous, role, meets, context.plan.elastic.min_nodes.is_set};
    switch (framework) {
      case Framework::Pytorch:
      case Framework::Nemo:
        pytorch(context, input, at);
        break;
      case Framework::Tao:
        tao(context, input, at);
        break;
      case Framework::Jax:
        jax(context, input, at);
        break;
      case Framework::Tensorflow:
        // Programs that mpirun starts, such as those of Horovod, find each other through MPI.
        if (launcher_of(context, program_of(context, input)) == Launcher::Mpirun) break;
        tensorflow(context, *input.role);
        break;
      case Framework::Xgboost:
        xgboost(context, input, at);
        break;
      case Framework::Paddle:
        paddle(context, input, at);
        break;
      case Framework::Mpi:  // their targets start the processes
      case Framework::Ray:
      case Framework::None:
        break;
    }
  }
}

}  // namespace

extern const Rule rendezvous_variables_rule{
    "rendezvous-variables",
    Rule::Phase::Infer,
    "Each framework gets the variables it reads, with the meaning it gives them; ranks are static.",
    "`WORLD_SIZE` counts processes to PyTorch and nodes to TAO; torchrun reads `PET_*` only "
    "(pytorch/pytorch torch/distributed/argparse_util.py; NVIDIA-TAO/tao-pytorch "
    "nvidia_tao_pytorch/core/entrypoint.py). A field reference gives the rank wherever the "
    "variable stands in the list.",
    "spec.framework spec.run spec.elastic spec.image spec.resources role.processes role.gpus "
    "role.replicas role.firstRank role.parts target.programs "
    "plan.rendezvous plan.elastic role.trains plan.framework target.injects target.mpirun "
    "target.roles spec.serviceAccount spec.target cluster.defaults.serviceAccount",
    "role.env role.rankVariables",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
