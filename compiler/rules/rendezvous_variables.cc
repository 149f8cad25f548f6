#include <string>

#include "rules/context.h"
#include "rules/launch.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

/// Sets variables of one role; a number becomes its text.
class Variables {
 public:
  Variables(RuleContext& context, RoleInput& input) : context_(context), role_(*input.role) {}

  void put(std::string_view name, std::string_view value, OriginId because) {
    EnvVar variable;
    variable.name = name;
    variable.value = value;
    variable.origin = context_.because({because});
    context_.add_env(role_, variable);
  }
  void put(std::string_view name, std::int64_t value, OriginId because) {
    put(name, context_.number(value), because);
  }
  void put_rank(std::string_view name) {
    const auto& field = context_.plan.rendezvous.rank_field;
    EnvVar variable;
    variable.name = name;
    variable.field_path = *field;
    variable.origin = context_.because({field.origin});
    context_.add_env(role_, variable);
  }

 private:
  RuleContext& context_;
  Role& role_;
};

struct Meeting {
  const RendezvousPlan& plan;
  const Role& role;
  bool multi_node;
};

/// Names that command lines and scripts mention; torchrun itself reads none of them.
void common(Variables& out, const Meeting& at) {
  out.put("MASTER_ADDR", *at.plan.master, at.plan.master.origin);
  out.put("MASTER_PORT", *at.plan.port, at.plan.port.origin);
  out.put("NNODES", *at.plan.nodes, at.plan.nodes.origin);
  out.put("NPROC_PER_NODE", *at.role.processes, at.role.processes.origin);
  out.put_rank("NODE_RANK");
}

void torchrun(Variables& out, const Meeting& at) {
  if (!at.multi_node) {
    out.put("PET_NNODES", 1, at.role.replicas.origin);
    out.put("PET_NPROC_PER_NODE", *at.role.processes, at.role.processes.origin);
    return;
  }
  out.put("PET_NNODES", *at.plan.nodes, at.plan.nodes.origin);
  out.put("PET_NPROC_PER_NODE", *at.role.processes, at.role.processes.origin);
  out.put_rank("PET_NODE_RANK");
  out.put("PET_MASTER_ADDR", *at.plan.master, at.plan.master.origin);
  out.put("PET_MASTER_PORT", *at.plan.port, at.plan.port.origin);
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

void pytorch(RuleContext& context, RoleInput& input, const Meeting& at) {
  Variables out(context, input);
  const Launcher launcher = launcher_of(context, input);
  if (at.multi_node) common(out, at);
  const bool own_command = starts_own_command(context, input);
  if (launcher == Launcher::Torchrun || own_command) torchrun(out, at);
  const bool one_process = *at.role.processes == 1;
  if (launcher == Launcher::None && one_process) plain_process(out, at);
}

/// WORLD_SIZE counts nodes here; a wrong one makes every node train alone.
void tao(RuleContext& context, RoleInput& input, const Meeting& at) {
  if (!at.multi_node) return;
  Variables out(context, input);
  out.put("WORLD_SIZE", *at.plan.nodes, at.plan.nodes.origin);
  out.put("NUM_GPU_PER_NODE", *at.role.gpus, at.role.gpus.origin);
  common(out, at);
}

void jax(RuleContext& context, RoleInput& input, const Meeting& at) {
  if (!at.multi_node) return;
  Variables out(context, input);
  const std::string address = std::string(*at.plan.master) + ":" + std::to_string(*at.plan.port);
  out.put("JAX_COORDINATOR_ADDRESS", context.text(address), at.plan.master.origin);
  out.put("JAX_NUM_PROCESSES", *at.plan.nodes, at.plan.nodes.origin);
  out.put_rank("JAX_PROCESS_ID");
}

void run(RuleContext& context) {
  const Framework framework = context.spec.framework.value_or(Framework::Pytorch);
  for (RoleInput& input : context.roles) {
    const Meeting at{context.plan.rendezvous, *input.role, context.plan.rendezvous.service.is_set};
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
      default:
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
    "spec.framework spec.run role.processes role.gpus role.replicas plan.rendezvous",
    "role.env",
    run};

}  // namespace trainyard
