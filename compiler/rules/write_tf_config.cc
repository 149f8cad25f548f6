#include "rules/write_tf_config.h"

#include <string>

#include "rules/host_names.h"

namespace trainyard {
namespace {

constexpr std::string_view kIndex = "TASK_INDEX";

/// An evaluator knows the others and is none of them.
bool is_of_cluster(const Role& role) {
  return role.name != "evaluator";
}

/// As TensorFlow calls the role. It takes no other words than these, whatever the target calls its
/// nodes (tensorflow/tensorflow tensorflow/python/distribute/multi_worker_util.py).
std::string_view task_type(const Role& role) {
  for (std::string_view each : {"chief", "worker", "ps", "evaluator"}) {
    if (role.name == each) return each;
  }
  return role.name == "master" ? "chief" : "worker";
}

std::string hosts(const RuleContext& context, const Role& role) {
  const std::string port = std::to_string(*context.plan.rendezvous.port);
  std::string list;
  for (std::int64_t i = 0; i < *role.replicas; ++i) {
    list += (i == 0 ? "\"" : ", \"") + host_of(context, role, i) + ":" + port + "\"";
  }
  return "\"" + std::string(task_type(role)) + "\": [" + list + "]";
}

/// A field of the pod cannot stand within a text, a variable in front of it can.
std::string index_of(RuleContext& context, Role& role) {
  if (*role.replicas == 1) return "0";
  EnvVar variable;
  variable.name = kIndex;
  variable.field_path = index_field(context);
  variable.origin = context.because({role.replicas.origin});
  context.add_env(role, variable);
  return "$(" + std::string(kIndex) + ")";
}

/// Linux takes no longer text for one variable.
void check_length(RuleContext& context, std::size_t length) {
  constexpr std::size_t kLongest = 128 * 1024 - sizeof("TF_CONFIG=");
  if (length <= kLongest) return;
  context
      .report(DiagnosticKind::OutOfRange, context.place(context.plan.rendezvous.nodes.origin),
              "`TF_CONFIG` names every pod and would have " + std::to_string(length) +
                  " characters; Linux takes " + std::to_string(kLongest))
      .note("give the job a shorter name or fewer nodes");
}

}  // namespace

void write_tf_config(RuleContext& context, Role& role) {
  std::string cluster;
  for (const Role& other : context.plan.roles) {
    if (!is_of_cluster(other)) continue;
    cluster += (cluster.empty() ? "" : ", ") + hosts(context, other);
  }
  const std::string text = "{\"cluster\": {" + cluster + "}, \"task\": {\"type\": \"" +
                           std::string(task_type(role)) +
                           "\", \"index\": " + index_of(context, role) + "}}";
  check_length(context, text.size());
  EnvVar variable;
  variable.name = "TF_CONFIG";
  variable.value = context.text(text);
  variable.origin = context.because({context.plan.rendezvous.master.origin});
  context.add_env(role, variable);
}

}  // namespace trainyard
