#include "policy/policy_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/inventory.h"
#include "policy/policy_types.h"
#include "schema/rule_text.h"

namespace trainyard {
namespace {

double number(View at) {
  const auto whole = integer_of(at);
  return whole ? static_cast<double>(*whole) : std::strtod(std::string(at.text()).c_str(), nullptr);
}

/// Reads one entry of a file.
class Reader {
 public:
  /// With null for `faults` it compiles nothing: the file has no faults.
  Reader(PolicyCheck& check, SchemaSources schemas, PolicyWalks& walks,
         std::vector<PolicyFault>* faults)
      : check_(check), schemas_(schemas), walks_(walks), faults_(faults) {}

  void read(View at) {
    check_.at = at;
    releases(at);
    check_.cel = cel::Context(check_rule_format);
    check_.variables.assign(kPolicyVariableNames.begin(), kPolicyVariableNames.end());
    read_kinds();
    check_.walk = &walks_[static_cast<std::size_t>(check_.subject)];
    PolicyTypes types(check_, schemas_);
    for (View each : entries_at(at, "within")) {
      const std::size_t before = faults_ == nullptr ? 0 : faults_->size();
      if (std::ranges::find(check_.kinds, each.key(), &PolicyKind::kind) == check_.kinds.end()) {
        fault(each, shown(each.key()) + " is none of `kinds`");
      }
      PolicyPart part = checked(types, each, {each.key(), relative_path(each)});
      if (faults_ == nullptr || faults_->size() == before) check_.parts.push_back(std::move(part));
    }
    for (View each : entries_at(at, "let")) {
      if (std::ranges::find(check_.variables, each.key()) != check_.variables.end()) {
        fault(each, shown(each.key()) + " has a meaning already; choose another name");
      }
      check_.lets.push_back(expression(types.without_value(), each));
      check_.variables.push_back(each.key());
    }
    for (View each : items_at(at, "rules")) check_.rules.push_back(rule(types, each));
    check_.values.resize(check_.variables.size());
  }

 private:
  void fault(View at, std::string message, std::string meant = {}) {
    if (faults_ != nullptr) faults_->push_back({at, std::move(message), std::move(meant)});
  }

  PolicyReleases releases(View entry) {
    const PolicyReleases read = read_releases(entry);
    if (!read.before.empty() && entry.is_at(check_.at)) {
      fault(get(entry, "releases"),
            "a check has a first release of Kubernetes, such as `>=1.34`; a rule may have a last "
            "one");
    }
    return read;
  }

  void read_kinds() {
    const View kinds = get(check_.at, "kinds");
    for (View each : Items(kinds)) {
      const std::string_view word = string_of(each);
      const bool is_pod = word == "pod";
      if (!is_pod && word != "job") {
        const PolicyKind& known = check_.kinds.emplace_back(kind(each));
        check_.of_versions = check_.of_versions || !known.version.empty();
        continue;
      }
      if (kinds->size != 1) fault(each, shown(word) + " stands alone in `kinds`");
      check_.subject = is_pod ? PolicyCheck::Subject::Pod : PolicyCheck::Subject::Job;
      return;
    }
  }

