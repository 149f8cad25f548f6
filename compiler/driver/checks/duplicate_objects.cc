#include "driver/checks/duplicate_objects.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "check/check.h"
#include "check/deferred_checks.h"
#include "driver/session/all_checks.h"
#include "manifest/kinds.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

struct Pair {
  std::size_t first;
  std::size_t later;
};

/// Each object that is in its file already, with the nearest one before it.
std::vector<Pair> pairs_in(const std::vector<SeenObject>& objects) {
  using Key = std::tuple<std::uint64_t, FileId, std::size_t>;
  std::vector<Key> keys;
  keys.reserve(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    keys.emplace_back(objects[i].identity, objects[i].name.file, i);
  }
  std::ranges::sort(keys);
  std::vector<Pair> pairs;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const auto& [identity, file, before] = keys[i - 1];
    const auto& [its_identity, its_file, later] = keys[i];
    if (identity == its_identity && file == its_file) pairs.push_back({before, later});
  }
  std::ranges::sort(pairs, {}, &Pair::later);
  return pairs;
}

/// Reads files again: what was read of them first is gone.
class Reader {
 public:
  explicit Reader(Session& session) : session_(session) {}

  View object_named_at(Span name) {
    auto [file, is_new] = files_.try_emplace(name.file);
    if (is_new) {
      Sink sink;  // what there is to say has been said
      file->second =
          read_yaml(session_.sources, name.file, sink, session_.limits, Ambiguity::Kubernetes);
    }
    for (const Tree& tree : file->second) {
      if (tree.size() == 0) continue;
      if (const View found = find(View(tree, tree.root()), name)) return found;
    }
    return {};
  }

 private:
  static View find(View object, Span name) {
    if (!object->is_map()) return {};
    const View own = get(get(object, "metadata"), "name");
    if (own && own->span == name) return object;
    if (!is_list(object)) return {};
    for (View item : items_at(object, "items")) {
      if (const View found = find(item, name)) return found;
    }
    return {};
  }

  Session& session_;
  std::map<FileId, std::vector<Tree>> files_;
};

}  // namespace

bool is_same_object(View a, View b) {
  const View x = a["metadata"];
  const View y = b["metadata"];
  return a["kind"].text() == b["kind"].text() &&
         group_of(a["apiVersion"].text()) == group_of(b["apiVersion"].text()) &&
         x["name"].text() == y["name"].text() && x["namespace"].text() == y["namespace"].text();
}

void remember(View object, std::vector<SeenObject>& objects) {
  const View metadata = get(object, "metadata");
  const View name = get(metadata, "name");
  if (string_of(name).empty()) return;
  std::uint64_t identity = 0;
  for (std::string_view part :
       {group_of(string_at(object, "apiVersion")), string_at(object, "kind"),
        string_at(metadata, "namespace"), string_of(name)}) {
    identity = identity * 0x9e3779b97f4a7c15U + std::hash<std::string_view>()(part);
  }
  objects.push_back({identity, name->span});
}

void check_repeated(Session& session, const std::vector<SeenObject>& objects,
                    const Surroundings& surroundings) {
  const std::vector<Pair> pairs = pairs_in(objects);
  const Check* check = find_check("object-twice");
  Reader reader(session);
  for (const Pair& pair : pairs) {
    const View later = reader.object_named_at(objects[pair.later].name);
    const View first = reader.object_named_at(objects[pair.first].name);
    if (!later || !first || !is_same_object(later, first)) continue;
    CheckContext context(surroundings, session.sink);
    context.replaces(first);
    run_some_checks(later, {}, {&check, 1}, context);
  }
}

}  // namespace trainyard
