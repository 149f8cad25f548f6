#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "convert/job_metadata.h"
#include "convert/pod_template_reader.h"
#include "convert/role_values.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSharedMemory = "/dev/shm";
constexpr std::string_view kSharedMemoryVolume = "shared-memory";  // as a build calls it
constexpr std::int64_t kExecutable = 493;                          // 0755
// Sources that the language takes in their Kubernetes shape.
constexpr std::string_view kShapes[] = {"ephemeral", "emptyDir",  "hostPath", "nfs",
                                        "csi",       "configMap", "secret"};

View volume_named(View spec, std::string_view name) {
  for (View each : items_at(spec, "volumes")) {
    if (string_at(each, "name") == name) return each;
  }
  return {};
}

/// The only source of a volume.
View source_of(View volume) {
  for (View each : Items(volume)) {
    if (each->key != "name") return each;
  }
  return {};
}

std::int64_t mounts_of(View container, std::string_view volume) {
  std::int64_t count = 0;
  for (View each : items_at(container, "volumeMounts")) {
    count += string_at(each, "name") == volume ? 1 : 0;
  }
  return count;
}

/// Half, as the rule for shared memory rounds it.
std::optional<Quantity> default_shared_memory(View main) {
  constexpr std::int64_t kMebi = 1024 * 1024;
  constexpr std::int64_t kGibi = 1024 * kMebi;
  const View limit = get(get(get(main, "resources"), "limits"), "memory");
  const auto memory = limit ? Quantity::parse(limit->text) : std::nullopt;
  if (!memory) return std::nullopt;
  const std::int64_t half = memory->whole_units().value_or(0) / 2;
  const std::int64_t unit = half >= kGibi ? kGibi : kMebi;
  return Quantity::of(half / unit * unit, Quantity::Format::Binary);
}

class MountReader {
 public:
  explicit MountReader(PodParts& parts) : parts_(parts), job_(parts.job) {}

  void read() {
    for (View mount : items_at(parts_.main, "volumeMounts")) one(mount);
    // A mount of another sort at that path takes the place of what a build would make.
    const bool wants = parts_.role.gpus > 0 || parts_.role.processes > 1;
    if (!is_shared_memory_said_ && wants) {
      job_.maker.put(job_.map_at(parts_.fields(), "resources"), "sharedMemory", job_.text("0"));
    }
    for (View volume : items_at(parts_.spec, "volumes")) {
      if (!taken_.contains(string_at(volume, "name"))) keep_volume(volume);
    }
  }

 private:
  void one(View mount) {
    const std::string_view name = string_at(mount, "name");
    const View volume = volume_named(parts_.spec, name);
    const View source = volume ? source_of(volume) : View();
    const bool is_claim = source && source->key == "persistentVolumeClaim";
    const bool is_alone = mounts_of(parts_.main, name) == 1;
    if (!source || volume->size != 2 || !(is_alone || (is_claim && may_share(name))) ||
        !is_plain(mount)) {
      return keep_mount(mount);
    }
    if (is_shared_memory(mount, source)) return shared_memory(mount, volume, source);
    if (source->key == "configMap" && staged_files(mount, volume, source)) return;
    if (is_claim) return claim(mount, volume, source);
    if (std::ranges::find(kShapes, source->key) == std::end(kShapes)) return keep_mount(mount);
    const NodeId entry = storage(mount, volume);
    job_.carry(entry, source);
  }

  static bool is_plain(View mount) {
    for (View each : Items(mount)) {
      const bool known = each->key == "name" || each->key == "mountPath" ||
                         each->key == "readOnly" || each->key == "subPath";
      if (!known) return false;
    }
    return true;
  }

  /// Whether each of several mounts of a volume can be an entry of `storage`.
  bool may_share(std::string_view volume) const {
    constexpr std::size_t kLongest = 60;  // with a number behind it
    if (volume.size() > kLongest) return false;
    for (View each : items_at(parts_.main, "volumeMounts")) {
      if (string_at(each, "name") == volume && !is_plain(each)) return false;
    }
    return true;
  }

  /// How many mounts of the same volume stand before this one.
  std::int64_t mounts_before(View mount) const {
    std::int64_t count = 0;
    for (View each : items_at(parts_.main, "volumeMounts")) {
      if (each.id() == mount.id()) break;
      count += string_at(each, "name") == string_at(mount, "name") ? 1 : 0;
    }
    return count;
  }

