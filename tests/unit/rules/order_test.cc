// What rules say that they read and set is the truth: in every other order that keeps what one
// reads behind those that set it, they come to the same plan and the same reports.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/inputs.h"
#include "driver/session.h"
#include "file_text.h"
#include "plan/fields.h"
#include "rules/context.h"
#include "rules/rule.h"
#include "source/file_system.h"
#include "tree/yaml_writer.h"

using namespace trainyard;
using trainyard::testing::read_file;
using trainyard::testing::read_file_if_any;

namespace fs = std::filesystem;

namespace {

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

bool overlaps(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (b.size() == a.size() || b[a.size()] == '.');
}

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

/// Some order of the rules that what they say of themselves allows. Roles are made first, and what
/// only reports comes last.
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
      roles_made = all[i]->name == "roles";
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

/// All that templates can see of a plan.
class Dump {
 public:
  explicit Dump(const Plan& plan) : plan_(plan) {
    Scope scope;
    scope.plan = &plan;
    for (std::string_view root : job_fields().roots) fields(scope, root, "");
    for (const Role& role : plan.roles) {
      scope.role = &role;
      fields(scope, "role", std::string(role.name) + " ");
    }
  }
  const std::string& text() const { return text_; }

 private:
  void fields(const Scope& scope, std::string_view root, const std::string& label) {
    const std::string start = std::string(root) + ".";
    for (const PlanField& each : plan_fields()) {
      if (!each.path.starts_with(start)) continue;
      const PlanValue found = each.get(scope);
      if (found.present()) text_ += label + std::string(each.path) + ": " + value(found) + "\n";
    }
    for (const PlanLoop& loop : plan_loops()) {
      if (!loop.path.starts_with(start)) continue;
      for (std::size_t i = 0; i < loop.size(scope); ++i) {
        Scope inner = scope;
        loop.enter(inner, i);
        fields(inner, loop.item, label + std::string(loop.path) + "[" + std::to_string(i) + "] ");
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
  std::string text_;
};

/// One golden case, compiled once for all that goes into its rules.
class Case {
 public:
  explicit Case(const fs::path& at) {
    for (const char* file : {"spec.yaml", "cluster.yaml"}) {
      if (fs::exists(at / file)) disk_.files[file] = read_file(at / file);
    }
    const bool has_cluster =
        read_file_if_any(at / "args").find("--cluster cluster.yaml") != std::string::npos;
    if (has_cluster) cluster_ = read_cluster(session_, "cluster.yaml");
    documents_ = read_inputs({"spec.yaml"}, session_.env, session_.sources, session_.sink,
                             session_.limits, Ambiguity::Refuse);
    good_ = !session_.sink.has_errors() && documents_.size() == 1 &&
            (!has_cluster || cluster_ != nullptr) &&
            compile(session_, documents_.front(), cluster_.get(), "", compiled_);
    if (good_) target_ = session_.targets.pack(*compiled_.plan.target, session_.sink);
    good_ = good_ && target_ != nullptr && !target_->facts.serves;
  }

  bool good() const { return good_; }

  /// The plan, and what is reported, of the rules in this order.
  std::string run(const Order& order) {
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
    input.digest = "sha256:0";
    Plan plan;
    Origins origins;
    Sink sink;
    RuleContext context(input, plan, origins, sink);
    context.set(plan.target, target_->facts.name, context.from(compiled_.job.spec->target));
    for (const Rule* rule : order) {
      context.rule = rule->name;
      rule->run(context);
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
  bool good_ = false;
};

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(TRAINYARD_SOURCE_DIR) / "golden")) {
    const std::string args = read_file_if_any(entry.path() / "args");
    const bool plain =
        args == "build spec.yaml\n" || args == "build spec.yaml --cluster cluster.yaml\n";
    if (plain && !entry.path().filename().string().starts_with("fail-"))
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
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
  const std::vector<fs::path> all = cases();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const fs::path& at = all[i];
    Case one(at);
    if (!one.good()) continue;
    const std::string expected = one.run(given);
    for (int turn = 0; turn < 2; ++turn) {
      const std::string other = one.run(shuffled(random));
      if (other != expected)
        wrong.insert(at.filename().string() + ":\n" + difference(expected, other));
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
  Case one(fs::path(TRAINYARD_SOURCE_DIR) / "golden/network-gke-tcpxo");
  REQUIRE(one.good());
  const Order given(all_rules().begin(), all_rules().end());
  CHECK(one.run(given) != one.run(wrong));
  CHECK(ordered(*find_rule("nodes"), *find_rule("network")));
  CHECK_FALSE(ordered(*find_rule("runtime-class"), *find_rule("lifetime")));
}
