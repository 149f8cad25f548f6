#include "driver/session/lock_files.h"

#include <algorithm>
#include <utility>

#include "diag/words.h"
#include "driver/session/config.h"
#include "driver/session/session.h"
#include "source/characters.h"
#include "spec/credential_literals.h"
#include "target/object_set.h"
#include "tree/origin_span.h"

namespace trainyard {
namespace {

constexpr std::string_view kContainerLists[] = {"containers", "initContainers",
                                                "ephemeralContainers"};

bool is_container_list(std::string_view key) {
  return std::ranges::find(kContainerLists, key) != std::end(kContainerLists);
}

class ImageSearch {
 public:
  explicit ImageSearch(const Tree& tree) : tree_(tree) {}

  std::vector<ImageUse> found;

  void object(NodeId root) {
    const NodeId kind = tree_.find(root, "kind");
    trains_nemo_ = kind != kNoNode && tree_[kind].text.starts_with("NemoTraining");
    for (NodeId id : tree_.children(root)) {
      const std::string_view key = tree_[id].key;
      if (key != "metadata" && key != "data" && key != "binaryData") walk(id);
    }
  }

 private:
  void walk(NodeId id) {
    const Node& node = tree_[id];
    for (NodeId child : tree_.children(id)) {
      if (tree_[child].key == "image") {
        image(node, child);
      } else if (is_container_list(node.key)) {
        container(child);
      } else {
        walk(child);
      }
    }
  }

  void container(NodeId id) {
    for (NodeId child : tree_.children(id)) {
      if (tree_[child].key == "image") take(child);
    }
  }

  /// Outside of containers: of a Trainer's `trainer`, of jobs of a NemoCustomizer, of a volume, or
  /// a parameter of Run:ai. A plain text elsewhere is something else, such as the image of an RBD
  /// volume.
  void image(const Node& parent, NodeId id) {
    for (std::string_view key : {"trainer", "modelDownloadJobs", "nemoDatastoreTools"}) {
      if (parent.key == key) return take(id);
    }
    // A NemoTrainingWorkload has these in place of pods.
    if (trains_nemo_ && (parent.key == "spec" || parent.key == "leaderSpec")) return take(id);
    for (std::string_view key : {"reference", "value", "image"}) take(tree_.find(id, key));
    in_two_parts(tree_.find(id, "repository"), tree_.find(id, "tag"));
  }

  /// Of a NIM: the operator puts a colon between the two (NVIDIA/k8s-nim-operator
  /// api/apps/v1alpha1/nimservice_types.go GetImage).
  void in_two_parts(NodeId repository, NodeId tag) {
    if (repository == kNoNode || tag == kNoNode || tree_[tag].text.empty()) return;
    std::string first(tree_[repository].text);
    first += ':';
    found.push_back({tag, first + std::string(tree_[tag].text), first.size()});
  }

  void take(NodeId id) {
    if (id == kNoNode || tree_[id].kind != Kind::String || tree_[id].text.empty()) return;
    found.push_back({id, std::string(tree_[id].text)});
  }

