#include "convert/lifetime.h"

#include <algorithm>
#include <array>
#include <string>

#include "convert/pod_template_reader.h"
#include "convert/role_values.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Ignores pods that the cluster took away, and does nothing else.
bool ignores_disruptions(View rule) {
  const View conditions = get(rule, "onPodConditions");
  if (string_at(rule, "action") != "Ignore" || !conditions || conditions->size != 1) return false;
  const View condition = *Items(conditions).begin();
  const std::string_view status = string_at(condition, "status");
  if (rule->size != 2 || condition->size != (status.empty() ? 1U : 2U)) return false;
  return string_at(condition, "type") == "DisruptionTarget" && (status.empty() || status == "True");
}

bool fails_on(View rule, std::string_view op, std::span<const std::int64_t> codes) {
  const View exits = get(rule, "onExitCodes");
  if (string_at(rule, "action") != "FailJob" || string_at(exits, "operator") != op) return false;
  if (rule->size != 2 || exits->size > 3) return false;
  const View values = get(exits, "values");
  if (!values || values->size != codes.size()) return false;
  return std::ranges::equal(Items(values), codes, [](View value, std::int64_t code) {
    return integer_of(value) == code;
  });
}

/// What `retryOn` would write this policy; "" for none.
std::string_view retry_on(View policy, bool several_pods) {
  constexpr auto kMachine = std::to_array<std::int64_t>({134, 137, 139, 143});
  constexpr auto kCannotRun = std::to_array<std::int64_t>({2, 126, 127});
  const View rules = get(policy, "rules");
  if (ignores_disruptions_alone(policy)) return "any";
  if (policy->size != 1) return {};
  if (!has_items(rules) || !ignores_disruptions(*Items(rules).begin())) return {};
  const View second = *++Items(rules).begin();
  const bool usual =
      several_pods ? fails_on(second, "In", kCannotRun) : fails_on(second, "NotIn", kMachine);
  return rules->size == 2 && usual ? "infrastructure" : "";
}

/// The training container is called `main` in a spec.
void name_container(Conversion& job, NodeId policy, std::string_view container) {
  for (View rule : items_at(job.maker.view(policy), "rules")) {
    const View exits = get(rule, "onExitCodes");
    if (string_at(exits, "containerName") == container) {
      job.maker.put(exits.id(), "containerName", job.text(kMainContainer));
    }
  }
}

}  // namespace

bool ignores_disruptions_alone(View policy) {
  const View rules = get(policy, "rules");
  return policy && policy->size == 1 && has_items(rules) && rules->size == 1 &&
         ignores_disruptions(*Items(rules).begin());
}

void read_seconds(Conversion& job, View seconds, std::string_view field) {
  const auto count = integer_of(seconds);
  if (!count || *count < 0) return;
  job.share({"lifecycle", field}, job.text(duration_text(*count)), seconds);
}

void read_seconds_of_role(Conversion& job, View seconds, std::string_view field) {
  const auto count = integer_of(seconds);
  if (!count || *count < 0) return;
  say_of_program(job, {"lifecycle", field}, job.text(duration_text(*count)), seconds);
}

void read_retries(Conversion& job, View job_spec, std::int64_t pods) {
  const View limit = get(job_spec, "backoffLimit");
  const std::int64_t failures = integer_of(limit).value_or(kDefaultBackoffLimit);
  // One incident ends every pod of a gang, and each of them counts.
  const std::int64_t retries = failures / pods;
  if (retries > 0) say_of_program(job, {"lifecycle", "retries"}, job.number(retries), {});
  if (limit && failures % pods != 0) {
    job.ledger.lost(limit,
                    std::to_string(failures) + " failed pods are not a multiple of the " +
                        std::to_string(pods) + " pods of one start; treated as " +
                        std::to_string(retries) + (retries == 1 ? " retry" : " retries"),
                    "set `lifecycle.retries`, which counts starts of the whole job");
  }
  job.ledger.carried(limit);
  read_failure_policy(job, job_spec, failures == 0 ? "never" : "any");
}

void read_failure_policy(Conversion& job, View job_spec, std::string_view otherwise) {
  const View policy = get(job_spec, "podFailurePolicy");
  const std::string_view on = policy ? retry_on(policy, job.several_pods()) : otherwise;
  if (policy && on.empty()) {
    const NodeId own = job.maker.copy(policy);
    const View main = training_container(get(get(job_spec, "template"), "spec"), job.container);
    name_container(job, own, string_at(main, "name"));
    say_of_program(job, {"lifecycle", "podFailurePolicy"}, own, policy);
    return;
  }
  if (!on.empty() && on != "infrastructure") {
    say_of_program(job, {"lifecycle", "retryOn"}, job.text(on), policy);
  }
  job.ledger.derived(policy);
}

void read_suspend(Conversion& job, View suspend) {
  const View system = job.shared_at({"scheduling", "system"});
  const bool queued = system && system->text == "kueue";
  if (is_true(suspend) && !queued) {
    job.share_copy({"lifecycle", "suspend"}, suspend);
  } else {
    job.ledger.derived(suspend);
  }
}

}  // namespace trainyard