  /// The name of the entry of `storage` for a mount: that of its volume, and with a number for
  /// further mounts of it.
  std::string_view entry_name(View mount) {
    const std::string_view name = string_at(mount, "name");
    std::int64_t number = mounts_before(mount) + 1;
    if (number == 1) return name;
    std::string made;
    do {
      made = std::string(name) + "-" + std::to_string(number);
      number += mounts_of(parts_.main, name);
    } while (volume_named(parts_.spec, made));
    return job_.maker.tree.intern(made);
  }

  bool used_elsewhere(std::string_view volume) const {
    std::int64_t count = 0;
    for (std::string_view list : {"containers", "initContainers"}) {
      for (View each : items_at(parts_.spec, list)) count += mounts_of(each, volume);
    }
    return count != mounts_of(parts_.main, volume);
  }

  bool is_shared_memory(View mount, View source) const {
    const std::size_t fields = get(source, "sizeLimit") ? 2 : 1;
    return string_at(mount, "mountPath") == kSharedMemory && mount->size == 2 &&
           (!job_.ours || string_at(mount, "name") == kSharedMemoryVolume) &&
           source->size == fields && source->key == "emptyDir" &&
           string_at(source, "medium") == "Memory" && !used_elsewhere(string_at(mount, "name"));
  }

  void shared_memory(View mount, View volume, View source) {
    const View size = get(source, "sizeLimit");
    const auto own = size ? Quantity::parse(size->text) : std::nullopt;
    const auto usual = default_shared_memory(parts_.main);
    // For ranks that mpirun starts, whose number is read later, a build mounts memory, too.
    const bool by_build = job_.ours && !size && job_.framework == "mpi";
    const bool made_anyway = parts_.role.gpus > 0 || parts_.role.processes > 1 || by_build;
    const bool is_default =
        made_anyway && own.has_value() == usual.has_value() && (!own || *own == *usual);
    // No limit of its own beside a limit of memory; or one that may be above the limit that a build
    // gives to a pod that only starts the others.
    const bool starts = parts_.role.name == "launcher" || parts_.role.name == "head";
    if (!is_default && (!size || (starts && !usual))) {
      job_.carry(storage(mount, volume), source);
      return;
    }
    if (!is_default) {
      job_.carry(job_.map_at(parts_.fields(), "resources"), "sharedMemory", size);
    }
    is_shared_memory_said_ = true;
    taken_.insert(string_at(mount, "name"));
    job_.ledger.derived(mount);
    job_.ledger.derived(volume);
  }

  /// The entry of `storage` for a mount, without its source.
  NodeId storage(View mount, View volume) {
    taken_.insert(string_at(mount, "name"));
    const NodeId all = job_.map_at(parts_.fields(), "storage");
    const NodeId entry = job_.map_at(all, entry_name(mount));
    job_.carry(entry, "mountPath", get(mount, "mountPath"));
    job_.ledger.carried(get(mount, "name"));
    job_.ledger.carried(get(volume, "name"));
    const View read_only = get(mount, "readOnly");
    if (is_true(read_only)) job_.maker.put(entry, "readOnly", job_.truth(true));
    job_.ledger.carried(read_only);
    if (const View sub_path = get(mount, "subPath")) job_.carry(entry, "subPath", sub_path);
    return entry;
  }

  void claim(View mount, View volume, View source) {
    const NodeId entry = storage(mount, volume);
    const View name = get(source, "claimName");
    const View read_only = get(source, "readOnly");
    if (is_true(read_only) && !is_true(get(mount, "readOnly"))) {
      job_.maker.put(entry, "readOnly", job_.truth(true));
    }
    job_.ledger.carried(read_only);
    const View object = name ? job_.find("", "PersistentVolumeClaim", name->text) : View();
    if (object && !is_true(read_only) && can_create(object) && mounts_before(mount) == 0) {
      create(entry, object, string_at(mount, "name"));
      job_.ledger.carried(name);
    } else {
      job_.carry(entry, "claim", name);
    }
  }

  /// Whether the language can say all that the claim asks for.
  static bool can_create(View object) {
    const View spec = get(object, "spec");
    for (View each : Items(spec)) {
      const bool mode = each->key == "volumeMode" && each->text == "Filesystem";
      // An empty class asks for a volume that is there, which a spec cannot say.
      const bool of_class = each->key == "storageClassName" && !each->text.empty();
      const bool known = each->key == "accessModes" || of_class || each->key == "resources" || mode;
      if (!known) return false;
    }
    return static_cast<bool>(get(get(get(spec, "resources"), "requests"), "storage"));
  }

