#include "driver/build/output_directory.h"

#include <algorithm>
#include <map>
#include <utility>

#include "driver/format/difference.h"
#include "emit/provenance.h"

namespace trainyard {
namespace {

/// Names of jobs have neither dots nor underscores, so none of these can be another job's.
std::string file_name(const JobOutput& job, bool name_is_shared) {
  if (name_is_shared && !job.ns.empty()) return job.ns + "." + job.name + ".yaml";
  return job.name + (job.name == "kustomization" ? "_.yaml" : ".yaml");
}

bool is_map(std::string_view name) {
  return name.ends_with(kProvenanceSuffix);
}

}  // namespace

std::vector<Artifact> lay_out(std::vector<JobOutput> jobs) {
  std::map<std::string, int, std::less<>> uses;
  for (const JobOutput& job : jobs) ++uses[job.name];
  std::vector<Artifact> files;
  for (JobOutput& job : jobs) {
    const std::string name = file_name(job, uses[job.name] > 1);
    files.push_back({name, std::move(job.text)});
    if (job.causes.empty()) continue;
    files.push_back({name + std::string(kProvenanceSuffix), std::move(job.causes)});
  }
  std::sort(files.begin(), files.end(),
            [](const Artifact& a, const Artifact& b) { return a.path < b.path; });
  files.push_back(kustomization(files));
  return files;
}

OutputDirectory::OutputDirectory(Session& session, std::string path, std::vector<Artifact> files,
                                 bool maps)
    : session_(session), path_(std::move(path)), files_(std::move(files)), maps_(maps) {
  for (const Artifact& file : files_) made_.emplace(file.path, &file);
}

std::string OutputDirectory::full(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::string OutputDirectory::on_disk(std::string_view name) const {
  return session_.env.files.read(full(name), session_.limits.bytes).text;
}

bool OutputDirectory::is_current(const Artifact& file) const {
  return on_disk(file.path) == file.text;
}

bool OutputDirectory::is_ours(std::string_view name) const {
  const std::string text = on_disk(name);
  return is_map(name) ? is_provenance(text) : text.starts_with(kHeader);
}

/// Whether the file that a map belongs to is gone, or is about to change.
bool OutputDirectory::outlived_its_file(std::string_view map) const {
  map.remove_suffix(kProvenanceSuffix.size());
  const auto file = made_.find(map);
  return file == made_.end() || !is_current(*file->second);
}

/// Files of ours in the directory that this run does not make.
std::vector<std::string> OutputDirectory::stale() const {
  std::vector<std::string> result;
  for (const std::string& name : session_.env.files.list(path_)) {
    const bool may_be_ours = is_map(name) || name.ends_with(".yaml");
    if (made_.contains(name) || !may_be_ours || !is_ours(name)) continue;
    if (is_map(name) && !maps_ && !outlived_its_file(name)) continue;
    result.push_back(name);
  }
  return result;
}

/// A file that someone wrote by hand is never overwritten.
bool OutputDirectory::nothing_foreign() {
  for (const Artifact& file : files_) {
    const std::string path = full(file.path);
    if (!session_.env.files.exists(path) || is_ours(file.path)) continue;
    session_.sink
        .report(DiagnosticKind::OutputConflict, {},
                "`" + path + "` exists and was not made by trainyard")
        .note("move it away, or choose another directory");
  }
  return !session_.sink.has_errors();
}

void OutputDirectory::failed(std::string_view name, const FileError& error, Changes& changes) {
  changes.failed = true;
  session_.sink.report(DiagnosticKind::OutputFailed, {}, "`" + full(name) + "`: " + error.message);
}

OutputDirectory::Changes OutputDirectory::write() {
  Changes changes;
  if (!nothing_foreign()) return changes;
  const std::vector<std::string> old = stale();
  for (const Artifact& file : files_) {
    if (session_.env.files.exists(full(file.path)) && is_current(file)) continue;
    if (const auto error = session_.env.files.write(full(file.path), file.text)) {
      failed(file.path, *error, changes);
      return changes;
    }
    changes.written.push_back(full(file.path));
  }
  for (const std::string& name : old) {
    if (const auto error = session_.env.files.remove(full(name))) {
      failed(name, *error, changes);
      return changes;
    }
    changes.removed.push_back(full(name));
  }
  return changes;
}

std::string OutputDirectory::difference() const {
  std::string result;
  const auto change = [&](const std::string& name, bool is_there, std::string_view text,
                          bool is_made) {
    const std::string path = full(name);
    if (is_map(name)) {  // nobody reads one
      result += "the map of causes " + path + " is " + (is_made ? "out of date\n" : "stale\n");
      return;
    }
    result += trainyard::difference(is_there ? path : "/dev/null", is_made ? path : "/dev/null",
                                    on_disk(name), text);
  };
  for (const Artifact& file : files_) {
    const bool is_there = session_.env.files.exists(full(file.path));
    if (!is_there || !is_current(file)) change(file.path, is_there, file.text, true);
  }
  for (const std::string& name : stale()) change(name, true, "", false);
  return result;
}

}  // namespace trainyard
