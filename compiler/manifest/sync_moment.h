#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// When Argo CD applies an object in a sync.
struct SyncMoment {
  int phase = 0;          // 0 is PreSync, 1 Sync, 2 PostSync
  std::int64_t wave = 0;  // in the phase
  View annotation;        // that says so; empty where none does
  View hook;              // empty for an object that is no hook
  bool is_known = true;   // false for hooks of Helm and for lists of hooks

  bool operator<(const SyncMoment& other) const;
};

SyncMoment sync_moment(View object);

/// The part of a moment in which it differs from another one: "wave 1", "phase `PostSync`".
std::string shown(const SyncMoment& moment, const SyncMoment& beside);

/// Whether an object has a wave or a hook of Argo CD.
bool has_sync_moment(View object);

// By which an Inventory gives out those objects, whatever their kinds.
inline constexpr std::string_view kSyncGroup = "argocd.argoproj.io";
inline constexpr std::string_view kSyncKind = "sync-wave";

}  // namespace trainyard
