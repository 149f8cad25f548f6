#include "driver/session/layer_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "driver/session/document_size.h"
#include "driver/session/session.h"
#include "spec/credential_literals.h"
#include "spec/layers.h"
#include "spec/matrix.h"
#include "tree/node_words.h"

namespace trainyard {
namespace {

constexpr std::size_t kDeepest = 32;  // files that extend one another

/// Without `./` and, as far as links allow, without `name/../`.
std::string tidy(std::string path, ReadRoots& roots) {
  while (path.starts_with("./")) path.erase(0, 2);
  std::string shorter = path;
  for (std::size_t up = shorter.find("/../"); up != std::string::npos; up = shorter.find("/../")) {
    const std::size_t before = up == 0 ? 0 : shorter.rfind('/', up - 1) + 1;
    const std::string_view name = std::string_view(shorter).substr(before, up - before);
    if (name.empty() || name == "..") break;
    shorter.erase(before, up + 4 - before);
  }
  const auto& real = roots.real_path(path);
  return !real || real == roots.real_path(shorter) ? shorter : path;
}

bool is_document_name(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

bool is_layer_kind(std::string_view kind) {
  return kind == "TrainingJob" || kind == "TrainingJobLayer";
}

class LayerReader {
 public:
  explicit LayerReader(Session& session) : session_(session) {}

  /// What a document extends. Nothing when one of the files is not sound.
  std::optional<std::vector<const LayerFile*>> bases_of(const Tree& tree, const std::string& path) {
    stack_.push_back(real(path));
    std::vector<const LayerFile*> bases;
    bool sound = true;
    for (NodeId id : entries(tree)) {
      const LayerFile* base = extended(tree[id], path);
      sound = sound && base != nullptr;
      if (base != nullptr) bases.push_back(base);
    }
    stack_.pop_back();
    if (!sound) return std::nullopt;
    return bases;
  }

  /// Null when the file is not sound, which has been reported.
  const LayerFile* file(const std::string& path, Span asked_by) {
    auto& known = session_.layers.by_path[real(path)];
    if (known == nullptr) {
      known = std::make_unique<LayerFile>();
      known->path = path;
      known->asked_by = asked_by;
      const std::size_t before = session_.sink.all().size();
      known->sound = read(*known);
      const std::vector<Diagnostic>& all = session_.sink.all();
      known->faults.assign(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
    } else if (!known->sound) {
      repeat(*known, asked_by);
    }
    return known->sound ? known.get() : nullptr;
  }

 private:
  std::string real(const std::string& path) {
    return session_.roots.real_path(path).value_or(path);
  }

  static std::vector<NodeId> entries(const Tree& tree) {
    const NodeId extends = tree.find(tree.root(), "extends");
    if (extends == kNoNode || tree[extends].kind == Kind::Null) return {};
    if (!tree[extends].is_seq()) return {extends};
    std::vector<NodeId> all;
    for (NodeId id : tree.children(extends)) all.push_back(id);
    return all;
  }

  /// The faults of a file are those of everyone who names it.
  void repeat(const LayerFile& layer, Span asked_by) {
    for (Diagnostic fault : layer.faults) {
      if (fault.span == layer.asked_by) fault.span = asked_by;
      session_.sink.report(std::move(fault));
    }
  }

  void bad(Span where, std::string message) {
    session_.sink.report(DiagnosticKind::BadLayer, where, std::move(message));
  }

  const LayerFile* extended(const Node& entry, const std::string& path) {
    if (entry.kind != Kind::String || entry.text.empty()) {
      session_.sink.report(DiagnosticKind::WrongType, entry.span,
                           "found " + described(entry) +
                               ", wanted the path of a file below this one, or a list of paths");
      return nullptr;
    }
    if (entry.text.starts_with('/') || !is_document_name(entry.text)) {
      bad(entry.span, shown(entry.text) +
                          " cannot be extended; expected a path relative to this "
                          "file that ends in `.yaml`, `.yml` or `.json`");
      return nullptr;
    }
    const std::string base = tidy(folder_of(path) + std::string(entry.text), session_.roots);
    if (!may_read(session_, path, base, entry.span)) return nullptr;
    const auto before = std::ranges::find(stack_, real(base));
    if (before != stack_.end()) {
      const bool itself = before + 1 == stack_.end();
      session_.sink.report(DiagnosticKind::ExtendsCycle, entry.span,
                           itself
                               ? "the file extends itself"
                               : shown(base) + " extends this file in turn, through " +
                                     std::to_string(stack_.end() - before - 1) +
                                     (stack_.end() - before == 2 ? " other file" : " other files"));
      return nullptr;
    }
    if (stack_.size() == kDeepest) {
      bad(entry.span, "more than " + std::to_string(kDeepest) + " files extend one another");
      return nullptr;
    }
    return file(base, entry.span);
  }

  bool read(LayerFile& layer) {
    const std::size_t errors = session_.sink.error_count();
    layer.file = read_source(
        layer.path, session_.env, session_.sources, session_.sink, session_.limits,
        layer.asked_by.known() ? NamedBy::Document : NamedBy::CommandLine, layer.asked_by);
    if (layer.file == kNoFile) return false;
    std::vector<Tree> documents =
        read_yaml(session_.sources, layer.file, session_.sink, session_.limits, Ambiguity::Refuse);
    if (session_.sink.error_count() != errors) return false;
    if (documents.size() != 1) {
      bad(layer.asked_by, shown(layer.path) + " holds " + std::to_string(documents.size()) +
                              " documents; expected one");
      return false;
    }
    layer.tree = std::move(documents.front());
    const View root(layer.tree, layer.tree.root());
    const View kind = root["kind"];
    if (root["apiVersion"].text() != "trainyard/v1alpha1" || !is_layer_kind(kind.text())) {
      bad(kind ? kind->span : root->span,
          shown(layer.path) +
              " is no part of a TrainingJob; expected apiVersion `trainyard/v1alpha1` and kind "
              "`TrainingJobLayer` or `TrainingJob`");
      return false;
    }
    if (!has_sensible_size(session_, layer.tree)) return false;
    refuse_credentials(layer.tree, layer.tree.root(), session_.sink);
    auto bases = bases_of(layer.tree, layer.path);
    if (bases) layer.bases = std::move(*bases);
    return session_.sink.error_count() == errors && bases;
  }

  Session& session_;
  std::vector<std::string> stack_;  // files that are being read, without links
};

/// The layers of one document, what is below first.
class Stack {
 public:
  explicit Stack(const Document& document) : document_(document) {}

  void add_bases(const std::vector<const LayerFile*>& bases) {
    for (const LayerFile* base : bases) add(base);
    own_ = files_.size();
    files_.push_back(nullptr);
    Layer layer{&document_.tree, {}};
    for (std::size_t i = 0; i < own_; ++i) layer.below.push_back(i);
    layers_.push_back(std::move(layer));
  }

  void add_overlay(const LayerFile* overlay) { add(overlay); }

  const std::vector<Layer>& layers() const { return layers_; }
  std::size_t own() const { return own_; }
  /// Those that stand above the document itself.
  std::vector<const LayerFile*> overlays() const {
    return {files_.begin() + static_cast<std::ptrdiff_t>(own_) + 1, files_.end()};
  }

  std::vector<FileId> files() const {
    std::vector<FileId> all;
    for (const LayerFile* each : files_)
      all.push_back(each == nullptr ? document_.file : each->file);
    return all;
  }

 private:
  static constexpr std::size_t kNotYet = static_cast<std::size_t>(-1);

  std::size_t add(const LayerFile* file) {
    const auto known = std::ranges::find(files_, file);
    if (known != files_.end()) return static_cast<std::size_t>(known - files_.begin());
    Layer layer{&file->tree, {}};
    // An overlay is above the document and all that is below that.
    if (own_ != kNotYet) {
      for (std::size_t i = 0; i <= own_; ++i) layer.below.push_back(i);
    }
    for (const LayerFile* base : file->bases) {
      const std::size_t at = add(base);
      layer.below.push_back(at);
      const std::vector<std::size_t> deeper = layers_[at].below;
      layer.below.insert(layer.below.end(), deeper.begin(), deeper.end());
    }
    std::ranges::sort(layer.below);
    const auto twice = std::ranges::unique(layer.below);
    layer.below.erase(twice.begin(), twice.end());
    files_.push_back(file);
    layers_.push_back(std::move(layer));
    return files_.size() - 1;
  }

  const Document& document_;
  std::size_t own_ = kNotYet;
  std::vector<const LayerFile*> files_;  // null for the document
  std::vector<Layer> layers_;
};

/// An overlay is for all jobs; a name would make them all one.
void refuse_name(Session& session, const LayerFile& overlay) {
  const View name = View(overlay.tree, overlay.tree.root())["metadata"]["name"];
  if (!name || name->kind == Kind::Null) return;
  session.sink.report(DiagnosticKind::BadLayer, name->span,
                      "an overlay is for all jobs of the input; expected no `metadata.name`");
}

}  // namespace

bool has_layers(const Session& session, const Document& document) {
  return !session.layers.overlays.empty() || document.root()["extends"];
}

std::optional<Document> put_together(Session& session, const Document& document) {
  const std::size_t errors = session.sink.error_count();
  if (!has_sensible_size(session, document.tree)) return std::nullopt;
  LayerReader reader(session);
  refuse_credentials(document.tree, document.tree.root(), session.sink);
  const auto bases = reader.bases_of(document.tree, document.path);
  std::vector<const LayerFile*> overlays;
  for (const std::string& path : session.layers.overlays) {
    if (const LayerFile* overlay = reader.file(path, {})) overlays.push_back(overlay);
  }
  const bool complete = bases && overlays.size() == session.layers.overlays.size();
  if (!complete || session.sink.error_count() != errors) return std::nullopt;
  Stack stack(document);
  stack.add_bases(*bases);
  for (const LayerFile* overlay : overlays) stack.add_overlay(overlay);
  for (const LayerFile* overlay : stack.overlays()) refuse_name(session, *overlay);

  auto places = std::make_shared<SpecPlaces>();
  places->files = stack.files();
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "TrainingJob");
  Document merged;
  merged.path = document.path;
  merged.file = document.file;
  merged.from_directory = document.from_directory;
  merged.tree = merge_layers(session.schemas, kind->schema, stack.layers(), stack.own(), *places,
                             session.sink);
  if (session.sink.error_count() != errors) return std::nullopt;
  merged.api_version = merged.root()["apiVersion"].text();
  merged.kind = merged.root()["kind"].text();
  places->finish();
  merged.places = std::move(places);
  return merged;
}

void check_layer(Session& session, const Document& document) {
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "TrainingJobLayer");
  std::vector<Violation> violations =
      session.checker.check(kind->schema, document.tree, document.tree.root());
  // What a reference stands for is known in the job alone.
  std::erase_if(violations, [&](const Violation& each) {
    const Node& node = document.tree[each.node];
    return node.kind == Kind::String && may_refer_to_matrix(node.text);
  });
  report(violations, document.tree, {}, session.sink);
  refuse_credentials(document.tree, document.tree.root(), session.sink);
  LayerReader(session).bases_of(document.tree, document.path);
}

}  // namespace trainyard
