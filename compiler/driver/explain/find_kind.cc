#include "driver/explain/find_kind.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "diag/suggest.h"

namespace trainyard {
namespace {

/// How new an API version is: `v2` before `v1` before `v2beta1` before `v1alpha1`.
std::tuple<int, int, int> age(std::string_view version) {
  int major = 0;
  int minor = 0;
  const char* const end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data() + !version.empty(), end, major);
  const std::string_view stage(rest, static_cast<std::size_t>(end - rest));
  const std::size_t digits = stage.find_first_of("0123456789");
  if (digits != std::string_view::npos) std::from_chars(stage.data() + digits, end, minor);
  const int maturity = stage.empty() ? 0 : stage.starts_with("beta") ? 1 : 2;
  return {maturity, -major, -minor};
}

int group_rank(std::string_view group) {
  if (group == "trainyard") return 0;
  if (group.find('.') == std::string_view::npos) return 1;  // core, apps, batch
  return group.ends_with(".k8s.io") && !group.ends_with(".x-k8s.io") ? 2 : 3;
}

struct Candidate {
  const SchemaPack* pack;
  const SchemaKind* kind;

  auto rank() const {
    const std::string_view group = pack->text(kind->group);
    return std::tuple(group_rank(group), group, age(pack->text(kind->version)));
  }
};

bool means(std::string_view wanted, const SchemaPack& pack, const SchemaKind& kind) {
  if (wanted.find('/') == std::string_view::npos) return pack.text(kind.kind) == wanted;
  const std::string full = full_name(pack, kind);
  return full == wanted || (pack.text(kind.group).empty() && "core/" + full == wanted);
}

std::string why_none(Session& session, std::string_view name) {
  const bool in_full = name.find('/') != std::string_view::npos;
  std::set<std::string, std::less<>> names;
  for (const SchemaSource& source : session.schema_sources()) {
    for (const SchemaKind& kind : source.pack.kinds()) {
      names.insert(in_full ? full_name(source.pack, kind)
                           : std::string(source.pack.text(kind.kind)));
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string error = "no schema describes the kind `" + std::string(name) + "`";
  if (const auto near = suggest(name, views)) {
    return error + ": did you mean `" + std::string(*near) + "`?";
  }
  return error + "; `trainyard list schemas` shows all";
}

}  // namespace

std::string full_name(const SchemaPack& pack, const SchemaKind& kind) {
  const std::string group(pack.text(kind.group));
  return (group.empty() ? "" : group + "/") + std::string(pack.text(kind.version)) + "/" +
         std::string(pack.text(kind.kind));
}

KindChoice find_kind(Session& session, std::string_view name) {
  std::vector<Candidate> found;
  for (const SchemaSource& source : session.schema_sources()) {
    for (const SchemaKind& kind : source.pack.kinds()) {
      if (kind.before.size == 0 && means(name, source.pack, kind))
        found.push_back({&source.pack, &kind});
    }
  }
  KindChoice choice;
  if (found.empty()) {
    choice.error = why_none(session, name);
    return choice;
  }
  // Stable: the user's own schema of a kind is in front of that in the program.
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); });
  choice.pack = found[0].pack;
  choice.kind = found[0].kind;
  const std::string chosen = full_name(*choice.pack, *choice.kind);
  for (const Candidate& each : found) {
    std::string other = full_name(*each.pack, *each.kind);
    if (other != chosen) choice.others.push_back(std::move(other));
  }
  return choice;
}

}  // namespace trainyard
