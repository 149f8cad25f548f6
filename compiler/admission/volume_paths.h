#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

// What is wrong with a path inside a volume, as the end of a sentence that starts with the path;
// nothing when it is right. kubernetes/kubernetes pkg/apis/core/validation/validation.go

/// Holds no step upwards.
std::optional<std::string> why_steps_up(std::string_view path);
/// Stays below where it is used: relative, no step upwards.
std::optional<std::string> why_not_below(std::string_view path);
/// The same, and does not begin with `..`, which the kubelet keeps for itself.
std::optional<std::string> why_not_a_file(std::string_view path);

}  // namespace trainyard
