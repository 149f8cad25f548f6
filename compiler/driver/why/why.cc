#include "driver/why/why.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "diag/suggest.h"
#include "driver/build/compile.h"
#include "driver/build/compile_platform.h"
#include "driver/build/variants.h"
#include "driver/session/default_releases.h"
#include "driver/session/inputs.h"
#include "emit/provenance.h"
#include "platform/platform.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Tells the causes of values, with the lines of text that they point to.
class Narrator {
 public:
  explicit Narrator(Session& session) : session_(session) {}

  /// What a file's lines are, where its text is known already.
  void know(std::string_view file, std::string_view text) { texts_.emplace(file, text); }

  std::string tell(const std::vector<const ProvenanceEntry*>& entries, std::string_view output) {
    std::string text;
    for (const ProvenanceEntry* entry : entries) {
      if (!text.empty()) text += '\n';
      text += entry->object + ":" + entry->named_path + "\n";
      for (std::uint32_t line = entry->first_line;
           !output.empty() && line != 0 && line <= entry->last_line; ++line) {
        text += excerpt(line, line_of(output, line), 2);
      }
      for (const Cause& cause : entry->causes) text += step(cause);
    }
    return text;
  }

  /// A line of a file as it is shown below its place; "" when the text is not to be had.
  std::string shown(const std::string& file, std::uint32_t line, std::size_t indent) {
    const std::optional<std::string_view> text = text_of(file);
    if (!text) return "";
    const std::string_view found = line_of(*text, line);
    return found.empty() ? "" : excerpt(line, found, indent);
  }

 private:
  std::string step(const Cause& cause) {
    const std::size_t indent = 2 + 2 * std::size_t{cause.depth};
    std::string text(indent, ' ');
    text += cause.kind;
    if (!cause.name.empty()) text += " " + cause.name;
    if (!cause.file.empty()) {
      text +=
          " " + cause.file + ":" + std::to_string(cause.line) + ":" + std::to_string(cause.column);
    }
    if (const Rule* rule = cause.kind == "rule" ? find_rule(cause.name) : nullptr) {
      text += ": " + std::string(rule->sentence);
    } else if (const PlatformStep* made =
                   cause.kind == "rule" ? find_platform_step(cause.name) : nullptr) {
      text += ": " + std::string(made->sentence);
    }
    text += '\n';
    return cause.file.empty() ? text : text + shown(cause.file, cause.line, indent);
  }

  static std::string excerpt(std::uint32_t line, std::string_view text, std::size_t indent) {
    std::string out(indent + 2, ' ');
    out += std::to_string(line) + " | ";
    for (char c : text) {  // what a terminal would act on is not shown
      const auto byte = static_cast<unsigned char>(c);
      out += byte < 0x20 || byte == 0x7F ? ' ' : c;
    }
    return out + '\n';
  }

  static std::string_view line_of(std::string_view text, std::uint32_t line) {
    for (; line > 1; --line) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
  }

  std::optional<std::string_view> text_of(const std::string& file) {
    if (const auto known = texts_.find(file); known != texts_.end()) return known->second;
    constexpr std::string_view kTemplates = "templates/";
    if (file.starts_with(kTemplates)) {
      const auto found = session_.templates.find(std::string_view(file).substr(kTemplates.size()));
      if (found) return texts_.emplace(file, found->text).first->second;
    }
    FileRead read = session_.env.files.read(file, session_.limits.bytes);
    if (read.error) return std::nullopt;
    return texts_.emplace(file, std::move(read.text)).first->second;
  }

  Session& session_;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// The map of causes that was asked for, and the text that its lines count in.
struct Answerable {
  Provenance causes;
  std::string output;
  std::string name;   // of the file that was asked about
  bool spec = false;  // it is a spec, compiled now
  std::string spec_text;
};

class Why {
 public:
  Why(Session& session, const WhyRequest& request) : session_(session), request_(request) {}

  WhyAnswer answer() {
    if (!load()) return {};
    Narrator narrator(session_);
    if (known_.spec) narrator.know(known_.name, known_.spec_text);
    std::string text = told(narrator);
    return {std::move(text), std::move(entries_)};
  }

 private:
  std::string told(Narrator& narrator) {
    if (!request_.at.empty()) return at_place(narrator);
    return known_.spec ? from_spec_line(narrator) : at_output_line(narrator);
  }

