// What rules say that they read and set is the truth: in every other order that keeps what one
// reads behind those that set it, they come to the same plan and the same reports.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "driver/build/compile.h"
#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "file_text.h"
#include "folders.h"
#include "golden_cases.h"
#include "plan/fields.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "sample.h"
#include "source/file_system.h"
#include "tree/yaml_writer.h"
#include "unit/rules/rule_words.h"

using namespace trainyard;
using trainyard::testing::GoldenCase;
using trainyard::testing::overlaps;
using trainyard::testing::read_file;
using trainyard::testing::rule_of_case;
using trainyard::testing::words_in;

namespace fs = std::filesystem;

namespace {

bool any_overlap(std::string_view some, std::string_view others) {
  for (const std::string& a : words_in(some)) {
    for (const std::string& b : words_in(others)) {
      if (overlaps(a, b)) return true;
    }
  }
  return false;
}

/// Whether the earlier of two rules has to stay in front of the other: one reads what the other
/// sets, or both add to one list.
bool ordered(const Rule& first, const Rule& second) {
  return any_overlap(first.writes, second.reads) || any_overlap(first.writes, second.writes) ||
         any_overlap(first.reads, second.writes);
}

using Order = std::vector<const Rule*>;

/// For each rule those in front of it that have to stay there, by their numbers.
const std::vector<std::vector<std::size_t>>& needed() {
  static const auto found = [] {
    const auto all = all_rules();
    std::vector<std::vector<std::size_t>> result(all.size());
    for (std::size_t each = 0; each < all.size(); ++each) {
      for (std::size_t before = 0; before < each; ++before) {
        const bool later_phase =
            all[before]->phase == Rule::Phase::Infer && all[each]->phase == Rule::Phase::Check;
        if (later_phase || ordered(*all[before], *all[each])) result[each].push_back(before);
      }
    }
    return result;
  }();
  return found;
}

/// Some order of the rules that what they say of themselves allows. Roles and programs are made
/// first, and what only reports comes last.
Order shuffled(std::mt19937& random) {
  const auto all = all_rules();
  std::vector<std::size_t> left;
  std::vector<bool> done(all.size(), false);
  Order order;
  bool roles_made = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (roles_made) {
      left.push_back(i);
    } else {
      order.push_back(all[i]);
      done[i] = true;
      roles_made = all[i]->name == "programs";
    }
  }
  while (!left.empty()) {
    std::vector<std::size_t> ready;
    for (std::size_t each : left) {
      const auto is_done = [&](std::size_t before) { return done[before]; };
      if (std::ranges::all_of(needed()[each], is_done)) ready.push_back(each);
    }
    const std::size_t chosen = ready[random() % ready.size()];
    order.push_back(all[chosen]);
    done[chosen] = true;
    std::erase(left, chosen);
  }
  return order;
}

/// All that templates can see of a plan, by the fields as rules name them.
class Dump {
 public:
  explicit Dump(const Plan& plan) : plan_(plan) {
    Scope scope;
    scope.plan = &plan;
    for (std::string_view root : job_fields().roots) fields(scope, root, "", "");
    for (const Role& role : plan.roles) {
      scope.role = &role;
      fields(scope, "role", std::string(role.name) + " ", "");
    }
  }
  const std::map<std::string, std::string>& by_field() const { return by_field_; }
  std::string text() const {
    std::string all;
    for (const auto& [field, lines] : by_field_) all += lines;
    return all;
  }

 private:
  /// `role.image`, and `plan.name` for what templates call `job.name`.
  static std::string as_rules_say(std::string_view path) {
    if (path.starts_with("role.")) return std::string(path);
    if (path.starts_with("job.")) path.remove_prefix(4);
    return "plan." + std::string(path);
  }

  /// `of`: the list of the plan whose items these are fields of.
  void fields(const Scope& scope, std::string_view root, const std::string& label,
              const std::string& of) {
    const std::string start = std::string(root) + ".";
    for (const PlanField& each : plan_fields()) {
      if (!each.path.starts_with(start)) continue;
      const PlanValue found = each.get(scope);
      if (!found.present()) continue;
      by_field_[of.empty() ? as_rules_say(each.path) : of] +=
          label + std::string(each.path) + ": " + value(found) + "\n";
    }
    for (const PlanLoop& loop : plan_loops()) {
      if (!loop.path.starts_with(start) || loop.path == "job.roles") continue;
      for (std::size_t i = 0; i < loop.size(scope); ++i) {
        Scope inner = scope;
        loop.enter(inner, i);
        fields(inner, loop.item, label + std::string(loop.path) + "[" + std::to_string(i) + "] ",
               of.empty() ? as_rules_say(loop.path) : of);
      }
    }
  }

  std::string node(NodeId id) const {
    std::string text;
    write_yaml(plan_.tree, id, text);
    return text;
  }

