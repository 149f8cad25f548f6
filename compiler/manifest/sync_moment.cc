#include "manifest/sync_moment.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kHook = "argocd.argoproj.io/hook";
constexpr std::string_view kWave = "argocd.argoproj.io/sync-wave";
constexpr auto kPhases = std::to_array<std::string_view>({"PreSync", "Sync", "PostSync"});

View annotations_of(View object) {
  return get(get(object, "metadata"), "annotations");
}

}  // namespace

bool SyncMoment::operator<(const SyncMoment& other) const {
  return std::tie(phase, wave) < std::tie(other.phase, other.wave);
}

SyncMoment sync_moment(View object) {
  const View annotations = annotations_of(object);
  const View hook = get(annotations, kHook);
  const View wave = get(annotations, kWave);
  SyncMoment moment{1, 0, wave ? wave : hook, {}};
  if (string_of(hook).empty()) {
    moment.is_known = !get(annotations, "helm.sh/hook");
  } else {
    const auto phase = std::ranges::find(kPhases, hook->text);
    moment.phase = static_cast<int>(phase - kPhases.begin());
    moment.is_known = phase != kPhases.end();
    moment.hook = hook;
  }
  std::string_view number = string_of(wave);
  if (number.starts_with('+')) number.remove_prefix(1);
  moment.wave = plain_number(number).value_or(0);  // as Argo CD takes what is none
  return moment;
}

std::string shown(const SyncMoment& moment, const SyncMoment& beside) {
  if (moment.phase != beside.phase) {
    return "phase `" + std::string(kPhases[static_cast<std::size_t>(moment.phase)]) + "`";
  }
  return "wave " + std::to_string(moment.wave);
}

bool has_sync_moment(View object) {
  const View annotations = annotations_of(object);
  return get(annotations, kWave) || get(annotations, kHook);
}

}  // namespace trainyard
