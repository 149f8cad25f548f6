#include "driver/diagnose/spec_edits.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "driver/build/compile_once.h"
#include "driver/build/variants.h"
#include "driver/diagnose/read_dump.h"
#include "driver/session/inputs.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

/// `1.5Gi` twice is `3Gi`. "" for what is not a number with a unit behind it.
std::string multiplied(std::string_view amount, std::int64_t times) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  const std::size_t end = std::min(amount.find_first_not_of("0123456789."), amount.size());
  const std::string_view unit = amount.substr(end);
  if (unit.find_first_of("0123456789.") != unit.npos) return {};  // `1h30m`, `1e3`
  std::string digits(amount.substr(0, end));
  const std::size_t dot = std::min(digits.find('.'), digits.size());
  const std::size_t decimals = dot == digits.size() ? 0 : digits.size() - dot - 1;
  if (dot < digits.size()) digits.erase(dot, 1);
  const auto number = read_number(digits);
  if (!number || *number > kMost) return {};
  digits = std::to_string(*number * times);
  if (decimals > 0) {
    if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
    digits.insert(digits.size() - decimals, ".");
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
  }
  return digits + std::string(unit);
}

/// Sets the value at a path of names; false where a map of it is something else.
bool set_at(Tree& tree, std::string_view path, NodeId value) {
  NodeId map = tree.root();
  while (true) {
    if (map == kNoNode || !tree[map].is_map()) return false;
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view key = path.substr(0, dot);
    const NodeId found = tree.find(map, key);
    if (dot == path.size()) {
      found == kNoNode ? tree.append(map, tree.intern(key), value)
                       : tree.replace(map, found, value);
      return true;
    }
    path.remove_prefix(dot + 1);
    if (found == kNoNode) {
      const NodeId added = tree.add_map();
      tree.append(map, tree.intern(key), added);
      map = added;
    } else {
      map = found;
    }
  }
}

/// What a template adds to a pod comes behind the container of the training.
bool is_of_training(const Finding& finding) {
  if (!finding.container) return true;
  const View list = get(get(finding.pod, "spec"), "containers");
  return list && list.first().is_at(finding.container);
}

std::string_view last_step(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

/// A limit, or the memory of a role, is set by another field of the same name.
std::string field_to_change(const FindingEdit& rule, const std::optional<SpecPlace>& place) {
  const bool is_other = place && last_step(place->field) == last_step(rule.field);
  return is_other ? place->field : std::string(rule.field);
}

}  // namespace

std::string text_of(const SpecEdit& edit) {
  if (edit.line == 0) return "set `" + edit.field + ": " + edit.proposed + "` in " + edit.file;
  return "change `" + edit.field + "` from `" + edit.now + "` to `" + edit.proposed + "` at " +
         edit.file + ":" + std::to_string(edit.line) + ":" + std::to_string(edit.column);
}

SpecEdits::SpecEdits(const Session& session, const CausesRequest& request)
    : target_(request.target) {
  if (request.input == "-") return;
  session_ = session.fork();
  for (Document& each : read_inputs({request.input}, session_->env, session_->sources,
                                    session_->sink, session_->limits, Ambiguity::Refuse)) {
    if (each.kind == "TrainingJob") specs_.push_back(std::move(each));
  }
  if (!request.cluster.empty()) cluster_ = read_cluster(*session_, request.cluster);
}

std::optional<SpecEdit> SpecEdits::find(View job, const Finding& finding,
                                        const std::optional<SpecPlace>& place) const {
  const FindingEdit& rule = finding.rule->edit;
  if (rule.field.empty() || !is_of_training(finding)) return std::nullopt;
  for (const Document& spec : specs_) {
    if (!is_called(job, string_at(get(spec.root(), "metadata"), "name"))) continue;
    const std::string field = field_to_change(rule, place);
    // Roles of the author's own have fields of their own.
    const bool has_roles = bool(get(get(spec.root(), "spec"), "roles"));
    if (has_roles && (!place || place->field != field)) return std::nullopt;
    const View now = field_at(spec.root(), field);
    SpecEdit edit{field, now ? std::string(now.text()) : "", finding.value, spec.path};
    if (now && !now.is_scalar()) return std::nullopt;
    if (rule.times > 0) {
      edit.proposed = multiplied(now ? edit.now : finding.value, rule.times);
    }
    if (edit.proposed.empty() || edit.proposed == edit.now) return std::nullopt;
    if (now) {
      const Position at = session_->sources.position(now->span.file, now->span.begin);
      edit.line = at.line;
      edit.column = at.column;
    }
    if (builds(spec, edit)) return edit;
  }
  return std::nullopt;
}

bool SpecEdits::builds(const Document& spec, const SpecEdit& edit) const {
  session_->sink.clear();
  const FileId file = session_->sources.add("edit", edit.proposed);
  const std::vector<Tree> value =
      read_yaml(session_->sources, file, session_->sink, session_->limits, Ambiguity::Refuse);
  if (value.empty() || session_->sink.has_errors()) return false;
  Document edited;
  edited.path = spec.path;
  edited.file = spec.file;
  Tree& tree = edited.tree;
  tree.set_root(tree.copy(spec.tree, spec.tree.root()));
  if (!set_at(tree, edit.field, tree.copy(value.front(), value.front().root()))) return false;
  edited.api_version = edited.root()["apiVersion"].text();
  edited.kind = edited.root()["kind"].text();
  bool all_build = true;
  for_each_variant(*session_, edited, [&](Document& variant) {
    Compilation made;
    all_build = all_build &&
                compile_once(*session_, variant, cluster_.get(), target_, made) == Reached::All;
  });
  return all_build && !session_->sink.has_errors();
}

}  // namespace trainyard