  std::string tell(Narrator& narrator, const std::vector<const ProvenanceEntry*>& found) {
    for (const ProvenanceEntry* entry : found) entries_.push_back(*entry);
    return narrator.tell(found, known_.output);
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
    if (has_map) return load_map(map_path, text);
    if (text.starts_with(kHeader)) {
      session_.sink
          .report(DiagnosticKind::NoProvenance, {},
                  code(known_.name) + " has no map of causes beside it: " + code(map_path) +
                      " does not exist")
          .note("build it with `trainyard build --provenance`, or ask about the spec itself");
      return false;
    }
    return compile_spec(file, text);
  }

  bool load_map(const std::string& path, std::string_view output) {
    const FileRead read = session_.env.files.read(path, session_.limits.bytes);
    if (read.error) {
      session_.sink.report(DiagnosticKind::FileUnreadable, {},
                           code(path) + ": " + read.error->message);
      return false;
    }
    auto causes = read_provenance(read.text);
    if (!causes) {
      session_.sink.report(DiagnosticKind::NoProvenance, {}, code(path) + " is no map of causes")
          .note("make it anew with `trainyard build --provenance`");
      return false;
    }
    if (!causes->is_of(output)) {
      session_.sink
          .report(DiagnosticKind::StaleProvenance, {},
                  code(known_.name) + " is not the file that its map of causes " + code(path) +
                      " was made for: one of them was changed since")
          .note("make both anew with `trainyard build --provenance`");
      return false;
    }
    known_.causes = std::move(causes->entries);
    known_.output = output;
    return true;
  }

  bool compile_spec(FileId file, std::string_view text) {
    std::unique_ptr<ClusterDocument> cluster;
    if (!request_.cluster.empty()) {
      cluster = read_cluster(session_, request_.cluster);
      if (cluster == nullptr) return false;
    }
    known_.spec = true;
    known_.spec_text = text;
    known_.output = kHeader;
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
    std::vector<WrittenObject> written;
    write_objects(objects, known_.output, &written);
    trace(objects, written, known_.output, origins, session_.sources, known_.causes);
  }

  std::string at_place(Narrator& narrator) {
    const auto found = at_path(known_.causes, request_.at);
    if (!found.empty()) return tell(narrator, found);
    Diagnostic& report = session_.sink.report(DiagnosticKind::NothingThere, {},
                                              "the output has nothing at " + code(request_.at));
    if (const auto near = nearest()) report.note("the nearest is " + code(*near));
    return {};
  }

  /// The longest part of the wanted place that exists, and what follows it.
  std::optional<std::string> nearest() const {
    std::set<std::string, std::less<>> places;
    for (const ProvenanceEntry& entry : known_.causes) {
      for (const std::string* path : {&entry.named_path, &entry.path}) {
        std::string place = entry.object + ":" + *path;
        const bool with_object = request_.at.find(':') < request_.at.find('[');
        if (!with_object) place = *path;
        places.insert(place);
        for (std::size_t at = place.find_last_of(".["); at != std::string::npos && at > 0;
             at = place.find_last_of(".[", at - 1)) {
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

  std::string at_output_line(Narrator& narrator) {
    const auto found = at_line(known_.causes, request_.line);
    if (!found.empty()) return tell(narrator, found);
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

  std::string from_spec_line(Narrator& narrator) {
    std::string text;
    std::size_t count = 0;
    for (const ProvenanceEntry& entry : known_.causes) {
      const Cause* nearest_rule = nullptr;
      for (const Cause& cause : entry.causes) {
        if (cause.kind == "rule") nearest_rule = &cause;
        if (cause.file != known_.name || cause.line != request_.line) continue;
        text += "  " + entry.object + ":" + entry.named_path;
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
    return known_.name + ":" + std::to_string(request_.line) + "\n" +
           narrator.shown(known_.name, request_.line, 0) + "leads to\n" + text;
  }

  Session& session_;
  const WhyRequest& request_;
  Answerable known_;
  std::vector<ProvenanceEntry> entries_;  // of the answer
};

}  // namespace

WhyAnswer why(Session& session, const WhyRequest& request) {
  return Why(session, request).answer();
}

}  // namespace trainyard
