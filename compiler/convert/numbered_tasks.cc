#include "convert/numbered_tasks.h"

#include <algorithm>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kOtherwise = ":=localhost}";
constexpr std::size_t kLongest = 256;  // name of such a variable, with all around it

/// `train` of `train-3`; "" where no number ends the name.
std::string_view without_number(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == name.npos || dash == 0 || dash + 1 == name.size()) return {};
  const bool counts = name.find_first_not_of("0123456789", dash + 1) == name.npos;
  return counts ? name.substr(0, dash) : std::string_view();
}

bool names_rank_zero(std::string_view variable) {
  return variable == kRankZeroVariable ||
         (variable.starts_with("VC_") && variable.ends_with("_0_HOSTS"));
}

bool same(View a, View b) {
  if (a->kind != b->kind) return false;
  if (a.is_scalar()) {
    if (a->key == "name" && !without_number(a->text).empty()) {
      return without_number(a->text) == without_number(b->text);
    }
    return a->key == kTaskNumberLabel ||
           with_rank_zero(a->text, "rank-0") == with_rank_zero(b->text, "rank-0");
  }
  const auto counts = [](View each) { return string_at(each, "name") != kRankZeroVariable; };
  auto left = Items(a).begin();
  auto right = Items(b).begin();
  const auto skip = [&](auto& at) {
    while (*at && !counts(*at)) ++at;
  };
  for (skip(left), skip(right); *left && *right; ++left, ++right, skip(left), skip(right)) {
    if ((*left)->key != (*right)->key || !same(*left, *right)) return false;
  }
  return !*left && !*right;
}

}  // namespace

bool are_numbered_tasks(View job_spec) {
  View first;
  std::size_t number = 0;
  for (View each : items_at(job_spec, "tasks")) {
    const std::string_view name = string_at(each, "name");
    const std::string_view group = without_number(name);
    if (group.empty() || integer_at(each, "replicas").value_or(1) != 1) return false;
    if (name.substr(group.size() + 1) != std::to_string(number++)) return false;
    if (!first) first = each;
    if (!same(first, each)) return false;
  }
  return number > 1;
}

std::string with_rank_zero(std::string_view script, std::string_view host) {
  std::string result;
  while (!script.empty()) {
    const std::size_t begin = std::min(script.find("${"), script.size());
    result += script.substr(0, begin);
    script.remove_prefix(begin);
    if (script.empty()) break;
    const std::size_t end = std::min(script.substr(0, kLongest).find('}'), script.size() - 1);
    const std::string_view whole = script.substr(0, end + 1);
    const bool is_it = whole.size() > kOtherwise.size() + 2 && whole.ends_with(kOtherwise) &&
                       names_rank_zero(whole.substr(2, whole.size() - kOtherwise.size() - 2));
    if (is_it) {
      result += host;
      script.remove_prefix(whole.size());
    } else {
      result += script.front();
      script.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace trainyard
