#include "policy/policy_checks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "check/typos.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "policy/policy_evaluation.h"
#include "policy/policy_types.h"
#include "schema/rule_text.h"

namespace trainyard {
/// Reads the entries of a file into PolicyChecks.
class PolicyReader {
 public:
  PolicyReader(PolicyChecks& into, View file, SchemaSources schemas)
      : into_(into), schemas_(schemas), group_(string_at(file, "group")) {
    if (std::ranges::find(kGroupWords, group_) != kGroupWords.end()) {
      fault(get(file, "group"), shown(group_) + " is a group of Trainyard; choose another name");
    }
    for (View each : items_at(file, "checks")) add(each);
  }

 private:
  void fault(View at, std::string message, std::string meant = {}) {
    into_.faults_.push_back({at, std::move(message), std::move(meant)});
  }

  void add(View at) {
    PolicyCheck& check = into_.checks_.emplace_back();
    check.at = at;
    check.cel = cel::Context(check_rule_format);
    check.variables.assign(kPolicyVariableNames.begin(), kPolicyVariableNames.end());
    add_row(check);
    read_kinds(check);
    PolicyTypes types(check, schemas_);
    for (View each : entries_at(at, "let")) {
      check.lets.push_back(expression(check, types.without_value(), each));
      check.variables.push_back(each.key());
    }
    for (View each : items_at(at, "rules")) check.rules.push_back(rule(check, types, each));
  }

  void add_row(PolicyCheck& check) {
    const View at = check.at;
    Check row{};
    row.name = string_at(at, "name");
    row.effect = effect_of(string_at(at, "effect")).value_or(Effect::Refused);
    if (string_at(at, "stage") == word(Stage::Preview)) row.stage = Stage::Preview;
    row.opt_in = is_true(get(at, "optIn"));
    row.sentence = string_at(at, "sentence");
    row.because = string_at(at, "because");
    if (row.because.empty()) row.because = row.sentence;
    row.fix = string_at(at, "fix");
    row.source = string_at(at, "source");
    row.severity = severity(string_at(at, "severity"), row.effect);
    row.policy = &check;
    row.policy_group = group_;
    if (!row.name.starts_with(std::string(group_) + "-")) {
      fault(get(at, "name"), "the name of a check begins with its group",
            std::string(group_) + "-" + std::string(row.name));
    }
    into_.rows_.push_back(row);
  }

  static Severity severity(std::string_view word, Effect effect) {
    if (word == "note") return Severity::Note;
    if (word == "warning") return Severity::Warning;
    const bool is_error = effect == Effect::Refused || effect == Effect::NeverRuns;
    return word == "error" || is_error ? Severity::Error : Severity::Warning;
  }

  void read_kinds(PolicyCheck& check) {
    Check& row = into_.rows_.back();
    const View kinds = get(check.at, "kinds");
    for (View each : Items(kinds)) {
      const std::string_view word = string_of(each);
      const bool is_pod = word == "pod";
      if (is_pod || word == "job") {
        if (kinds->size != 1) fault(each, shown(word) + " stands alone in `kinds`");
        row.on = word;
        check.subject = is_pod ? PolicyCheck::Subject::Pod : PolicyCheck::Subject::Job;
        if (is_pod) row.pod = ask_policy_of_pod;
        if (!is_pod) row.job = ask_policy_of_job;
        return;
      }
      check.kinds.push_back(kind(each));
    }
    std::string& on = into_.subjects_.emplace_back();
    for (const PolicyKind& each : check.kinds) {
      on.append(on.empty() ? "" : "; ").append(each.group.empty() ? "core" : each.group);
      on.append(" ").append(each.kind);
    }
    row.on = on;
    row.object = ask_policy_of_object;
  }

  /// `Job`, `batch/Job` or `batch/v1/Job`. A kind alone is looked up.
  PolicyKind kind(View at) {
    const std::string_view word = string_of(at);
    const std::size_t slash = word.rfind('/');
    PolicyKind result{{}, {}, slash == word.npos ? word : word.substr(slash + 1)};
    if (slash != word.npos) {
      const std::string_view front = word.substr(0, slash);
      const std::size_t second = front.find('/');
      const bool is_core = second == front.npos && front == "v1";
      result.group = is_core || front == "core" ? "" : front.substr(0, second);
      if (is_core) result.version = front;
      if (second != front.npos) result.version = front.substr(second + 1);
      return result;
    }
    std::vector<std::string_view> known;
    for (const SchemaSource& source : schemas_) {
      for (const SchemaKind& each : source.pack.kinds()) {
        const std::string_view name = source.pack.text(each.kind);
        if (name == word) {
          result.group = source.pack.text(each.group);
          return result;
        }
        known.push_back(name);
      }
    }
    if (!schemas_.empty()) {
      const auto near = suggest(word, known);
      fault(at,
            "no schema describes the kind " + shown(word) +
                "; for a kind of your own write its group, too: `example.com/" + std::string(word) +
                "`",
            std::string(near.value_or("")));
    }
    return result;
  }

  PolicyExpression expression(const PolicyCheck& check, const PolicyTyping& typing, View at) {
    return {at, program(check, typing, at, string_of(at))};
  }

