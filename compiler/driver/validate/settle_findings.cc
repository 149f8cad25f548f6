#include "driver/validate/settle_findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/session/read_root.h"
#include "driver/validate/looked_for_files.h"
#include "driver/validate/places_to_fill.h"
#include "driver/validate/template_files.h"

namespace trainyard {
namespace {

constexpr std::string_view kMutableTag = "mutable-image-tag";
constexpr std::string_view kFlux = "toolkit.fluxcd.io";

/// `on`, `off`, `yes` and `no` are texts to kustomize, which writes them in quotes: to kubectl
/// and Argo CD they are booleans. Flux has kustomize read every file.
/// kubernetes-sigs/kustomize kyaml/yaml/rnode.go MarshalJSON
bool is_text_for_kustomize(const Diagnostic& each, const SourceMap& sources) {
  if (each.kind != DiagnosticKind::WrongType) return false;
  constexpr auto kWords =
      std::to_array<std::string_view>({"Off", "OFF", "off", "ON", "On", "on", "NO", "No", "no",
                                       "YES", "Yes", "yes", "N", "n", "Y", "y"});
  return std::ranges::find(kWords, sources.text(each.span)) != kWords.end();
}

/// What is applied together, and what kustomize does to it.
class Deployments {
 public:
  Deployments(const FilesOfRun& files, const SourceMap& sources) : sources_(sources) {
    for (const FileId file : files.walked) {
      const std::string_view text = sources.text(file);
      const bool is_of_flux = text.find("kustomize.toolkit.fluxcd.io") != text.npos;
      flux_ = flux_ || is_of_flux;
      flux_patches_ = flux_patches_ || (is_of_flux && text.find("\n  patches:") != text.npos);
      openshift_ = openshift_ || text.find(".openshift.io/") != text.npos;
      if (text.find("OpenShift") != text.npos || text.find("openshift") != text.npos) {
        of_openshift_.insert(file);
      }
      looked_for_.merge(looked_for_files(sources, file));
    }
    for (const AppliedTogether& each : files.together) {
      if (!each.kustomization.empty()) {
        kustomized_.insert(each.files.begin(), each.files.end());
        folders_.insert(folder_of(each.kustomization));
      }
      images_.insert(each.images.begin(), each.images.end());
      patched_.insert(each.patched.begin(), each.patched.end());
      for (const FileId file : each.files) lists_[file].insert(each.kustomization);
    }
  }

  /// Whether what was found is not so, or not known to be, once all is applied.
  bool explains(const Diagnostic& each) const {
    if (!each.span.known()) return false;
    if (looked_for_.contains(std::string(sources_.name(each.span.file)))) return true;
    if (depends_on_patches(each.rule()) && patched_.contains(each.span.file)) return true;
    if (each.rule() == "service-type" && is_named_as_patch(each.span.file)) return true;
    if (each.kind == DiagnosticKind::MissingField && is_completed_by_flux(each.span.file)) {
      return true;
    }
    if (is_kustomized(each.span.file)) {
      // Labels come with selectors, and `vars` are put in.
      if (each.rule() == "workload-selector" || each.rule() == "variable-order") return true;
      if (each.kind == DiagnosticKind::MissingField) return true;
      if (each.rule() == kMutableTag && images_.contains(name_of_image(each.span))) return true;
    }
    return is_of_folder(each.rule()) && names_elsewhere(each);
  }

  /// Whether it compares objects that lie in different folders: a guess, for these may be of
  /// different deployments. Secrets of samples are no secrets.
  bool is_guess(const Diagnostic& each, const std::set<FileId>& walked) const {
    if (!each.span.known() || !walked.contains(each.span.file)) return false;
    if (is_of_secrets(each.rule())) return is_of_samples(sources_.name(each.span.file));
    if ((flux_ || kustomized_.contains(each.span.file)) && is_text_for_kustomize(each, sources_)) {
      return true;
    }
    const bool compares = each.kind == DiagnosticKind::RunsWrong || is_of_namespace(each.rule());
    return compares && each.severity != Severity::Note && !is_of_listed_files(each.rule()) &&
           (names_elsewhere(each, &walked) || is_for_openshift(each) || asks_for_absent(each));
  }

