#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "tree/typed_fields.h"

namespace trainyard {

/// kubernetes/kubernetes staging/src/k8s.io/component-helpers/scheduling/corev1/helpers.go,
/// k8s.io/api/core/v1/toleration.go ToleratesTaint
inline bool tolerates(View toleration, View taint) {
  const std::string_view effect = string_at(toleration, "effect");
  if (!effect.empty() && effect != string_at(taint, "effect")) return false;
  const std::string_view key = string_at(toleration, "key");
  const std::string_view mark = string_at(toleration, "operator");
  if (key.empty()) return mark == "Exists";
  if (key != string_at(taint, "key")) return false;
  if (!mark.empty() && mark != "Equal") return true;  // `Exists`, or one that compares numbers
  return string_at(toleration, "value") == string_at(taint, "value");
}

inline bool tolerate(Items tolerations, View taint) {
  return std::ranges::any_of(tolerations, [&](View each) { return tolerates(each, taint); });
}

/// The first of the taints that keeps pods away, by the `tolerations` of their spec and those of
/// whatever gives them more; an empty view when none does.
inline View barrier(Items taints, View pod_spec, View more = {}) {
  for (View taint : taints) {
    const std::string_view effect = string_at(taint, "effect");
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    const bool is_open = tolerate(items_at(pod_spec, "tolerations"), taint) ||
                         tolerate(items_at(more, "tolerations"), taint);
    if (!is_open) return taint;
  }
  return {};
}

/// `dedicated=training:NoSchedule`
inline std::string taint_name(View taint) {
  std::string name(string_at(taint, "key"));
  if (!string_at(taint, "value").empty()) name += "=" + std::string(string_at(taint, "value"));
  return name + ":" + std::string(string_at(taint, "effect"));
}

}  // namespace trainyard
