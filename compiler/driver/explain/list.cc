#include "driver/explain/list.h"

#include <algorithm>
#include <map>

#include "check/check.h"
#include "check/check_selectors.h"
#include "diag/kind.h"
#include "driver/explain/explain_names.h"
#include "driver/explain/find_kind.h"
#include "driver/starter/shipped_examples.h"
#include "kind/health.h"
#include "rules/rule.h"
#include "schema/describe.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

using Cell = std::vector<std::string>;

Cell cell(std::string_view text) {
  if (text.empty()) return {};
  return {std::string(text)};
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Every field of the language is below `spec`, so a table leaves that out.
Cell limits(const std::vector<Inexpressible>& rows) {
  Cell result;
  for (const Inexpressible& row : rows) {
    std::string phrase = limit_phrase(row);
    if (phrase.starts_with("spec.")) phrase.erase(0, 5);
    result.push_back(std::move(phrase));
  }
  return result;
}

/// Those that take its jobs, or the one that its jobs are of.
Cell systems(const TargetFacts& facts) {
  Cell result = cell(facts.project_system);
  for (const Queueing& row : facts.queueing) result.emplace_back(row.system);
  return result;
}

Table targets(Session& session) {
  Table table{"targets",
              {{"target", "name"},
               {"status", "status"},
               {"what it makes", "summary", 34},
               {"queued by", "queuedBy", 0, true},
               {"cannot express", "cannotExpress", 46, true, false},
               {"not written yet", "notYet", 0, true, false}},
              {}};
  std::vector<const TargetFacts*> all = session.all_targets();
  std::stable_partition(all.begin(), all.end(), [](const auto* facts) { return facts->available; });
  for (const TargetFacts* facts : all) {
    table.rows.push_back({cell(facts->name), cell(facts->available ? "available" : "planned"),
                          cell(facts->summary), systems(*facts), limits(facts->cannot),
                          limits(facts->not_yet)});
  }
  return table;
}

/// A matrix of what targets cannot express: fields down, targets across.
Table capabilities(Session& session) {
  // As text, the targets without it: the matrix is wider than terminals are.
  Table table{"capabilities",
              {{"field", "field"},
               {.title = "targets without it", .key = "", .list = true, .in_data = false}},
              {}};
  std::vector<const TargetFacts*> all;
  for (const TargetFacts* facts : session.all_targets()) {
    if (facts->available && !facts->serves) all.push_back(facts);
  }
  std::map<std::string, std::vector<Cell>> rows;
  const auto put = [&](const std::string& field, std::size_t target, std::string_view word) {
    std::vector<Cell>& row = rows[field];
    row.resize(all.size());
    row[target] = cell(word);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    table.columns.push_back(
        {.title = std::string(all[i]->name), .key = std::string(all[i]->name), .in_text = false});
    for (const std::string& field : limits(all[i]->cannot)) put(field, i, "no");
    for (const std::string& field : limits(all[i]->not_yet)) put(field, i, "later");
    if (!all[i]->programs.able) put("roles as several programs", i, "no");
    for (const std::string& system : systems(*all[i])) {
      put("scheduling.system: " + system, i, "yes");
    }
  }
  // What has no place has none for its parts.
  for (auto& [field, cells] : rows) {
    for (std::size_t end = 0; (end = field.find_first_of(".:[", end)) != field.npos; ++end) {
      const auto whole = rows.find(field.substr(0, end));
      if (whole == rows.end()) continue;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!whole->second[i].empty()) cells[i] = whole->second[i];
      }
    }
  }
  for (auto& [field, cells] : rows) {
    const bool is_system = field.starts_with("scheduling.system: ");
    Cell without;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].empty()) cells[i] = cell(is_system ? "no" : "yes");
      if (cells[i].front() != "yes") without.emplace_back(all[i]->name);
    }
    cells.insert(cells.begin(), {cell(field), without});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table rules(Session&) {
  Table table{"rules",
              {{"rule", "name"},
               {"may", "may"},
               {"what it makes sure of", "sentence", 70},
               {"why", "because", 0, false, false},
               {"reads", "reads", 0, true, false},
               {"sets", "sets", 0, true, false}},
              {}};
  for (const Rule* rule : all_rules()) {
    table.rows.push_back(
        {cell(rule->name), cell(rule->phase == Rule::Phase::Infer ? "set" : "report"),
         cell(rule->sentence), cell(rule->because), words_of(rule->reads), words_of(rule->writes)});
  }
  return table;
}

