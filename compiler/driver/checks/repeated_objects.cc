#include "driver/checks/repeated_objects.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "check/check.h"
#include "check/object_checks.h"
#include "driver/session/surroundings.h"
#include "lints/core/duplicate_objects.h"
#include "manifest/kinds.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

/// An object that is there already.
struct Pair {
  std::size_t first;
  std::size_t later;
  const AppliedTogether* together;  // null for one file
};

/// For each file what it is applied together with.
using Rooms = std::map<FileId, std::vector<const AppliedTogether*>>;

/// Each object that is there already, with the nearest one before it.
std::vector<Pair> pairs_in(const std::vector<SeenObject>& objects, const Rooms& rooms) {
  struct Entry {
    std::uint64_t identity;
    FileId file;                      // kNoFile in a room
    const AppliedTogether* together;  // null in a file
    std::size_t object;
    auto key() const { return std::tuple(identity, file, together, object); }
  };
  std::vector<Entry> entries;
  entries.reserve(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto& [identity, name] = objects[i];
    entries.push_back({identity, name.file, nullptr, i});
    const auto found = rooms.find(name.file);
    if (found == rooms.end()) continue;
    for (const AppliedTogether* room : found->second) {
      entries.push_back({identity, kNoFile, room, i});
    }
  }
  std::ranges::sort(entries, {}, &Entry::key);
  std::vector<Pair> pairs;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry& before = entries[i - 1];
    const Entry& later = entries[i];
    const bool meet = before.identity == later.identity && before.file == later.file &&
                      before.together == later.together;
    if (meet) pairs.push_back({before.object, later.object, later.together});
  }
  // Of several pairs of one object, that in its file.
  std::ranges::stable_sort(pairs, {}, [&](const Pair& pair) {
    const bool in_file = objects[pair.first].name.file == objects[pair.later].name.file;
    return std::tuple(pair.later, !in_file, pair.first);
  });
  const auto repeats = std::ranges::unique(pairs, {}, &Pair::later);
  pairs.erase(repeats.begin(), repeats.end());
  return pairs;
}

/// Reads files again: what was read of them first is gone.
class Reader {
 public:
  explicit Reader(Session& session) : session_(session) {}

  View object_named_at(Span name) {
    auto [file, is_new] = files_.try_emplace(name.file);
    if (is_new) read(name.file, file->second);
    const auto found = file->second.objects.find(name.begin);
    return found == file->second.objects.end() ? View() : found->second;
  }

 private:
  struct File {
    std::vector<Tree> trees;
    std::unordered_map<std::uint32_t, View> objects;  // by where their names begin
  };

  void read(FileId id, File& file) {
    Sink sink;  // what there is to say has been said
    file.trees = read_yaml(session_.sources, id, sink, session_.limits, Ambiguity::Kubernetes);
    for (const Tree& tree : file.trees) {
      if (tree.size() != 0) add(View(tree, tree.root()), file);
    }
  }

  static void add(View object, File& file) {
    if (!object->is_map()) return;
    if (const View name = get(get(object, "metadata"), "name")) {
      file.objects.emplace(name->span.begin, object);
    }
    if (!is_list(object)) return;
    for (View item : items_at(object, "items")) add(item, file);
  }

  Session& session_;
  std::map<FileId, File> files_;
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
                    const std::vector<AppliedTogether>& together, const CheckInputs& surroundings) {
  Rooms rooms;
  for (const AppliedTogether& each : together) {
    for (const FileId file : each.files) rooms[file].push_back(&each);
  }
  const Check* check = wanted_check("object-twice", surroundings);
  if (check == nullptr) return;
  Reader reader(session);
  for (const Pair& pair : pairs_in(objects, rooms)) {
    const Span name = objects[pair.later].name;
    const Span first_name = objects[pair.first].name;
    const View later = reader.object_named_at(name);
    const View first = reader.object_named_at(first_name);
    if (!later || !first || !is_same_object(later, first)) continue;
    CheckContext context(surroundings, session.sink);
    if (name.file == first_name.file) {
      context.replaces(first);
      run_some_checks(later, {}, {&check, 1}, context);
      continue;
    }
    context.start(later, {}, {});
    if (context.use(*check))
      object_in_two_files(later, first, pair.together->kustomization, context);
  }
}

}  // namespace trainyard
