#include "driver/lock/lock.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/build/compile.h"
#include "driver/build/compile_platform.h"
#include "driver/build/variants.h"
#include "driver/session/config.h"
#include "driver/session/inputs.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

constexpr std::string_view kHeading =
    "# Digests of images. Written by `trainyard lock`; read by `trainyard build`.\n";

/// `IMAGE` and `DIGEST` of `IMAGE=DIGEST`, `IMAGE@DIGEST` or `IMAGE DIGEST`.
struct Given {
  std::string image;
  std::string digest;
};

std::optional<Given> read_given(std::string_view word) {
  std::size_t at = word.rfind("sha256:");
  if (at == std::string_view::npos) at = word.rfind("sha512:");
  if (at == std::string_view::npos || at < 2 || !is_digest(word.substr(at))) return std::nullopt;
  std::string_view image = word.substr(0, at);
  const std::size_t last = image.find_last_not_of(" \t=@");
  if (last == std::string_view::npos || last + 1 == image.size()) return std::nullopt;
  image = image.substr(0, last + 1);
  if (image.find_first_of(" \t=@") != std::string_view::npos) return std::nullopt;
  return Given{std::string(image), std::string(word.substr(at))};
}

/// Where the tag of an image begins, with its colon; its size when it has none.
std::size_t tag_start(std::string_view image) {
  const std::size_t slash = image.rfind('/');
  return std::min(image.find(':', slash == std::string_view::npos ? 0 : slash), image.size());
}

std::string_view tag_of(std::string_view image) {
  return image.substr(tag_start(image));
}

/// An image without its tag and without what Docker Hub's names can do without.
std::string_view repository(std::string_view image) {
  for (std::string_view hub : {"index.docker.io/", "docker.io/", "library/"}) {
    if (image.starts_with(hub)) image.remove_prefix(hub.size());
  }
  return image.substr(0, tag_start(image));
}

class Locker {
 public:
  Locker(Session& session, const LockRequest& request) : session_(session), request_(request) {}

  LockResult run() {
    // What is not locked yet is what this is about.
    session_.locks.settings.off = true;
    session_.severities.set("mutable-image-tag", kCheckOff);
    if (!find_images() || !read_file() || !read_digests()) return std::move(result_);
    for (const std::string& image : images_) {
      if (!digests_.contains(image)) result_.missing.push_back(image);
    }
    for (const auto& [image, digest] : digests_) {
      if (!images_.contains(image)) result_.unused.push_back(image);
    }
    if (!request_.check) write();
    return std::move(result_);
  }

 private:
  bool find_images() {
    std::unique_ptr<ClusterDocument> cluster;
    if (!request_.cluster.empty()) {
      cluster = read_cluster(session_, request_.cluster);
      if (cluster == nullptr) return false;
    }
    Compilation compilation;
    std::size_t jobs = 0;
    for_each_document(
        request_.inputs, session_.env, session_.sources, session_.sink, session_.limits,
        Ambiguity::Refuse, [&](Document& document) {
          // As `build` compiles it: one beside specs is there for them.
          if (document.kind == "Cluster" && document.api_version.starts_with("trainyard/") &&
              !document.from_directory) {
            ++jobs;
            const auto made = compile_platform(session_, document);
            if (made != nullptr) add_images(made->objects);
          }
          if (document.kind != "TrainingJob") return;
          ++jobs;
          for_each_variant(session_, document, [&](Document& variant) {
            if (!compile(session_, variant, cluster.get(), request_.target, compilation)) {
              return;
            }
            add_images(compilation.objects);
          });
        });
    if (jobs == 0 && !session_.sink.has_errors()) {
      session_.sink.report(DiagnosticKind::NoInput, {},
                           "the input holds no TrainingJob and no Cluster");
    }
    return !session_.sink.has_errors();
  }

  void add_images(const ObjectSet& objects) {
    for (const ImageUse& use : images_of(objects)) {
      if (!has_digest(use.image)) images_.emplace(use.image);
    }
  }

  bool read_file() {
    result_.path = request_.file;
    const std::string first = request_.inputs.empty() ? "-" : request_.inputs.front();
    if (result_.path.empty())
      result_.path = find_above(first, kLockName, session_.env, session_.roots);
    if (result_.path.empty()) {
      const bool folder = first != "-" && session_.env.files.is_directory(first);
      result_.path = folder ? first + (first.ends_with('/') ? "" : "/")
                            : first.substr(0, first.rfind('/') + 1);
      result_.path += kLockName;
    }
    if (!session_.env.files.exists(result_.path)) return true;
    const bool found = request_.file.empty();
    const std::unique_ptr<LockFile> lock =
        read_lock(session_, result_.path, found ? NamedBy::Document : NamedBy::CommandLine);
    for (const auto& [image, locked] : lock->images) digests_[image] = locked.digest;
    before_ = session_.env.files.read(result_.path, session_.limits.bytes).text;
    return lock->sound;
  }