  const Tree& tree_;
  bool trains_nemo_ = false;
};

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

const LockFile* lock_at(Session& session, const std::string& path) {
  auto& known = session.locks.by_path[path];
  if (known == nullptr) {
    const std::size_t before = session.sink.all().size();
    const bool found = session.locks.settings.file.empty();
    known = read_lock(session, path, found ? NamedBy::Document : NamedBy::CommandLine);
    const std::vector<Diagnostic>& all = session.sink.all();
    known->faults.assign(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
  } else if (!known->sound) {
    for (const Diagnostic& fault : known->faults) session.sink.report(fault);
  }
  return known.get();
}

/// Where the lock file for a spec is; "" for none.
std::string_view lock_path(Session& session, const std::string& spec_path) {
  const LockSettings& settings = session.locks.settings;
  if (settings.off) return {};
  if (!settings.file.empty()) return settings.file;
  const std::string folder = spec_path.substr(0, spec_path.rfind('/') + 1);
  auto [known, is_new] = session.locks.by_folder.try_emplace(folder);
  if (is_new) known->second = find_above(spec_path, kLockName, session.env, session.roots);
  return known->second;
}

/// The lock file for a spec; null for none. What is wrong with it is reported.
const LockFile* lock_for(Session& session, const std::string& spec_path) {
  const std::string_view path = lock_path(session, spec_path);
  return path.empty() ? nullptr : lock_at(session, std::string(path));
}

}  // namespace

std::vector<ImageUse> images_of(const ObjectSet& objects) {
  ImageSearch search(objects.tree);
  for (const Object& object : objects.objects) search.object(object.root);
  return std::move(search.found);
}

bool has_digest(std::string_view image) {
  return image.find('@') != std::string_view::npos;
}

bool is_digest(std::string_view text) {
  if (text.starts_with("sha256:")) return is_hex(text.substr(7), 64);
  return text.starts_with("sha512:") && is_hex(text.substr(7), 128);
}

void check_lock(Session& session, const Tree& lock) {
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Lock");
  report(session.checker.check(kind->schema, lock, lock.root()), lock, {}, session.sink);
  refuse_credentials(lock, lock.root(), session.sink);
  for (NodeId id : lock.children(lock.find(lock.root(), "images"))) {
    if (!has_digest(lock[id].key)) continue;
    session.sink.report(
        DiagnosticKind::BadLock, lock[id].key_span,
        "image " + shown(lock[id].key) + " has a digest already; expected the name without it");
  }
}

std::unique_ptr<LockFile> read_lock(Session& session, const std::string& path, NamedBy named_by) {
  auto lock = std::make_unique<LockFile>();
  lock->path = path;
  const std::size_t errors = session.sink.error_count();
  if (named_by == NamedBy::Document && !may_read(session, path, path, {})) return lock;
  const FileId file =
      read_source(path, session.env, session.sources, session.sink, session.limits, named_by);
  if (file == kNoFile) return lock;
  std::vector<Tree> documents = read_yaml(session.sources, file, session.sink, session.limits);
  if (session.sink.error_count() != errors) return lock;
  if (documents.size() != 1) {
    session.sink.report(DiagnosticKind::BadLock, {},
                        shown(path) + " holds " + std::to_string(documents.size()) +
                            " documents; expected one of kind `Lock`");
    return lock;
  }
  lock->tree = std::move(documents.front());
  const Tree& tree = lock->tree;
  check_lock(session, tree);
  for (NodeId id : tree.children(tree.find(tree.root(), "images"))) {
    lock->images.emplace(tree[id].key, LockedImage{tree[id].text, tree[id].span});
  }
  lock->sound = session.sink.error_count() == errors;
  return lock;
}

void pin_images(Session& session, const std::string& spec_path, ObjectSet& objects,
                Origins& origins) {
  const LockFile* lock = lock_for(session, spec_path);
  const bool required = session.locks.settings.required;
  if (lock == nullptr && !required) return;
  if (lock != nullptr && !lock->sound) return;  // which is an error
  Tree& tree = objects.tree;
  for (const ImageUse& use : images_of(objects)) {
    if (has_digest(use.image)) continue;
    const OriginId origin = tree[use.node].origin;
    const LockedImage* locked = nullptr;
    if (lock != nullptr) {
      const auto found = lock->images.find(use.image);
      if (found != lock->images.end()) locked = &found->second;
    }
    if (locked == nullptr) {
      if (!required) continue;
      session.sink
          .report(DiagnosticKind::ImageNotLocked, span_of_origin(origins, origin),
                  "image " + shown(use.image) + " has no digest, and " +
                      (lock == nullptr ? "there is no lock file"
                                       : shown(lock->path) + " has none for it"))
          .note("`trainyard lock SPEC --digest " + use.image + "=sha256:...` adds it");
      continue;
    }
    Node& node = tree[use.node];
    const std::string whole = use.image + "@" + std::string(locked->digest);
    node.text = tree.intern(whole.substr(use.elsewhere));
    node.origin = origins.add(OriginKind::Lock, locked->place, {}, {origin});
  }
}

}  // namespace trainyard
