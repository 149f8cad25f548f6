#include "driver/build/more_mistakes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "driver/build/compile_once.h"
#include "driver/build/readings.h"
#include "driver/build/variants.h"
#include "spec/matrix.h"

namespace trainyard {
namespace {

/// Each round finds the mistakes behind those of the round before.
constexpr int kMostRounds = 8;
/// A user with so many errors begins with these.
constexpr std::size_t kManyErrors = 100;

/// How far one reading came, and what was reported on the way.
struct Outcome {
  int reached = 0;
  std::vector<Diagnostic> found;
};

/// Compiles a reading by its number; reports to the session's sink.
using Attempt = std::function<int(std::size_t number)>;

bool is_lack(const Diagnostic& finding) {
  return finding.kind == DiagnosticKind::MissingField ||
         finding.kind == DiagnosticKind::MissingChoice;
}

/// Looks behind the errors of one document.
class Search {
 public:
  Search(Session& session, Readings& marks, Attempt attempt)
      : session_(session), marks_(marks), attempt_(std::move(attempt)) {}

  /// `others` is for a second document, with that many readings.
  void run(const Readings* others = nullptr, std::size_t readings_of_others = 1) {
    others_ = others;
    if (session_.sink.error_count() > kManyErrors) return;
    for (const Diagnostic& each : session_.sink.all()) known_.insert(key(each));
    for (int round = 0; round < kMostRounds; ++round) {
      if (session_.sink.error_count() > kManyErrors) return;
      const std::vector<Diagnostic> found = agreed(std::max(marks_.count(), readings_of_others));
      bool any = false;
      for (const Diagnostic& each : unsure_) any = marks_.give_up(each) || any;
      if (any) continue;  // the fix was none, and what is found may come of it
      for (const Diagnostic& each : found) {
        if (known_.insert(key(each)).second) session_.sink.report(each);
        if (each.severity == Severity::Error && marks_.mark(each)) any = true;
      }
      if (!any) return;
    }
  }

 private:
  /// What tells findings apart. Each reading has its own copies of the files that it reads.
  std::string key(const Diagnostic& finding) const {
    std::string text(finding.rule());
    if (finding.span.known()) {
      text += " " + std::string(session_.sources.name(finding.span.file)) + " " +
              std::to_string(finding.span.begin) + " " + std::to_string(finding.span.end);
    }
    return text + " " + finding.message;
  }

  Outcome outcome(std::size_t number) {
    Sink kept;
    std::swap(kept, session_.sink);
    Outcome result;
    result.reached = attempt_(number);
    result.found = session_.sink.all();
    std::swap(kept, session_.sink);
    std::erase_if(result.found, [&](const Diagnostic& each) {
      // What is made from no line of the user's may be made from a sample.
      const bool is_ours = each.span.known() && session_.sources.is_builtin(each.span.file);
      if (each.severity == Severity::Note || is_ours) return true;
      if (others_ != nullptr && others_->concerns(each)) return true;
      if (!marks_.concerns(each)) return false;
      if (each.severity == Severity::Error) unsure_.push_back(each);
      return true;
    });
    return result;
  }

  /// What all readings report that came furthest. One that ended earlier has a value that fits
  /// less well.
  std::vector<Diagnostic> agreed(std::size_t readings) {
    std::vector<Outcome> outcomes;
    unsure_.clear();
    for (std::size_t i = 0; i < readings; ++i) outcomes.push_back(outcome(i));
    const int furthest = std::ranges::max(outcomes, {}, &Outcome::reached).reached;
    std::erase_if(outcomes, [&](const Outcome& each) { return each.reached < furthest; });
    std::vector<Diagnostic> result = std::move(outcomes.back().found);
    outcomes.pop_back();
    for (const Outcome& other : outcomes) {
      std::set<std::string> keys;
      for (const Diagnostic& each : other.found) keys.insert(key(each));
      std::erase_if(result, [&](const Diagnostic& each) { return !keys.contains(key(each)); });
    }
    return result;
  }

  Session& session_;
  Readings& marks_;
  Attempt attempt_;
  const Readings* others_ = nullptr;
  std::set<std::string> known_;     // reported already
  std::vector<Diagnostic> unsure_;  // errors of parts with a value that is guessed
};

/// Only what is wrong with the words of a document, whatever it may lack.
int check_words(Session& session, const Document& document, Compilation& made) {
  const Reached reached = compile_once(session, document, nullptr, {}, made);
  Sink found;
  std::swap(found, session.sink);
  if (reached > Reached::Words) return static_cast<int>(Reached::Input);
  for (const Diagnostic& each : found.all()) {
    if (!is_lack(each)) session.sink.report(each);
  }
  return static_cast<int>(reached);
}

/// A Cluster with errors, as it may have been meant.
struct ClusterReadings {
  Document document;
  std::optional<Readings> marks;
  std::vector<std::unique_ptr<ClusterDocument>> readings;

  /// Reports what is wrong. False when nothing is known of the Cluster.
  bool find(Session& session, const std::string& path) {
    Sink again;
    std::vector<Document> documents =
        read_inputs({path}, session.env, session.sources, again, session.limits, Ambiguity::Refuse);
    std::erase_if(documents, [](const Document& each) { return each.kind != "Cluster"; });
    if (documents.size() != 1 || again.has_errors()) return false;
    document = std::move(documents.front());
    marks.emplace(session, document);
    Search(session, *marks, [&](std::size_t number) {
      Document reading = marks->reading(number);
      return take_cluster(session, reading) == nullptr ? 0 : 1;
    }).run();
    Sink unseen;
    std::swap(unseen, session.sink);
    for (std::size_t i = 0; i < marks->count(); ++i) {
      Document reading = marks->reading(i);
      if (auto cluster = take_cluster(session, reading)) readings.push_back(std::move(cluster));
    }
    std::swap(unseen, session.sink);
    return !readings.empty();
  }
};

}  // namespace

void report_more_mistakes(Session& session, const Document& document,
                          const ClusterDocument* cluster, std::string_view target) {
  Readings marks(session, document, cluster);
  Compilation made;
  Search(session, marks, [&](std::size_t number) {
    return static_cast<int>(compile_once(session, marks.reading(number), cluster, target, made));
  }).run();
}

void report_own_mistakes(Session& session, const Document& document) {
  Readings marks(session, document);
  marks.mark_texts([](std::string_view text) { return may_refer_to_matrix(text); });
  Compilation made;
  Search(session, marks, [&](std::size_t number) {
    return check_words(session, marks.reading(number), made);
  }).run();
}

void report_mistakes_behind_cluster(Session& session, const std::string& cluster,
                                    const std::vector<std::string>& inputs,
                                    std::string_view target) {
  ClusterReadings clusters;
  const bool is_known = clusters.find(session, cluster);
  Compilation made;
  const auto check = [&](const Document& document) {
    if (!is_known) return report_own_mistakes(session, document);
    Readings marks(session, document, clusters.readings.front().get());
    Search(session, marks, [&](std::size_t number) {
      const ClusterDocument& reading = *clusters.readings[number % clusters.readings.size()];
      return static_cast<int>(compile_once(session, marks.reading(number), &reading, target, made));
    }).run(&*clusters.marks, clusters.readings.size());
  };
  for_each_document(inputs, session.env, session.sources, session.sink, session.limits,
                    Ambiguity::Refuse, [&](Document& document) {
                      const bool ours = document.api_version.starts_with("trainyard/");
                      if (!ours || document.kind != "TrainingJob") return;
                      for_each_variant(session, document, check);
                    });
}

}  // namespace trainyard
