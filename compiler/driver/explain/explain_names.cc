#include "driver/explain/explain_names.h"

#include <algorithm>
#include <type_traits>

#include "check/check.h"
#include "check/retired.h"
#include "diag/kind.h"
#include "diag/words.h"
#include "driver/explain/list.h"
#include "driver/explain/without.h"
#include "operators/releases.h"
#include "policy/policy_checks.h"
#include "rules/rule.h"
#include "schema/json_text.h"

namespace trainyard {
namespace {

using Facts = std::vector<Page::Fact>;

void fact(std::string_view label, std::string_view text, Facts& out) {
  if (!text.empty()) out.push_back({std::string(label), std::string(text)});
}

void limits(const std::vector<Inexpressible>& rows, bool planned, Page& out) {
  for (const Inexpressible& row : rows) {
    out.limits.push_back({limit_phrase(row), std::string(row.because), planned});
  }
}

std::string joined(const std::vector<Text>& texts) {
  std::string out;
  for (const Text& text : texts) out += (out.empty() ? "" : ", ") + std::string(*text);
  return out;
}

/// `NAME=VALUE` or `name: amount` of each entry.
template <class T>
std::string listed(const Map<T>& map, std::string_view between) {
  std::string out;
  for (const auto& entry : map) {
    out += (out.empty() ? "" : ", ") + std::string(entry.key) + std::string(between);
    if constexpr (std::is_same_v<T, std::int64_t>) {
      out += std::to_string(*entry.value);
    } else {
      out += *entry.value;
    }
  }
  return out;
}

}  // namespace

std::string limit_phrase(const Inexpressible& limit) {
  std::string text(limit.field);
  if (!limit.value.empty()) text += ": " + std::string(limit.value);
  if (limit.above) text += " above " + std::to_string(*limit.above);
  return text;
}

std::vector<std::string> rule_names(Session&) {
  std::vector<std::string> names;
  for (const Rule* rule : all_rules()) names.emplace_back(rule->name);
  return names;
}

Page explain_rule(Session& session, std::string_view name) {
  const Rule* rule = find_rule(name);
  if (rule == nullptr) return {};
  Page page{
      .sort = "rule", .name = std::string(rule->name), .sentence = std::string(rule->sentence)};
  Facts& out = page.facts;
  fact("why", rule->because, out);
  fact("may", rule->phase == Rule::Phase::Infer ? "set fields of the plan" : "only report", out);
  fact("reads", rule->reads, out);
  fact("sets", rule->writes, out);
  fact("told by", told_without(session, rule->name), out);
  return page;
}

std::vector<std::string> check_names(Session& session) {
  std::vector<std::string> names;
  for (const std::span<const Check>& table : session.policies.checks()) {
    for (const Check& check : table) names.emplace_back(check.name);
  }
  return names;
}

namespace {

std::vector<Page::Fact> facts_of(Session& session, const Check& check) {
  std::vector<Page::Fact> out;
  if (check.because != check.sentence) fact("why", check.because, out);
  if (check.is_lint()) fact("fix", check.fix, out);
  fact("a build", avoided_by(session, check.name), out);
  fact("group", check.group_word(), out);
  fact("effect", word(check.effect), out);
  fact("severity", word(check.is_lint() ? check.severity : Severity::Error), out);
  if (check.stage == Stage::Preview) fact("stage", "preview: a warning at most", out);
  if (check.opt_in) {
    fact("runs", "where it is asked for: `--checks " + std::string(check.name) + "=on`", out);
  }
  fact("on", subject_phrase(check), out);
  if (!check.since.empty()) {
    fact("since", "Kubernetes " + std::string(check.since), out);
  }
  if (!check.operators.name.empty()) {
    const std::string_view read = release_read(check.operators);
    fact("holds for",
         check.operators.phrase() + (read.empty() ? "" : "; read in " + std::string(read)), out);
  }
  fact("source", check.source, out);
  return out;
}

/// The examples of a policy; those of our checks are cases of the tests.
void add_examples(const Check& check, std::vector<Page::Fact>& out) {
  for (std::string_view key : {"wrong", "right"}) {
    for (View example : check.policy == nullptr ? Items() : items_at(check.policy->at, key)) {
      std::string text;
      append_json(example.tree(), example.id(), text);
      fact(key, text, out);
    }
  }
}

}  // namespace

Page explain_check(Session& session, std::string_view name) {
  const Check* check = find_check(session.policies.checks(), current_name(name));
  if (check == nullptr) return {};
  return {.sort = "check",
          .name = std::string(check->name),
          .sentence = std::string(check->sentence),
          .facts = facts_of(session, *check)};
}

std::vector<std::string> group_names(Session& session) {
  std::vector<std::string> names;
  for (const std::span<const Check>& table : session.policies.checks()) {
    for (const Check& check : table) {
      const std::string_view name = check.group_word();
      if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    }
  }
  return names;
}

Page explain_group(Session& session, std::string_view name) {
  Page page{.sort = "group", .name = std::string(name)};
  for (const std::span<const Check>& table : session.policies.checks()) {
    for (const Check& check : table) {
      if (check.group_word() != name) continue;
      Page::Part& part = page.parts.emplace_back(
          Page::Part{.sort = "check", .name = std::string(check.name), .facts = {}});
      fact("what", check.sentence, part.facts);
      std::ranges::move(facts_of(session, check), std::back_inserter(part.facts));
      add_examples(check, part.facts);
      std::erase_if(part.facts, [](const Page::Fact& each) { return each.label == "group"; });
    }
  }
  if (page.parts.empty()) return {};
  page.sentence = counted(static_cast<std::uint32_t>(page.parts.size()), "check") + ".";
  return page;
}

std::vector<std::string> target_names(Session& session) {
  return session.targets.names();
}

/// Of a PyTorch job of so many equal nodes.
std::int64_t longest_name(const TargetFacts& facts, std::int64_t nodes) {
  return facts.longest_name(facts.shape_for("pytorch", false).split(nodes, false), false);
}

Page explain_target(Session& session, std::string_view name) {
  const std::vector<std::string> names = target_names(session);
  if (std::find(names.begin(), names.end(), name) == names.end()) return {};
  const TargetFacts* facts = session.targets.facts(name, session.sink);
  if (facts == nullptr) return {};
  Page page{
      .sort = "target", .name = std::string(facts->name), .sentence = std::string(facts->summary)};
  Facts& out = page.facts;
  fact("status",
       facts->available ? "available"
                        : "planned: its limits are known, its templates are not written yet",
       out);
  fact("names",
       "at most " + std::to_string(longest_name(*facts, 1)) + " characters for one node, " +
           std::to_string(longest_name(*facts, 100)) + " for a hundred",
       out);
  limits(facts->cannot, false, page);
  limits(facts->not_yet, true, page);
  return page;
}

std::vector<std::string> machine_names(Session& session) {
  return session.machines.names();
}

namespace {

std::string processors_of(const Machine& machine) {
  std::string text(*machine.cpu);
  if (machine.architecture && *machine.architecture == Architecture::Arm64) {
    text += text.empty() ? "of arm64" : " of arm64";
  }
  return text;
}

std::string left_for_pods(const Machine& machine) {
  const Allocatable& left = *machine.allocatable;
  if (!left.cpu && !left.memory) return {};
  return std::string(*left.cpu) + " CPUs, " + std::string(*left.memory);
}

std::string fabric_of(const Machine& machine) {
  std::string text(*machine.fabric);
  if (machine.nvlink_nodes) {
    text += " within " + std::to_string(*machine.nvlink_nodes) + " nodes";
  }
  if (machine.underlay) text += ", beneath it " + std::string(*machine.underlay);
  if (machine.whole_node.value_or(false)) text += ", for pods with all GPUs of a node";
  return text;
}

std::string network_of(const Machine& machine) {
  std::string text;
  if (machine.nics) text = std::to_string(*machine.nics) + " devices";
  if (machine.gbps) {
    text += (text.empty() ? "" : ", ") + std::to_string(*machine.gbps) + " Gbit/s";
  }
  return text;
}

}  // namespace

Page explain_machine(Session& session, std::string_view name) {
  const Machine* machine = session.machines.find(name);
  if (machine == nullptr) return {};
  Page page{.sort = "machine", .name = std::string(*machine->name)};
  Facts& out = page.facts;
  fact("also", joined(*machine->aliases), out);
  fact("gpus",
       std::to_string(*machine->gpu->count) + " x " + std::string(*machine->gpu->model) + ", " +
           std::string(*machine->gpu->memory) + " each",
       out);
  fact("product", *machine->gpu->product, out);
  fact("cpu", processors_of(*machine), out);
  fact("memory", *machine->memory, out);
  fact("for pods", left_for_pods(*machine), out);
  fact("fabric", fabric_of(*machine), out);
  fact("network", network_of(*machine), out);
  fact("requests", listed(*machine->resources, ": "), out);
  fact("claims", listed(*machine->claims, ": "), out);
  fact("labels", listed(*machine->node_selector, "="), out);
  fact("remarks", *machine->remarks, out);
  fact("source", *machine->source, out);
  return page;
}

std::vector<std::string> fabric_names(Session& session) {
  std::vector<std::string> names;
  const Table table = *list_table(session, "fabrics");
  for (const auto& row : table.rows) names.push_back(row[0][0]);
  return names;
}

namespace {

std::string needs_of(const FabricSpec& fabric) {
  const FabricNeeds& needs = *fabric.needs;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (needs.gpus) {
    const bool whole = needs.whole_node.value_or(false);
    add((whole ? "pods with all GPUs of a node, " : "nodes with ") + std::to_string(*needs.gpus) +
        (whole ? " where the machine is not known" : " GPUs"));
  } else if (needs.whole_node.value_or(false)) {
    add("pods with all GPUs of a node");
  }
  if (needs.kubernetes) add("Kubernetes " + std::string(*needs.kubernetes) + " or later");
  return text;
}

std::string versions_of(const FabricSpec& fabric) {
  std::string text;
  for (const auto& row : *fabric.versions->known) {
    text += (text.empty() ? "" : ", ") + std::string(*row->version);
    if (row->sidecar_tag) text += " (daemon " + std::string(*row->sidecar_tag) + ")";
  }
  return text;
}

std::string refusals_of(const FabricSpec& fabric) {
  std::string text;
  for (const auto& row : *fabric.refuses) {
    text += (text.empty() ? "" : ", ") + std::string(*row->name);
    if (row->value) text += "=" + std::string(*row->value);
  }
  return text;
}

std::string networks_of(const FabricProfile& profile) {
  const FabricNetworks& networks = *profile.networks;
  if (!profile.networks) return {};
  std::string text = "those that the Cluster names";
  if (!networks.required.value_or(false)) text += ", where it does";
  return text + ", in the annotation " + std::string(*networks.annotation);
}

std::string devices_of(const FabricProfile& profile) {
  const FabricResource& resource = *profile.resource;
  if (!profile.resource) return {};
  if (!resource.name) return "by a resource that the Cluster or the machine names";
  if (!resource.count) return std::string(*resource.name);
  return std::string(*resource.name) +
         (*resource.count == FabricCount::One      ? ", one for all of a node"
          : *resource.count == FabricCount::PerGpu ? ", one for each GPU"
                                                   : ", one for each network device");
}

std::string claims_of(const FabricProfile& profile) {
  std::string text;
  for (const auto& claim : *profile.device_claims) {
    text += (text.empty() ? "" : ", ") + std::string(*claim->device_class);
    if (claim->count) text += ": " + std::to_string(*claim->count);
  }
  if (profile.nvlink_domain.value_or(false)) {
    text += std::string(text.empty() ? "" : ", ") + "a channel of a ComputeDomain";
  }
  return text;
}

/// The ways to use it, each with its machines, what pods carry, and where that is from.
void profiles_of(const FabricSpec& fabric, Page& page) {
  for (const auto& profile : *fabric.profiles) {
    Page::Part& part = page.parts.emplace_back();
    part.sort = "profile";
    part.name = *profile->name;
    Facts& out = part.facts;
    fact("machines", joined(*profile->machines), out);
    if (profile->builds) {
      fact("needs", "Kubernetes from the builds " + joined(*profile->builds) + " on", out);
    }
    if (profile->host_network.value_or(false)) fact("network", "that of the node", out);
    fact("networks", networks_of(*profile), out);
    if (profile->sidecar) fact("daemon", *profile->sidecar->image, out);
    fact("devices", devices_of(*profile), out);
    fact("claims", claims_of(*profile), out);
    fact("settings", *profile->nccl_profile, out);
    fact("libraries", joined(*profile->library_path), out);
    fact("env", listed(*profile->env, "="), out);
    fact("tuning", listed(*profile->tuning, "="), out);
    fact("interface", *profile->interface, out);
    fact("rights",
         profile->privileged.value_or(false) ? "privileged" : joined(*profile->capabilities), out);
    fact("remarks", *profile->remarks, out);
    fact("source", *profile->source, out);
  }
}

}  // namespace

Page explain_fabric(Session& session, std::string_view name) {
  const Table table = *list_table(session, "fabrics");
  for (const auto& row : table.rows) {
    if (row[0][0] != name) continue;
    std::string machines;
    for (const std::string& machine : row[2]) machines += (machines.empty() ? "" : ", ") + machine;
    Page page{.sort = "fabric", .name = std::string(name)};
    Facts& out = page.facts;
    fact("machines", machines.empty() ? "none that is known" : machines, out);
    const Fabric* fabric = session.fabrics.find(name);
    if (fabric == nullptr) return page;
    const FabricSpec& spec = *fabric->spec;
    fact("what", *spec.summary, out);
    if (spec.nccl_network) {
      fact("logged as", "NET/" + std::string(*spec.nccl_network), out);
    }
    fact("needs", needs_of(spec), out);
    fact("versions", versions_of(spec), out);
    fact("refuses", refusals_of(spec), out);
    fact("source", *spec.source, out);
    profiles_of(spec, page);
    return page;
  }
  return {};
}

std::vector<std::string> diagnostic_names(Session&) {
  std::vector<std::string> names;
  for (const KindInfo& kind : all_kinds()) names.emplace_back(kind.name);
  return names;
}

Page explain_diagnostic(Session&, std::string_view name) {
  for (const KindInfo& kind : all_kinds()) {
    if (kind.name != name) continue;
    Page page{.sort = "diagnostic",
              .name = std::string(kind.name),
              .sentence = std::string(kind.sentence)};
    page.text = explain(kind);
    fact("severity", word(kind.severity), page.facts);
    return page;
  }
  return {};
}

}  // namespace trainyard
