#include "tree/yaml_reader.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <istream>
#include <optional>
#include <streambuf>

#include "diag/suggest.h"
#include "tree/conflict_markers.h"
#include "tree/fast_reader.h"
#include "tree/text_check.h"
#include "tree/yaml_builder.h"
#include "tree/yaml_syntax.h"

namespace trainyard {
namespace {

/// Directives are kept word by word by yaml-cpp; no honest one is longer.
constexpr std::size_t kMaxDirective = 1024;

/// Without one of these there is no further token in a flow collection, nor on a line of quotes.
constexpr auto kSeparators = [] {
  std::array<bool, 256> table{};
  for (char c : std::string_view(",:[{&!*?\"")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

/// Hands the text to yaml-cpp bit by bit and watches what comes out. yaml-cpp keeps the tokens of a
/// flow collection in memory until it knows whether the whole of it is a key, which costs 100 bytes
/// for each `[`; so the budgets have to hold before its events say anything.
class WatchedText : public std::streambuf {
 public:
  WatchedText(const YamlInput& input, const YamlBuilder& builder, Sink& sink)
      : input_(input), builder_(builder), sink_(sink), start_(input.begin) {
    const std::string_view text = input.given == nullptr ? input.text : input.given->given();
    char* begin = const_cast<char*>(text.data());  // a get area is only read
    setg(begin, begin + input.begin, begin + text.size());
  }

 protected:
  std::streamsize xsgetn(char* out, std::streamsize size) override {
    const std::streamsize count = std::min<std::streamsize>(size, egptr() - gptr());
    if (count <= 0) return 0;
    watch({gptr(), static_cast<std::size_t>(count)});
    std::memcpy(out, gptr(), static_cast<std::size_t>(count));
    gbump(static_cast<int>(count));
    return count;
  }

 private:
  /// Text has brackets and commas too, but not so many without an event in between.
  static constexpr std::size_t kDepthSlack = 10'000;
  static constexpr std::size_t kMinSeparators = 200'000;

  void watch(std::string_view piece) {
    if (events_ != builder_.events()) {
      events_ = builder_.events();
      start_ = std::max(builder_.last_end(), start_);
      depth_ = separators_ = 0;
    }
    for (char c : piece) {
      if (c == '[' || c == '{') ++depth_;
      if ((c == ']' || c == '}') && depth_ > 0) --depth_;
      if (kSeparators[static_cast<unsigned char>(c)]) ++separators_;
    }
    if (depth_ > input_.limits.depth + kDepthSlack) stop_deep();
    if (separators_ > std::max(input_.limits.nodes, kMinSeparators)) stop_long();
  }

  [[noreturn]] void stop_deep() {
    std::size_t at = start_;
    for (std::size_t depth = 0; at < input_.text.size(); ++at) {
      const char c = input_.text[at];
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && depth > 0) --depth;
      if (depth > input_.limits.depth) break;
    }
    const auto begin = static_cast<std::uint32_t>(at);
    sink_.report(
        DiagnosticKind::TooDeep, {input_.file, begin, begin + 1},
        "collections are nested deeper than " + std::to_string(input_.limits.depth) + " levels");
    throw StopReading();
  }

  [[noreturn]] void stop_long() {
    const auto begin = static_cast<std::uint32_t>(start_);
    sink_.report(DiagnosticKind::TooManyNodes, {input_.file, begin, begin + 1},
                 "the file has more than " + std::to_string(input_.limits.nodes) +
                     " values, aliases expanded; split it");
    throw StopReading();
  }

  const YamlInput& input_;
  const YamlBuilder& builder_;
  Sink& sink_;
  std::size_t events_ = 0;
  std::size_t start_;
  std::size_t depth_ = 0;
  std::size_t separators_ = 0;
};

bool report_undefined_alias(const YamlInput& input, const YamlBuilder& builder, std::size_t at,
                            Sink& sink) {
  const YamlText text(input.text);
  if (text.at(at) != '*') return false;
  const std::size_t end = text.word_end(at);
  const std::string_view name = text.from(at + 1, end);
  const auto& names = builder.anchor_names();
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return false;
  Diagnostic& report = sink.report(
      DiagnosticKind::UndefinedAlias,
      {input.file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)},
      "the alias `*" + std::string(name) + "` refers to an anchor that is not defined before it");
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (const auto near = suggest(name, known)) {
    report.fix(report.span, "*" + std::string(*near), "write `*" + std::string(*near) + "`");
  }
  return true;
}

/// Where a document begins after `from`: a line with `---` ends whatever was before it.
std::size_t next_document(std::string_view text, std::size_t from) {
  constexpr std::string_view kMarker = "\n---";
  for (std::size_t at = text.find(kMarker, from); at != text.npos;
       at = text.find(kMarker, at + 1)) {
    const std::size_t after = at + kMarker.size();
    if (after == text.size() || text[after] == '\n' || text[after] == ' ') return at + 1;
  }
  return text.npos;
}

/// Where the document ends in which a parser gave up at `at`; text size for the last one.
std::size_t document_end(const YamlInput& input, std::size_t at) {
  const std::string_view text = input.text;
  const bool begins_line = at > input.begin && at < text.size() && text[at - 1] == '\n';
  const std::size_t from = begins_line ? at - 1 : at;  // it may be the next marker that it met
  return std::min(next_document(text, from), text.size());
}

void report_break(const YamlInput& input, const YamlBuilder& builder, std::size_t at, Sink& sink) {
  if (report_undefined_alias(input, builder, at, sink)) return;
  SyntaxBreak where;
  where.at = at;
  where.last_end = std::min(builder.last_end(), at);
  where.bracket = builder.open_bracket();
  where.column = builder.open_column();
  const std::string_view read = input.text.substr(0, document_end(input, at));
  const SyntaxFault fault = explain_syntax(YamlText(read), where);
  const Span span{input.file, static_cast<std::uint32_t>(fault.begin),
                  static_cast<std::uint32_t>(fault.end)};
  Diagnostic& report = sink.report(fault.tab ? DiagnosticKind::YamlTab : DiagnosticKind::YamlSyntax,
                                   span, fault.message);
  if (YamlText(input.text).is_template_line(fault.begin)) report.note(std::string(kNotRendered));
}

/// yaml-cpp's own guard against recursion, at 500 levels.
void report_deep_recursion(const YamlInput& input, std::size_t at, Sink& sink) {
  const auto begin = static_cast<std::uint32_t>(at);
  sink.report(DiagnosticKind::TooDeep, {input.file, begin, begin},
              "collections are nested too deep");
}

/// How far reading came.
struct Parsed {
  std::size_t end = 0;  // where the next document begins, if there is one
  bool broken = false;  // the document that ends there
  bool gave_up = false;
  std::optional<std::size_t> anchor = {};  // that yaml-cpp may not have understood
};

Parsed parse(const YamlInput& input, YamlBuilder& builder, Sink& sink) {
  const auto offset = [&input](const YAML::Mark& mark) {
    if (mark.pos < 0) return input.text.size();
    const auto at = static_cast<std::size_t>(mark.pos);
    return input.place(at + input.begin);
  };
  Parsed result{input.text.size()};
  try {
    WatchedText buffer(input, builder, sink);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const StopReading&) {  // reported where it was thrown
    result.gave_up = true;
  } catch (const YAML::DeepRecursion& error) {
    report_deep_recursion(input, offset(error.mark), sink);
    result.gave_up = true;
  } catch (const YAML::Exception& error) {
    report_break(input, builder, offset(error.mark), sink);
    result = {document_end(input, offset(error.mark)), true};
    result.anchor = input.given == nullptr
                        ? std::nullopt
                        : input.given->find_before(offset(error.mark), input.begin);
  }
  return result;
}

bool check_size(const SourceMap& sources, FileId file, const ReadLimits& limits, Sink& sink) {
  const std::size_t size = sources.text(file).size();
  if (size <= limits.bytes) return true;
  sink.report(DiagnosticKind::FileTooLarge, {file, 0, 0},
              "the file has " + std::to_string(size) + " bytes; at most " +
                  std::to_string(limits.bytes) + " are read");
  return false;
}

bool check_directives(const YamlInput& input, Sink& sink) {
  const std::string_view text = input.text;
  for (std::size_t at = text.find('%', input.begin); at != text.npos; at = text.find('%', at + 1)) {
    if (at != input.begin && text[at - 1] != '\n') continue;
    if (std::min(text.find('\n', at), text.size()) - at <= kMaxDirective) continue;
    const auto begin = static_cast<std::uint32_t>(at);
    sink.report(DiagnosticKind::YamlSyntax, {input.file, begin, begin + 1},
                "a directive of more than " + std::to_string(kMaxDirective) + " bytes");
    return false;
  }
  return true;
}

/// A tab in leading white space is fine within scalars and flow collections only.
void report_tabs(const TextCheck& check, std::vector<Span> texts, const YamlInput& input,
                 Sink& sink) {
  std::sort(texts.begin(), texts.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::uint32_t covered = 0;  // the texts that begin before the tab reach so far
  auto text = texts.begin();
  for (std::uint32_t tab : check.leading_tabs) {
    if (tab < input.begin) continue;  // within a text, or the fast reader had declined it
    for (; text != texts.end() && text->begin < tab; ++text) covered = std::max(covered, text->end);
    if (tab < covered) continue;
    sink.report(DiagnosticKind::YamlTab, {input.file, tab, tab + 1},
                "a tab is used for indentation; use spaces");
  }
}

constexpr std::size_t kBytesOfNode = 12;  // about, with its key
constexpr std::size_t kFewNodes = 64;     // most specs have fewer

/// What the fast reader accepts. False when something is left, from `input.begin` on.
bool read_fast(YamlInput& input, const std::function<void(Tree&)>& use) {
  FastReader reader(input);
  Tree tree;
  tree.reserve(std::min(input.text.size() / kBytesOfNode, kFewNodes));
  for (;;) {
    switch (reader.next(tree)) {
      case FastReader::Result::Document:
        use(tree);
        break;
      case FastReader::Result::End:
        return true;
      case FastReader::Result::Declined:
        input.begin = static_cast<std::uint32_t>(reader.document_begin());
        input.nodes_before = reader.nodes();
        return false;
    }
  }
}

/// Moves `input` behind what it has read.
std::vector<Tree> read_once(YamlInput& input, const TextCheck& check, Sink& sink, Parsed& parsed) {
  input.want_text_spans = !check.leading_tabs.empty();
  const std::size_t errors_before = sink.error_count();
  YamlBuilder builder(input, sink);
  parsed = parse(input, builder, sink);
  if (sink.error_count() == errors_before) {
    report_tabs(check, builder.take_text_spans(), input, sink);
  }
  std::vector<Tree> trees = builder.take();
  input.begin = static_cast<std::uint32_t>(parsed.end);
  for (const Tree& tree : trees) input.nodes_before += tree.size();
  return trees;
}

/// As `read_reference`, once more for each anchor that yaml-cpp stops at.
std::vector<Tree> read_anchored(YamlInput& input, const TextCheck& check, Sink& sink,
                                Parsed& parsed) {
  constexpr std::size_t kMostBytes = 8'000'000;  // that are read again
  AnchoredText given(input.text);
  input.given = &given;
  const std::size_t size = input.text.size() - input.begin + 1;
  const std::uint32_t begin = input.begin;
  const std::size_t before = input.nodes_before;
  for (std::size_t again = size;; again += size) {
    Sink heard;
    std::vector<Tree> trees = read_once(input, check, heard, parsed);
    if (parsed.gave_up && heard.error_count() > 0) {  // at an empty text, before yaml-cpp does
      parsed.anchor = given.find_before(heard.all().back().span.begin, begin);
    }
    if (!parsed.anchor || again > kMostBytes) {
      input.given = nullptr;
      for (const Diagnostic& each : heard.all()) sink.report(each);
      return trees;
    }
    given.move(*parsed.anchor);
    input.begin = begin;
    input.nodes_before = before;
  }
}

std::vector<Tree> read_reference(YamlInput& input, const TextCheck& check, Sink& sink,
                                 Parsed& parsed) {
  const bool has_anchors = input.text.find("- &", input.begin) != std::string_view::npos;
  return has_anchors ? read_anchored(input, check, sink, parsed)
                     : read_once(input, check, sink, parsed);
}

constexpr std::size_t kMostBreaks = 100;  // of one file that are worth telling

/// Counts broken documents in `breaks`. False when it gave up.
bool read_documents(YamlInput& input, const TextCheck& check, Sink& sink, std::size_t& breaks,
                    const std::function<void(Tree&)>& use) {
  while (breaks < kMostBreaks) {
    if (!input.limits.reference_reader && read_fast(input, use)) return true;
    Parsed parsed;
    for (Tree& tree : read_reference(input, check, sink, parsed)) use(tree);
    if (parsed.gave_up) return false;
    if (parsed.broken) ++breaks;
    if (input.begin >= input.text.size()) break;
  }
  return breaks < kMostBreaks;
}

/// There are fewer `%` than lines.
bool has_directives(std::string_view text) {
  for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return true;
  }
  return false;
}

}  // namespace

std::vector<YamlPart> split_yaml(const SourceMap& sources, FileId file, std::size_t least,
                                 const ReadLimits& limits) {
  const std::string_view text = sources.text(file);
  if (text.size() < 2 * least || text.size() > limits.bytes || has_directives(text)) return {};
  Sink unheard;
  const TextCheck check = check_text(sources, file, unheard);
  if (!check.good || !check.leading_tabs.empty()) return {};
  if (report_merge_conflicts(text, file, unheard)) return {};
  std::vector<YamlPart> parts;
  std::size_t begin = check.begin;
  while (begin < text.size()) {
    const std::size_t end = std::min(next_document(text, begin + least), text.size());
    parts.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    begin = end;
  }
  if (parts.size() < 2) return {};
  return parts;
}

YamlPartRead read_yaml_part(const SourceMap& sources, FileId file, const YamlPart& part, Sink& sink,
                            const ReadLimits& limits, Ambiguity ambiguity,
                            const std::function<void(Tree&)>& use) {
  YamlInput input{sources.text(file).substr(0, part.end), file, part.begin, limits, ambiguity};
  input.nodes_before = part.nodes_before;
  YamlPartRead result;
  std::size_t breaks = part.breaks_before;
  const bool whole = read_documents(input, {}, sink, breaks, [&](Tree& tree) {
    result.nodes += tree.size();
    use(tree);
  });
  result.breaks = breaks - part.breaks_before;
  result.gave_up = !whole;
  return result;
}

void read_each_yaml(const SourceMap& sources, FileId file, Sink& sink, const ReadLimits& limits,
                    Ambiguity ambiguity, const std::function<void(Tree&)>& use) {
  if (!check_size(sources, file, limits, sink)) return;
  const TextCheck check = check_text(sources, file, sink);
  if (!check.good) return;
  if (report_merge_conflicts(sources.text(file), file, sink)) return;
  YamlInput input{sources.text(file), file, check.begin, limits, ambiguity};
  if (!check_directives(input, sink)) return;
  std::size_t documents = 0;
  std::size_t breaks = 0;
  const std::size_t errors_before = sink.error_count();
  read_documents(input, check, sink, breaks, [&](Tree& tree) {
    ++documents;
    use(tree);
  });
  if (documents == 0 && sink.error_count() == errors_before) {
    sink.report(DiagnosticKind::EmptyDocument, {file, check.begin, check.begin},
                "the input holds no document");
  }
}

std::vector<Tree> read_yaml(const SourceMap& sources, FileId file, Sink& sink,
                            const ReadLimits& limits, Ambiguity ambiguity) {
  std::vector<Tree> trees;
  read_each_yaml(sources, file, sink, limits, ambiguity,
                 [&trees](Tree& tree) { trees.push_back(std::move(tree)); });
  return trees;
}

}  // namespace trainyard
