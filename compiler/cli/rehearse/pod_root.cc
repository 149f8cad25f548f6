#include "cli/rehearse/pod_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "diag/words.h"
#include "source/file_error.h"

namespace trainyard {
namespace {

bool mount_on(const std::string& path, const char* type, const std::string& options = {}) {
  return ::mount(type, path.c_str(), type, MS_NOSUID, options.c_str()) == 0;
}

bool bind_mount(const std::string& from, const std::string& to, bool read_only) {
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return !read_only ||
         ::mount_setattr(AT_FDCWD, to.c_str(), AT_RECURSIVE, &attributes, sizeof attributes) == 0;
}

bool make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != path.npos;
       slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0755);
  }
  return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
}

bool write_file(const std::string& path, const std::string& text, std::uint32_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file == -1) return false;
  const bool is_whole =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::fchmod(file, mode);
  ::close(file);
  return is_whole;
}

void make_link(const std::string& target, const std::string& place) {
  [[maybe_unused]] const int made = ::symlink(target.c_str(), place.c_str());
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const opened = ::opendir(folder.c_str());
  if (opened == nullptr) return names;
  while (const dirent* each = ::readdir(opened)) {
    const std::string_view name(each->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(opened);
  return names;
}

/// Where the root of this machine is while a pod gets its mounts.
constexpr const char* kOld = "/.trainyard-old";

class RootMaker {
 public:
  RootMaker(const RehearsedPod& pod, const PodFolders& folders,
            const std::map<std::string, std::string>& etc)
      : pod_(pod), folders_(folders), etc_(etc), root_(folders.own + "/root") {}

  std::string enter() {
    char before[4096] = "";
    if (::getcwd(before, sizeof before) == nullptr) before[0] = '\0';
    make_folders(root_);
    const bool is_made = pod_.root.empty() ? add_machine() : add_layer(pod_.root, root_, 0755);
    // From here on links and steps of a path lead nowhere but into the pod's own root.
    if (!is_made || !make_folders(root_ + kOld) || ::chdir(root_.c_str()) != 0 ||
        ::syscall(SYS_pivot_root, ".", &kOld[1]) != 0 || ::chdir("/") != 0) {
      return failed("the root of the pod");
    }
    make_folders("/tmp");
    ::chmod("/tmp", 01777);
    for (const char* name : {"proc", "sys"}) add_system(name);
    if (!add_devices()) return failed("devices of the pod");
    for (const RehearsedMount& each : pod_.mounts) {
      if (!add(each)) return failed("a place for `" + each.path + "`");
    }
    if (::umount2(kOld, MNT_DETACH) != 0) return failed("the root of the pod");
    ::rmdir(kOld);
    const std::string place = pod_.working_directory.empty() ? before : pod_.working_directory;
    if (!pod_.working_directory.empty()) make_folders(place);
    if (::chdir(place.c_str()) != 0 && ::chdir("/") != 0) return failed("its working directory");
    return {};
  }

 private:
  static std::string failed(const std::string& what) {
    return what + " cannot be made: " + error_from(errno).message;
  }

  bool add_machine() {
    if (!mount_on(root_, "tmpfs", "mode=755")) return false;
    for (const std::string& name : names_in("/")) {
      if (name != "proc" && name != "sys" && name != "dev") add("/" + name, 1);
    }
    return true;
  }

  /// A part of this machine's files. What others mounted below a folder cannot be a part of an
  /// overlay: then its entries are added one by one.
  void add(const std::string& path, int depth) {
    constexpr int kDeepest = 4;
    struct stat found = {};
    if (::lstat(path.c_str(), &found) != 0) return;
    const std::string place = root_ + path;
    if (S_ISLNK(found.st_mode)) {
      char target[4096];
      const ssize_t length = ::readlink(path.c_str(), target, sizeof target - 1);
      if (length > 0) make_link(std::string(target, static_cast<std::size_t>(length)), place);
      return;
    }
    if (!S_ISDIR(found.st_mode)) {
      if (::access(place.c_str(), F_OK) != 0 && write_file(place, "", 0644))
        bind_mount(path, place, true);
      return;
    }
    ::mkdir(place.c_str(), found.st_mode & 07777);
    ::chmod(place.c_str(), found.st_mode & 07777);
    if (add_layer(path, place, found.st_mode & 07777)) return;
    if (path == "/etc") write_own(place);
    if (depth == kDeepest) {
      bind_mount(path, place, true);
      return;
    }
    for (const std::string& name : names_in(path)) add(path + "/" + name, depth + 1);
  }

  bool add_layer(const std::string& path, const std::string& place, mode_t mode) {
    if (path.find_first_of(":,\\") != path.npos) return false;
    const std::string layer = folders_.own + "/layers/" + std::to_string(layers_++);
    make_folders(layer + "/work");
    make_folders(layer + "/upper");
    ::chmod((layer + "/upper").c_str(), mode);
    if (path == "/etc") write_own(layer + "/upper");
    if (path == pod_.root) write_own(layer + "/upper/etc");
    add_places(path, layer + "/upper");
    const std::string options =
        "lowerdir=" + path + ",upperdir=" + layer + "/upper,workdir=" + layer + "/work";
    return mount_on(place, "overlay", options) ||
           mount_on(place, "overlay", options + ",userxattr");
  }

  /// Of mounts below a folder. Without root, a folder of another owner takes no new entries later.
  void add_places(const std::string& path, const std::string& upper) const {
    const std::size_t begin = path == pod_.root ? 0 : path.size();
    for (const RehearsedMount& each : pod_.mounts) {
      if (!each.path.starts_with(path.substr(0, begin) + "/") ||
          (each.path + "/").find("/../") != std::string::npos) {
        continue;
      }
      for (std::size_t slash = each.path.find('/', begin + 1); slash != each.path.npos;
           slash = each.path.find('/', slash + 1)) {
        const std::string part = each.path.substr(begin, slash - begin);
        struct stat found = {};
        if (::lstat((path + part).c_str(), &found) == 0 && !S_ISDIR(found.st_mode)) break;
        ::mkdir((upper + part).c_str(), 0755);
      }
    }
  }

  void write_own(const std::string& folder) {
    make_folders(folder);
    for (const auto& [name, text] : etc_) write_file(folder + "/" + name, text, 0644);
  }

  void add_system(const std::string& name) {
    const std::string place = "/" + name;
    make_folders(place);
    // Some containers hide parts of them; then no new ones can be mounted.
    if (!mount_on(place, name == "proc" ? "proc" : "sysfs")) bind_mount(kOld + place, place, false);
  }

  bool add_devices() {
    const std::string place = "/dev";
    if (!make_folders(place) || !mount_on(place, "tmpfs", "mode=755")) return false;
    for (const char* name : {"null", "zero", "full", "random", "urandom", "tty"}) {
      const std::string device = "/dev/" + std::string(name);
      if (!write_file(device, "", 0666) || !bind_mount(kOld + device, device, false)) return false;
    }
    for (const auto& [name, target] :
         {std::pair("fd", "/proc/self/fd"), std::pair("stdin", "/proc/self/fd/0"),
          std::pair("stdout", "/proc/self/fd/1"), std::pair("stderr", "/proc/self/fd/2"),
          std::pair("ptmx", "pts/ptmx")}) {
      make_link(target, place + "/" + name);
    }
    ::mkdir((place + "/pts").c_str(), 0755);
    mount_on(place + "/pts", "devpts", "newinstance,ptmxmode=0666");
    ::mkdir((place + "/shm").c_str(), 01777);
    // What container runtimes give a container without a volume there.
    return mount_on(place + "/shm", "tmpfs", "mode=1777,size=64m");
  }

  bool add(const RehearsedMount& mount) {
    using Source = RehearsedMount::Source;
    const std::string& place = mount.path;
    const std::string above =
        mount.source == Source::Shared ? folders_.shared : folders_.own + "/volumes";
    std::string from =
        kOld + (mount.source == Source::Folder ? mount.name : above + "/" + mount.name);
    if (mount.source == Source::Memory) {
      const std::string size = mount.size == 0 ? "" : ",size=" + std::to_string(mount.size);
      return make_folders(place) && mount_on(place, "tmpfs", "mode=1777" + size);
    }
    if (mount.source != Source::Folder) {
      make_folders(from);
      ::chmod(from.c_str(), 01777);
    }
    for (const RehearsedFile& each : mount.files) {
      const std::string path = from + "/" + each.path;
      make_folders(path.substr(0, path.rfind('/')));
      if (!write_file(path, each.text, each.mode)) return false;
    }
    if (!mount.sub_path.empty()) {
      from += "/" + mount.sub_path;
      if (::access(from.c_str(), F_OK) != 0) make_folders(from);
    }
    struct stat found = {};
    if (::stat(from.c_str(), &found) != 0) return false;
    if (S_ISDIR(found.st_mode))
      return make_folders(place) && bind_mount(from, place, mount.read_only);
    make_folders(place.substr(0, place.rfind('/')));
    return (::access(place.c_str(), F_OK) == 0 || write_file(place, "", 0644)) &&
           bind_mount(from, place, mount.read_only);
  }

  const RehearsedPod& pod_;
  const PodFolders& folders_;
  const std::map<std::string, std::string>& etc_;
  std::string root_;
  int layers_ = 0;
};

}  // namespace

std::string enter_pod_root(const RehearsedPod& pod, const PodFolders& folders,
                           const std::map<std::string, std::string>& etc) {
  return RootMaker(pod, folders, etc).enter();
}

}  // namespace trainyard
