#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/sink.h"
#include "plan/release.h"
#include "plan/target_facts.h"
#include "source/source_map.h"
#include "target/template.h"

namespace trainyard {

/// Where template files come from: the binary, with a directory of the user's in front of it.
class TemplateFiles {
 public:
  virtual ~TemplateFiles() = default;
  /// The text of `job/job.yaml`, and the name that diagnostics print for it.
  struct File {
    std::string name;
    std::string_view text;
    std::string_view image;  // its tree_image, where there is one: made by the build
  };
  virtual std::optional<File> find(std::string_view path) const = 0;
  /// Names of the targets that have a `target.yaml`, sorted.
  virtual std::vector<std::string> targets() const = 0;
};

/// The documents of a template file, which becomes one of `sources`.
std::vector<Tree> read_template(const TemplateFiles::File& file, SourceMap& sources, FileId& id,
                                Sink& sink);

/// The template of an object, and the releases of the target's operator that it is for.
struct DocumentTemplate {
  const Template* form = nullptr;
  OperatorSpan span;
};

/// A target: what the rules must know of it, and its templates.
struct TargetPack {
  TargetFacts facts;
  const Template* pod = nullptr;  // null for a target without a pod template
  std::vector<DocumentTemplate> documents;
};

/// What a Cluster is compiled to: the templates of its objects, in the order of creation.
struct PlatformPack {
  std::vector<const Template*> documents;
  std::vector<ApiVersion> apis;  // oldest first
};

/// Reads target packs when they are first asked for, and keeps them.
class TargetLibrary {
 public:
  TargetLibrary(const TemplateFiles& files, SourceMap& sources)
      : files_(files), sources_(sources) {}

  std::vector<std::string> names() const { return files_.targets(); }
  /// What is known of a target, without its templates. Null when there is none of that name or when
  /// its pack is broken, which `sink` then tells.
  const TargetFacts* facts(std::string_view name, Sink& sink);
  /// The whole target; null as above, or when the target is not available.
  const TargetPack* pack(std::string_view name, Sink& sink);
  /// The templates of a platform; null when they are broken, which `sink` then tells.
  const PlatformPack* platform(Sink& sink);

 private:
  struct Entry {
    Tree tree;                // of target.yaml; owns the facts' texts
    std::deque<Tree> shared;  // of the files under `limits`, likewise
    TargetPack pack;
    bool templates_loaded = false;
    bool broken = false;
  };
  Entry* load_facts(std::string_view name, Sink& sink);
  enum class Use { Document, Pod, Platform };
  DocumentTemplate load_document(const TargetFacts& facts, View entry, Sink& sink);
  const Template* load_template(std::string_view path, Use use, Span asked_by, Sink& sink);
  std::optional<Tree> read(std::string_view path, Span asked_by, Sink& sink);
  bool load_platform(View pack, Sink& sink);

  const TemplateFiles& files_;
  SourceMap& sources_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
  std::optional<Tree> platform_tree_;  // owns the texts of `platform_`
  PlatformPack platform_;
  bool platform_loaded_ = false;
  bool platform_broken_ = false;
  std::map<std::pair<std::string, Use>, std::unique_ptr<Template>> templates_;
};

}  // namespace trainyard