 private:
  /// A label in a file that is not applied together with that of the finding.
  bool names_elsewhere(const Diagnostic& each, const std::set<FileId>* walked = nullptr) const {
    return std::ranges::any_of(each.labels, [&](const Label& label) {
      return label.span.known() && (walked == nullptr || walked->contains(label.span.file)) &&
             !are_together(each.span.file, label.span.file);
    });
  }

  /// What an object wants and another file has in another namespace, under a name that is nearly
  /// the same, or with other keys for pods of its own: it may come from elsewhere as well.
  bool asks_for_absent(const Diagnostic& each) const {
    const bool is_absent = each.effect() == Effect::Risky;
    if (!is_absent && !is_of_keys(each)) return false;
    return std::ranges::any_of(each.labels, [&](const Label& label) {
      return label.span.known() && label.span.file != each.span.file &&
             !are_listed_together(each.span.file, label.span.file) &&
             (is_absent || sources_.text(label.span.file).find("containers:") != std::string::npos);
    });
  }

  static bool is_of_keys(const Diagnostic& each) {
    return each.rule() == "secret-key" || each.rule() == "config-map-key";
  }

  /// OpenShift gives each pod a user that is not root.
  bool is_for_openshift(const Diagnostic& each) const {
    return each.rule() == "image-root-is-refused" &&
           (openshift_ || of_openshift_.contains(each.span.file));
  }

  /// The folder has it stand alone, or it completes what is there already.
  bool is_named_as_patch(FileId file) const {
    const std::string_view path = sources_.name(file);
    return path.substr(path.rfind('/') + 1).find("patch") != path.npos;
  }

  /// What holds for a namespace of one cluster.
  static bool is_of_namespace(std::string_view check) {
    return check == "fits-quota" || check == "fits-limit-range" || check == "quota-wants-amounts";
  }

  static bool is_of_secrets(std::string_view check) {
    return check == "secret-in-clear-text" || check == "literal-credential" ||
           check == "credential-in-config-map";
  }

  /// Has looked at what is applied together itself.
  static bool is_of_listed_files(std::string_view check) { return check == "object-twice"; }

  static bool depends_on_patches(std::string_view check) {
    constexpr auto kChecks =
        std::to_array<std::string_view>({"claim-spec", "config-map-key", "mount-without-volume",
                                         "secret-key", "service-port-name", "stateful-set"});
    return std::ranges::find(kChecks, check) != kChecks.end();
  }

  /// Of checks that compare two objects which need not be of one deployment.
  static bool is_of_folder(std::string_view check) {
    constexpr auto kChecks = std::to_array<std::string_view>(
        {"service-port-name", "config-map-key", "kueue-queue-exists", "kueue-cluster-queue-exists",
         "kueue-flavors-exist", "kueue-settings-exist", "kueue-checks-exist"});
    return std::ranges::find(kChecks, check) != kChecks.end();
  }

  /// Listed by a kustomization, or beside one: what it does not list it may have listed once.
  bool is_kustomized(FileId file) const {
    return kustomized_.contains(file) || folders_.contains(folder_of(sources_.name(file)));
  }

  /// A Kustomization with patches gives those below it, and their HelmReleases, what they share.
  bool is_completed_by_flux(FileId file) const {
    return flux_patches_ && sources_.text(file).find(kFlux) != std::string_view::npos;
  }

  std::string name_of_image(Span span) const {
    std::string_view text = sources_.text(span);
    const std::size_t begin = text.find_first_not_of("\"'");
    text.remove_prefix(std::min(begin, text.size()));
    return std::string(text.substr(0, end_of_name(text)));
  }

  /// Before the tag: a colon behind the last slash.
  static std::size_t end_of_name(std::string_view image) {
    const std::size_t slash = image.rfind('/');
    return image.find_first_of(":@\"'", slash == image.npos ? 0 : slash);
  }

  bool are_together(FileId a, FileId b) const {
    if (a == b) return true;
    const bool is_same_folder = folder_of(sources_.name(a)) == folder_of(sources_.name(b));
    if (is_same_folder && !is_of_samples(sources_.name(a))) return true;
    return are_listed_together(a, b);
  }

