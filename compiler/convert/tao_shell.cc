#include "convert/tao_shell.h"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

constexpr auto kVariables =
    std::to_array<std::string_view>({"WORLD_SIZE", "NUM_GPU_PER_NODE", "NODE_RANK", "NNODES",
                                     "NPROC_PER_NODE", "MASTER_PORT", "MASTER_ADDR"});

/// What says nothing of the program: options of the shell, and the line that it prints first.
bool is_frame(std::string_view line) {
  return line.empty() || line.starts_with("set -") || line.starts_with("echo \"[tao");
}

}  // namespace

std::optional<TaoShell> read_tao_shell(std::string_view script) {
  constexpr std::string_view kExport = "export ";
  TaoShell result;
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    const std::string_view line = script.substr(0, end);
    if (line.starts_with(kExport)) {
      const std::size_t equals = std::min(line.find('='), line.size());
      const std::string_view name = line.substr(kExport.size(), equals - kExport.size());
      if (std::ranges::find(kVariables, name) == kVariables.end()) break;
      result.exports.emplace_back(name, line.substr(std::min(equals + 1, line.size())));
    } else if (!is_frame(line)) {
      break;
    }
    script.remove_prefix(std::min(end + 1, script.size()));
  }
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(result.exports,
                               [name](const auto& each) { return each.first == name; });
  };
  if (script.empty() || !has("NUM_GPU_PER_NODE") || !has("WORLD_SIZE")) return std::nullopt;
  while (script.ends_with('\n')) script.remove_suffix(1);
  result.program = script;
  return result;
}

}  // namespace trainyard
