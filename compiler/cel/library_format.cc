#include <algorithm>
#include <array>

#include "cel/functions.h"
#include "source/word_table.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

constexpr auto kFormats = word_table<
    "dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix "
    "dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime">;

template <std::size_t index>
Value named_format(Context&, Arguments) {
  return Value::format(kFormats[index]);
}

Value named(Context& context, Arguments a) {
  const auto found = std::ranges::find(kFormats, a[0].text());
  if (found == kFormats.end()) return Value::optional(nullptr);
  return context.heap.some(Value::format(*found));
}

/// None for a good text, else what is wrong with it.
Value validate(Context& context, Arguments a) {
  if (!a[1].is(Type::String)) return no_overload();
  if (!context.spend(a[1].text().size() / 2)) return out_of_budget();
  std::vector<std::string> messages;
  const bool known =
      context.formats() != nullptr && context.formats()(a[0].text(), a[1].text(), messages);
  if (!known) return Value::error("this format cannot be checked here");
  if (messages.empty()) return Value::optional(nullptr);
  std::vector<Value> items;
  for (const std::string& message : messages) items.push_back(context.heap.string(message));
  return context.heap.some(context.heap.list(items));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"format.named", Style::Global, 1, 1, Type::String, named},
    {"validate", Style::Member, 2, 2, Type::Format, validate},
    {"format.dns1123Label", Style::Global, 0, 0, Type::Error, named_format<0>},
    {"format.dns1123Subdomain", Style::Global, 0, 0, Type::Error, named_format<1>},
    {"format.dns1035Label", Style::Global, 0, 0, Type::Error, named_format<2>},
    {"format.qualifiedName", Style::Global, 0, 0, Type::Error, named_format<3>},
    {"format.dns1123LabelPrefix", Style::Global, 0, 0, Type::Error, named_format<4>},
    {"format.dns1123SubdomainPrefix", Style::Global, 0, 0, Type::Error, named_format<5>},
    {"format.dns1035LabelPrefix", Style::Global, 0, 0, Type::Error, named_format<6>},
    {"format.labelValue", Style::Global, 0, 0, Type::Error, named_format<7>},
    {"format.uri", Style::Global, 0, 0, Type::Error, named_format<8>},
    {"format.uuid", Style::Global, 0, 0, Type::Error, named_format<9>},
    {"format.byte", Style::Global, 0, 0, Type::Error, named_format<10>},
    {"format.date", Style::Global, 0, 0, Type::Error, named_format<11>},
    {"format.datetime", Style::Global, 0, 0, Type::Error, named_format<12>},
});

}  // namespace

std::span<const Function> format_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
