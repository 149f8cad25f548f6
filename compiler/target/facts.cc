#include "target/facts.h"

#include <algorithm>
#include <array>
#include <string>

#include "diag/suggest.h"

namespace trainyard {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 11> kPackKeys = {
    "name",      "status", "summary", "containerName", "names",      "pod",
    "documents", "cannot", "notYet",  "rendezvous",    "kubernetes",
};
constexpr std::array<std::string_view, 3> kRendezvousKeys = {"master", "rank", "port"};
constexpr std::array<std::string_view, 3> kNamesKeys = {"limit", "overhead", "indexSuffix"};
constexpr std::array<std::string_view, 4> kRowKeys = {"field", "value", "above", "because"};
constexpr std::array<std::string_view, 2> kStatuses = {"available", "planned"};

class Decoder {
 public:
  explicit Decoder(Sink& sink) : sink_(sink) {}

  TargetFacts facts(View pack) {
    known_keys(pack, kPackKeys);
    TargetFacts result;
    result.span = pack->span;
    result.name = required(pack, "name");
    result.summary = required(pack, "summary");
    result.available = one_of(pack, "status", kStatuses) == "available";
    result.kubernetes = text(pack["kubernetes"]);
    result.container_name = text(pack["containerName"]);
    if (const View names = pack["names"]) name_budget(names, result);
    if (const View meeting = pack["rendezvous"]) rendezvous(meeting, result);
    result.cannot = rows(pack["cannot"]);
    result.not_yet = rows(pack["notYet"]);
    if (result.available) {
      required(pack, "pod");
      if (!pack["documents"]) bad(pack->span, "an available target has `documents`");
    }
    return result;
  }

 private:
  void name_budget(View names, TargetFacts& result) {
    known_keys(names, kNamesKeys);
    result.name_limit = integer(names["limit"], result.name_limit);
    result.name_overhead = integer(names["overhead"], 0);
    const View index = names["indexSuffix"];
    if (!index || index.text() == "never") return;
    if (index.text() == "severalNodes") {
      result.index_suffix = IndexSuffix::SeveralNodes;
    } else if (index.text() == "always") {
      result.index_suffix = IndexSuffix::Always;
    } else {
      bad(index->span, "`indexSuffix` is `never`, `severalNodes` or `always`");
    }
  }

  void rendezvous(View meeting, TargetFacts& result) {
    known_keys(meeting, kRendezvousKeys);
    result.master_host = required(meeting, "master");
    result.rank_field = required(meeting, "rank");
    result.master_port = integer(meeting["port"], 0);
  }

  std::vector<Inexpressible> rows(View list) {
    std::vector<Inexpressible> result;
    if (!list) return result;
    if (!list->is_seq()) {
      bad(list->span, "expected a list of fields, found " + std::string(word(list->kind)));
      return result;
    }
    for (NodeId id : list.tree().children(list.id())) {
      const View item(list.tree(), id);
      if (known_keys(item, kRowKeys)) result.push_back(row(item));
    }
    return result;
  }

  Inexpressible row(View item) {
    Inexpressible result;
    result.span = item->span;
    result.field = required(item, "field");
    result.because = required(item, "because");
    result.value = text(item["value"]);
    if (const View above = item["above"]) result.above = integer(above, 0);
    const bool from_top = result.field.starts_with("spec.") || result.field.starts_with("cluster.");
    if (!result.field.empty() && !from_top) {
      bad(item["field"]->span, "a field is named from the top, as `spec.elastic`");
    }
    return result;
  }

  /// False when `map` is no map.
  bool known_keys(View map, Names keys) {
    if (!map->is_map()) {
      bad(map->span, "expected a map, found " + std::string(word(map->kind)));
      return false;
    }
    for (NodeId id : map.tree().children(map.id())) {
      const Node& entry = map.tree()[id];
      if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
      Diagnostic& report = bad(entry.key_span, "unknown key `" + std::string(entry.key) + "`");
      if (const auto near = suggest(entry.key, keys)) {
        report.note("did you mean `" + std::string(*near) + "`?");
      }
    }
    return true;
  }

  std::string_view required(View map, std::string_view key) {
    const std::string_view result = text(map[key]);
    if (result.empty()) bad(map->span, "`" + std::string(key) + "` is missing");
    return result;
  }

  std::string_view one_of(View map, std::string_view key, Names values) {
    const std::string_view result = required(map, key);
    if (!result.empty() && std::find(values.begin(), values.end(), result) == values.end()) {
      std::string message = "`" + std::string(key) + "` is one of";
      for (std::string_view value : values) message += " `" + std::string(value) + "`";
      bad(map[key]->span, std::move(message));
    }
    return result;
  }

  std::string_view text(View value) {
    if (value && !value->is_scalar()) {
      bad(value->span, "expected a text, found " + std::string(word(value->kind)));
    }
    return value.text();
  }

  std::int64_t integer(View value, std::int64_t otherwise) {
    if (!value) return otherwise;
    const auto number = as_int64(*value);
    if (!number || *number < 0) {
      bad(value->span, "expected a number of characters or items, 0 or more");
    }
    return number.value_or(otherwise);
  }

  Diagnostic& bad(Span where, std::string message) {
    return sink_.report(DiagnosticKind::BadTargetPack, where, std::move(message));
  }

  Sink& sink_;
};

}  // namespace

TargetFacts decode_target_facts(View pack, Sink& sink) {
  return Decoder(sink).facts(pack);
}

}  // namespace trainyard
