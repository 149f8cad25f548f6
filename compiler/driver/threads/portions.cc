#include "driver/threads/portions.h"

#include <algorithm>
#include <iterator>

namespace trainyard {
namespace {

constexpr std::size_t kManyFiles = 16;
constexpr std::size_t kMostFiles = 16;         // in a portion
constexpr std::size_t kLeastPart = 32 * 1024;  // bytes

std::vector<Portion> by_file(std::vector<InputPart> files, unsigned workers) {
  const std::size_t each =
      std::clamp<std::size_t>(files.size() / (std::size_t{4} * workers), 1, kMostFiles);
  std::vector<Portion> all;
  for (InputPart& file : files) {
    if (all.empty() || all.back().size() == each) all.emplace_back();
    all.back().push_back(std::move(file));
  }
  return all;
}

/// One portion of everything, or the parts of what is large.
std::vector<Portion> by_part(std::vector<InputPart> files, Session& session) {
  std::vector<Portion> all;
  for (const InputPart& file : files) {
    const std::vector<YamlPart> parts =
        split_yaml(session.sources, file.file, kLeastPart, session.limits);
    for (const YamlPart& part : parts) {
      all.push_back({InputPart{file.path, file.from_directory, file.file, part}});
    }
    if (parts.empty()) all.push_back({file});
  }
  if (all.size() > files.size()) return all;
  return {std::move(files)};
}

}  // namespace

std::vector<Portion> cut_inputs(std::vector<InputPart> files, unsigned workers, Session& session) {
  if (workers < 2) return {std::move(files)};
  const bool many = files.size() >= kManyFiles;
  // Standard input can be read only once, and a pipe, too.
  const auto wanted = [many](const InputPart& file) {
    return file.file == kNoFile && (!many || file.path == "-");
  };
  for (InputPart& file : files) {
    if (!wanted(file)) continue;
    file.file = read_source(file.path, session.env, session.sources, session.sink, session.limits,
                            file.named_by());
  }
  std::erase_if(files, wanted);  // what could not be read
  return many ? by_file(std::move(files), workers) : by_part(std::move(files), session);
}

Span FileNumbers::in_session(Span span) const {
  if (!span.known() || span.file < shared_) return span;
  for (const auto& [of_worker, of_session] : pairs_) {
    if (span.file == of_worker) return {of_session, span.begin, span.end};
  }
  return {};
}

InputCount::InputCount(const Env& env, const std::vector<Portion>& all) : env_(env) {
  done_.what = "files";
  for (const Portion& portion : all) {
    done_.all += portion.size();
    if (!portion.empty() && portion.front().part) done_.what = "parts";
  }
}

void InputCount::add(std::size_t inputs) {
  done_.done += inputs;
  env_.tell(done_);
}

namespace portions {

Reading read_in_worker(const Portion& portion, Session& session, Ambiguity ambiguity,
                       const Use& use) {
  Reading result;
  Sink reading;
  session.sink.clear();
  const auto before = static_cast<FileId>(session.sources.size());
  for (const InputPart& part : portion) {
    const PartRead read = for_each_document_of(part, session.env, session.sources, reading,
                                               session.limits, ambiguity, use);
    const bool opened = part.file == kNoFile && read.file != kNoFile;
    result.reads.push_back(read);
    result.texts.push_back(opened ? session.sources.take(read.file) : std::string());
  }
  for (const auto& [path, layer] : session.layers.by_path) {
    if (layer->file == kNoFile || layer->file < before) continue;
    LayerFile& opened = result.layers.emplace_back();
    opened.path = path;
    opened.file = layer->file;
  }
  result.found = session.sink.all();
  result.only_notes = std::ranges::all_of(
      result.found, [](const Diagnostic& each) { return each.severity == Severity::Note; });
  result.clean = reading.all().empty() && result.found.size() < Sink::kMost;
  return result;
}

namespace {

/// The same place in the session; false when it is in a file that only the worker has.
bool move_place(Span& place, const FileNumbers& numbers) {
  const bool was_known = place.known();
  place = numbers.in_session(place);
  return place.known() || !was_known;
}

bool move_places(Diagnostic& diagnostic, const FileNumbers& numbers) {
  bool good = move_place(diagnostic.span, numbers);
  for (Label& each : diagnostic.labels) good = move_place(each.span, numbers) && good;
  for (Fix& each : diagnostic.fixes) good = move_place(each.span, numbers) && good;
  for (Span& each : diagnostic.secrets) good = move_place(each, numbers) && good;
  return good;
}

}  // namespace

/// A place in a file that specs extend is known when the session has read that file, too.
void Reader::number_layers(unsigned worker, Reading& reading, FileNumbers& numbers) {
  std::vector<LayerFile>& opened = layers_[worker];
  std::ranges::move(reading.layers, std::back_inserter(opened));
  for (const LayerFile& each : opened) {
    const auto own = session_.layers.by_path.find(each.path);
    const bool is_known = own != session_.layers.by_path.end() && own->second->sound;
    if (is_known) numbers.add(each.file, own->second->file);
  }
}

bool Reader::take(unsigned worker, Portion& portion, Reading& reading, FileNumbers& numbers) {
  bool good = reading.clean;
  number_layers(worker, reading, numbers);
  for (std::size_t i = 0; i < portion.size(); ++i) {
    InputPart& part = portion[i];
    const PartRead& read = reading.reads[i];
    if (part.file == kNoFile && read.file != kNoFile) {
      part.file = session_.sources.add(part.path, std::move(reading.texts[i]));
      numbers.add(read.file, part.file);
    }
    if (!part.part) continue;
    if (std::exchange(counted_, part.file) != part.file) nodes_ = breaks_ = 0;
    part.part->nodes_before = nodes_;
    part.part->breaks_before = breaks_;
    nodes_ += read.part.nodes;
    good = good && nodes_ <= session_.limits.nodes && !is_left(part);
  }
  for (Diagnostic& each : reading.found) good = move_places(each, numbers) && good;
  return good;
}

void Reader::again(const Portion& portion, const Use& use) {
  for (const InputPart& part : portion) {
    if (is_left(part)) continue;
    Sink reading;
    const PartRead read = for_each_document_of(part, session_.env, session_.sources, reading,
                                               session_.limits, ambiguity_, use);
    breaks_ += read.part.breaks;
    if (read.part.gave_up) left_ = part.file;
    for (const Diagnostic& each : reading.all()) session_.sink.report(each);
  }
}

}  // namespace portions

}  // namespace trainyard