  /// `Job`, `batch/Job` or `batch/v1/Job`. A kind alone is looked up.
  PolicyKind kind(View at) {
    const std::string_view word = string_of(at);
    const std::size_t slash = word.rfind('/');
    PolicyKind result{{}, {}, slash == word.npos ? word : word.substr(slash + 1), {}};
    if (slash != word.npos) {
      const std::string_view front = word.substr(0, slash);
      const std::size_t second = front.find('/');
      const bool is_core = second == front.npos && front == "v1";
      result.group = is_core || front == "core" ? "" : front.substr(0, second);
      if (is_core) result.version = front;
      if (second != front.npos) result.version = front.substr(second + 1);
      if (!result.version.empty()) result.api_version = front;
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

  PolicyExpression expression(const PolicyTyping& typing, View at) {
    if (!at) return {};
    return {at, read_simple_terms(string_of(at)), program(typing, at, string_of(at))};
  }

  std::optional<cel::Program> program(const PolicyTyping& typing, View at, std::string_view text) {
    if (faults_ == nullptr) return std::nullopt;
    cel::Compiled compiled = cel::compile(text, check_.variables);
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

  PolicyRule rule(PolicyTypes& types, View at) {
    PolicyRule result;
    result.at = at;
    result.releases = releases(at);
    result.severity = written_severity(at);
    if (static_cast<bool>(get(at, "path")) == static_cast<bool>(get(at, "paths"))) {
      fault(at, "expected one of `path` and `paths`");
    }
    std::vector<PolicyPart> paths;
    if (const View one = get(at, "path")) add_paths(types, one, paths);
    for (View each : items_at(at, "paths")) add_paths(types, each, paths);
    for (const PolicyPart& each : paths) {
      result.paths.push_back({check_.walk->add(each.path), each.kind});
    }
    const PolicyTyping typing = types.of_values(paths);
    result.at_key = string_at(at, "at") == "key";
    read_form(result, typing, paths);
    result.when = expression(typing, get(at, "when"));
    result.message = message(typing, get(at, "message"));
    result.note = string_at(at, "note");
    if (result.refuse.at && result.message.parts.empty()) {
      fault(at, "`message` is missing; it goes with `refuse`");
    }
    if (const View field = get(at, "field")) result.field = relative_path(field);
    if (const View also = get(at, "also")) {
      const View field = get(also, "field");
      result.also_in_value = static_cast<bool>(field);
      if (result.also_in_value == static_cast<bool>(get(also, "path"))) {
        fault(also, "expected one of `path` and `field`");
      }
      if (field) {
        result.also.push_back(relative_path(field));
      } else {
        std::vector<PolicyPart> seconds;
        add_paths(types, get(also, "path"), seconds);
        for (PolicyPart& each : seconds) result.also.push_back(std::move(each.path));
      }
      result.also_text = string_at(also, "text");
    }
    return result;
  }

  /// What a rule refuses.
  void read_form(PolicyRule& rule, const PolicyTyping& typing, std::span<const PolicyPart> paths) {
    int forms = 0;
    const auto form = [&](std::string_view name) {
      const View value = rule.at[name];
      if (value) ++forms;
      return value;
    };
    if (const View text = form("refuse")) rule.refuse = expression(typing, text);
    if (const View list = form("refers")) rule.refers = expression(typing, list);
    if (const View kind = form("names")) rule.names = named_kind(kind);
    if (form("stays")) rule.stays = kept_fields(rule.at, paths);
    if (const View list = form("words")) {
      for (View each : Items(list)) rule.words.push_back(string_of(each));
    }
    if (const View range = form("range")) {
      const View least = range.first();
      rule.range = {number(least), range->size == 1 ? std::numeric_limits<double>::infinity()
                                                    : number(least.next())};
      if (!((*rule.range)[0] <= (*rule.range)[1])) {
        fault(range, "the greatest number of a range comes second");
      }
    }
    if (const View word = form("format")) {
      rule.format = string_of(word);
      rule.value_format = find_value_format(rule.format);
      if (rule.value_format != nullptr && rule.value_format->value != nullptr && rule.at["message"])
        fault(rule.at["message"], shown(rule.format) + " says itself what is wrong, and where");
    }
    if (const View field = form("unique")) rule.unique = string_of(field);
    if (forms == 1) return;
    fault(rule.at,
          std::string(forms == 0 ? "the rule says nothing" : "the rule says several things") +
              "; expected one of `refuse`, `words`, `refers`, `names`, `range`, `format`, `unique` "
              "and `stays`");
  }

  PolicyKind named_kind(View at) {
    const PolicyKind named = kind(at);
    if (!Inventory::takes_kind(named.kind)) {
      fault(at, "Trainyard does not look for objects of kind " + shown(named.kind) + " by name");
    }
    return named;
  }

  std::vector<PolicyPath> kept_fields(View rule, std::span<const PolicyPart> paths) {
    const bool is_plain = std::ranges::all_of(paths, [](const PolicyPart& each) {
      return std::ranges::all_of(each.path.parts, [](const PolicyPath::Part& part) {
        return part.step == PolicyPath::Step::Field;
      });
    });
    if (check_.subject != PolicyCheck::Subject::Object || !is_plain) {
      fault(rule, "`stays` is for fields of a whole object, outside of lists");
    }
    std::vector<PolicyPath> kept;
    for (const PolicyPart& each : paths) kept.push_back(each.path);
    return kept;
  }

  PolicyPath relative_path(View at) {
    std::string_view text = string_of(at);
    if (text.starts_with('/')) text.remove_prefix(1);
    auto read = read_policy_path(text);
    if (read) return std::move(*read);
    fault(at, shown(at.text()) + " is no path; expected one such as `spec.containers[].name`");
    return {};
  }

  /// One path, or one for each part of `within`. One that begins with `/` is of the whole object.
  void add_paths(PolicyTypes& types, View at, std::vector<PolicyPart>& into) {
    const PolicyPath read = relative_path(at);
    if (check_.parts.empty() || string_of(at).starts_with('/')) {
      into.push_back(checked(types, at, {{}, read}));
      return;
    }
    for (PolicyPart part : check_.parts) {
      part.path.parts.insert(part.path.parts.end(), read.parts.begin(), read.parts.end());
      into.push_back(checked(types, at, std::move(part)));
    }
  }

  PolicyPart checked(PolicyTypes& types, View at, PolicyPart read) {
    const std::vector<PolicyPath::Part>& parts = read.path.parts;
    const bool of_containers = check_.subject == PolicyCheck::Subject::Pod && !parts.empty() &&
                               parts.front().name == "containers";
    if (of_containers && (parts.size() < 2 || parts[1].step != PolicyPath::Step::Items)) {
      fault(at, "`containers` stands for all containers of a pod; write `containers[]`");
    }
    if (const auto wrong = types.fault_in(read)) fault(at, wrong->message, wrong->meant);
    return read;
  }

  PolicyMessage message(const PolicyTyping& typing, View at) {
    PolicyMessage result;
    std::string_view text = string_of(at);
    while (!text.empty()) {
      const std::size_t open = std::min(text.find("{{"), text.size());
      if (open > 0) result.parts.push_back({text.substr(0, open)});
      text.remove_prefix(open);
      if (text.empty()) break;
      const std::size_t close = text.find("}}");
      if (close == text.npos) {
        fault(at, "`{{` is not closed by `}}`");
        break;
      }
      const std::string_view inner = text.substr(2, close - 2);
      result.parts.push_back({inner, true, program(typing, at, inner)});
      text.remove_prefix(close + 2);
    }
    return result;
  }

  PolicyCheck& check_;
  SchemaSources schemas_;
  PolicyWalks& walks_;
  std::vector<PolicyFault>* faults_;
};

}  // namespace

/// `trainer: '>=1.9 <2.0'`, `kubernetes: '>=1.34'`.
PolicyReleases read_releases(View entry) {
  PolicyReleases result;
  for (View each : entries_at(entry, "releases")) {
    std::string_view span = string_of(each);
    const auto take = [&](std::string_view sign) {
      if (!span.starts_with(sign)) return std::string_view();
      span.remove_prefix(sign.size());
      const std::string_view release = span.substr(0, span.find(' '));
      span.remove_prefix(std::min(release.size() + 1, span.size()));
      return release;
    };
    const std::string_view since = take(">=");
    const std::string_view before = take("<");
    if (each.key() == "kubernetes") {
      result.since = since;
      result.before = before;
    } else {
      result.operators = {each.key(), since, before};
    }
  }
  return result;
}

std::optional<Severity> written_severity(View entry) {
  const std::string_view word = string_at(entry, "severity");
  if (word.empty()) return std::nullopt;
  return word == "note" ? Severity::Note : word == "warning" ? Severity::Warning : Severity::Error;
}

void read_policy_check(View at, SchemaSources schemas, PolicyCheck& check, PolicyWalks& walks,
                       std::vector<PolicyFault>& faults) {
  Reader(check, schemas, walks, &faults).read(at);
}

PolicyCheck read_policy_check(View at, PolicyWalks& walks) {
  PolicyCheck check;
  Reader(check, {}, walks, nullptr).read(at);
  return check;
}

}  // namespace trainyard
