#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A folder of files in one image, used in place.
class EmbeddedFiles {
 public:
  struct File {
    std::string_view path;  // below the folder, `/` between its parts
    std::string_view bytes;
  };

  EmbeddedFiles() = default;
  /// `image` must stay in place. Nothing when it is not an archive, or is damaged.
  static std::optional<EmbeddedFiles> open(std::string_view image);

  /// The content of a file.
  std::optional<std::string_view> find(std::string_view path) const;
  /// The files whose paths begin with `prefix`, in the order of their paths.
  std::vector<File> list(std::string_view prefix = {}) const;
  std::uint32_t size() const { return count_; }

 private:
  File file(std::uint32_t index) const;
  std::uint32_t first_not_before(std::string_view path) const;

  std::string_view image_;
  std::uint32_t count_ = 0;
};

/// The image of these files, by path.
std::string archive_files(const std::map<std::string, std::string>& files);

}  // namespace trainyard
