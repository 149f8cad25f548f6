// Health scripts of Argo CD. Each asks the signs of its kind in their order, with the helpers that
// they need. Argo CD opens no library for texts, so a path is given name by name.

#include <algorithm>

#include "kind/health.h"

namespace trainyard {
namespace {

constexpr std::string_view kStatus =
    R"(local status = type(obj.status) == "table" and obj.status or {}
local function health(word, phase, from)
  local said = type(from) == "table" and from.message
  if type(said) == "string" and said ~= "" then phase = phase .. ": " .. said end
  return { status = word, message = phase }
end
)";

constexpr std::string_view kCondition = R"(local function condition(wanted, is, reason)
  for _, each in ipairs(status.conditions or {}) do
    if each.type == wanted then
      local holds = each.status == is and (reason == nil or each.reason == reason)
      return holds and each or nil
    end
  end
end
)";

constexpr std::string_view kField = R"(local function field(from, step, ...)
  if step == nil then return from end
  if type(from) ~= "table" then return nil end
  return field(from[step], ...)
end
)";

constexpr std::string_view kCount =
    R"(-- The sum of the numbers at a path, where "*" is every item; `missing` for an item that has none.
local function count(missing, from, step, ...)
  if step == nil then return type(from) == "number" and from or nil end
  if type(from) ~= "table" then return nil end
  if step ~= "*" then return count(missing, from[step], ...) end
  local sum = 0
  for _, each in pairs(from) do sum = sum + (count(missing, each, ...) or missing) end
  return sum
end
)";

constexpr std::string_view kEnough = R"(local function least(...)
  local found = nil
  for _, each in pairs({ ... }) do
    if found == nil or each < found then found = each end
  end
  return found
end
local function enough(wanted, ...)
  local sum = nil
  for _, each in pairs({ ... }) do sum = (sum or 0) + each end
  return wanted == nil or sum == nil or sum >= wanted
end
)";

std::string quoted_name(std::string_view name) {
  return "\"" + std::string(name) + "\"";
}

/// `a[].b` as `, "a", "*", "b"`.
std::string steps(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    std::string_view step = path.substr(0, dot);
    const bool is_list = step.ends_with("[]");
    if (is_list) step.remove_suffix(2);
    text += ", " + quoted_name(step) + (is_list ? ", \"*\"" : "");
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return text;
}

std::string counts(std::string_view missing, std::string_view from,
                   const std::vector<std::string_view>& paths) {
  std::string text;
  for (std::string_view path : paths) {
    text += (text.empty() ? "" : ", ");
    text += "count(" + std::string(missing) + ", " + std::string(from) + steps(path) + ")";
  }
  return text;
}

/// The statement that returns what a sign says, if it holds.
std::string statement(const JobKind& kind, const StatusSign& sign, QueuedIs queued) {
  std::string before;
  std::string test;
  std::string details;  // where its message is
  if (!kind.details.empty()) {
    details = kind.details == "." ? "status" : "field(status" + steps(kind.details) + ")";
  }
  if (!sign.condition.empty()) {
    before = "found = condition(" + quoted_name(sign.condition) + ", " + quoted_name(sign.is) +
             (sign.reason.empty() ? "" : ", " + quoted_name(sign.reason)) + ")\n";
    test = details = "found";
  } else if (!sign.field.empty()) {
    test = "field(status" + steps(sign.field) + ") == " + quoted_name(sign.is);
  } else {
    test = "(count(0, status" + steps(sign.some) + ") or 0) > 0";
  }
  if (!sign.all.empty()) test += " and enough(wanted, " + counts("0", "status", sign.all) + ")";
  return before + "if " + test + " then return health(" +
         quoted_name(argocd_word(kind, sign.phase, queued)) + ", " +
         quoted_name(name_of(sign.phase)) + (details.empty() ? "" : ", " + details) + ") end\n";
}

std::string_view helper(bool is_needed, std::string_view text) {
  return is_needed ? text : std::string_view();
}

}  // namespace

std::string argocd_health(const JobKind& kind, QueuedIs queued) {
  const auto has = [&](auto member) {
    return std::ranges::any_of(kind.signs,
                               [&](const StatusSign& sign) { return !(sign.*member).empty(); });
  };
  const bool asks_all = has(&StatusSign::all);
  std::string text = "-- " + std::string(kind.kind) + " of " + std::string(kind.group) +
                     ", by Trainyard: as `trainyard explain status` reads it.\n";
  text += kStatus;
  text += helper(has(&StatusSign::condition), kCondition);
  text += helper(has(&StatusSign::field) || !kind.details.empty(), kField);
  text += helper(asks_all || has(&StatusSign::some), kCount);
  text += helper(asks_all, kEnough);
  if (asks_all) text += "local wanted = least(" + counts("1", "obj", kind.wanted) + ")\n";
  text += helper(has(&StatusSign::condition), "local found\n");
  for (const StatusSign& sign : kind.signs) text += statement(kind, sign, queued);
  text += "return health(\"Progressing\", \"pending\")\n";
  return text;
}

}  // namespace trainyard