  std::optional<cel::Program> program(const PolicyCheck& check, const PolicyTyping& typing, View at,
                                      std::string_view text) {
    cel::Compiled compiled = cel::compile(text, check.variables);
    if (!compiled.program) {
      fault(at, "the expression does not compile: " + compiled.error.message);
      return std::nullopt;
    }
    if (const auto wrong = typing.fault_in(*compiled.program)) {
      fault(at, "the expression does not compile: " + wrong->message +
                    (wrong->meant.empty() ? "" : "; did you mean " + shown(wrong->meant) + "?"));
    }
    return std::move(compiled.program);
  }

  PolicyRule rule(const PolicyCheck& check, PolicyTypes& types, View at) {
    PolicyRule result;
    result.at = at;
    result.path = path(check, types, get(at, "path"));
    const PolicyTyping typing = types.of_value(result.path);
    int forms = 0;
    const auto form = [&](std::string_view name) {
      const View value = at[name];
      if (value) ++forms;
      return value;
    };
    if (const View text = form("refuse")) result.refuse = expression(check, typing, text);
    if (const View list = form("words")) {
      for (View each : Items(list)) result.words.push_back(string_of(each));
    }
    if (const View range = form("range")) {
      const View least = range.first();
      result.range = {number(least), number(least.next())};
      if (!((*result.range)[0] <= (*result.range)[1])) {
        fault(range, "the greatest number of a range comes second");
      }
    }
    if (const View word = form("format")) result.format = string_of(word);
    if (const View field = form("unique")) result.unique = string_of(field);
    if (forms != 1) {
      fault(at, std::string(forms == 0 ? "the rule says nothing" : "the rule says several things") +
                    "; expected one of `refuse`, `words`, `range`, `format` and `unique`");
    }
    result.message = message(check, typing, get(at, "message"));
    if (result.refuse.at && result.message.parts.empty()) {
      fault(at, "`message` is missing; it goes with `refuse`");
    }
    result.at_key = string_at(at, "at") == "key";
    if (const View also = get(at, "also")) {
      result.also = path(check, types, get(also, "path"));
      result.also_text = string_at(also, "text");
    }
    return result;
  }

  static double number(View at) {
    const auto whole = integer_of(at);
    return whole ? static_cast<double>(*whole)
                 : std::strtod(std::string(at.text()).c_str(), nullptr);
  }

  PolicyPath path(const PolicyCheck& check, PolicyTypes& types, View at) {
    const auto read = read_policy_path(string_of(at));
    if (!read) {
      fault(at, shown(at.text()) + " is no path; expected one such as `spec.containers[].name`");
      return {};
    }
    const bool of_containers = check.subject == PolicyCheck::Subject::Pod && !read->parts.empty() &&
                               read->parts.front().name == "containers";
    if (of_containers &&
        (read->parts.size() < 2 || read->parts[1].step != PolicyPath::Step::Items)) {
      fault(at, "`containers` stands for all containers of a pod; write `containers[]`");
    }
    if (const auto wrong = types.fault_in(*read)) fault(at, wrong->message, wrong->meant);
    return *read;
  }

  PolicyMessage message(const PolicyCheck& check, const PolicyTyping& typing, View at) {
    PolicyMessage result;
    std::string_view text = string_of(at);
    while (!text.empty()) {
      const std::size_t open = std::min(text.find("{{"), text.size());
      if (open > 0) result.parts.push_back({text.substr(0, open), std::nullopt});
      text.remove_prefix(open);
      if (text.empty()) break;
      const std::size_t close = text.find("}}");
      if (close == text.npos) {
        fault(at, "`{{` is not closed by `}}`");
        break;
      }
      result.parts.push_back({{}, program(check, typing, at, text.substr(2, close - 2))});
      text.remove_prefix(close + 2);
    }
    return result;
  }

  PolicyChecks& into_;
  SchemaSources schemas_;
  std::string_view group_;
};

PolicyChecks::PolicyChecks(View file, SchemaSources schemas) : file_(file) {
  PolicyReader(*this, file, schemas);
}

namespace {

/// What a check finds in an example.
std::vector<Diagnostic> found_in(const Check& check, View example) {
  static constexpr PodPlace kPlace{"", "Pod", ""};
  const Surroundings surroundings;
  Sink sink;
  CheckContext context(surroundings, sink);
  context.start(example, {}, {});
  context.use(check);
  if (check.pod != nullptr) check.pod(read_pod(example, example, kPlace), context);
  if (check.job != nullptr) check.job(Job{{}, example, nullptr}, context);
  if (check.object != nullptr) check.object(example, context);
  return sink.all();
}

}  // namespace

PolicyTest test_policy(const PolicyChecks& checks) {
  PolicyTest result;
  for (const Check& check : checks.rows()) {
    for (View each : items_at(check.policy->at, "wrong")) {
      ++result.examples;
      const std::vector<Diagnostic> found = found_in(check, each);
      if (found.empty()) {
        const bool lacks_kind = check.object != nullptr && string_at(each, "kind").empty();
        result.faults.push_back({each,
                                 "check " + shown(check.name) +
                                     " finds nothing in this wrong example" +
                                     (lacks_kind ? ", which lacks `apiVersion` and `kind`" : ""),
                                 {}});
      }
      for (const Diagnostic& other : found) {
        if (other.kind == DiagnosticKind::BadPolicy)
          result.faults.push_back({each, other.message, {}});
      }
    }
    for (View each : items_at(check.policy->at, "right")) {
      ++result.examples;
      for (const Diagnostic& found : found_in(check, each)) {
        result.faults.push_back({each,
                                 "check " + shown(check.name) +
                                     " finds something in this right example: " + found.message,
                                 {}});
      }
    }
  }
  return result;
}

}  // namespace trainyard
