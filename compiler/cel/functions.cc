#include "cel/functions.h"

#include <algorithm>
#include <array>

#include "source/word_table.h"

namespace trainyard::cel {
namespace {

using Library = std::span<const Function> (*)();

constexpr std::array<Library, 13> kLibraries = {
    authorizer_functions, conversion_functions, format_functions, ip_functions,     list_functions,
    optional_functions,   quantity_functions,   regex_functions,  semver_functions, set_functions,
    string_functions,     time_functions,       url_functions};

template <class Visit>
void each(std::string_view name, Style style, Visit visit) {
  for (const Library library : kLibraries) {
    for (const Function& function : library()) {
      if (function.name == name && function.style == style) visit(function);
    }
  }
}

constexpr auto kTypeNames = word_table<
    "null_type bool int uint double string bytes list map google.protobuf.Duration "
    "google.protobuf.Timestamp type optional_type kubernetes.Quantity net.IP net.CIDR "
    "kubernetes.URL kubernetes.Semver kubernetes.NamedFormat dyn">;

}  // namespace

std::vector<Function> all_functions() {
  std::vector<Function> result;
  for (const Library library : kLibraries) {
    result.insert(result.end(), library().begin(), library().end());
  }
  return result;
}

std::vector<const Function*> find_functions(std::string_view name, Style style,
                                            std::size_t arguments) {
  std::vector<const Function*> found;
  each(name, style, [&](const Function& function) {
    const bool fits = arguments >= function.least && arguments <= function.most;
    if (fits) found.push_back(&function);
  });
  return found;
}

bool is_function(std::string_view name, Style style) {
  bool found = false;
  each(name, style, [&](const Function&) { found = true; });
  return found;
}

std::string_view type_name(Type type) {
  if (type == Type::Error) return "error";
  if (type == Type::Opaque) return "unknown";
  return kTypeNames[static_cast<std::size_t>(type) - 1];
}

bool is_type_name(std::string_view name) {
  return name != "dyn" && std::ranges::find(kTypeNames, name) != kTypeNames.end();
}

Value no_overload() {
  return Value::error("no such overload");
}

}  // namespace trainyard::cel
