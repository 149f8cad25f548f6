#include "driver/why/why.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/why/cause_texts.h"
#include "driver/why/known_causes.h"
#include "emit/provenance.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostLines = 10'000;  // of an answer

/// A line of text below its place.
std::string below(std::uint32_t line, const std::optional<std::string>& text, std::size_t indent) {
  if (!text) return {};
  return std::string(indent + 2, ' ') + std::to_string(line) + " | " + *text + "\n";
}

/// Tells the causes of values, with the lines of text that they point to.
class Narrator {
 public:
  explicit Narrator(CauseTexts& texts) : texts_(texts) {}

  /// `output` is the file in which the lines of the entries count.
  std::string tell(const std::vector<const ProvenanceEntry*>& entries, FileId output) {
    for (const ProvenanceEntry* entry : entries) {
      for (const Cause& cause : entry->causes) {
        if (!cause.file.empty()) texts_.need(cause.file);
      }
    }
    std::string text;
    for (const ProvenanceEntry* entry : entries) {
      if (lines_ > kMostLines) return text + "\n… and more\n";
      if (!text.empty()) text += '\n';
      text += texts_.words(entry->object + ":" + entry->named_path) + "\n";
      text += output_lines(*entry, output);
      for (const Cause& cause : entry->causes) {
        if (++lines_ > kMostLines) break;
        text += step(cause);
      }
    }
    return text;
  }

 private:
  std::string output_lines(const ProvenanceEntry& entry, FileId output) {
    std::string text;
    if (entry.first_line == 0) return text;
    for (std::uint32_t line = entry.first_line; line <= entry.last_line; ++line) {
      if (++lines_ > kMostLines) break;
      text += below(line, texts_.line(output, line), 2);
    }
    return text;
  }

  std::string step(const Cause& cause) {
    const std::size_t indent = 2 + 2 * std::size_t{cause.depth};
    std::string text(indent, ' ');
    text += cause.kind;
    if (!cause.name.empty()) text += " " + texts_.words(cause.name);
    if (!cause.file.empty()) {
      text += " " + texts_.words(cause.file) + ":" + std::to_string(cause.line) + ":" +
              std::to_string(cause.column);
    }
    const std::string_view sentence =
        cause.kind == "rule" ? sentence_of_rule(cause.name) : std::string_view();
    if (!sentence.empty()) text += ": " + std::string(sentence);
    text += '\n';
    return cause.file.empty()
               ? text
               : text + below(cause.line, texts_.line(cause.file, cause.line), indent);
  }

  CauseTexts& texts_;
  std::size_t lines_ = 0;
};

class Why {
 public:
  Why(Session& session, const WhyRequest& request) : session_(session), request_(request) {}

  WhyAnswer answer() {
    auto known = load_causes(session_, {request_.input, request_.cluster, request_.target});
    if (!known) return {};
    known_ = std::move(*known);
    CauseTexts texts(session_, request_.input);
    if (known_.spec) known_.in_output = texts.add("<output>", known_.output);
    std::string text = told(texts);
    return {std::move(text), std::move(entries_)};
  }

 private:
  std::string told(CauseTexts& texts) {
    if (!request_.at.empty()) return at_place(texts);
    return known_.spec ? from_spec_line(texts) : at_output_line(texts);
  }

  std::string tell(CauseTexts& texts, const std::vector<const ProvenanceEntry*>& found) {
    for (const ProvenanceEntry* entry : found) entries_.push_back(*entry);
    return Narrator(texts).tell(found, known_.in_output);
  }

  std::string at_place(CauseTexts& texts) {
    const auto found = at_path(known_.causes, request_.at);
    if (!found.empty()) return tell(texts, found);
    const std::vector<std::string> meant = places_with(request_.at);
    if (meant.size() == 1) return tell(texts, at_path(known_.causes, meant.front()));
    Diagnostic& report = session_.sink.report(DiagnosticKind::NothingThere, {},
                                              "the output has nothing at " + code(request_.at));
    if (!meant.empty()) {
      report.note(std::to_string(meant.size()) + " places have it: " + listed(meant, "and"));
    } else if (const auto near = nearest()) {
      report.note("the nearest is " + code(*near));
    }
    return {};
  }

