#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rules/fabric_use.h"
#include "rules/mentions.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// The user's own variables of one role.
using Wanted = std::vector<EnvVar>;

EnvVar literal(const RuleContext& context, const Entry<std::string_view>& entry) {
  EnvVar variable;
  variable.name = entry.key;
  variable.value = *entry.value;
  variable.origin = context.from(entry.value);
  return variable;
}

EnvVar from_secret(const RuleContext& context, const Entry<SecretKey>& entry) {
  const SecretKey& reference = *entry.value;
  EnvVar variable;
  variable.name = entry.key;
  variable.secret = *reference.name;
  variable.key = reference.key ? *reference.key : entry.key;
  variable.optional = reference.optional.value_or(false);
  variable.origin = context.from(entry.value);
  return variable;
}

/// Adds variables by name, each after those it mentions: Kubernetes expands `$(NAME)` only from
/// what is further up. A circle is cut where it is met again.
class Ordered {
 public:
  Ordered(RuleContext& context, Role& role, Wanted wanted)
      : context_(context),
        role_(role),
        known_(role.env),
        wanted_(std::move(wanted)),
        done_(wanted_.size()) {
    std::stable_sort(wanted_.begin(), wanted_.end(),
                     [](const EnvVar& a, const EnvVar& b) { return a.name < b.name; });
  }

  void add_all() {
    for (std::size_t i = 0; i < wanted_.size(); ++i) add(i);
  }

 private:
  /// A variable whose mentions are being added.
  struct Open {
    std::size_t variable;
    std::vector<std::size_t> mentioned;
    std::size_t next = 0;  // of `mentioned`
  };

  /// With its own stack: a chain of mentions is as long as its author likes.
  void add(std::size_t first) {
    std::vector<Open> open;
    const auto visit = [&](std::size_t variable) {
      if (done_[variable]) return;
      done_[variable] = true;
      open.push_back({variable, mentioned(wanted_[variable])});
    };
    visit(first);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next < top.mentioned.size()) {
        visit(top.mentioned[top.next++]);
      } else {
        context_.add_env(role_, wanted_[top.variable], known_);
        open.pop_back();
      }
    }
  }

  /// By name.
  std::vector<std::size_t> mentioned(const EnvVar& variable) const {
    std::vector<std::size_t> result;
    each_mention(variable.value, [&](std::string_view name) {
      auto at = std::lower_bound(
          wanted_.begin(), wanted_.end(), name,
          [](const EnvVar& known, std::string_view wanted) { return known.name < wanted; });
      for (; at != wanted_.end() && at->name == name; ++at) {
        result.push_back(static_cast<std::size_t>(at - wanted_.begin()));
      }
    });
    std::sort(result.begin(), result.end());
    return result;
  }

  RuleContext& context_;
  Role& role_;
  NamedIndex<EnvVar> known_;
  Wanted wanted_;
  std::vector<bool> done_;
};

/// A role's variables and the job's, the role's own in front; one name of both means the role's.
template <class Entries>
Entries merged(const Entries& own, const Entries& job) {
  Entries result = own;
  std::unordered_set<std::string_view> keys;
  for (const auto& entry : *own) keys.insert(entry.key);
  for (const auto& entry : *job) {
    if (!keys.contains(entry.key)) result.value.push_back(entry);
  }
  return result;
}

