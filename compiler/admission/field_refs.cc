#include "admission/field_refs.h"

#include <algorithm>
#include <array>
#include <optional>

#include "admission/name_checks.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kVariableFields =
    std::to_array<std::string_view>({"metadata.name", "metadata.namespace", "metadata.uid",
                                     "spec.nodeName", "spec.serviceAccountName", "status.hostIP",
                                     "status.hostIPs", "status.podIP", "status.podIPs"});
constexpr auto kFileFields =
    std::to_array<std::string_view>({"metadata.name", "metadata.namespace", "metadata.uid",
                                     "metadata.labels", "metadata.annotations"});
constexpr auto kResources = std::to_array<std::string_view>(
    {"limits.cpu", "limits.memory", "limits.ephemeral-storage", "requests.cpu", "requests.memory",
     "requests.ephemeral-storage"});

std::span<const std::string_view> fields_of(FieldUse use) {
  if (use == FieldUse::Variable) return kVariableFields;
  return kFileFields;
}

void subscripted(View path, const FieldSubscript& parts, CheckContext& context) {
  const bool labels = parts.path == "metadata.labels";
  if (!labels && parts.path != "metadata.annotations") {
    context.refuse(path,
                   "only `metadata.labels` and `metadata.annotations` take a key in brackets");
    return;
  }
  const Fault fault = labels ? why_not_label_key(parts.key) : why_not_annotation_key(parts.key);
  if (fault) context.refuse(path, "key " + shown(parts.key) + " " + *fault);
}

bool is_unit(std::string_view resource, const Quantity& divisor) {
  const std::string text = divisor.text();
  if (resource.ends_with(".cpu")) return text == "1" || text == "1m";
  constexpr auto units = std::to_array<std::string_view>(
      {"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"});
  return std::ranges::find(units, text) != units.end();
}

}  // namespace

std::optional<FieldSubscript> field_subscript(std::string_view text) {
  const std::size_t open = text.find("['");
  if (open == std::string_view::npos || !text.ends_with("']")) return std::nullopt;
  return FieldSubscript{text.substr(0, open), text.substr(open + 2, text.size() - open - 4)};
}

void check_field_ref(View ref, FieldUse use, CheckContext& context) {
  const View version = get(ref, "apiVersion");
  if (!string_of(version).empty() && version->text != "v1") {
    context.refuse(version, shown(version->text) + " is no version of a pod; expected `v1`");
    return;
  }
  const View path = get(ref, "fieldPath");
  require_text(ref, "fieldPath", context);
  const std::string_view text = string_of(path);
  if (text.empty()) return;
  if (const auto parts = field_subscript(text)) return subscripted(path, *parts, context);
  const auto fields = fields_of(use);
  if (std::ranges::find(fields, text) != fields.end()) return;
  if (text == "spec.host" && use == FieldUse::Variable) return;  // once the name of spec.nodeName
  const std::vector<std::string> names(fields.begin(), fields.end());
  Diagnostic& report = context.refuse(
      path, shown(text) +
                (use == FieldUse::Variable ? " cannot be shown in a variable; expected "
                                           : " cannot be shown in a file; expected ") +
                listed(names, "or"));
  if (use == FieldUse::Variable && (text == "metadata.labels" || text == "metadata.annotations")) {
    report.note("one label is `metadata.labels['key']`");
  }
}

void check_resource_ref(View ref, FieldUse use, CheckContext& context) {
  if (use == FieldUse::File) require_text(ref, "containerName", context);
  require_text(ref, "resource", context);
  const View resource = get(ref, "resource");
  const std::string_view text = string_of(resource);
  if (text.empty()) return;
  const bool huge =
      text.starts_with("limits.hugepages-") || text.starts_with("requests.hugepages-");
  if (!huge && std::ranges::find(kResources, text) == kResources.end()) {
    const std::vector<std::string> names(kResources.begin(), kResources.end());
    context.refuse(resource, shown(text) + " cannot be shown; expected " + listed(names, "or"));
    return;
  }
  const View divisor = get(ref, "divisor");
  if (!divisor || !divisor->is_scalar()) return;
  const auto amount = Quantity::parse(divisor->text);
  if (!amount || amount->is_zero() || is_unit(text, *amount)) return;
  context.refuse(divisor, shown(divisor->text) + " is no unit to show " + shown(text) +
                              " in; expected " +
                              (text.ends_with(".cpu") ? "`1` or `1m`" : "`1`, `1Ki`, `1Mi`, ..."));
}

}  // namespace trainyard