  /// The places that have a text as a whole step of theirs: `env[NODE_RANK]` of `NODE_RANK`. Each
  /// ends with that step.
  std::vector<std::string> places_with(std::string_view part) const {
    constexpr std::string_view kBetween = ".[]:/";
    const auto is_end = [&](const std::string& place, std::size_t at) {
      return at == place.size() || kBetween.find(place[at]) != kBetween.npos;
    };
    std::set<std::string> places;
    for (const ProvenanceEntry& entry : known_.causes) {
      const std::string place = entry.object + ":" + entry.named_path;
      for (std::size_t at = entry.object.size() + 1; (at = place.find(part, at)) != place.npos;
           ++at) {
        std::size_t end = at + part.size();
        if (!is_end(place, at - 1) || !is_end(place, end)) continue;
        if (end < place.size() && place[end] == ']') ++end;
        places.insert(place.substr(0, end));
        break;
      }
    }
    return {places.begin(), places.end()};
  }

  /// The longest part of the wanted place that exists, and what follows it.
  std::optional<std::string> nearest() const {
    constexpr std::size_t kMostBytes = 8 * 1024 * 1024;  // of places that are compared
    std::size_t bytes = 0;
    std::set<std::string, std::less<>> places;
    for (const ProvenanceEntry& entry : known_.causes) {
      for (const std::string* path : {&entry.named_path, &entry.path}) {
        std::string place = entry.object + ":" + *path;
        const bool with_object = request_.at.find(':') < request_.at.find('[');
        if (!with_object) place = *path;
        places.insert(place);
        for (std::size_t at = place.find_last_of(".["); at != std::string::npos && at > 0;
             at = place.find_last_of(".[", at - 1)) {
          if ((bytes += at) > kMostBytes) return nearest_of(places);
          places.insert(place.substr(0, at));
        }
      }
    }
    return nearest_of(places);
  }

  std::optional<std::string> nearest_of(const std::set<std::string, std::less<>>& places) const {
    const std::vector<std::string_view> views(places.begin(), places.end());
    if (const auto near = suggest(request_.at, views)) return std::string(*near);
    // Too long for a guess at all of it: what is common from the front on.
    std::string_view best;
    std::size_t longest = 0;
    for (std::string_view place : views) {
      const auto [end, other] =
          std::mismatch(place.begin(), place.end(), request_.at.begin(), request_.at.end());
      const auto common = static_cast<std::size_t>(end - place.begin());
      if (common > longest || (common == longest && place.size() < best.size())) {
        longest = common;
        best = place;
      }
    }
    if (longest < 3) return std::nullopt;
    return std::string(best);
  }

  std::string at_output_line(CauseTexts& texts) {
    const auto found = at_line(known_.causes, request_.line);
    if (!found.empty()) return tell(texts, found);
    Diagnostic& report = session_.sink.report(
        DiagnosticKind::NothingThere, {},
        "no value stands on line " + std::to_string(request_.line) + " of " + code(known_.name));
    std::uint32_t next = 0;
    for (const ProvenanceEntry& entry : known_.causes) {
      const bool nearer = next == 0 || entry.first_line < next;
      if (entry.first_line > request_.line && nearer) next = entry.first_line;
    }
    if (next != 0) report.note("the next one stands on line " + std::to_string(next));
    return {};
  }

  std::string from_spec_line(CauseTexts& texts) {
    texts.need(known_.name);
    std::string text;
    std::size_t count = 0;
    for (const ProvenanceEntry& entry : known_.causes) {
      const Cause* nearest_rule = nullptr;
      for (const Cause& cause : entry.causes) {
        if (cause.kind == "rule") nearest_rule = &cause;
        if (cause.file != known_.name || cause.line != request_.line) continue;
        text += "  " + texts.words(entry.object + ":" + entry.named_path);
        if (nearest_rule != nullptr) text += "   (rule " + nearest_rule->name + ")";
        text += '\n';
        entries_.push_back(entry);
        ++count;
        break;
      }
    }
    if (count == 0) {
      session_.sink
          .report(DiagnosticKind::NothingThere, {},
                  "no value of the output comes from line " + std::to_string(request_.line) +
                      " of " + code(known_.name))
          .note("a line that opens a map or a list has no value of its own");
      return {};
    }
    return texts.words(known_.name) + ":" + std::to_string(request_.line) + "\n" +
           below(request_.line, texts.line(known_.name, request_.line), 0) + "leads to\n" + text;
  }

  Session& session_;
  const WhyRequest& request_;
  KnownCauses known_;
  std::vector<ProvenanceEntry> entries_;  // of the answer
};

}  // namespace

WhyAnswer why(Session& session, const WhyRequest& request) {
  return Why(session, request).answer();
}

}  // namespace trainyard
