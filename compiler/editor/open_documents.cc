#include "editor/open_documents.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "editor/file_uri.h"

namespace trainyard {

std::string normal_path(std::string_view path) {
  return std::filesystem::path(path).lexically_normal().generic_string();
}

OpenDocument& OpenDocuments::open(const std::string& uri, std::int64_t version, std::string text) {
  OpenDocument& document = documents_[uri];
  document.uri = uri;
  document.path = path_of_uri(uri);
  const bool is_file = document.path.starts_with('/');
  document.path = is_file ? normal_path(document.path) : document.path + ".yaml";
  document.version = version;
  document.text = std::move(text);
  document.lines = LineIndex(document.text);
  return document;
}

OpenDocument* OpenDocuments::change(std::string_view uri, std::int64_t version,
                                    const TextChange& change, PositionUnit unit) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return nullptr;
  OpenDocument& document = found->second;
  if (change.begin) {
    const std::size_t begin = document.lines.offset(document.text, *change.begin, unit);
    const std::size_t end = std::max(begin, document.lines.offset(document.text, change.end, unit));
    document.text.replace(begin, end - begin, change.text);
  } else {
    document.text = change.text;
  }
  document.version = version;
  document.lines = LineIndex(document.text);
  return &document;
}

void OpenDocuments::close(std::string_view uri) {
  const auto found = documents_.find(uri);
  if (found != documents_.end()) documents_.erase(found);
}

const OpenDocument* OpenDocuments::find(std::string_view uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

const OpenDocument* OpenDocuments::at_path(const std::string& path) const {
  std::string plain;
  for (const auto& [uri, document] : documents_) {
    if (document.path == path) return &document;
    if (plain.empty() && path.find("/.") != path.npos) plain = normal_path(path);
    if (!plain.empty() && document.path == plain) return &document;
  }
  return nullptr;
}

FileRead OpenDocuments::read(const std::string& path, std::size_t limit, Accept accept) {
  const OpenDocument* const document = at_path(path);
  if (document == nullptr) return disk_.read(path, limit, accept);
  FileRead read;
  if (document->text.size() > limit) {
    read.error = {FileError::Reason::TooLarge,
                  "is larger than " + std::to_string(limit) + " bytes"};
  } else {
    read.text = document->text;
  }
  return read;
}

bool OpenDocuments::exists(const std::string& path) {
  return at_path(path) != nullptr || disk_.exists(path);
}

std::optional<std::string> OpenDocuments::real_path(const std::string& path) {
  auto real = disk_.real_path(path);
  if (!real && at_path(path) != nullptr) real = normal_path(path);
  return real;
}

std::optional<FileError> OpenDocuments::write(const std::string&, std::string_view) {
  return FileError{FileError::Reason::NotPermitted, "is open in an editor"};
}

}  // namespace trainyard