  std::string value(const PlanValue& found) const {
    std::string text;
    if (const auto* word = std::get_if<std::string_view>(&found.value)) return std::string(*word);
    if (const auto* number = std::get_if<std::int64_t>(&found.value))
      return std::to_string(*number);
    if (const auto* flag = std::get_if<bool>(&found.value)) return *flag ? "true" : "false";
    if (const auto* tree = std::get_if<NodeId>(&found.value)) return node(*tree);
    if (const auto* pairs = std::get_if<std::span<const NamedValue>>(&found.value)) {
      for (const NamedValue& each : *pairs) {
        text += std::string(each.name) + "=" + std::string(each.value) + " ";
      }
    } else if (const auto* line = std::get_if<std::span<const CommandWord>>(&found.value)) {
      for (const CommandWord& each : *line) text += std::string(each.text) + " ";
    } else if (const auto* parts = std::get_if<std::span<const Fragment>>(&found.value)) {
      for (const Fragment& each : *parts) text += node(*each);
    } else if (const auto* volumes = std::get_if<std::span<const Volume>>(&found.value)) {
      for (const Volume& each : *volumes) text += node(each.fragment);
    }
    return text;
  }

  const Plan& plan_;
  std::map<std::string, std::string> by_field_;
};

/// The arguments of a case that is one plain build, apart; nothing for other cases.
struct Arguments {
  explicit Arguments(const GoldenCase& golden) {
    const fs::path& at = golden.path;
    const std::vector<std::string> words = words_in(golden.only_command());
    plain = words.size() > 1 && words[0] == "build";
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool is_option = words[i] == "--cluster" || words[i] == "-c";
      if (is_option && i + 1 < words.size()) {
        cluster = words[++i];
      } else if (words[i].ends_with(".yaml") && fs::exists(at / words[i])) {
        spec = spec.empty() ? words[i] : spec;
      } else {
        plain = false;
      }
    }
    plain = plain && !spec.empty();
  }
  bool plain = false;
  std::string spec;  // the first one
  std::string cluster;
};

/// The first job of one golden case, compiled once for all that goes into its rules.
class Case {
 public:
  explicit Case(const GoldenCase& golden) {
    const fs::path& at = golden.path;
    const Arguments args(golden);
    for (const auto& entry : fs::recursive_directory_iterator(at)) {
      const std::string name = entry.path().lexically_relative(at).string();
      if (entry.is_regular_file()) disk_.files[name] = read_file(entry.path());
    }
    if (!args.cluster.empty()) cluster_ = read_cluster(session_, args.cluster);
    documents_ = read_inputs({args.spec}, session_.env, session_.sources, session_.sink,
                             session_.limits, Ambiguity::Refuse);
    if (session_.sink.has_errors() || documents_.empty()) return;
    if (!args.cluster.empty() && cluster_ == nullptr) return;
    sound_ = compile(session_, documents_.front(), cluster_.get(), "", compiled_);
    if (!compiled_.plan.target) return;
    target_ = session_.targets.pack(*compiled_.plan.target, session_.sink);
    reaches_rules_ = target_ != nullptr && !target_->facts.serves;
  }

  /// Whether the rules run on it, even if they refuse it.
  bool reaches_rules() const { return reaches_rules_; }
  bool good() const { return reaches_rules_ && sound_; }

  /// Gets the plan and the reports behind each rule.
  using After = std::function<void(const Rule&, const Plan&, const Sink&)>;

  /// The plan, and what is reported, of the rules in this order.
  std::string run(const Order& order, const After& after = {}) {
    RuleInput input;
    input.job = &compiled_.job;
    input.job_tree = &documents_.front().tree;
    input.places = documents_.front().places.get();
    if (cluster_ != nullptr) {
      input.cluster = &cluster_->cluster;
      input.cluster_tree = &cluster_->tree;
    }
    input.machines = &session_.machines;
    input.fabrics = &session_.fabrics;
    input.transfers = &session_.transfers;
    input.target = &target_->facts;
    input.targets = &session_;
    input.files = compiled_.files;
    Plan plan;
    Origins origins;
    Sink sink;
    RuleContext context(input, plan, origins, sink);
    context.set(plan.target, target_->facts.name, context.from(compiled_.job.spec->target));
    for (const Rule* rule : order) {
      run_rule(*rule, context);
      if (after) after(*rule, plan, sink);
    }
    std::string text = Dump(plan).text();
    for (const Diagnostic& each : sink.sorted()) text += each.message + "\n";
    return text;
  }

 private:
  MemoryFileSystem disk_;
  Env env_{disk_, [](std::size_t) { return FileRead{}; }};
  Session session_{env_};
  std::unique_ptr<ClusterDocument> cluster_;
  std::vector<Document> documents_;
  Compilation compiled_;
  const TargetPack* target_ = nullptr;
  bool sound_ = false;
  bool reaches_rules_ = false;
};

/// The golden cases that are one plain build; for `good` only those that succeed.
std::vector<GoldenCase> cases(bool good) {
  std::vector<GoldenCase> found;
  for (GoldenCase& each : testing::golden_cases(testing::repository() / "golden")) {
    if (!(good && each.fails()) && Arguments(each).plain) found.push_back(std::move(each));
  }
  return found;
}

