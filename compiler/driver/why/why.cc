#include "driver/why/why.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "diag/glyph.h"
#include "diag/redaction.h"
#include "diag/suggest.h"
#include "driver/build/compile.h"
#include "driver/build/compile_platform.h"
#include "driver/build/variants.h"
#include "driver/session/default_releases.h"
#include "driver/session/inputs.h"
#include "driver/session/read_root.h"
#include "emit/provenance.h"
#include "platform/platform.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostLines = 10'000;  // of an answer

/// The texts that causes point into, as they may be shown: with masks in place of secrets, and
/// nothing that a terminal obeys. Of the files that a map names, those below the root of `asked`.
class Texts {
 public:
  Texts(Session& session, std::string asked) : session_(session), asked_(std::move(asked)) {}

  /// Reads the file, unless it is known already. All files are needed before a line is shown: a
  /// secret of one may stand in another.
  void need(const std::string& file) {
    if (files_.size() >= kMostFiles) return;
    const auto [known, is_new] = files_.try_emplace(file, kNoFile);
    if (is_new) known->second = read(file);
  }
  FileId add(std::string_view name, std::string_view text) {
    return session_.sources.add(std::string(name), std::string(text));
  }

  /// A line below its place; "" when there is no such line, it is empty, or it may not be shown.
  std::string line(const std::string& file, std::uint32_t line, std::size_t indent) {
    const auto known = files_.find(file);
    if (known == files_.end() || known->second == kNoFile) return "";
    if (session_.sources.line(known->second, line).empty()) return "";
    return this->line(known->second, line, indent);
  }
  std::string line(FileId file, std::uint32_t line, std::size_t indent) {
    if (file == kNoFile || line == 0 || line > session_.sources.line_count(file)) return "";
    const std::string_view text = session_.sources.line(file, line);
    const auto begin = static_cast<std::size_t>(text.data() - session_.sources.text(file).data());
    return std::string(indent + 2, ' ') + std::to_string(line) + " | " +
           printable(redaction().source(file, {begin, begin + text.size()}).text, kLongestLine) +
           "\n";
  }

  /// A name or a path of the map.
  std::string words(std::string_view text) {
    return printable(redaction().words(text), kLongestLine);
  }

 private:
  static constexpr std::size_t kLongestLine = 400;  // code points
  static constexpr std::size_t kMostFiles = 256;

  FileId read(const std::string& file) {
    for (FileId id = 0; id < session_.sources.size(); ++id) {
      if (session_.sources.name(id) == file) return id;  // this run has read it
    }
    constexpr std::string_view kTemplates = "templates/";
    if (file.starts_with(kTemplates)) {
      const auto found = session_.templates.find(std::string_view(file).substr(kTemplates.size()));
      if (found) return session_.sources.add_view(file, found->text);
    }
    if (const auto text = session_.templates.text_of(file)) {
      return session_.sources.add(file, std::string(*text));
    }
    if (auto outside = outside_root(session_, asked_, file, {})) {
      outside->severity = Severity::Warning;
      outside->note("the map of causes names the file; its lines are not shown");
      session_.sink.report(std::move(*outside));
      return kNoFile;
    }
    FileRead read = session_.env.files.read(file, session_.limits.bytes);
    return read.error ? kNoFile : session_.sources.add(file, std::move(read.text));
  }

  const Redaction& redaction() {
    if (redaction_) return *redaction_;
    std::vector<Diagnostic> all;
    for (FileId id = 0; id < session_.sources.size(); ++id) {
      if (session_.sources.is_builtin(id)) continue;
      all.emplace_back(DiagnosticKind::NothingThere, Span{id, 0, 0}, "");
    }
    return redaction_.emplace(all, session_.sources);
  }

  Session& session_;
  std::string asked_;
  std::map<std::string, FileId, std::less<>> files_;
  std::optional<Redaction> redaction_;
};

