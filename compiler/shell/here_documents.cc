#include "shell/here_documents.h"

#include <algorithm>
#include <utility>

namespace trainyard {

bool HereDocuments::announce(std::string_view script, std::size_t& at) {
  constexpr std::string_view kEndsWord = " \t\r\n;&|)<>";
  constexpr std::string_view kQuotes = "'\"\\";
  const bool tabs = script.substr(at).starts_with('-');
  if (tabs) ++at;
  at = std::min(script.find_first_not_of(" \t\r", at), script.size());
  std::string end;
  for (; at < script.size() && kEndsWord.find(script[at]) == kEndsWord.npos; ++at) {
    if (kQuotes.find(script[at]) == kQuotes.npos) end += script[at];
  }
  if (end.empty()) return false;
  announced_.push_back({std::move(end), tabs});
  return true;
}

void HereDocuments::pass(std::string_view script, std::size_t& at) {
  for (const Document& each : announced_) {
    while (at < script.size()) {
      const std::size_t end = std::min(script.find('\n', at), script.size());
      std::string_view line = script.substr(at, end - at);
      at = std::min(end + 1, script.size());
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (each.tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == each.end) break;
    }
  }
  announced_.clear();
}

}  // namespace trainyard
