#include "driver/fleet/team_patterns.h"

#include <algorithm>
#include <iterator>

#include "source/glob.h"

namespace trainyard {
namespace {

constexpr std::string_view kWild = "*?";

bool is_wild(std::string_view pattern) {
  return pattern.find_first_of(kWild) != std::string_view::npos;
}

std::string_view without_slash(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

void add(std::vector<TeamClaim>& claims, const TeamClaim& claim) {
  if (std::ranges::find(claims, claim.team, &TeamClaim::team) == claims.end()) {
    claims.push_back(claim);
  }
}

}  // namespace

TeamPatterns::TeamPatterns(const std::vector<PlannedTeam>& teams) {
  for (std::size_t team = 0; team < teams.size(); ++team) {
    for (const Text& each : *(*teams[team].entry)->specs) {
      const std::string_view text = without_slash(*each);
      Pattern pattern{text, text.substr(0, text.find_first_of(kWild)), {team, each.span}};
      const bool of_folders = is_wild(text) && (text == "**" || text.ends_with("/**"));
      (of_folders ? of_folders_ : of_files_).push_back(pattern);
    }
  }
}

bool TeamPatterns::fits(const Pattern& pattern, std::string_view path) const {
  if (!path.starts_with(pattern.fixed)) return false;
  if (is_wild(pattern.text)) return fits_glob(pattern.text, path);
  return path.size() == pattern.text.size() || path[pattern.text.size()] == '/';
}

std::vector<TeamClaim> TeamPatterns::claims_of(std::string_view path) {
  const std::string folder(path.substr(0, path.rfind('/') + 1));
  const auto [known, is_new] = by_folder_.try_emplace(folder);
  if (is_new) {
    for (Pattern& each : of_folders_) {
      if (!fits(each, path)) continue;
      each.used = true;
      add(known->second, each.claim);
    }
  }
  std::vector<TeamClaim> claims = known->second;
  for (Pattern& each : of_files_) {
    if (!fits(each, path)) continue;
    each.used = true;
    add(claims, each.claim);
  }
  return claims;
}

std::vector<TeamPatterns::Pattern> TeamPatterns::unused() const {
  std::vector<Pattern> patterns;
  for (const auto* all : {&of_folders_, &of_files_}) {
    std::ranges::copy_if(*all, std::back_inserter(patterns),
                         [](const Pattern& each) { return !each.used; });
  }
  return patterns;
}

}  // namespace trainyard
