#include "driver/build/able_to_build.h"

#include <algorithm>
#include <cstdint>
#include <limits>
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

class Trials {
 public:
  Trials(Session& session, const Document& document, const ClusterDocument* cluster)
      : session_(session), document_(document), cluster_(cluster) {}

  /// A mistake that no choice of a target mends.
  void excuse(const Diagnostic& finding) { excused_.insert(mistake(finding)); }

  /// The list of a note, with the targets alone that refuse least of the job.
  std::string kept(std::string_view note) {
    const std::string_view all = note.substr(kList.size());
    std::string_view rest = all.substr(0, all.find(kPlanned));
    std::string able;
    std::string conditional;
    std::size_t least = kNever;
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(kBetween));
      rest.remove_prefix(std::min(rest.size(), item.size() + kBetween.size()));
      const bool is_name = item.find('`', 1) + 1 == item.size();
      if (!is_name) {  // it says what else it takes
        add(conditional, item);
        continue;
      }
      const std::size_t refused = refusals(std::string(item.substr(1, item.size() - 2)));
      if (refused < least) able.clear();
      least = std::min(least, refused);
      if (refused == least) add(able, item);
    }
    if (least > kOwnMistakes && !conditional.empty()) able.clear();
    const bool takes_all = least <= kOwnMistakes || !conditional.empty();
    if (!conditional.empty()) add(able, conditional);
    return std::string(takes_all ? kList : kNoneTakesAll) + able;
  }

 private:
  /// What tells mistakes apart. Each compilation has its own copies of staged files.
  Mistake mistake(const Diagnostic& finding) const {
    const Span& place = finding.span;
    std::string file(place.known() ? session_.sources.name(place.file) : "");
    return {finding.kind, std::move(file), place.begin, finding.message};
  }

  static void add(std::string& list, std::string_view item) {
    if (!list.empty()) list += kBetween;
    list += item;
  }

  std::size_t refusals(const std::string& target) {
    const auto [found, is_new] = known_.try_emplace(target, kOwnMistakes);
    if (is_new) found->second = try_target(target);
    return found->second;
  }

  /// None; `kOwnMistakes` if the job's own target reports all of them, too; else more.
  std::size_t try_target(const std::string& target) {
    Sink found;
    std::swap(found, session_.sink);
    Compilation made;
    compile_once(session_, document_, cluster_, target, made);
    std::swap(found, session_.sink);
    if (!found.has_errors()) return 0;
    const auto others = std::ranges::count_if(found.all(), [&](const Diagnostic& each) {
      return each.severity == Severity::Error && !excused_.contains(mistake(each));
    });
    return kOwnMistakes + static_cast<std::size_t>(others);
  }

  static constexpr std::size_t kOwnMistakes = 1;
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  Session& session_;
  const Document& document_;
  const ClusterDocument* cluster_;
  std::set<Mistake> excused_;
  std::map<std::string, std::size_t> known_;  // by target
};

}  // namespace

void keep_targets_that_build(Session& session, const Document& document,
                             const ClusterDocument* cluster, std::size_t first) {
  constexpr std::size_t kManyErrors =
      100;  // of many documents: their notes stay as rules wrote them
  if (session.sink.error_count() > kManyErrors) return;
  std::vector<Diagnostic> findings = session.sink.all();
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
