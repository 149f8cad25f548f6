#include "driver/format/format_files.h"

#include <cerrno>
#include <utility>

#include "driver/format/difference.h"
#include "driver/format/document_order.h"
#include "driver/session/inputs.h"
#include "emit/artifact.h"
#include "tree/format.h"

namespace trainyard {
namespace {

class Formatter {
 public:
  Formatter(Session& session, const FormatRequest& request)
      : session_(session), request_(request) {}

  FormatResult run() {
    std::vector<Found> found;
    for (const std::string& input : request_.inputs) {
      if (input == "-" || !session_.env.files.is_directory(input)) {
        found.push_back({input, ""});
        continue;
      }
      for (const std::string& path :
           files_inside(input, session_.env, session_.sink, result_.left)) {
        found.push_back({path, input});
      }
    }
    for (const Found& each : found) {
      one(each.path, each.inside);
      ++result_.files;
      session_.env.tell({result_.files, found.size(), "files"});
    }
    if (session_.sink.has_errors()) {
      FormatResult nothing;
      nothing.files = result_.files;
      return nothing;
    }
    for (const Changed& file : changed_) {
      if (request_.check) {
        compare(file);
      } else if (!write(file)) {
        break;
      }
    }
    return std::move(result_);
  }

 private:
  struct Found {
    std::string path;
    std::string inside;  // the directory in which it was found; "" when it was named itself
  };
  struct Changed {
    std::string path;
    std::string inside;  // as in Found
    std::string before;
    std::string after;
  };

  void one(const std::string& path, const std::string& inside) {
    const NamedBy named_by = inside.empty() ? NamedBy::CommandLine : NamedBy::Document;
    const FileId file =
        read_source(path, session_.env, session_.sources, session_.sink, session_.limits, named_by);
    if (file == kNoFile) return;
    const std::string_view text = session_.sources.text(file);
    if (request_.specs && text.find("trainyard/v1alpha1") == text.npos) return;
    // JSON is not laid out as YAML, and what a build wrote is as it should be.
    if (path.ends_with(".json")) return;
    FormatOptions options;
    options.rank = rank_of(file);
    const std::size_t errors = session_.sink.error_count();
    const auto formatted = format_yaml(session_.sources, file, session_.sink, options);
    if (!formatted || session_.sink.error_count() != errors) return;
    if (path == "-" && !request_.check) {
      result_.stream += *formatted;
    } else if (*formatted != text) {
      changed_.push_back({path == "-" ? "<stdin>" : path, inside, std::string(text), *formatted});
    }
  }

  /// Only where all documents of a file are of one kind: paths do not say which one they are in.
  std::function<std::size_t(std::string_view, std::string_view)> rank_of(FileId file) {
    Sink ignored;  // formatting reports what is wrong with the text
    std::string kind;
    for (const Tree& tree :
         read_yaml(session_.sources, file, ignored, session_.limits, Ambiguity::Kubernetes)) {
      const View root(tree, tree.root());
      if (!root["apiVersion"].text().starts_with("trainyard/")) return nullptr;
      const std::string_view own = root["kind"].text();
      if (!kind.empty() && kind != own) return nullptr;
      kind = own;
    }
    return kind.empty() ? nullptr : document_order(kind);
  }

  void compare(const Changed& file) {
    result_.out_of_date = true;
    result_.difference += difference(file.path, file.path, file.before, file.after);
  }

  bool write(const Changed& file) {
    if (file.inside != inside_) {
      folder_ = nullptr;  // an open directory keeps other runs from writing there
      inside_ = file.inside;
    }
    const auto error =
        file.inside.empty() ? session_.env.files.write(file.path, file.after) : write_inside(file);
    if (error) {
      session_.sink.report(DiagnosticKind::OutputFailed, {},
                           "`" + file.path + "`: " + error->message);
      return false;
    }
    result_.written.push_back(file.path);
    return true;
  }

  /// From the directory down, so that a part of the path which has become a link leads nowhere.
  std::optional<FileError> write_inside(const Changed& file) {
    FileSystem& files = session_.env.files;
    const std::string root = files.real_path(file.inside).value_or(file.inside);
    const std::string path = files.real_path(file.path).value_or(file.path);
    const std::string prefix = root.ends_with('/') ? root : root + '/';
    if (!path.starts_with(prefix)) return error_from(ELOOP);
    if (folder_ == nullptr) {
      OpenedFolder opened = files.open_folder(root, FolderUse::Write);
      if (opened.error) return opened.error;
      folder_ = std::move(opened.folder);
    }
    const FileChange change{path.substr(prefix.size()), file.after};
    const auto failed = folder_->change({&change, 1});
    if (failed) return failed->error;
    return std::nullopt;
  }

  Session& session_;
  const FormatRequest& request_;
  std::vector<Changed> changed_;
  std::string inside_;              // the directory that is being written
  std::unique_ptr<Folder> folder_;  // the same, when it is open
  FormatResult result_;
};

}  // namespace

FormatResult format_files(Session& session, const FormatRequest& request) {
  return Formatter(session, request).run();
}

}  // namespace trainyard
