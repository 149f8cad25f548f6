#include "manifest/kubernetes_version.h"

#include <charconv>

namespace trainyard {
namespace {

/// Takes a number off the front of `text`.
std::optional<int> number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::optional<KubernetesVersion> kubernetes_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto major = number(text);
  if (!major || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const auto minor = number(text);
  if (!minor) return std::nullopt;
  if (!text.empty() && text.find_first_of(".+-") != 0) return std::nullopt;
  return KubernetesVersion{*major, *minor};
}

std::string text(KubernetesVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

}  // namespace trainyard