/// What templates see of a field in more than one way, and what that is a view of.
std::string_view seen_of(std::string_view field) {
  if (field == "role.cpu" || field == "role.memory") return "role.requests";
  if (field == "role.cpuLimit" || field == "role.memoryLimit") return "role.limits";
  // A system that counts GPUs itself has the other limits only.
  if (field == "role.limits") return "role.limits role.gpuShare role.gpuProfile";
  if (field == "role.sharedMemory") return "role.volumes";
  for (std::string_view each :
       {"role.runAsUser", "role.runAsGroup", "role.runAsNonRoot", "role.seccompProfile"}) {
    if (field == each) return "role.podSecurity";
  }
  if (field == "role.addedCapabilities" || field == "role.allowPrivilegeEscalation") {
    return "role.containerSecurity";
  }
  for (std::string_view each : {"plan.runtimeExists", "plan.runtimeKind", "plan.runtimePolicy"}) {
    if (field == each) return "plan.runtime";
  }
  return field == "role.pod" ? "plan.roles" : field;
}

/// The first line in which two texts differ.
std::string difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  if (at == a.size() && at == b.size()) return "";
  const std::size_t line = a.rfind('\n', at == 0 ? 0 : at - 1) + 1;
  const auto rest = [&](const std::string& text) {
    return text.substr(line, text.find('\n', std::min(at, text.size())) - line);
  };
  return rest(a) + "\n" + rest(b) + "\n";
}

}  // namespace

TEST_CASE("rules come to the same plan in every order that what they read and set allows") {
  std::mt19937 random(20260822);
  const Order given(all_rules().begin(), all_rules().end());
  std::size_t compared = 0;
  std::set<std::string> wrong;
  for (const GoldenCase& each : cases(true)) {
    Case one(each);
    if (!one.good()) continue;
    const std::string expected = one.run(given);
    for (int turn = 0; turn < 2; ++turn) {
      const std::string other = one.run(shuffled(random));
      if (other != expected) wrong.insert(each.name + ":\n" + difference(expected, other));
    }
    ++compared;
  }
  CHECK(compared > 250);
  std::string text;
  for (const std::string& each : wrong) text += each;
  CHECK(text == "");
}

TEST_CASE("rules in an order that what they read does not allow come to another plan") {
  Order wrong(all_rules().begin(), all_rules().end());
  const auto network = std::ranges::find(wrong, "network", &Rule::name);
  std::rotate(std::ranges::find(wrong, "nodes", &Rule::name), network, network + 1);
  Case one({"network/gke-tcpxo", testing::repository() / "golden/network/gke-tcpxo"});
  REQUIRE(one.good());
  const Order given(all_rules().begin(), all_rules().end());
  CHECK(one.run(given) != one.run(wrong));
  CHECK(ordered(*find_rule("nodes"), *find_rule("network")));
  CHECK_FALSE(ordered(*find_rule("runtime-class"), *find_rule("lifetime")));
}

TEST_CASE("a rule sets no field of the plan but those that it says it sets") {
  const Order given(all_rules().begin(), all_rules().end());
  std::set<std::string> wrong;
  std::size_t seen = 0;
  testing::Sample sample(4);
  for (const GoldenCase& each : cases(true)) {
    if (!sample.takes()) continue;
    Case one(each);
    if (!one.good()) continue;
    std::map<std::string, std::string> before;
    one.run(given, [&](const Rule& rule, const Plan& plan, const Sink&) {
      const auto now = Dump(plan).by_field();
      for (const auto& [field, lines] : now) {
        const auto known = before.find(field);
        if (known != before.end() && known->second == lines) continue;
        ++seen;
        if (!any_overlap(rule.writes, seen_of(field))) {
          wrong.insert(std::string(rule.name) + " sets " + field + "\n");
        }
      }
      before = now;
    });
  }
  CHECK(seen > sample.least(3000));
  std::string text;
  for (const std::string& each : wrong) text += each;
  CHECK(text == "");
}

TEST_CASE("what a rule does shows in a golden case of its name") {
  const Order given(all_rules().begin(), all_rules().end());
  std::set<std::string_view> shown;
  for (const GoldenCase& each : cases(false)) {
    const Rule* of = rule_of_case(each.name);
    if (of == nullptr || shown.contains(of->name)) continue;
    Case one(each);
    if (!one.reaches_rules()) continue;
    std::string before;
    std::size_t reports = 0;
    one.run(given, [&](const Rule& rule, const Plan& plan, const Sink& sink) {
      const std::string now = Dump(plan).text();
      if (&rule == of && (now != before || sink.all().size() != reports)) shown.insert(rule.name);
      before = now;
      reports = sink.all().size();
    });
  }
  std::string without;
  for (const Rule* rule : all_rules()) {
    if (!shown.contains(rule->name)) without += std::string(rule->name) + "\n";
  }
  CHECK(without == "");
}
