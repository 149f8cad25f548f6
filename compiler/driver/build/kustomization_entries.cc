#include "driver/build/kustomization_entries.h"

#include <algorithm>

#include "emit/artifact.h"
#include "emit/ownership.h"
#include "tree/conflict_markers.h"

namespace trainyard {
namespace {

bool is_record(std::string_view line) {
  const Owner owner = owner_of(std::string(kHeader) + std::string(line));
  return owner.mark == Owner::Mark::Recorded && owner.source == kDirectorySource;
}

/// The lines that each kustomization of ours has, with their line breaks.
std::set<std::string_view> common_lines(std::string_view text) {
  std::set<std::string_view> lines;
  while (!text.empty()) {
    lines.insert(text.substr(0, text.find('\n') + 1));
    text.remove_prefix(text.find('\n') + 1);
  }
  return lines;
}

/// Reads line by line, as Git merges. False when there is a line that ours could not have.
bool read_plain(std::string_view text, KustomizationEntries& result) {
  if (!text.starts_with(kHeader)) return false;
  const std::string empty = without_record(kustomization({"x"}).text);
  std::set<std::string_view> common = common_lines(empty);
  common.erase("- x\n");
  bool in_base = false;  // what was there before both changes
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (is_conflict_line(line)) {
      result.has_conflict = true;
      in_base = line.starts_with('|');
    } else if (line.starts_with("- ") && line.ends_with(".yaml\n")) {
      const std::string_view name = line.substr(2, line.size() - 3);
      if (name.find_first_of("/'\"# ") != name.npos) return false;
      if (!in_base) result.names.emplace(name);
    } else if (!common.contains(line) && !is_record(line)) {
      return false;
    }
  }
  return true;
}

}  // namespace

KustomizationEntries kustomization_entries(std::string_view text, const ReadLimits& limits) {
  KustomizationEntries result;
  SourceMap sources;
  Sink unused;
  const FileId file = sources.add_view("", text);
  result.is_plain = read_plain(with_plain_breaks(text), result);
  if (result.is_plain) return result;
  result.has_conflict = has_merge_conflict(text);
  result.names.clear();
  for (const Tree& tree : read_yaml(sources, file, unused, limits, Ambiguity::Kubernetes)) {
    const View resources = View(tree, tree.root())["resources"];
    if (!resources || !resources->is_seq()) continue;
    for (const NodeId id : tree.children(resources.id())) result.names.emplace(tree[id].text);
  }
  return result;
}

}  // namespace trainyard
