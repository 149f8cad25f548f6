#include "driver/fleet/fleet_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "diag/words.h"
#include "driver/fleet/team_patterns.h"
#include "driver/session/walked_inputs.h"
#include "source/glob.h"
#include "spec/credential_literals.h"

namespace trainyard {
namespace {

constexpr std::string_view kRendered = "rendered";

bool stays_in_folder(std::string_view path) {
  if (path.starts_with('/')) return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (path.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

std::string tidy(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path == "." ? "" : path);
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == ".") return true;  // as all inputs
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

class FleetPlanner {
 public:
  FleetPlanner(Session& session, FleetPlan& plan) : session_(session), plan_(plan) {}

  void all() {
    const FleetSpec& spec = *plan_.fleet.spec;
    for (const Located<Team>& each : *spec.teams) team(each);
    for (const Located<FleetCluster>& each : *spec.clusters) cluster(each);
    assign();
    rendered(spec);
  }

 private:
  void cluster(const Located<FleetCluster>& entry) {
    PlannedCluster cluster;
    cluster.entry = &entry;
    add_file(entry->file, [&](std::string path) { cluster.file = std::move(path); });
    add_files(entry->overlays, cluster.overlays);
    for (const Text& each : *entry->specs) add_specs(each, cluster.specs);
    // A file that is named counts before one that is found.
    std::ranges::sort(cluster.specs, [](const InputPart& a, const InputPart& b) {
      return std::pair(std::string_view(a.path), a.from_directory) <
             std::pair(std::string_view(b.path), b.from_directory);
    });
    const auto twice = std::ranges::unique(cluster.specs, {}, &InputPart::path);
    cluster.specs.erase(twice.begin(), twice.end());
    plan_.clusters.push_back(std::move(cluster));
  }

  void team(const Located<Team>& entry) {
    PlannedTeam team;
    team.entry = &entry;
    for (const Text& ns : *entry->namespaces) {
      team.namespaces.emplace_back(*ns);
      const auto [owner, is_new] = namespaces_.try_emplace(*ns, ns.span);
      if (is_new) continue;
      session_.sink
          .report(DiagnosticKind::DuplicateItem, ns.span,
                  "the namespace " + shown(*ns) + " belongs to another team already")
          .also(owner->second, "the first one");
    }
    add_files(entry->overlays, team.overlays);
    add_files(entry->policies, team.policies);
    for (const Text& each : *entry->specs) stays_below_fleet(each);
    chains(*entry);
    plan_.teams.push_back(std::move(team));
  }

  /// A job waits for one other at most.
  void chains(const Team& team) {
    std::map<std::string_view, Span> steps;
    for (const Located<Chain>& chain : *team.chains) {
      for (const Text& step : *chain->steps) {
        const auto [first, is_new] = steps.try_emplace(*step, step.span);
        if (is_new) continue;
        session_.sink
            .report(DiagnosticKind::DuplicateItem, step.span,
                    "the job " + shown(*step) + " is a step of another chain already")
            .also(first->second, "the first one");
      }
    }
  }

  bool stays_below_fleet(const Text& path) {
    if (stays_in_folder(*path)) return true;
    session_.sink.report(
        DiagnosticKind::OutsideRoot, path.span,
        shown(*path) + " leads out of the folder of the fleet; expected a path below it");
    return false;
  }

  void add_files(const TextList& names, std::vector<std::string>& paths) {
    for (const Text& each : *names) {
      add_file(each, [&](std::string path) { paths.push_back(std::move(path)); });
    }
  }

  template <class Use>
  void add_file(const Text& name, const Use& use) {
    const bool is_absolute = name->starts_with('/');
    const std::string path = is_absolute ? std::string(*name) : plan_.folder + tidy(*name);
    if (!may_read(session_, plan_.path, path, name.span)) return;
    const FileRead tried = session_.env.files.read(path, 0);
    if (tried.error && tried.error->reason != FileError::Reason::TooLarge) {
      return report_unreadable(path, *tried.error, name.span, session_.sink);
    }
    use(path);
  }

  /// The files that a path or a pattern stands for.
  void add_specs(const Text& name, std::vector<InputPart>& specs) {
    if (!stays_below_fleet(name)) return;
    const std::string pattern = tidy(*name);
    const std::size_t wild = pattern.find_first_of("*?");
    const bool is_pattern = wild != std::string::npos;
    if (!is_pattern && !session_.env.files.is_directory(or_current(plan_.folder + pattern))) {
      misses_specs_ = misses_specs_ || !session_.env.files.exists(plan_.folder + pattern);
      return add_file(
          name, [&](std::string path) { specs.push_back({std::move(path), false, kNoFile, {}}); });
    }
    const std::size_t slash = is_pattern ? pattern.rfind('/', wild) : pattern.size();
    const std::string base = pattern.substr(0, slash == std::string::npos ? 0 : slash);
    const std::size_t before = specs.size();
    for (std::string& path : walk(base, name.span)) {
      const std::string_view relative = std::string_view(path).substr(plan_.folder.size());
      if (is_pattern && !fits_glob(pattern, relative)) continue;
      specs.push_back({std::move(path), true, kNoFile, {}});
    }
    if (specs.size() != before) return;
    misses_specs_ = true;
    session_.sink.report(DiagnosticKind::NoInput, name.span,
                         is_pattern ? "no YAML or JSON file fits the pattern " + shown(*name)
                                    : "no YAML or JSON file below " + shown(*name));
  }

  static std::string or_current(const std::string& path) { return path.empty() ? "." : path; }

  /// The documents below a folder of the fleet, with paths that begin as its own.
  std::vector<std::string> walk(const std::string& folder, Span asked_by) {
    const std::string path = or_current(plan_.folder + folder);
    if (!session_.env.files.is_directory(path)) return {};
    if (!may_read(session_, plan_.path, path, asked_by)) return {};
    const auto [known, is_new] = walks_.try_emplace(folder);
    if (!is_new) return known->second;
    const Env& env = session_.env;
    std::vector<std::string> paths =
        files_below(path, session_.env, session_.sink,
                    [&env](const std::string& each) { return is_walked_input(each, env); });
    for (std::string& each : paths) {
      while (each.starts_with("./")) each.erase(0, 2);
    }
    known->second = paths;
    return paths;
  }

  /// Finds the team of each spec.
  void assign() {
    TeamPatterns patterns(plan_.teams);
    for (const PlannedCluster& cluster : plan_.clusters) {
      for (const InputPart& spec : cluster.specs) {
        const auto [claims, is_new] = plan_.claims.try_emplace(spec.path);
        if (!is_new) continue;
        claims->second =
            patterns.claims_of(std::string_view(spec.path).substr(plan_.folder.size()));
      }
    }
    if (misses_specs_) return;  // which may be those of a pattern
    for (const TeamPatterns::Pattern& each : patterns.unused()) {
      session_.sink.report(DiagnosticKind::NoInput, each.claim.pattern,
                           "no spec of a cluster fits " + shown(each.text));
    }
  }

  void rendered(const FleetSpec& spec) {
    const Text& name = spec.rendered;
    const std::string folder = tidy(name ? *name : kRendered);
    const Span place = name ? name.span : plan_.fleet.spec.span;
    plan_.rendered = name && name->starts_with('/') ? std::string(*name) : plan_.folder + folder;
    while (plan_.rendered.size() > 1 && plan_.rendered.ends_with('/')) plan_.rendered.pop_back();
    if (plan_.rendered.empty()) plan_.rendered = ".";
    if (!may_read(session_, plan_.path, plan_.rendered, place)) return;
    for (const PlannedCluster& each : plan_.clusters) {
      const bool has_file = !each.file.empty();  // else it is missing
      if (has_file && is_below(each.file, plan_.rendered)) return holds_input(each.file, place);
      for (const InputPart& input : each.specs) {
        if (is_below(input.path, plan_.rendered)) return holds_input(input.path, place);
      }
    }
  }

  void holds_input(const std::string& path, Span place) {
    session_.sink
        .report(DiagnosticKind::ConflictingValues, place,
                shown(path) + " is an input, and lies in the folder of the generated files")
        .note("name a folder that holds nothing else, such as `rendered`");
  }

  Session& session_;
  FleetPlan& plan_;
  bool misses_specs_ = false;  // a cluster names some that are not there
  std::map<std::string_view, Span> namespaces_;
  std::map<std::string, std::vector<std::string>> walks_;  // by folder
};

}  // namespace

std::unique_ptr<FleetPlan> plan_fleet(Session& session, Document& document) {
  const std::size_t errors = session.sink.error_count();
  const Tree& tree = document.tree;
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Fleet");
  report(session.checker.check(kind->schema, tree, tree.root()), tree, {}, session.sink);
  refuse_credentials(tree, tree.root(), session.sink);
  if (session.sink.error_count() != errors) return nullptr;
  auto plan = std::make_unique<FleetPlan>();
  plan->path = document.path;
  plan->folder = document.path == "-" ? std::string() : folder_of(document.path);
  while (plan->folder.starts_with("./")) plan->folder.erase(0, 2);
  plan->tree = std::move(document.tree);
  plan->fleet = decode_fleet(plan->tree, plan->tree.root(), session.sink);
  FleetPlanner(session, *plan).all();
  return session.sink.error_count() == errors ? std::move(plan) : nullptr;
}

std::unique_ptr<FleetPlan> read_fleet(Session& session, const std::string& path) {
  const std::size_t errors = session.sink.error_count();
  std::vector<Document> documents = read_inputs({path}, session.env, session.sources, session.sink,
                                                session.limits, Ambiguity::Refuse);
  if (session.sink.error_count() != errors) return nullptr;
  if (documents.size() != 1 || documents.front().kind != "Fleet" ||
      documents.front().api_version != "trainyard/v1alpha1") {
    const bool has_one = !documents.empty() && documents.front().root();
    session.sink.report(DiagnosticKind::NoInput, has_one ? documents.front().root()->span : Span(),
                        shown(path) +
                            " is no fleet; expected one document of apiVersion "
                            "`trainyard/v1alpha1` and kind `Fleet`");
    return nullptr;
  }
  return plan_fleet(session, documents.front());
}

}  // namespace trainyard
