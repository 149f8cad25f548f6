#include "rules/data_address.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "source/characters.h"

namespace trainyard {
namespace {

constexpr std::string_view kDatasets = "datasets/";

/// Cuts what is behind the first `mark` off `text`.
std::string_view cut_behind(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return {};
  const std::string_view behind = text.substr(at + 1);
  text = text.substr(0, at);
  return behind;
}

}  // namespace

DataAddress split_address(std::string_view uri) {
  DataAddress result;
  const std::size_t colon = uri.find("://");
  result.scheme = uri.substr(0, colon);
  std::string_view rest = uri.substr(colon + 3);
  result.is_prefix = rest.ends_with('/');
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (result.scheme == "hf" && rest.starts_with(kDatasets)) {
    result.is_dataset = true;
    rest.remove_prefix(kDatasets.size());
  }
  result.item = cut_behind(rest, '/');
  result.owner = rest;
  if (result.scheme == "hf") result.inner = cut_behind(result.item, '/');
  if (result.scheme == "ngc") {
    result.version = cut_behind(result.item, ':');
    result.inner = cut_behind(result.version, '/');
  }
  return result;
}

std::string address_of_other_tool(std::string_view uri) {
  constexpr auto starts = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"https://huggingface.co/", "hf://"}, {"huggingface://", "hf://"}, {"gs://", "s3://"}});
  for (const auto& [other, ours] : starts) {
    if (uri.starts_with(other)) return std::string(ours) + std::string(uri.substr(other.size()));
  }
  return {};
}

std::string_view extension_of(std::string_view name) {
  constexpr std::size_t kLongest = 11;  // `safetensors`
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return {};
  const std::string_view found = name.substr(dot + 1);
  const bool good = !found.empty() && found.size() <= kLongest && is_letter(found.front()) &&
                    std::ranges::all_of(found, is_alphanumeric);
  return good ? found : std::string_view();
}

}  // namespace trainyard