void socket_interface(RuleContext& context, Role& role) {
  const Text& interface = context.spec.network->interface;
  if (!interface) return;
  for (std::string_view name : kInterfaceVariables) {
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

void cluster_defaults(const RuleContext& context, const Role& role, Wanted& wanted) {
  if (context.in.cluster == nullptr) return;
  std::unordered_set<std::string_view> known;
  for (const EnvVar& variable : wanted) known.insert(variable.name);
  for (const EnvVar& variable : role.env) known.insert(variable.name);
  for (const auto& entry : *context.in.cluster->spec->defaults->env) {
    if (!known.contains(entry.key)) wanted.push_back(literal(context, entry));
  }
}

/// Images seldom know a user by its number alone. torch and triton ask for its name, and for its
/// home, which is `/` then: pytorch/pytorch torch/_inductor/runtime/cache_dir_utils.py;
/// triton-lang/triton python/triton/runtime/cache.py. 1000 is a user of many images.
constexpr std::pair<std::string_view, std::string_view> kOfNamelessUser[] = {
    {"USER", "user"},
    {"TORCHINDUCTOR_CACHE_DIR", "/tmp/torchinductor"},
    {"TRITON_CACHE_DIR", "/tmp/triton"},
};

void nameless_user(const RuleContext& context, RoleInput& input, Wanted& wanted) {
  const Integer& user = context.spec.security->run_as_user;
  if (!user || *user == 0 || *user == 1000) return;
  const bool by_torch = framework_of(context) == Framework::Pytorch;
  if (!by_torch || context.of(input, &RoleFields::env_from)) return;
  std::unordered_set<std::string_view> known;
  for (const EnvVar& variable : wanted) known.insert(variable.name);
  for (const auto& [name, value] : kOfNamelessUser) {
    if (known.contains(name)) continue;
    EnvVar variable;
    variable.name = name;
    variable.value = value;
    variable.origin = context.because({context.from(user)});
    wanted.push_back(variable);
  }
}

/// With a read-only root, caches lie in a home that may be written: huggingface/huggingface_hub
/// src/huggingface_hub/constants.py. Rule `scratch` puts a volume there.
void home_on_scratch(const RuleContext& context, RoleInput& input, Wanted& wanted) {
  const Flag& closed = context.spec.security->read_only_root_filesystem;
  if (!closed.value_or(false) || framework_of(context) != Framework::Pytorch) return;
  const bool has_home =
      std::ranges::find(wanted, std::string_view("HOME"), &EnvVar::name) != wanted.end();
  if (has_home || context.of(input, &RoleFields::env_from)) return;
  EnvVar home;
  home.name = "HOME";
  home.value = "/tmp";
  home.origin = context.because({context.from(closed)});
  wanted.push_back(home);
}

/// What the controller of the target sets wins, without a word, over the same name here.
void check_injected(RuleContext& context, const Wanted& wanted) {
  for (const EnvVar& variable : wanted) {
    if (!context.injects(variable.name)) continue;
    context
        .report(DiagnosticKind::ConflictingValues, context.place(variable.origin),
                "the controller of target " + code(context.in.target->name) + " sets " +
                    code(variable.name) + " itself")
        .note("its value wins over this one, or it refuses the job; leave the variable out");
  }
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    Role& role = *input.role;
    static const RoleFields kNothing{};
    const RoleFields& own = input.own == nullptr ? kNothing : *input.own;
    socket_interface(context, role);
    checkpoint_directory(context, role);
    Wanted wanted;
    const auto values = merged(own.env, context.spec.env);
    for (const auto& entry : *values) {
      wanted.push_back(literal(context, entry));
    }
    const auto references = merged(own.secret_env, context.spec.secret_env);
    for (const auto& entry : *references) {
      wanted.push_back(from_secret(context, entry));
    }
    cluster_defaults(context, role, wanted);
    nameless_user(context, input, wanted);
    home_on_scratch(context, input, wanted);
    check_injected(context, wanted);
    Ordered(context, role, std::move(wanted)).add_all();
    role.env_from = context.shapes(context.of(input, &RoleFields::env_from));
  }
}

}  // namespace

extern const Rule environment_rule{
    "environment",
    Rule::Phase::Infer,
    "The spec's variables follow the computed ones, by name and each after those it mentions; a "
    "name that both set differently is a conflict.",
    "Of two entries with one name Kubernetes takes the last without a word, so a wrong rank or "
    "address would win silently.",
    "spec.env spec.secretEnv spec.envFrom spec.network.interface spec.lifecycle.checkpoint "
    "spec.security cluster.defaults.env plan.framework target.injects",
    "role.env role.envFrom",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