Table checks(Session& session) {
  Table table{"checks",
              {{"check", "name"},
               {"group", "group"},
               {"effect", "effect"},
               {"severity", "severity", 0, false, false},
               {"stage", "stage", 0, false, false},
               {"runs", "runs", 0, false, false},
               {"on", "on", 0, false, false},
               {"what it makes sure of", "sentence", 70},
               {"why", "because", 0, false, false},
               {"what would be right", "fix", 0, false, false},
               {"since", "since", 0, false, false},
               {"holds for", "releases", 0, false, false},
               {"source", "source", 0, false, false}},
              {}};
  for (const std::span<const Check>& subject : session.policies.checks()) {
    for (const Check& check : subject) {
      table.rows.push_back(
          {cell(check.name), cell(check.group_word()), cell(word(check.effect)),
           cell(word(check.is_lint() ? check.severity : Severity::Error)), cell(word(check.stage)),
           cell(check.opt_in ? "asked" : "always"), cell(subject_phrase(check)),
           cell(check.sentence), cell(check.because), cell(check.fix), cell(check.since),
           cell(check.operators.name.empty() ? "" : check.operators.phrase()), cell(check.source)});
    }
  }
  return table;
}

Table fabrics(Session& session) {
  Table table{"fabrics",
              {{"fabric", "name"},
               {"what it is", "summary", 40},
               {"machines that have it", "machines", 60, true}},
              {}};
  std::map<std::string, Cell, std::less<>> machines;
  for (const std::string& name : session.fabrics.names()) machines[name];
  for (const auto& catalogue : session.machines.all()) {
    for (const auto& machine : *catalogue->spec->machines) {
      for (const Text& fabric : {machine->fabric, machine->underlay}) {
        if (!fabric) continue;
        const std::string_view name = *fabric == "none" ? "tcp" : *fabric;
        machines[std::string(name)].emplace_back(*machine->name);
      }
    }
  }
  for (auto& [name, cells] : machines) {
    std::sort(cells.begin(), cells.end());
    const Fabric* fabric = session.fabrics.find(name);
    table.rows.push_back(
        {cell(name), cell(fabric == nullptr ? "" : *fabric->spec->summary), std::move(cells)});
  }
  return table;
}

Table machines(Session& session) {
  Table table{"machines",
              {{"machine", "name"},
               {"also", "aliases", 24, true, false},
               {"gpus", "gpus", 0, false, true, true},
               {"gpu", "gpu"},
               {"gpu memory", "gpuMemory"},
               {"cpu", "cpu", 0, false, false, true},
               {"memory", "memory", 0, false, false},
               {"fabric", "fabric"},
               {"catalogue", "catalogue"}},
              {}};
  for (const auto& catalogue : session.machines.all()) {
    for (const auto& machine : *catalogue->spec->machines) {
      Cell aliases;
      for (const Text& alias : *machine->aliases) aliases.emplace_back(*alias);
      const MachineGpu& gpu = *machine->gpu;
      table.rows.push_back({cell(*machine->name), aliases, cell(std::to_string(*gpu.count)),
                            cell(*gpu.model), cell(*gpu.memory), cell(*machine->cpu),
                            cell(*machine->memory), cell(*machine->fabric),
                            cell(*catalogue->metadata->name)});
    }
  }
  std::sort(table.rows.begin(), table.rows.end());
  return table;
}

