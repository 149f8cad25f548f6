#pragma once

#include <string_view>

namespace trainyard {

/// Calls `found` with each NAME that stands in a text as `$(NAME)`, which Kubernetes expands.
template <class Found>
void each_mention(std::string_view text, const Found& found) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at)) {
    if (text.substr(at).starts_with("$$")) {  // stands for one `$`
      at += 2;
      continue;
    }
    if (!text.substr(++at).starts_with('(')) continue;
    const std::size_t end = text.find(')', at);
    if (end == std::string_view::npos) return;
    found(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
}

}  // namespace trainyard
