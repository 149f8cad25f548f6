#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard {

/// What comes of a finding if it stays as it is, from harmless to certain.
enum class Effect : std::uint8_t {
  Style,      // it works; another form is better
  Risky,      // it may go wrong, or it shows what should be secret
  RunsWrong,  // it runs, and does something else or takes more than it should
  NeverRuns,  // the cluster takes it; the job cannot do its work
  Refused,    // the API server or a controller does not take it
};

/// The words for effects, in that order.
inline constexpr auto kEffectWords =
    std::to_array<std::string_view>({"style", "risky", "runs-wrong", "never-runs", "refused"});

inline std::string_view word(Effect effect) {
  return kEffectWords[static_cast<std::size_t>(effect)];
}

/// The effect that a word stands for; nothing for another word.
inline std::optional<Effect> effect_of(std::string_view word) {
  for (std::size_t i = 0; i < kEffectWords.size(); ++i) {
    if (kEffectWords[i] == word) return static_cast<Effect>(i);
  }
  return std::nullopt;
}

}  // namespace trainyard