/// Tells the causes of values, with the lines of text that they point to.
class Narrator {
 public:
  explicit Narrator(Texts& texts) : texts_(texts) {}

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
      text += texts_.line(output, line, 2);
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
    if (const Rule* rule = cause.kind == "rule" ? find_rule(cause.name) : nullptr) {
      text += ": " + std::string(rule->sentence);
    } else if (const PlatformStep* made =
                   cause.kind == "rule" ? find_platform_step(cause.name) : nullptr) {
      text += ": " + std::string(made->sentence);
    }
    text += '\n';
    return cause.file.empty() ? text : text + texts_.line(cause.file, cause.line, indent);
  }

  Texts& texts_;
  std::size_t lines_ = 0;
};

/// The map of causes that was asked for, and the text that its lines count in.
struct Answerable {
  Provenance causes;
  std::string output;          // of a spec that is compiled now
  FileId in_output = kNoFile;  // the text in which the lines of the causes count
  std::string name;            // of the file that was asked about
  bool spec = false;           // it is a spec, compiled now
};

class Why {
 public:
  Why(Session& session, const WhyRequest& request) : session_(session), request_(request) {}

  WhyAnswer answer() {
    if (!load()) return {};
    Texts texts(session_, request_.input);
    if (known_.spec) known_.in_output = texts.add("<output>", known_.output);
    std::string text = told(texts);
    return {std::move(text), std::move(entries_)};
  }

 private:
  std::string told(Texts& texts) {
    if (!request_.at.empty()) return at_place(texts);
    return known_.spec ? from_spec_line(texts) : at_output_line(texts);
  }

  std::string tell(Texts& texts, const std::vector<const ProvenanceEntry*>& found) {
    for (const ProvenanceEntry* entry : found) entries_.push_back(*entry);
    return Narrator(texts).tell(found, known_.in_output);
  }

  bool load() {
    const FileId file =
        read_source(request_.input, session_.env, session_.sources, session_.sink, session_.limits);
    if (file == kNoFile) return false;
    known_.name = session_.sources.name(file);
    const std::string_view text = session_.sources.text(file);
    // The map beside it tells an output from a spec; so does the first line, when there is no map.
    const std::string map_path = request_.input + std::string(kProvenanceSuffix);
    const bool has_map = request_.input != "-" && session_.env.files.exists(map_path);
    if (has_map) return load_map(map_path, file);
    if (text.starts_with(kHeader)) {
      session_.sink
          .report(DiagnosticKind::NoProvenance, {},
                  code(known_.name) + " has no map of causes beside it: " + code(map_path) +
                      " does not exist")
          .note("build it with `trainyard build --provenance`, or ask about the spec itself");
      return false;
    }
    return compile_spec(file);
  }

  bool no_map(const std::string& path, const std::string& why) {
    session_.sink
        .report(DiagnosticKind::NoProvenance, {}, code(path) + " is no map of causes" + why)
        .note("make it anew with `trainyard build --provenance`");
    return false;
  }

  bool load_map(const std::string& path, FileId output) {
    if (!may_read(session_, request_.input, path, {})) return false;
    const FileRead read = session_.env.files.read(path, session_.limits.bytes);
    if (read.error) {
      session_.sink.report(DiagnosticKind::FileUnreadable, {},
                           code(path) + ": " + read.error->message);
      return false;
    }
    auto causes = read_provenance(read.text);
    if (!causes) return no_map(path, "");
    if (!causes->is_of(session_.sources.text(output))) {
      session_.sink
          .report(DiagnosticKind::StaleProvenance, {},
                  code(known_.name) + " is not the file that its map of causes " + code(path) +
                      " was made for: one of them was changed since")
          .note("make both anew with `trainyard build --provenance`");
      return false;
    }
    const std::uint32_t lines = session_.sources.line_count(output);
    for (const ProvenanceEntry& entry : causes->entries) {
      if (entry.last_line <= lines) continue;
      return no_map(path, ": it names line " + std::to_string(entry.last_line) + ", but " +
                              code(known_.name) + " has " + std::to_string(lines));
    }
    known_.causes = std::move(causes->entries);
    known_.in_output = output;
    return true;
  }

