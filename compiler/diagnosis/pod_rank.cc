#include "diagnosis/pod_rank.h"

#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  const auto value = read_number(text);
  return value && *value >= 0 ? value : std::nullopt;
}

void complete(PodRank& rank, View metadata, const JobKind& kind) {
  const View labels = get(metadata, "labels");
  for (const PodMarks& marks : kind.pods) {
    for (std::string_view key : marks.role) {
      if (rank.role.empty()) rank.role = string_at(labels, key);
    }
    for (std::string_view key : marks.index) {
      if (!rank.index) rank.index = number(string_at(labels, key));
      if (!rank.index) rank.index = number(string_at(get(metadata, "annotations"), key));
    }
  }
}

}  // namespace

PodRank rank_of(View pod, const JobKind& kind, const JobKinds& kinds) {
  const View metadata = get(pod, "metadata");
  PodRank rank;
  complete(rank, metadata, kind);
  if (rank.index) return rank;
  for (const JobKind& each : kinds.all()) complete(rank, metadata, each);
  return rank;
}

}  // namespace trainyard
