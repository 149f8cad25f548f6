#include "driver/rehearse/rehearsed_volumes.h"

#include <algorithm>

#include "diag/words.h"
#include "source/base64.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

class MountReader {
 public:
  MountReader(const Inventory& inventory, const ControllerObjects& objects,
              std::string_view name_space, std::vector<std::string>& differences)
      : inventory_(inventory), objects_(objects), space_(name_space), differences_(differences) {}

  RehearsedMount read(View volume, View mount) {
    RehearsedMount result{.path = std::string(string_at(mount, "mountPath")),
                          .name = std::string(string_at(volume, "name")),
                          .sub_path = std::string(string_at(mount, "subPath")),
                          .read_only = is_true(get(mount, "readOnly"))};
    if (const View empty = get(volume, "emptyDir")) {
      if (string_at(empty, "medium") == "Memory") {
        result.source = RehearsedMount::Source::Memory;
        const auto size = Quantity::parse(string_at(empty, "sizeLimit"));
        if (size) result.size = size->whole_units().value_or(0);
      }
      return result;
    }
    std::vector<View> sources;
    for (View each : items_at(get(volume, "projected"), "sources")) sources.push_back(each);
    if (sources.empty()) sources.push_back(volume);
    for (View each : sources) add_files(each, result);
    if (!result.files.empty()) return result;
    result.source = RehearsedMount::Source::Shared;
    tell(described(volume) + " at `" + result.path +
         "`: an empty folder; `--mount DIR:" + result.path + "` shows your folder there");
    return result;
  }

  /// The API server refuses other paths.
  static bool stays_below(std::string_view path) {
    return ("/" + std::string(path) + "/").find("/../") == std::string::npos;
  }

 private:
  void add_files(View source, RehearsedMount& mount) {
    if (add_made_files(source, mount)) return;
    const View reference = get(source, "configMap");
    if (!reference) return;
    const View object = inventory_.find("", "ConfigMap", space_, string_at(reference, "name"));
    mount.source = RehearsedMount::Source::Files;
    const auto mode = integer_at(reference, "defaultMode").value_or(0644);
    for (std::string_view key : {"data", "binaryData"}) {
      for (View each : entries_at(object, key)) {
        std::string text(each->text);
        if (key == "binaryData") text = from_base64(text).value_or("");
        add_file(get(reference, "items"), each->key, std::move(text), mode, mount);
      }
    }
  }

  /// Of an object that the job's controller makes. ssh refuses keys that others can read.
  bool add_made_files(View source, RehearsedMount& mount) const {
    const View secret = get(source, "secret");
    const View reference = secret ? secret : get(source, "configMap");
    const std::string_view own = string_at(reference, "name");
    const std::string name(own.empty() ? string_at(reference, "secretName") : own);
    const auto found = objects_.data.find(name);
    if (found == objects_.data.end()) return false;
    mount.source = RehearsedMount::Source::Files;
    const auto mode = integer_at(reference, "defaultMode").value_or(0644);
    for (const auto& [key, text] : found->second) {
      add_file(get(reference, "items"), key, text, mode, mount);
    }
    for (RehearsedFile& each : mount.files) {
      if (name == objects_.keys) each.mode = (each.mode & 0700U) | 0400U;
    }
    return true;
  }

  /// Under the path of its item; where there are items, other keys are no files.
  static void add_file(View items, std::string_view key, std::string text, std::int64_t mode,
                       RehearsedMount& mount) {
    if (!items && stays_below(key)) {
      mount.files.push_back({std::string(key), std::move(text), static_cast<std::uint32_t>(mode)});
    }
    for (View each : Items(items)) {
      if (string_at(each, "key") != key || !stays_below(string_at(each, "path"))) continue;
      mount.files.push_back({std::string(string_at(each, "path")), text,
                             static_cast<std::uint32_t>(integer_at(each, "mode").value_or(mode))});
    }
  }

  static std::string described(View volume) {
    for (const auto& [kind, key, word] : {
             std::tuple("persistentVolumeClaim", "claimName", "claim"),
             std::tuple("hostPath", "path", "path of the node"),
             std::tuple("secret", "secretName", "Secret"),
             std::tuple("configMap", "name", "ConfigMap"),
         }) {
      const std::string_view name = string_at(get(volume, kind), key);
      if (!name.empty()) return std::string(word) + " " + shown(name);
    }
    return "volume " + shown(string_at(volume, "name"));
  }

  void tell(std::string line) {
    if (std::ranges::count(differences_, line) == 0) differences_.push_back(std::move(line));
  }

  const Inventory& inventory_;
  const ControllerObjects& objects_;
  std::string_view space_;
  std::vector<std::string>& differences_;
};

}  // namespace

std::vector<RehearsedMount> rehearsed_mounts(const Inventory& inventory,
                                             const ControllerObjects& objects,
                                             std::string_view name_space, View pod_spec,
                                             View container,
                                             const std::map<std::string, std::string>& folders,
                                             std::vector<std::string>& differences) {
  MountReader reader(inventory, objects, name_space, differences);
  std::vector<RehearsedMount> mounts;
  for (View mount : items_at(container, "volumeMounts")) {
    if (folders.contains(std::string(string_at(mount, "mountPath")))) continue;
    for (View volume : items_at(pod_spec, "volumes")) {
      if (string_at(volume, "name") != string_at(mount, "name")) continue;
      if (!MountReader::stays_below(string_at(mount, "name")) ||
          !MountReader::stays_below(string_at(mount, "subPath"))) {
        continue;
      }
      mounts.push_back(reader.read(volume, mount));
    }
  }
  for (const auto& [path, folder] : folders) {
    mounts.push_back({.path = path,
                      .source = RehearsedMount::Source::Folder,
                      .name = folder,
                      .read_only = true});
  }
  std::ranges::stable_sort(mounts, {}, &RehearsedMount::path);
  return mounts;
}

bool shows(const std::map<std::string, std::string>& folders, const std::string& path) {
  return std::ranges::any_of(folders, [&](const auto& each) {
    return (each.first + "/").starts_with(path + "/") || (path + "/").starts_with(each.first + "/");
  });
}

}  // namespace trainyard