  void create(NodeId entry, View object, std::string_view mount) {
    settle_metadata_of_part(job_, object);
    const View spec = get(object, "spec");
    const View name = get(get(object, "metadata"), "name");
    const NodeId made = job_.map_at(entry, "create");
    if (name->text != job_.name + "-" + std::string(mount)) job_.carry(made, "name", name);
    job_.ledger.derived(get(spec, "volumeMode"));
    job_.carry(made, "size", get(get(get(spec, "resources"), "requests"), "storage"));
    if (const View name_of_class = get(spec, "storageClassName")) {
      job_.carry(made, "storageClassName", name_of_class);
    }
    const View modes = get(spec, "accessModes");
    const std::string_view usual = job_.several_pods() ? "ReadWriteMany" : "ReadWriteOnce";
    const bool is_default =
        has_items(modes) && modes->size == 1 && (*Items(modes).begin())->text == usual;
    if (is_default) {
      job_.ledger.derived(modes);
    } else if (has_items(modes)) {
      job_.carry(made, "accessModes", modes);
    }
  }

  // --- files of a ConfigMap that is among the inputs

  struct StagedItem {
    View text;
    std::string_view path;
    bool executable = false;
  };

  /// The files that a volume shows, when the language can carry each of them.
  std::optional<std::vector<StagedItem>> staged_items(View source, View object) const {
    const View data = get(object, "data");
    for (View each : Items(source)) {
      if (each->key != "name" && each->key != "items") return std::nullopt;
    }
    std::vector<StagedItem> result;
    if (const View items = get(source, "items")) {
      for (View item : Items(items)) {
        const View text = get(data, string_at(item, "key"));
        const View mode = get(item, "mode");
        const bool executable = integer_of(mode) == kExecutable;
        if (!text || (mode && !executable)) return std::nullopt;
        result.push_back({text, string_at(item, "path"), executable});
      }
      return result;
    }
    if (has_items(get(object, "binaryData"))) return std::nullopt;
    for (View text : Items(data)) result.push_back({text, text->key, false});
    return result;
  }

  bool staged_files(View mount, View volume, View source) {
    const View object = job_.find("", "ConfigMap", string_at(source, "name"));
    if (!object || get(mount, "subPath")) return false;
    const auto items = staged_items(source, object);
    if (!items || items->empty()) return false;
    if (used_elsewhere(string_at(mount, "name"))) return false;
    const NodeId files = job_.map();
    if (string_at(mount, "mountPath") != "/src") {
      job_.maker.put(files, "mountPath", job_.maker.copy(get(mount, "mountPath")));
    }
    const NodeId list = job_.list_at(files, "items");
    for (const StagedItem& each : *items) {
      const NodeId item = job_.map();
      job_.maker.put(item, "path", job_.text(each.path));
      job_.maker.put(item, "content", job_.maker.copy(each.text));
      if (each.executable) job_.maker.put(item, "executable", job_.truth(true));
      job_.maker.tree.append(list, item);
    }
    const View known = job_.shared_at({"files"});
    if (known && !equal(known.tree(), known.id(), job_.maker.tree, files)) return false;
    say_of_program(job_, {"files"}, files, {});
    settle_metadata_of_part(job_, object);
    for (const StagedItem& each : *items) job_.ledger.carried(each.text);
    job_.ledger.derived(get(object, "immutable"));
    taken_.insert(string_at(mount, "name"));
    settle_files(mount, volume, source);
    return true;
  }

  void settle_files(View mount, View volume, View source) {
    for (std::string_view key : {"name", "mountPath", "readOnly"}) {
      job_.ledger.carried(get(mount, key));
    }
    job_.ledger.carried(get(volume, "name"));
    job_.ledger.carried(get(source, "name"));
    for (View item : items_at(source, "items")) {
      for (std::string_view key : {"key", "path", "mode"}) job_.ledger.carried(get(item, key));
    }
  }

  // --- what only `pod` can say

  void keep_mount(View mount) {
    const NodeId list = job_.list_at(parts_.own_container(), "volumeMounts");
    job_.maker.tree.append(list, job_.maker.copy(mount));
    job_.ledger.carried(mount);
  }

  void keep_volume(View volume) {
    const NodeId list = job_.list_at(parts_.own_spec(), "volumes");
    job_.maker.tree.append(list, job_.maker.copy(volume));
    job_.ledger.carried(volume);
  }

  PodParts& parts_;
  Conversion& job_;
  std::set<std::string_view> taken_;    // volumes that a build makes again
  bool is_shared_memory_said_ = false;  // by its size, or as a build makes it
};

}  // namespace

void read_mounts(PodParts& parts) {
  MountReader(parts).read();
}

}  // namespace trainyard