  bool read_digests() {
    for (const std::string& word : request_.digests) take(word, "`--digest " + word + "`");
    if (!request_.from.empty()) {
      const FileId file = read_source(request_.from, session_.env, session_.sources, session_.sink,
                                      session_.limits);
      if (file == kNoFile) return false;
      lines(session_.sources.text(file), std::string(session_.sources.name(file)));
    }
    return result_.wrong_words.empty();
  }

  void lines(std::string_view text, const std::string& name) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
      while (line.starts_with(' ')) line.remove_prefix(1);
      if (line.empty() || line.starts_with('#')) continue;
      take(line, "`" + name + ":" + std::to_string(number) + "`");
    }
  }

  void wrong(const std::string& where, std::string why) {
    result_.wrong_words.push_back(where + ": " + std::move(why));
  }

  void take(std::string_view word, const std::string& where) {
    const auto given = read_given(word);
    if (!given) {
      return wrong(where,
                   "expected `IMAGE=sha256:` and 64 digits from 0 to f, or the two with a "
                   "space or `@` between them");
    }
    const auto image = meant(*given, where);
    if (!image) return;
    const auto [known, is_new] = given_.emplace(*image, given->digest);
    if (!is_new && known->second != given->digest) {
      return wrong(where, "image " + shown(*image) +
                              " was given another digest before: " + shown(known->second));
    }
    digests_[*image] = given->digest;
  }

  /// The image of the jobs that is meant: by its name, or by its repository alone, as `crane` and
  /// `skopeo` print it.
  std::optional<std::string> meant(const Given& given, const std::string& where) {
    if (images_.contains(given.image) || digests_.contains(given.image)) return given.image;
    std::vector<std::string> same;
    const std::string_view tag = tag_of(given.image);
    for (const std::string& image : images_) {
      const bool agrees = tag.empty() || tag == tag_of(image);
      if (agrees && repository(image) == repository(given.image)) same.push_back(image);
    }
    if (same.size() == 1) return same.front();
    if (same.size() > 1) {
      wrong(where, "several images are of " + shown(given.image) + ": " + listed(same, "and") +
                       "; expected one of them");
      return std::nullopt;
    }
    std::string why = "no job of the input has the image " + shown(given.image);
    std::vector<std::string_view> names(images_.begin(), images_.end());
    if (const auto near = suggest(given.image, names)) {
      why += "; did you mean " + shown(*near) + "?";
    } else if (!images_.empty()) {
      why += "; without a digest are " +
             listed(std::vector<std::string>(images_.begin(), images_.end()), "and");
    }
    wrong(where, std::move(why));
    return std::nullopt;
  }

  std::string text() const {
    Tree tree;
    const NodeId root = tree.add_map();
    tree.set_root(root);
    tree.append(root, "apiVersion", tree.add_string("trainyard/v1alpha1"));
    tree.append(root, "kind", tree.add_string("Lock"));
    const NodeId images = tree.add_map();
    for (const auto& [image, digest] : digests_) {
      if (request_.prune && !images_.contains(image)) continue;
      tree.append(images, image, tree.add_string(digest));
    }
    tree.append(root, "images", images);
    std::string out(kHeading);
    write_yaml(tree, root, out);
    return out;
  }

  void write() {
    if (request_.prune) result_.unused.clear();
    const std::string after = text();
    const bool nothing = digests_.empty() && before_.empty();
    if (after == before_ || nothing) return;
    if (const auto error = session_.env.files.write(result_.path, after)) {
      session_.sink.report(DiagnosticKind::OutputFailed, {},
                           "`" + result_.path + "`: " + error->message);
      return;
    }
    result_.written = true;
  }

  Session& session_;
  const LockRequest& request_;
  LockResult result_;
  std::set<std::string, std::less<>> images_;  // of the jobs, that have no digest themselves
  std::map<std::string, std::string> digests_;
  std::map<std::string, std::string> given_;  // in this call
  std::string before_;                        // what the file held
};

}  // namespace

LockResult lock_images(Session& session, const LockRequest& request) {
  return Locker(session, request).run();
}

}  // namespace trainyard