  bool are_listed_together(FileId a, FileId b) const {
    const auto first = lists_.find(a);
    const auto second = lists_.find(b);
    return first != lists_.end() && second != lists_.end() &&
           std::ranges::any_of(first->second, [&](const std::string& each) {
             return second->second.contains(each);
           });
  }

  const SourceMap& sources_;
  std::set<FileId> kustomized_;
  std::set<std::string> folders_;  // of kustomizations
  bool flux_ = false;              // a Kustomization of Flux
  bool flux_patches_ = false;      // of one
  bool openshift_ = false;         // objects that OpenShift alone has
  std::set<FileId> of_openshift_;  // that name it
  std::set<std::string> looked_for_;
  std::set<std::string> images_;
  std::set<FileId> patched_;
  std::map<FileId, std::set<std::string>> lists_;  // the kustomizations of a file
};

/// The images of a file without a tag that stays, as one finding.
class MutableTags {
 public:
  explicit MutableTags(const SourceMap& sources) : sources_(sources) {}

  void add(const Diagnostic& each) {
    Images& images = of_file_[{each.span.file, each.severity}];
    if (images.first) {
      images.lines.insert(sources_.position(each.span.file, each.span.begin).line);
    } else {
      images.first = each;
    }
  }

  void report(Sink& sink) {
    for (auto& [file, images] : of_file_) {
      if (!images.lines.empty()) images.first->note("so it is in " + told(images.lines));
      sink.report(*images.first);
    }
  }

 private:
  struct Images {
    std::optional<Diagnostic> first;
    std::set<std::uint32_t> lines;  // of the others
  };

  static std::string told(const std::set<std::uint32_t>& lines) {
    constexpr std::size_t kMostTold = 8;
    std::string text = lines.size() == 1 ? "line" : "lines";
    std::size_t count = 0;
    for (const std::uint32_t line : lines) {
      if (count++ == kMostTold) break;
      text += (count == 1 ? " " : ", ") + std::to_string(line);
    }
    const std::size_t more = lines.size() - std::min(lines.size(), kMostTold);
    return more == 0 ? text : text + " and " + std::to_string(more) + " more";
  }

  const SourceMap& sources_;
  std::map<std::pair<FileId, Severity>, Images> of_file_;
};

/// `*name: value`. go-yaml/yaml scannerc.go yaml_parser_scan_anchor: a colon ends the name.
bool is_alias_before_colon(const Diagnostic& each, const SourceMap& sources) {
  return each.kind == DiagnosticKind::UndefinedAlias && each.span.known() &&
         sources.text(each.span).ends_with(':');
}

}  // namespace

std::size_t settle_findings(const FilesOfRun& files, const SourceMap& sources, Sink& sink) {
  if (sink.all().size() == Sink::kMost) return 0;
  const std::vector<Diagnostic> all = sink.sorted();
  if (all.empty() && files.of_overlays.empty()) return 0;
  std::vector<Diagnostic> to_fill;
  if (!files.rendered) {
    to_fill = all;
    to_fill.insert(to_fill.end(), files.of_overlays.begin(), files.of_overlays.end());
  }
  const PlacesToFill places(sources, to_fill);
  const Deployments deployments(files, sources);
  MutableTags tags(sources);
  sink.clear();
  for (const Diagnostic& each : all) {
    if (places.folds(each, files.walked) || deployments.explains(each)) continue;
    if (each.rule() == kMutableTag && each.span.known()) {
      tags.add(each);
      continue;
    }
    if (is_alias_before_colon(each, sources)) {
      sink.report(DiagnosticKind::LeftToDo, each.span,
                  "kubectl reads this as an alias and a colon; Trainyard ignores the document, as "
                  "YAML wants a blank between the two");
      continue;
    }
    Diagnostic settled = each;
    if (deployments.is_guess(each, files.walked)) settled.severity = Severity::Note;
    sink.report(std::move(settled));
  }
  tags.report(sink);
  for (const Diagnostic& each : files.of_overlays) {
    if (!places.folds(each, files.walked) && !is_text_for_kustomize(each, sources)) {
      sink.report(each);
    }
  }
  return places.report(files.walked, sink);
}

}  // namespace trainyard
