#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "driver/threads/ordered_work.h"

namespace trainyard {

/// Inputs that one worker takes at a time.
using Portion = std::vector<InputPart>;

/// Cuts inputs into portions that can be worked on at the same time: some files each, or parts of a
/// large file. A single portion where a second thread would not pay. What it had to read for that,
/// is read.
std::vector<Portion> cut_inputs(std::vector<InputPart> files, unsigned workers, Session& session);

/// Which file of the session a file of a worker's became.
class FileNumbers {
 public:
  /// Files below `shared` have the same number in both.
  explicit FileNumbers(FileId shared) : shared_(shared) {}
  void add(FileId of_worker, FileId of_session) { pairs_.emplace_back(of_worker, of_session); }
  /// The span in the session; unknown when its file is none that both have.
  Span in_session(Span span) const;

 private:
  FileId shared_;
  std::vector<std::pair<FileId, FileId>> pairs_;
};

/// What is done with the documents of each portion.
template <class Made>
struct PortionWork {
  Ambiguity ambiguity = Ambiguity::Refuse;
  /// What a worker says of documents is what `again` would say; else they are handed to `again`
  /// when there is anything to say.
  bool keeps_findings = false;
  /// The same where all that a worker says are notes.
  bool keeps_notes = false;
  /// On a worker's thread, with a session of its own.
  std::function<void(Session&, unsigned worker, Document&, Made&)> make;
  /// The same, when all documents of a portion were made; may be empty.
  std::function<void(unsigned worker, Made&)> finish = nullptr;
  /// On the calling thread, in the order of the inputs. False when something is to be said about
  /// it after all: then its documents are handed to `again`.
  std::function<bool(Made&&, const FileNumbers&)> merge;
  /// On the calling thread, in the session itself.
  std::function<void(Document&)> again;
};

namespace portions {

/// What a worker has read for a portion, and what it has to say about it.
struct Reading {
  std::vector<PartRead> reads;     // as the parts of the portion
  std::vector<std::string> texts;  // of the files that the worker has opened
  std::vector<LayerFile> layers;   // that the worker has opened; without their trees
  std::vector<Diagnostic> found;   // in the documents
  bool only_notes = false;         // all that was found
  bool clean = false;              // they could be read, and there is not too much to say
};

using Use = std::function<void(Document&)>;

Reading read_in_worker(const Portion& portion, Session& session, Ambiguity ambiguity,
                       const Use& use);

/// Takes over into the session what workers have read.
class Reader {
 public:
  Reader(Session& session, Ambiguity ambiguity, unsigned workers)
      : session_(session), ambiguity_(ambiguity), layers_(workers) {}

  /// The files become files of the session. False when the portion has to be read again.
  bool take(unsigned worker, Portion& portion, Reading& reading, FileNumbers& numbers);
  /// Reads the portion in the session itself.
  void again(const Portion& portion, const Use& use);

 private:
  bool is_left(const InputPart& part) const { return part.part && part.file == left_; }

  void number_layers(unsigned worker, Reading& reading, FileNumbers& numbers);

  Session& session_;
  Ambiguity ambiguity_;
  std::vector<std::vector<LayerFile>> layers_;  // that each worker has opened so far
  FileId counted_ = kNoFile;                    // the file whose parts are being read
  std::size_t nodes_ = 0;                       // of its parts so far
  std::size_t breaks_ = 0;                      // in its parts so far
  FileId left_ = kNoFile;                       // its rest is not to be read
};

}  // namespace portions

/// Tells how many inputs are done.
class InputCount {
 public:
  InputCount(const Env& env, const std::vector<Portion>& all);
  void add(std::size_t inputs);

 private:
  const Env& env_;
  WorkDone done_;
};

/// Does the work on all portions. Whatever the number of workers, the outcome is that of `again`
/// for every document in order: workers only do in advance what comes to the same.
template <class Made>
void run_portions(Session& session, std::vector<Portion> all, unsigned workers,
                  const PortionWork<Made>& work) {
  const auto shared = static_cast<FileId>(session.sources.size());
  portions::Reader reader(session, work.ambiguity, workers);
  InputCount count(session.env, all);
  if (workers < 2 || all.size() < 2) {
    for (const Portion& portion : all) {
      for (const InputPart& part : portion) {
        reader.again({part}, work.again);
        count.add(1);
      }
    }
    return;
  }
  struct Result {
    unsigned worker = 0;
    portions::Reading reading;
    Made made;
  };
  std::vector<std::unique_ptr<Session>> sessions;
  for (unsigned worker = 0; worker < workers; ++worker) sessions.push_back(session.fork());
  std::vector<std::unique_ptr<Result>> results(all.size());
  work_in_order(
      all.size(), workers,
      [&](std::size_t item, unsigned worker) {
        auto result = std::make_unique<Result>();
        result->worker = worker;
        Session& own = *sessions[worker];
        result->reading = portions::read_in_worker(
            all[item], own, work.ambiguity,
            [&](Document& document) { work.make(own, worker, document, result->made); });
        if (work.finish) work.finish(worker, result->made);
        results[item] = std::move(result);
      },
      [&](std::size_t item) {
        const std::unique_ptr<Result> result = std::move(results[item]);
        FileNumbers numbers(shared);
        portions::Reading& reading = result->reading;
        const bool is_read = reader.take(result->worker, all[item], reading, numbers);
        const bool keeps = work.keeps_findings || reading.found.empty() ||
                           (work.keeps_notes && reading.only_notes);
        const bool good = is_read && keeps && work.merge(std::move(result->made), numbers);
        if (!good) reader.again(all[item], work.again);
        for (std::size_t i = 0; good && i < reading.found.size(); ++i) {
          session.sink.report(std::move(reading.found[i]));
        }
        count.add(all[item].size());
        all[item] = {};  // there may be very many
        return true;
      });
}

}  // namespace trainyard
