#include "driver/build/able_to_build.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "driver/build/compile_once.h"

namespace trainyard {
namespace {

/// As rules begin the note, and what it becomes where each of these refuses something else.
constexpr std::string_view kList = "targets that can: ";
constexpr std::string_view kNoneTakesAll = "targets that can, but not all else of this job: ";
constexpr std::string_view kBetween = ", ";
constexpr std::string_view kPlanned = "; planned: ";

using Mistake = std::tuple<DiagnosticKind, std::string, std::uint32_t, std::string>;

/// How a target takes the job; the mistakes are those of the job's own target.
enum Verdict { kFails, kHasMistakes, kCompiles };

class Trials {
 public:
  Trials(Session& session, const Document& document, const ClusterDocument* cluster)
      : session_(session), document_(document), cluster_(cluster) {}

  /// A mistake that no choice of a target mends.
  void excuse(const Diagnostic& finding) { excused_.insert(mistake(finding)); }

  /// The list of a note, with the targets that compile the job alone.
  std::string kept(std::string_view note) {
    const std::string_view all = note.substr(kList.size());
    std::string_view rest = all.substr(0, all.find(kPlanned));
    std::string able;
    int best = kFails;
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(kBetween));
      rest.remove_prefix(std::min(rest.size(), item.size() + kBetween.size()));
      const int how = verdict(item);
      if (how == kFails || how < best) continue;
      if (how > best) able.clear();
      best = how;
      able += able.empty() ? kList : kBetween;
      able += item;
    }
    if (able.empty()) return std::string(kNoneTakesAll) + std::string(all);
    return able;
  }

 private:
  /// What tells mistakes apart. Each compilation has its own copies of staged files.
  Mistake mistake(const Diagnostic& finding) const {
    const Span& place = finding.span;
    std::string file(place.known() ? session_.sources.name(place.file) : "");
    return {finding.kind, std::move(file), place.begin, finding.message};
  }

  /// Of an item of the list. What is more than the name of a target says what else it takes.
  int verdict(std::string_view item) {
    const bool is_name = item.find('`', 1) + 1 == item.size();
    if (!is_name) return kCompiles;
    const std::string name(item.substr(1, item.size() - 2));
    const auto [found, is_new] = known_.try_emplace(name, kFails);
    if (is_new) found->second = try_target(name);
    return found->second;
  }

  int try_target(const std::string& name) {
    Sink found;
    std::swap(found, session_.sink);
    Compilation made;
    compile_once(session_, document_, cluster_, name, made);
    std::swap(found, session_.sink);
    const bool is_excused = std::ranges::none_of(found.all(), [&](const Diagnostic& each) {
      return each.severity == Severity::Error && !excused_.contains(mistake(each));
    });
    return !is_excused ? kFails : found.has_errors() ? kHasMistakes : kCompiles;
  }

  Session& session_;
  const Document& document_;
  const ClusterDocument* cluster_;
  std::set<Mistake> excused_;
  std::map<std::string, int> known_;
};

}  // namespace

void keep_targets_that_build(Session& session, const Document& document,
                             const ClusterDocument* cluster, std::size_t first) {
  std::vector<Diagnostic> findings = session.sink.all();
  if (findings.size() == Sink::kMost) return;  // others were only counted
  Trials trials(session, document, cluster);
  bool any = false;
  for (std::size_t i = first; i < findings.size(); ++i) {
    trials.excuse(findings[i]);
    for (const std::string& note : findings[i].notes) any = any || note.starts_with(kList);
  }
  if (!any) return;
  session.sink.clear();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::string& note : findings[i].notes) {
      if (i >= first && note.starts_with(kList)) note = trials.kept(note);
    }
    session.sink.report(std::move(findings[i]));
  }
}

}  // namespace trainyard
