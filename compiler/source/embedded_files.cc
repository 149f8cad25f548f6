#include "source/embedded_files.h"

#include <array>
#include <cstring>

namespace trainyard {
namespace {

// Magic, number of files, then for each file, sorted by path: place and size of its path, place and
// size of its bytes; then these texts. Numbers are 32-bit in the byte order of the machine.
constexpr std::string_view kMagic = "TYFILE01";
constexpr std::size_t kHead = 12;
constexpr std::size_t kEntry = 16;

struct Entry {
  std::uint32_t path, path_size, bytes, bytes_size;
};
static_assert(sizeof(Entry) == kEntry);

template <class Record>
Record read_at(std::string_view image, std::size_t offset) {
  Record record;
  std::memcpy(&record, image.data() + offset, sizeof record);
  return record;
}

Entry entry_at(std::string_view image, std::uint32_t index) {
  return read_at<Entry>(image, kHead + index * kEntry);
}

bool within(std::string_view image, std::uint32_t offset, std::uint32_t size) {
  return offset <= image.size() && size <= image.size() - offset;
}

template <class Record>
void put(const Record& record, std::string& image) {
  image.append(reinterpret_cast<const char*>(&record), sizeof record);
}

}  // namespace

std::optional<EmbeddedFiles> EmbeddedFiles::open(std::string_view image) {
  if (image.size() < kHead || !image.starts_with(kMagic)) return std::nullopt;
  EmbeddedFiles files;
  files.image_ = image;
  files.count_ = read_at<std::uint32_t>(image, kMagic.size());
  if (files.count_ > (image.size() - kHead) / kEntry) return std::nullopt;
  for (std::uint32_t i = 0; i < files.count_; ++i) {
    const Entry e = entry_at(image, i);
    if (!within(image, e.path, e.path_size) || !within(image, e.bytes, e.bytes_size)) {
      return std::nullopt;
    }
    if (i != 0 && files.file(i - 1).path >= files.file(i).path) return std::nullopt;
  }
  return files;
}

EmbeddedFiles::File EmbeddedFiles::file(std::uint32_t index) const {
  const Entry e = entry_at(image_, index);
  return {image_.substr(e.path, e.path_size), image_.substr(e.bytes, e.bytes_size)};
}

std::uint32_t EmbeddedFiles::first_not_before(std::string_view path) const {
  std::uint32_t low = 0;
  std::uint32_t high = count_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (file(middle).path < path) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::optional<std::string_view> EmbeddedFiles::find(std::string_view path) const {
  const std::uint32_t index = first_not_before(path);
  if (index == count_ || file(index).path != path) return std::nullopt;
  return file(index).bytes;
}

std::vector<EmbeddedFiles::File> EmbeddedFiles::list(std::string_view prefix) const {
  std::vector<File> result;
  for (std::uint32_t i = first_not_before(prefix); i < count_; ++i) {
    const File found = file(i);
    if (!found.path.starts_with(prefix)) break;
    result.push_back(found);
  }
  return result;
}

std::string archive_files(const std::map<std::string, std::string>& files) {
  std::string image(kMagic);
  put(static_cast<std::uint32_t>(files.size()), image);
  std::size_t at = kHead + files.size() * kEntry;
  const auto place = [&at](const std::string& text) {
    const std::array range = {static_cast<std::uint32_t>(at),
                              static_cast<std::uint32_t>(text.size())};
    at += text.size();
    return range;
  };
  std::string texts;
  for (const auto& [path, bytes] : files) {
    put(place(path), image);
    put(place(bytes), image);
    texts += path;
    texts += bytes;
  }
  return image + texts;
}

}  // namespace trainyard
