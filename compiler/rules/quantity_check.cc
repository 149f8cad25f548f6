#include <algorithm>
#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"
#include "source/characters.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

void refuse(RuleContext& context, const QuantityText& amount, std::string_view what,
            std::string_view expected) {
  context.report(
      DiagnosticKind::OutOfRange, amount.span,
      std::string(what) + " of " + code(*amount) + "; expected " + std::string(expected));
}

void check_amount(RuleContext& context, const QuantityText& amount, std::string_view what) {
  const auto value = amount ? Quantity::parse(*amount) : std::nullopt;
  if (value && value->is_negative()) refuse(context, amount, what, "0 or more");
}

bool is_whole(const Quantity& value) {
  const auto units = value.whole_units();
  return !units || Quantity::of(*units) == value;
}

/// `100m` of memory is a tenth of a byte; `100M` was meant.
void check_bytes(RuleContext& context, const QuantityText& amount, std::string_view what) {
  const auto value = amount ? Quantity::parse(*amount) : std::nullopt;
  if (!value) return;
  if (value->is_negative() || is_whole(*value)) return check_amount(context, amount, what);
  Diagnostic& report =
      context.report(DiagnosticKind::OutOfRange, amount.span,
                     std::string(what) + " of " + code(*amount) + ", which are no whole bytes");
  if (!amount->ends_with('m')) return;
  const std::string mebibytes = std::string(amount->substr(0, amount->size() - 1)) + "Mi";
  report.fix(amount.span, mebibytes, "`m` is a thousandth; did you mean " + code(mebibytes) + "?");
}

/// A part of a qualified name; `more` are the characters it may have inside of it.
bool is_name(std::string_view text, std::string_view more, std::size_t longest) {
  if (text.empty() || text.size() > longest) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alphanumeric(c) || more.find(c) != std::string_view::npos;
  });
}

/// `vendor.example/device`, or huge pages of a size.
bool is_resource_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return name.starts_with("hugepages-");
  return is_name(name.substr(0, slash), "-.", 253) && is_name(name.substr(slash + 1), "-_.", 63);
}

void check_extended(RuleContext& context, const Entry<std::string_view>& entry) {
  if (!is_resource_name(entry.key)) {
    Diagnostic& report =
        context.report(DiagnosticKind::BadName, entry.key_span,
                       code(entry.key) +
                           " is no name of an extended resource; expected one such "
                           "as `vendor.example/device`");
    if (entry.key == "cpu" || entry.key == "memory") {
      report.note("this one stands under `resources` itself");
    }
    return;
  }
  const auto value = Quantity::parse(*entry.value);
  if (!value) return;
  if (value->is_negative()) {
    refuse(context, entry.value, "an amount", "0 or more");
  } else if (!is_whole(*value)) {
    refuse(context, entry.value, "an amount", "a whole number, devices cannot be cut");
  }
}

void check_resources(RuleContext& context, const Resources& wanted) {
  const ResourceLimits& limits = *wanted.limits;
  check_amount(context, wanted.cpu, "a request");
  check_amount(context, limits.cpu, "a limit");
  check_bytes(context, wanted.memory, "a request");
  check_bytes(context, limits.memory, "a limit");
  check_bytes(context, wanted.ephemeral_storage, "a request");
  check_bytes(context, limits.ephemeral_storage, "a limit");
  check_bytes(context, wanted.shared_memory, "a size");
  for (const auto& entry : *wanted.extended) check_extended(context, entry);
}

void check_claim(RuleContext& context, const StorageMount& mount) {
  const QuantityText& size = mount.create->size;
  const auto value = size ? Quantity::parse(*size) : std::nullopt;
  if (!value) return;
  if (value->is_negative() || value->is_zero()) {
    refuse(context, size, "a size", "more than 0");
  } else {
    check_bytes(context, size, "a size");
  }
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    check_resources(context, *context.of(input, &RoleFields::resources));
    check_bytes(context, context.of(input, &RoleFields::gpu)->min_memory, "memory");
    for (const auto& entry : *context.of(input, &RoleFields::storage)) {
      check_claim(context, *entry.value);
    }
  }
}

}  // namespace

extern const Rule quantity_check_rule{
    "quantity-check",
    Rule::Phase::Check,
    "Amounts of resources can exist: none is negative, bytes and devices are whole, and further "
    "resources have the name of their vendor.",
    "The API server refuses the others, in a line of the object and not of the spec "
    "(kubernetes/kubernetes pkg/apis/core/validation/validation.go).",
    "spec.resources spec.gpu.minMemory spec.storage",
    "",
    run};

}  // namespace trainyard