Table schemas(Session& session) {
  Table table{"schemas",
              {{"apiVersion", "apiVersion"},
               {"kind", "kind"},
               {"scope", "scope", 0, false, false},
               {"source", "source"}},
              {}};
  for (const SchemaSource& source : session.schema_sources()) {
    for (const SchemaKind& kind : source.pack.kinds()) {
      if (kind.before.size != 0) continue;
      const std::string full = full_name(source.pack, kind);
      table.rows.push_back({cell(full.substr(0, full.rfind('/'))),
                            cell(source.pack.text(kind.kind)),
                            cell(kind.namespaced != 0 ? "Namespaced" : "Cluster"),
                            cell(source.pack.text(kind.source))});
    }
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a[0], a[1]) < std::tie(b[0], b[1]);
  });
  return table;
}

Table diagnostics(Session&) {
  Table table{"diagnostics",
              {{"diagnostic", "name"}, {"severity", "severity"}, {"what it means", "sentence", 70}},
              {}};
  for (const KindInfo& kind : all_kinds()) {
    table.rows.push_back({cell(kind.name), cell(word(kind.severity)), cell(kind.sentence)});
  }
  std::sort(table.rows.begin(), table.rows.end());
  return table;
}

Table health(Session& session) {
  Table table{"health",
              {{"kind", "kind"},
               {"apiVersion", "apiVersion"},
               {"Argo CD, key in argocd-cm", "argocdKey", 0, false, false},
               {"Flux", "flux"}},
              {}};
  const std::vector<const JobKind*> flux = flux_kinds(session.job_kinds());
  for (const JobKind* kind : argocd_kinds(session.job_kinds())) {
    const bool has_flux = std::ranges::find(flux, kind) != flux.end();
    table.rows.push_back({cell(kind->kind),
                          cell(std::string(kind->group) + "/" + std::string(kind->version)),
                          cell(argocd_health_key(*kind)),
                          cell(has_flux ? "healthCheckExprs" : "reads it by its own code")});
  }
  return table;
}

Table examples(Session&) {
  Table table{"examples",
              {{"example", "name"},
               {"framework", "framework"},
               {"nodes", "nodes", 0, false, true, true},
               {"target", "target", 0, false, false},
               {"with a Cluster", "hasCluster", 0, false, false},
               {"what it shows", "about"}},
              {}};
  for (const ShippedExample& each : shipped_examples()) {
    table.rows.push_back({cell(each.name), cell(each.framework), cell(std::to_string(each.nodes)),
                          cell(each.target), cell(each.cluster.empty() ? "no" : "yes"),
                          cell(each.about)});
  }
  return table;
}

struct Lister {
  std::string_view name;
  Table (*make)(Session&);
};

constexpr Lister kListings[] = {
    {"targets", targets},   {"capabilities", capabilities}, {"rules", rules},
    {"checks", checks},     {"fabrics", fabrics},           {"machines", machines},
    {"schemas", schemas},   {"diagnostics", diagnostics},   {"health", health},
    {"examples", examples},
};

}  // namespace

const std::vector<std::string>& list_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Lister& listing : kListings) all.emplace_back(listing.name);
    return all;
  }();
  return names;
}

std::optional<Table> list_table(Session& session, std::string_view name) {
  for (const Lister& listing : kListings) {
    if (listing.name == name) return listing.make(session);
  }
  return std::nullopt;
}

std::string health_document(const JobKinds& kinds, std::string_view tool, QueuedIs queued) {
  Tree tree;
  const NodeId root = tool == "argocd" ? add_argocd_health(tree, argocd_kinds(kinds), queued)
                                       : add_flux_health(tree, flux_kinds(kinds));
  std::string text;
  write_yaml(tree, root, text);
  return text;
}

bool keep_selected(Session& session, std::string_view selector, Table& checks) {
  std::erase_if(checks.rows, [&](const std::vector<Cell>& row) {
    const Check* check = find_check(session.policies.checks(), row.front().front());
    return check == nullptr || !selects(selector, *check);
  });
  return !checks.rows.empty();
}

}  // namespace trainyard
