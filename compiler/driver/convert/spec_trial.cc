#include "driver/convert/spec_trial.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "driver/checks/path_at.h"
#include "driver/validate/placeholders.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Each build shows the values to fill in that one of its stages refuses.
constexpr int kMostBuilds = 8;

bool holds(const Node& node, Span at) {
  const std::uint32_t begin =
      node.key_span.known() ? std::min(node.key_span.begin, node.span.begin) : node.span.begin;
  return node.span.file == at.file && begin <= at.begin && at.end <= node.span.end;
}

bool is_to_fill(View value) {
  const std::string_view text = value->text;
  if (value->kind != Kind::String || text.empty() || text.find('\n') != text.npos) return false;
  return has_placeholder(text) || has_name_in_braces(text) || has_name_in_signs(text) ||
         has_word_for_reader(text) || is_in_capitals(text) || is_mask(text) ||
         is_in_capitals(text.substr(0, text.find('/')));  // the registry of an image
}

/// Of the value, or of the first that is below it.
Span place_of_made(View made, const Origins& origins) {
  if (!made) return {};
  if (made->origin != kNoOrigin && origins[made->origin].span.known()) {
    return origins[made->origin].span;
  }
  for (View each : Items(made)) {
    const Span found = place_of_made(each, origins);
    if (found.known()) return found;
  }
  return {};
}

}  // namespace

bool SpecTrial::run(std::string text) {
  for (int i = 0; i < kMostBuilds; ++i) {
    TrialBuilds::Result result = builds_.build(text);
    if (result.builds) return true;
    refusals_ = std::move(result.refusals);
    if (!fill_in(text)) return false;
  }
  return false;
}

Span SpecTrial::place_in_input(Span in_spec) const {
  const Step at = narrowest(in_spec);
  // The whole spec is at no place.
  const bool is_whole = !at.parsed || at.parsed->key == "spec" || at.parsed->key.empty();
  return is_whole && !(at.parsed && at.parsed->is_scalar()) ? Span()
                                                            : place_of_made(at.made, origins_);
}

std::string SpecTrial::field_of_spec(Span in_spec) const {
  return path_at(builds_.spec(), in_spec);
}

/// The text was written from what was made, so that both have the same entries in the same order.
SpecTrial::Step SpecTrial::narrowest(Span in_spec) const {
  Step at{builds_.spec(), made_};
  while (at.parsed) {
    Step below;
    const Items made(at.made);
    auto other = made.begin();
    for (View each : Items(at.parsed)) {
      const View same = other == made.end() ? View() : *other;
      if (holds(*each, in_spec)) below = {each, same};
      if (other != made.end()) ++other;
    }
    if (!below.parsed) break;
    at = below;
  }
  return at;
}

/// Also beside a refusal of another kind, which the last build then reports.
bool SpecTrial::fill_in(std::string& text) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::string>> edits;
  for (const Diagnostic& each : refusals_) {
    const Step value = narrowest(each.span);
    if (!value.parsed || each.kind == DiagnosticKind::CredentialLiteral) continue;
    if (!is_to_fill(value.parsed)) continue;
    const Span at = value.parsed->span;
    edits[at.begin] = {at.size(), stand_in_for(value)};
  }
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    text.replace(edit->first, edit->second.first, edit->second.second);
  }
  return !edits.empty();
}

const std::string& SpecTrial::stand_in_for(const Step& value) {
  const std::string_view text = value.parsed->text;
  const auto known = std::ranges::find(to_fill_, text, &ValueToFill::text);
  if (known != to_fill_.end()) return known->stand_in;
  const std::string name = "to-fill-in-" + std::to_string(to_fill_.size() + 1);
  to_fill_.push_back({std::string(text), name, place_of_made(value.made, origins_)});
  return to_fill_.back().stand_in;
}

}  // namespace trainyard