  bool compile_spec(FileId file) {
    std::unique_ptr<ClusterDocument> cluster;
    if (!request_.cluster.empty()) {
      cluster = read_cluster(session_, request_.cluster);
      if (cluster == nullptr) return false;
    }
    known_.spec = true;
    known_.output = kHeader;
    lines_ = static_cast<std::uint32_t>(std::ranges::count(kHeader, '\n'));
    NewestReleases releases;
    std::size_t jobs = 0;
    Compilation compilation;
    std::vector<Tree> trees =
        read_yaml(session_.sources, file, session_.sink, session_.limits, Ambiguity::Refuse);
    for (Tree& tree : trees) {
      Document document;
      document.path = request_.input;
      document.file = file;
      document.tree = std::move(tree);
      document.api_version = document.root()["apiVersion"].text();
      document.kind = document.root()["kind"].text();
      if (document.kind == "Cluster") {
        ++jobs;
        const auto made = compile_platform(session_, document);
        if (made == nullptr) continue;
        know(made->objects, made->origins);
        releases.note(made->objects, session_.schemas, &made->cluster->cluster);
        releases.forget_cluster();
      }
      if (document.kind != "TrainingJob") continue;
      ++jobs;
      for_each_variant(session_, document, [&](Document& variant) {
        if (!compile(session_, variant, cluster.get(), request_.target, compilation)) return;
        know(compilation.objects, compilation.origins);
        releases.note(compilation.objects, session_.schemas,
                      cluster == nullptr ? nullptr : &cluster->cluster);
      });
    }
    put_below_header(releases.lines());
    if (jobs == 0 && !session_.sink.has_errors()) {
      session_.sink.report(DiagnosticKind::NoProvenance, {},
                           code(known_.name) +
                               " is no TrainingJob, no Cluster and no file that `trainyard build "
                               "--provenance` made");
    }
    return !session_.sink.has_errors();
  }

  /// What is known when all objects are there already.
  void put_below_header(const std::string& lines) {
    known_.output.insert(kHeader.size(), lines);
    const auto count = static_cast<std::uint32_t>(std::ranges::count(lines, '\n'));
    for (ProvenanceEntry& entry : known_.causes) {
      entry.first_line += count;
      entry.last_line += count;
    }
  }

  void know(const ObjectSet& objects, const Origins& origins) {
    std::string text;
    std::vector<WrittenObject> written;
    write_objects(objects, text, &written);
    const std::size_t before = known_.causes.size();
    trace(objects, written, text, origins, session_.sources, known_.causes);
    for (ProvenanceEntry& entry : std::span(known_.causes).subspan(before)) {
      entry.first_line += lines_;
      entry.last_line += lines_;
    }
    lines_ += static_cast<std::uint32_t>(std::ranges::count(text, '\n'));
    known_.output += text;
  }

  std::string at_place(Texts& texts) {
    const auto found = at_path(known_.causes, request_.at);
    if (!found.empty()) return tell(texts, found);
    Diagnostic& report = session_.sink.report(DiagnosticKind::NothingThere, {},
                                              "the output has nothing at " + code(request_.at));
    if (const auto near = nearest()) report.note("the nearest is " + code(*near));
    return {};
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

  std::string at_output_line(Texts& texts) {
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

  std::string from_spec_line(Texts& texts) {
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
           texts.line(known_.name, request_.line, 0) + "leads to\n" + text;
  }

  Session& session_;
  const WhyRequest& request_;
  Answerable known_;
  std::uint32_t lines_ = 0;               // of the output, while it is made
  std::vector<ProvenanceEntry> entries_;  // of the answer
};

}  // namespace

WhyAnswer why(Session& session, const WhyRequest& request) {
  return Why(session, request).answer();
}

}  // namespace trainyard
