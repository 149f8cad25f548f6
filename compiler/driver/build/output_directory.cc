#include "driver/build/output_directory.h"

#include <algorithm>
#include <utility>

#include "diag/words.h"
#include "driver/build/changed_claims.h"
#include "driver/build/great_loss.h"
#include "driver/build/out_of_date.h"
#include "driver/build/refused_changes.h"
#include "driver/format/difference.h"
#include "emit/provenance.h"
#include "tree/conflict_markers.h"

namespace trainyard {
namespace {

constexpr std::string_view kKustomization = "kustomization.yaml";
constexpr std::size_t kMostTold = 3;  // of files from elsewhere: there may be a fleet of them
constexpr int kDeepest = 64;          // folders in one another

bool may_be_ours(std::string_view name) {
  return name.ends_with(kProvenanceSuffix) || (name.ends_with(".yaml") && !name.starts_with('.'));
}

bool is_map(std::string_view name) {
  return name.ends_with(kProvenanceSuffix);
}

std::string_view file_of_map(std::string_view map) {
  return map.substr(0, map.size() - kProvenanceSuffix.size());
}

bool is_same(const std::string& on_disk, const std::string& made) {
  return on_disk == made || with_plain_breaks(on_disk) == made;
}

/// `origin` is what a file of others was made from.
std::string why_kept(FileState state, const std::string& source, const std::string& origin) {
  switch (state) {
    case FileState::Edited:
      return "it was edited since trainyard wrote it";
    case FileState::Others:
      return "it was made " + origin;
    case FileState::Unrecorded:
      return "it does not record its source";
    default:
      return source == kStreamSource ? "it was made from standard input"
                                     : "kustomization.yaml does not list it";
  }
}

std::string_view word_for(FileState state) {
  switch (state) {
    case FileState::Absent:
      return "missing";
    case FileState::Ours:
      return "stale";
    case FileState::Edited:
      return "edited";
    default:
      return "in the way";
  }
}

}  // namespace

OutputDirectory::OutputDirectory(Session& session, OutputRequest request, RunSources sources,
                                 std::vector<OutputFile> files, Spool spool)
    : session_(session),
      request_(std::move(request)),
      sources_(std::move(sources)),
      files_(std::move(files)),
      spool_(std::move(spool)) {
  for (const OutputFile& file : files_) made_.emplace(file.path, &file);
}

std::string OutputDirectory::full(std::string_view name) const {
  if (name.empty()) return request_.path;
  return request_.path + (request_.path.ends_with('/') ? "" : "/") + std::string(name);
}

void OutputDirectory::failed(std::string_view name, const FileError& error) {
  session_.sink.report(DiagnosticKind::OutputFailed, {}, "`" + full(name) + "`: " + error.message);
  broken_ = true;
}

bool OutputDirectory::open(FolderUse use) {
  for (const OutputFile& file : files_) {
    const bool is_flat = file.path.find('/') == std::string::npos;
    if (!stays_below(file.path) || (!is_flat && !request_.tree)) {
      failed(file.path, {FileError::Reason::Other, "the name leads out of the directory"});
      return false;
    }
  }
  OpenedFolder opened = session_.env.files.open_folder(request_.path, use);
  folder_ = std::move(opened.folder);
  const bool is_absent = opened.error && opened.error->reason == FileError::Reason::NotFound;
  if (opened.error && (use == FolderUse::Write || !is_absent)) failed("", *opened.error);
  return !broken_;
}

void OutputDirectory::list_folder(std::set<std::string, std::less<>>& names) {
  const Listing listing = folder_->list();
  if (listing.error) failed("", *listing.error);
  for (const std::string& name : listing.names) {
    if (may_be_ours(name)) names.insert(name);
  }
}

/// Links to directories are not followed, and hidden directories are not ours.
void OutputDirectory::list_tree(const std::string& folder, int depth,
                                std::set<std::string, std::less<>>& names) {
  const Listing listing = session_.env.files.list(full(folder));
  const bool is_absent =
      listing.error && listing.error->reason == FileError::Reason::NotFound && depth == 0;
  if (is_absent || depth == kDeepest) return;
  if (listing.error) return failed(folder, *listing.error);
  for (const std::string& name : listing.names) {
    const bool is_directory = name.ends_with('/');
    const std::string path = folder + (folder.empty() ? "" : "/") + name;
    if (!is_directory) {
      if (may_be_ours(name)) names.insert(path);
    } else if (!listing.is_link(name) && !name.starts_with('.')) {
      list_tree(path.substr(0, path.size() - 1), depth + 1, names);
    }
  }
}

/// Finds the state of all files that are ours or are to be.
bool OutputDirectory::look() {
  std::set<std::string, std::less<>> names;
  if (folder_ != nullptr && request_.tree) {
    for (const std::string& each : request_.tree->folders) list_tree(each, 0, names);
  } else if (folder_ != nullptr) {
    list_folder(names);
  }
  if (!request_.tree && names.erase(std::string(kKustomization)) != 0) {
    const FileRead read = folder_->read(std::string(kKustomization), session_.limits.bytes);
    if (!read.error) listed_ = kustomization_entries(read.text, session_.limits);
  }
  for (const OutputFile& file : files_) names.insert(file.path);
  // Maps come after their files: `.provenance.json` is longer.
  for (const std::string& name : names) {
    const auto made = made_.find(name);
    looks_[name] = look_at(name, made == made_.end() ? nullptr : made->second);
  }
  if (broken_) return false;
  choose_stale();
  choose_stale_maps();
  if (!request_.tree) make_kustomization();
  return !broken_;
}

OutputDirectory::Look OutputDirectory::look_at(const std::string& name, const OutputFile* made) {
  Look look;
  if (folder_ == nullptr) return look;
  const FileRead read = folder_->read(name, session_.limits.bytes);
  if (read.error) {
    using Reason = FileError::Reason;
    const Reason reason = read.error->reason;
    if (reason == Reason::NotFound) return look;
    look.state = FileState::Foreign;
    const bool is_other_thing =
        reason == Reason::NotAFile || reason == Reason::IsDirectory || reason == Reason::TooLarge;
    if (!is_other_thing) failed(name, *read.error);
    return look;
  }
  if (is_map(name)) return look_at_map(name, read.text, made);
  const std::string text = made == nullptr ? std::string() : spool_.text(made->text);
  if (made != nullptr && is_same(read.text, text)) {
    look.state = FileState::Current;
    look.has_header = true;
    return look;
  }
  look.has_conflict = has_merge_conflict(read.text);
  const Owner owner = owner_of(read.text);
  look.source = owner.source;
  look.fleet = owner.fleet;
  look.has_header = owner.mark != Owner::Mark::None;
  if (!look.has_header) {
    look.state = FileState::Foreign;
  } else if (owner.mark == Owner::Mark::Header) {
    const bool gains_record = made != nullptr && is_same(read.text, without_record(text));
    look.state = gains_record ? FileState::Ours : FileState::Unrecorded;
  } else if (!owner.intact) {
    look.state = FileState::Edited;
  } else {
    look.state = is_of_this_run(owner) ? FileState::Ours : FileState::Others;
  }
  if (request_.prune && look.has_header) look.state = FileState::Ours;
  return look;
}

/// A fleet says all that is in its tree; another run only what comes from its inputs.
bool OutputDirectory::is_of_this_run(const Owner& owner) const {
  if (request_.tree) return owner.fleet == request_.tree->fleet;
  return owner.fleet.empty() && sources_.have(owner.source);
}

/// What a file of others was made from, as a sentence goes on.
std::string OutputDirectory::origin_of(const Look& look) const {
  const std::string source = "from " + shown(look.source);
  if (!look.fleet.empty()) return "by the fleet " + shown(look.fleet) + " " + source;
  if (request_.tree) return "by `build` " + source;
  return source + ", which is not among the inputs";
}

/// People do not write one by hand, so its beginning is enough.
OutputDirectory::Look OutputDirectory::look_at_map(const std::string& name, const std::string& text,
                                                   const OutputFile* made) const {
  Look look;
  look.state = is_provenance(text) ? FileState::Ours : FileState::Foreign;
  if (made != nullptr && text == spool_.text(made->text)) look.state = FileState::Current;
  if (made != nullptr || look.state == FileState::Foreign) return look;
  const auto file = looks_.find(file_of_map(name));
  look.has_header = file != looks_.end() && file->second.has_header;
  return look;
}

bool OutputDirectory::may_be_removed(const std::string& name, const Look& look) const {
  if (look.state != FileState::Ours) return false;
  if (request_.prune) return true;
  // Two inputs from a stream are not the same one, and only one file is made of the directory.
  if (look.source == kStreamSource || look.source == kDirectorySource) return false;
  return !listed_ || listed_->names.contains(name);
}

/// Files of ours in the directory that this run does not make.
void OutputDirectory::choose_stale() {
  for (const auto& [name, look] : looks_) {
    if (is_map(name) || made_.contains(name)) continue;
    if (may_be_removed(name, look)) stale_.push_back(name);
  }
}

/// Maps of files that go, or that change in a run without maps.
void OutputDirectory::choose_stale_maps() {
  std::vector<std::string> maps;
  for (const auto& [name, look] : looks_) {
    if (!is_map(name) || made_.contains(name) || look.state != FileState::Ours) continue;
    const std::string_view file = file_of_map(name);
    const bool goes = std::ranges::find(stale_, file) != stale_.end();
    const auto made = made_.find(file);
    const bool changes = made != made_.end() &&
                         (request_.maps || looks_.find(file)->second.state != FileState::Current);
    const bool is_alone = !looks_.contains(file) && request_.prune;
    if (goes || changes || is_alone) maps.push_back(name);
  }
  std::ranges::move(maps, std::back_inserter(stale_));
  std::ranges::sort(stale_);
}

void OutputDirectory::make_kustomization() {
  std::vector<std::string> wanted;
  for (const auto& [name, look] : looks_) {
    if (is_map(name) || look.state == FileState::Absent) continue;
    const bool recorded = look.state == FileState::Ours || look.state == FileState::Others;
    const bool was_listed = listed_ ? listed_->names.contains(name) : recorded;
    if (was_listed && !std::ranges::binary_search(stale_, name)) wanted.push_back(name);
  }
  for (const OutputFile& file : files_) {
    if (!is_map(file.path)) wanted.push_back(file.path);
  }
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  // kustomize refuses one that lists nothing.
  if (!request_.kustomization || wanted.empty()) return drop_kustomization();
  const Artifact listing = kustomization(wanted);
  kustomization_ = OutputFile{listing.path, spool_.add(listing.text)};
  Look look = look_at(kustomization_->path, &*kustomization_);
  const bool is_kept = look.state == FileState::Edited || look.state == FileState::Others ||
                       look.state == FileState::Unrecorded || look.state == FileState::Foreign;
  if (is_kept && listed_ && listed_->has_conflict) {
    if (listed_->is_plain) look.state = FileState::Ours;
  } else if (is_kept && lists_rightly(wanted)) {
    look.state = FileState::Current;
  } else if (look.state == FileState::Edited && listed_ && listed_->is_plain) {
    look.state = FileState::Ours;  // the user has resolved a conflict by hand
  }
  looks_[kustomization_->path] = look;
}

/// This run makes none.
void OutputDirectory::drop_kustomization() {
  const std::string name(kKustomization);
  const Look look = look_at(name, nullptr);
  looks_[name] = look;
  if (look.state != FileState::Ours) return;
  stale_.push_back(name);
  std::ranges::sort(stale_);
}

/// Whether the existing kustomization, ours or not, does what ours would.
bool OutputDirectory::lists_rightly(const std::vector<std::string>& wanted) const {
  if (!listed_) return false;
  return std::ranges::all_of(
             wanted, [&](const std::string& each) { return listed_->names.contains(each); }) &&
         std::ranges::none_of(
             stale_, [&](const std::string& each) { return listed_->names.contains(each); });
}

/// A file that is not ours, or not ours any more, is never overwritten.
void OutputDirectory::report_conflicts() {
  std::vector<const OutputFile*> all = to_write();
  for (const OutputFile* file : all) {
    const Look& look = looks_.find(file->path)->second;
    const std::string path = "`" + full(file->path) + "`";
    const auto report = [&](const std::string& message, std::string note) {
      session_.sink.report(DiagnosticKind::OutputConflict, {}, path + message)
          .note(std::move(note));
    };
    if (look.has_conflict && look.has_header && look.state != FileState::Ours) {
      report(" has an unresolved merge conflict of Git",
             file->path == kKustomization
                 ? "and more than entries, so resolve it by hand; `--prune` writes over it"
                 : "take either side, as `git checkout --ours` does, and build again: that writes "
                   "what the merged spec makes");
      continue;
    }
    switch (look.state) {
      case FileState::Foreign:
        report(" exists and was not made by trainyard",
               "move it away, or choose another directory");
        break;
      case FileState::Edited:
        report(" was edited since trainyard wrote it",
               file->path == kKustomization
                   ? "put the changes into a kustomization of your own that has this directory "
                     "among its `resources`, and remove the file; `--prune` writes over it"
                   : "make the change in the spec and remove the file; `--prune` writes over it");
        break;
      case FileState::Others:
        report(" was made " + origin_of(look),
               request_.tree || !look.fleet.empty()
                   ? "choose another directory, or remove the file; `--prune` writes over it"
                   : "give that spec, too, or choose another directory; `--prune` writes over it");
        break;
      case FileState::Unrecorded:
        report(
            " does not record its source: an older trainyard wrote it, or it is a "
            "stream in a file",
            "compare it with what is built now; `--prune` writes over it");
        break;
      default:
        break;
    }
  }
}

void OutputDirectory::refuse_great_loss() {
  if (request_.yes) return;
  const auto counts = [](const std::string& name) {
    return !is_map(name) && name != kKustomization;
  };
  std::vector<std::string_view> owned;
  std::vector<std::string_view> removed;
  for (const auto& [name, look] : looks_) {
    if (counts(name) && look.has_header) owned.push_back(name);
  }
  std::ranges::copy_if(stale_, std::back_inserter(removed), counts);
  for (const FolderLoss& loss : great_losses(owned, removed)) {
    session_.sink
        .report(DiagnosticKind::OutputLoss, {},
                "this would remove " + std::to_string(loss.removed) + " of the " +
                    std::to_string(loss.owned) + " files that trainyard wrote into `" +
                    full(loss.folder) + "`, such as `" + full(loss.first) + "`")
        .note("look whether the inputs are all there; `--yes` removes the files");
  }
}

/// A claim that is there cannot change, and made anew it is empty. Its file may have another name.
void OutputDirectory::refuse_changed_claims() {
  ChangedClaims claims(session_);
  const std::vector<const OutputFile*> files = to_write();
  const auto add_old = [&](const std::string& name) {
    const Look& look = looks_.find(name)->second;
    if (is_map(name) || !look.has_header) return;
    const FileRead read = folder_->read(name, session_.limits.bytes);
    claims.add_before(full(name), with_plain_breaks(read.text));
  };
  for (const OutputFile* file : files) add_old(file->path);
  for (const std::string& name : stale_) add_old(name);
  if (claims.has_none()) return;
  for (const OutputFile* file : files) {
    if (!is_map(file->path)) claims.report_after(spool_.text(file->text), file->causes);
  }
}

std::vector<const OutputFile*> OutputDirectory::to_write() const {
  std::vector<const OutputFile*> result;
  const auto add = [&](const OutputFile& file) {
    if (looks_.find(file.path)->second.state != FileState::Current) result.push_back(&file);
  };
  for (const OutputFile& file : files_) add(file);
  if (kustomization_) add(*kustomization_);
  return result;
}

void OutputDirectory::tell_kept(Changes& changes) const {
  std::vector<std::pair<std::string, const Look*>> others;
  for (const auto& [name, look] : looks_) {
    const bool is_to_be = made_.contains(name) || (name == kKustomization && kustomization_);
    const bool stays =
        look.has_header && !is_to_be && !std::ranges::binary_search(stale_, name) && !is_map(name);
    if (!stays) continue;
    changes.kept.push_back(full(name));
    if (look.state == FileState::Others) {
      others.emplace_back(full(name), &look);
    } else {
      changes.told.push_back("kept " + full(name) + ": " +
                             why_kept(look.state, look.source, origin_of(look)));
    }
  }
  if (others.size() > kMostTold) {
    changes.told.push_back("kept " + std::to_string(others.size()) +
                           (request_.tree ? " files of other fleets or builds, such as "
                                          : " files whose sources are not among the "
                                            "inputs, such as ") +
                           others.front().first + " from `" + others.front().second->source + "`");
    return;
  }
  for (const auto& [path, look] : others) {
    changes.told.push_back("kept " + path + ": " +
                           why_kept(look->state, look->source, origin_of(*look)));
  }
}

OutputDirectory::Changes OutputDirectory::write() {
  Changes changes;
  const std::size_t errors = session_.sink.error_count();
  if (!open(FolderUse::Write) || !look()) return changes;
  report_conflicts();
  refuse_great_loss();
  refuse_changed_claims();
  if (session_.sink.error_count() != errors) return changes;
  std::vector<FileChange> all;
  for (const OutputFile* file : to_write())
    all.push_back({file->path, FileText(spool_, file->text)});
  for (const std::string& name : stale_) all.push_back({name, std::nullopt});
  if (const auto failure = folder_->change(all)) {
    failed(failure->name, failure->error);
    return changes;
  }
  for (const FileChange& each : all) {
    (each.text ? changes.written : changes.removed).push_back(full(each.name));
  }
  tell_kept(changes);
  return changes;
}

/// `made` is null for a file that is to go.
void OutputDirectory::check_file(const std::string& name, const OutputFile* made, Check& result) {
  const Look& look = looks_.find(name)->second;
  const std::string path = full(name);
  const std::string_view word = made == nullptr ? "superfluous" : word_for(look.state);
  result.told.push_back(std::string(word) + ": " + path);
  const bool is_there = look.state != FileState::Absent;
  const std::string text = made == nullptr ? std::string() : spool_.text(made->text);
  std::string on_disk;
  if (is_map(name)) {  // a map is no entry
    result.difference +=
        "the map of causes " + path + " is " + (made == nullptr ? "stale\n" : "out of date\n");
  } else {
    if (is_there) on_disk = folder_->read(name, session_.limits.bytes).text;
    result.difference += difference(is_there ? path : "/dev/null",
                                    made == nullptr ? "/dev/null" : path, on_disk, text);
  }
  std::vector<std::string> refused;
  if (!is_map(name) && made != nullptr && look.has_header) {
    for (RefusedChange& each : refused_changes(session_, on_disk, text)) {
      result.told.push_back("  " + each.what + "; " + each.advice);
      refused.push_back(std::move(each.what));
    }
  }
  if (!request_.findings) return;
  result.findings.push_back(
      out_of_date({path, look.state, origin_of(look), std::move(on_disk), text,
                   made == nullptr ? nullptr : &made->causes, std::move(refused)},
                  session_.sources));
}

OutputDirectory::Check OutputDirectory::check() {
  Check result;
  if (!open(FolderUse::Read) || !look()) return result;
  for (const OutputFile* file : to_write()) check_file(file->path, file, result);
  for (const std::string& name : stale_) check_file(name, nullptr, result);
  return result;
}

}  // namespace trainyard
