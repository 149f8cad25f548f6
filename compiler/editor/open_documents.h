#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "editor/text_positions.h"
#include "source/file_system.h"

namespace trainyard {

/// A text that the user has open, as it is in the editor.
struct OpenDocument {
  std::string uri;
  std::string path;  // of its file; a name made of the URI for a text that has none
  std::int64_t version = 0;
  std::string text;
  LineIndex lines;
};

/// A change of a document: the text between two positions, or all of it, and what replaces it.
struct TextChange {
  std::optional<EditorPosition> begin;  // nothing for the whole text
  EditorPosition end;
  std::string_view text;
};

/// What is open in the editor, over the files of the machine: who reads a file that is open gets
/// its text in the editor.
class OpenDocuments : public FileSystem {
 public:
  explicit OpenDocuments(FileSystem& disk) : disk_(disk) {}

  OpenDocument& open(const std::string& uri, std::int64_t version, std::string text);
  /// A document that the client did not open is unknown, and changes nothing.
  OpenDocument* change(std::string_view uri, std::int64_t version, const TextChange& change,
                       PositionUnit unit);
  void close(std::string_view uri);
  const OpenDocument* find(std::string_view uri) const;
  /// By a path in any spelling.
  const OpenDocument* at_path(const std::string& path) const;
  const std::map<std::string, OpenDocument, std::less<>>& all() const { return documents_; }

  FileRead read(const std::string& path, std::size_t limit,
                Accept accept = Accept::RegularFile) override;
  bool is_directory(const std::string& path) override { return disk_.is_directory(path); }
  bool exists(const std::string& path) override;
  Listing list(const std::string& path) override { return disk_.list(path); }
  std::optional<std::string> real_path(const std::string& path) override;
  OpenedFolder open_folder(const std::string& path, FolderUse use) override {
    return disk_.open_folder(path, use);
  }
  /// The server changes no file: the client does.
  std::optional<FileError> write(const std::string& path, std::string_view text) override;

 private:
  FileSystem& disk_;
  std::map<std::string, OpenDocument, std::less<>> documents_;  // by URI
};

/// A path without `.`, `..` and repeated slashes, by its text alone.
std::string normal_path(std::string_view path);

}  // namespace trainyard
