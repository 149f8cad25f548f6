#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

void literals(RuleContext& context, Role& role, const TextMap& variables) {
  for (const auto& entry : *variables) {
    EnvVar variable;
    variable.name = entry.key;
    variable.value = *entry.value;
    variable.origin = context.from(entry.value);
    context.add_env(role, variable);
  }
}

void secrets(RuleContext& context, Role& role, const Located<Map<SecretKey>>& variables) {
  for (const auto& entry : *variables) {
    const SecretKey& reference = *entry.value;
    EnvVar variable;
    variable.name = entry.key;
    variable.secret = *reference.name;
    variable.key = reference.key ? *reference.key : entry.key;
    variable.optional = reference.optional.value_or(false);
    variable.origin = context.from(entry.value);
    context.add_env(role, variable);
  }
}

/// A role's variables and the job's, the role's own in front; one name of both means the role's.
template <class Entries>
Entries merged(const Entries& own, const Entries& job) {
  Entries result = own;
  for (const auto& entry : *job) {
    if (find(*own, entry.key) == nullptr) result.value.push_back(entry);
  }
  return result;
}

void socket_interface(RuleContext& context, Role& role) {
  const Text& interface = context.spec.network->interface;
  if (!interface) return;
  for (std::string_view name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
    EnvVar variable;
    variable.name = name;
    variable.value = *interface;
    variable.origin = context.because({context.from(interface)});
    context.add_env(role, variable);
  }
}

void checkpoint_directory(RuleContext& context, Role& role) {
  const Text& path = context.spec.lifecycle->checkpoint->path;
  if (!path) return;
  EnvVar variable;
  variable.name = "CHECKPOINT_DIR";
  variable.value = *path;
  variable.origin = context.because({context.from(path)});
  context.add_env(role, variable);
}

void cluster_defaults(RuleContext& context, Role& role) {
  if (context.in.cluster == nullptr) return;
  for (const auto& entry : *context.in.cluster->spec->defaults->env) {
    bool known = false;
    for (const EnvVar& variable : role.env) known = known || variable.name == entry.key;
    if (known) continue;
    EnvVar variable;
    variable.name = entry.key;
    variable.value = *entry.value;
    variable.origin = context.from(entry.value);
    context.add_env(role, variable);
  }
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    Role& role = *input.role;
    static const RoleFields kNothing{};
    const RoleFields& own = input.own == nullptr ? kNothing : *input.own;
    literals(context, role, merged(own.env, context.spec.env));
    secrets(context, role, merged(own.secret_env, context.spec.secret_env));
    socket_interface(context, role);
    checkpoint_directory(context, role);
    cluster_defaults(context, role);
    role.env_from = context.shapes(context.of(input, &RoleFields::env_from));
  }
}

}  // namespace

extern const Rule environment_rule{
    "environment",
    Rule::Phase::Infer,
    "The spec's variables follow the computed ones; a name that both set differently is a "
    "conflict.",
    "Of two entries with one name Kubernetes takes the last without a word, so a wrong rank or "
    "address would win silently.",
    "spec.env spec.secretEnv spec.envFrom spec.network.interface spec.lifecycle.checkpoint "
    "cluster.defaults.env",
    "role.env role.envFrom",
    run};

}  // namespace trainyard
