#include "driver/session/document_library.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

constexpr std::string_view kExtension = ".yaml";

/// Where the documents of a type are, and how they are read.
template <class Document>
struct Form;

template <>
struct Form<Fabric> {
  static constexpr std::string_view kFolder = "fabrics/";
  static constexpr std::string_view kKind = "Fabric";
  static constexpr std::string_view kWord = "fabric";
  static constexpr auto kDecode = decode_fabric;
};

template <>
struct Form<Transfer> {
  static constexpr std::string_view kFolder = "data/";
  static constexpr std::string_view kKind = "Transfer";
  static constexpr std::string_view kWord = "transfer";
  static constexpr auto kDecode = decode_transfer;
};

}  // namespace

template <class Document>
const Document* DocumentLibrary<Document>::find(std::string_view name) {
  auto found = entries_.find(name);
  if (found == entries_.end()) {
    auto entry = std::make_unique<Entry>();
    entry->usable = load(name, *entry);
    found = entries_.emplace(std::string(name), std::move(entry)).first;
  }
  return found->second->usable ? &found->second->document : nullptr;
}

template <class Document>
bool DocumentLibrary<Document>::load(std::string_view name, Entry& entry) {
  const auto file = files_.find(std::string(Form<Document>::kFolder) + std::string(name) +
                                std::string(kExtension));
  if (!file) return false;
  const std::size_t errors = sink_.error_count();
  std::vector<Tree> documents = read_template(*file, sources_, entry.file, sink_);
  if (sink_.error_count() != errors) return false;
  if (documents.size() != 1) {
    sink_.report(DiagnosticKind::BadTargetPack, Span{entry.file, 0, 0},
                 "the file of a " + std::string(Form<Document>::kWord) + " holds one document");
    return false;
  }
  entry.tree = std::move(documents[0]);
  const bool ours = !file->image.empty();  // held against its schema by a test
  if (!ours && !is_sound(entry, name)) return false;
  entry.document = Form<Document>::kDecode(entry.tree, entry.tree.root(), sink_);
  return sink_.error_count() == errors;
}

template <class Document>
bool DocumentLibrary<Document>::is_sound(const Entry& entry, std::string_view name) {
  const std::size_t errors = sink_.error_count();
  const SchemaKind* kind = schemas_.find("trainyard/v1alpha1", Form<Document>::kKind);
  report(checker_.check(kind->schema, entry.tree, entry.tree.root()), entry.tree, {}, sink_);
  const View called = View(entry.tree, entry.tree.root())["metadata"]["name"];
  if (called && called.text() != name) {
    sink_.report(DiagnosticKind::BadTargetPack, called->span,
                 "`name` must be `" + std::string(name) + "`, as the file is called");
  }
  return sink_.error_count() == errors;
}

template <class Document>
std::vector<std::string> DocumentLibrary<Document>::names() {
  std::vector<std::string> result;
  for (std::string path : files_.list(Form<Document>::kFolder)) {
    path.erase(0, Form<Document>::kFolder.size());
    if (path.find('/') != std::string::npos) continue;
    path.erase(path.size() - kExtension.size());
    result.push_back(std::move(path));
  }
  return result;
}

template <class Document>
const Tree* DocumentLibrary<Document>::tree(FileId file) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [file](const auto& entry) { return entry.second->file == file; });
  return found == entries_.end() ? nullptr : &found->second->tree;
}

template class DocumentLibrary<Fabric>;
template class DocumentLibrary<Transfer>;

}  // namespace trainyard
