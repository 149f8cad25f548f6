#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/fix_preview.h"
#include "diag/glyph.h"
#include "diag/place.h"
#include "diag/redaction.h"
#include "diag/render.h"
#include "source/source_map.h"

namespace trainyard {
namespace {

/// The part of a line that is shown.
struct Window {
  std::size_t begin;  // bytes of the line
  std::size_t end;
};

/// Columns to mark below what `seen` returns.
struct Underline {
  std::size_t indent;
  std::size_t length;  // at least 1
  bool cut;            // the marked text goes on behind the window
};

constexpr std::size_t kColumns = 100;
constexpr std::size_t kColumnsBehindFocus = 70;

/// What may still be shown. A thousand combining marks take no columns, hence the second count.
struct Budget {
  std::size_t columns;
  std::size_t glyphs = 4 * kColumns;

  bool spend(const Glyph& glyph) {
    if (glyph.width > columns || glyphs == 0) return false;
    columns -= glyph.width;
    --glyphs;
    return true;
  }
};

std::size_t walk_right(std::string_view line, std::size_t at, Budget& budget) {
  while (at < line.size()) {
    const Glyph glyph = glyph_at(line, at);
    if (!budget.spend(glyph)) break;
    at += glyph.bytes;
  }
  return at;
}

std::size_t walk_left(std::string_view line, std::size_t at, Budget& budget) {
  while (at > 0) {
    const std::size_t before = previous_glyph(line, at);
    if (!budget.spend(glyph_at(line, before))) break;
    at = before;
  }
  return at;
}

/// The whole line when it fits into 100 columns, otherwise as much around the byte `focus`.
/// Takes time by what is shown, not by the length of the line.
Window window_around(std::string_view line, std::size_t focus) {
  Budget whole{kColumns};
  if (walk_right(line, 0, whole) == line.size()) return {0, line.size()};
  const std::size_t middle = glyph_start(line, std::min(focus, line.size()));
  Budget behind{kColumnsBehindFocus, 2 * kColumns};
  std::size_t end = walk_right(line, middle, behind);
  Budget rest{kColumns - (kColumnsBehindFocus - behind.columns)};
  const std::size_t begin = walk_left(line, middle, rest);
  end = walk_right(line, end, rest);
  return {begin, end};
}

/// The line as seen through the window, with `…` where it was cut.
std::string seen(std::string_view line, Window window) {
  std::string result = window.begin > 0 ? "…" : "";
  result += printable(line.substr(window.begin, window.end - window.begin));
  if (window.end < line.size()) result += "…";
  return result;
}

/// For the bytes [begin, end) of the line, where `begin` is within the window.
Underline underline(std::string_view line, Window window, std::size_t begin, std::size_t end) {
  const std::size_t ellipsis = window.begin > 0 ? 1 : 0;
  const std::size_t from = std::clamp(glyph_start(line, begin), window.begin, window.end);
  const std::size_t to = std::clamp(end, from, window.end);
  const std::size_t length = columns_of(line.substr(from, to - from));
  return {ellipsis + columns_of(line.substr(window.begin, from - window.begin)),
          std::max<std::size_t>(length, 1), end > window.end};
}

/// A label as it stands below the first line of its span.
struct Mark {
  Span span;
  std::uint32_t line;
  std::size_t begin;  // bytes of the line
  std::size_t end;
  bool continues;  // on later lines
  bool primary;
  std::string_view text;
};

Mark mark(Span span, bool primary, std::string_view text, const SourceMap& sources) {
  const Place place = place_of(span, sources);
  const std::string_view line = sources.line(span.file, place.start.line);
  const auto offset = static_cast<std::size_t>(line.data() - sources.text(span.file).data());
  const std::size_t begin = std::min<std::size_t>(place.start_offset - offset, line.size());
  const std::size_t end = std::clamp<std::size_t>(place.end_offset - offset, begin, line.size());
  return {span, place.start.line, begin, end, place.continues(), primary, text};
}

/// What is marked, in the order of the excerpts: the main file, then the others as the labels name
/// them; by line, the primary mark first. Labels without a place are left out.
std::vector<Mark> marks_of(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<Mark> marks;
  std::vector<FileId> files;
  const auto add = [&](Span span, bool primary, std::string_view text) {
    if (!span.known() || sources.is_hidden(span.file)) return;
    marks.push_back(mark(span, primary, text, sources));
    const bool is_new = std::find(files.begin(), files.end(), span.file) == files.end();
    if (is_new) files.push_back(span.file);
  };
  add(diagnostic.span, true, diagnostic.label);
  for (const Label& label : diagnostic.labels) add(label.span, false, label.text);
  const auto rank = [&](const Mark& m) {
    return std::pair(std::find(files.begin(), files.end(), m.span.file), m.line);
  };
  std::stable_sort(marks.begin(), marks.end(),
                   [&](const Mark& a, const Mark& b) { return rank(a) < rank(b); });
  return marks;
}

constexpr std::size_t kMostLines = 6;  // of a fix
constexpr std::size_t kMostRemarkLines = 50;
constexpr std::size_t kBeside = 2000;  // more bytes than the excerpt of a line shows on either side

enum class Style { Bold, Gutter, Error, Warning, Note, Secondary, Added, Removed };

std::string_view escape(Style style) {
  switch (style) {
    case Style::Bold:
      return "\x1b[1m";
    case Style::Gutter:
    case Style::Secondary:
      return "\x1b[1;34m";
    case Style::Error:
      return "\x1b[1;31m";
    case Style::Warning:
      return "\x1b[1;33m";
    case Style::Note:
      return "\x1b[1;36m";
    case Style::Added:
      return "\x1b[32m";
    case Style::Removed:
      return "\x1b[31m";
  }
  return "";
}

Style style_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return Style::Error;
    case Severity::Warning:
      return Style::Warning;
    case Severity::Note:
      return Style::Note;
  }
  return Style::Error;
}

std::vector<std::string_view> lines_of(std::string_view text, std::size_t limit) {
  std::vector<std::string_view> lines;
  while (lines.size() < limit) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// What is shown of a marked line, and what of that is marked.
struct Excerpt {
  std::string text;
  Underline marked;
};

/// Without secrets. Of a line of many megabytes only what may be shown is looked at.
Excerpt excerpt_of(const Mark& m, const SourceMap& sources, const Redaction& redaction) {
  const std::string_view line = sources.line(m.span.file, m.line);
  const auto start = static_cast<std::size_t>(line.data() - sources.text(m.span.file).data());
  const std::size_t least = m.begin > kBeside ? glyph_start(line, m.begin - kBeside) : 0;
  const std::size_t most =
      line.size() - m.begin > kBeside ? glyph_start(line, m.begin + kBeside) : line.size();
  const auto [from, to] =
      redaction.widened(m.span.file, {start + least, start + most}, {start, start + line.size()});
  const RedactedText part = redaction.source(m.span.file, {from, to});
  const std::size_t begin = part.begin_of(start + m.begin);
  const std::size_t end = std::max(begin, part.end_of(std::min(start + m.end, to)));
  const Window window = window_around(part.text, begin);
  Excerpt result{seen(part.text, window), underline(part.text, window, begin, end)};
  if (window.begin == 0 && from > start) {
    result.text.insert(0, "…");
    ++result.marked.indent;
  }
  if (window.end == part.text.size() && to < start + line.size()) result.text += "…";
  result.marked.cut = result.marked.cut || start + m.end > to;
  return result;
}

/// Prints one diagnostic.
class Page {
 public:
  Page(const Diagnostic& diagnostic, const SourceMap& sources, const Redaction& redaction,
       bool colour, std::string& out)
      : diagnostic_(diagnostic),
        sources_(sources),
        redaction_(redaction),
        colour_(colour),
        out_(out),
        marks_(marks_of(diagnostic, sources)) {
    for (const Fix& fix : diagnostic.fixes) {
      previews_.push_back(fix.span.known() ? preview(fix, sources, redaction) : FixPreview{});
    }
  }

  void print() {
    measure_gutter();
    heading();
    excerpts();
    if (!diagnostic_.path.empty()) remark("field", Style::Bold, shown(diagnostic_.path));
    for (const Label& label : diagnostic_.labels) {
      if (!label.span.known()) remark("note", Style::Note, label.text);
    }
    for (const std::string& note : diagnostic_.notes) remark("note", Style::Note, note);
    for (std::size_t i = 0; i < previews_.size(); ++i) print(diagnostic_.fixes[i], previews_[i]);
  }

 private:
  void paint(Style style, std::string_view text) {
    if (text.empty()) return;
    if (colour_) out_ += escape(style);
    out_ += text;
    if (colour_) out_ += "\x1b[0m";
  }

  std::string shown(std::string_view words) const { return printable(redaction_.words(words)); }

  void measure_gutter() {
    std::uint32_t last = 1;
    for (const Mark& m : marks_) last = std::max(last, m.line);
    for (const FixPreview& change : previews_) {
      const std::size_t lines = std::max(change.removed.size(), change.added.size());
      const auto shown = static_cast<std::uint32_t>(std::clamp<std::size_t>(lines, 1, kMostLines));
      last = std::max(last, change.line + shown - 1);
    }
    gutter_ = std::to_string(last).size();
  }

  void location(Span span) {
    const Place place = place_of(span, sources_);
    paint(Style::Bold, printable(place.file) + ':' + std::to_string(place.start.line) + ':' +
                           std::to_string(place.start.column));
  }

  void heading() {
    if (diagnostic_.span.known()) {
      location(diagnostic_.span);
      out_ += ": ";
    }
    paint(style_of(diagnostic_.severity), word(diagnostic_.severity));
    out_ += ": ";
    paint(Style::Bold, shown(diagnostic_.message));
    out_ += " [";
    out_ += info(diagnostic_.kind).name;
    out_ += "]\n";
  }

  /// ` 8 | ` with a line number, `   | ` without.
  void gutter(std::string_view number, std::string_view sign) {
    std::string text(gutter_ + 1 - number.size(), ' ');
    text += number;
    text += ' ';
    text += sign;
    paint(Style::Gutter, text);
  }

  void row(std::string_view number, std::string_view text) {
    gutter(number, "|");
    if (!text.empty()) out_ += ' ';
    out_ += text;
    out_ += '\n';
  }

  void underline_row(const Mark& m, const Underline& marked) {
    const Style style = m.primary ? style_of(diagnostic_.severity) : Style::Secondary;
    gutter("", "|");
    out_.append(1 + marked.indent, ' ');
    std::string text(marked.length, m.primary ? '^' : '-');
    if (m.continues || marked.cut) text += "…";
    if (!m.text.empty()) text += ' ' + shown(m.text);
    paint(style, text);
    out_ += '\n';
  }

  void excerpts() {
    std::string shown_line;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const Mark& m = marks_[i];
      Excerpt excerpt = excerpt_of(m, sources_, redaction_);
      const Mark* before = i == 0 ? nullptr : &marks_[i - 1];
      const bool same_file = before != nullptr && before->span.file == m.span.file;
      if (before == nullptr ? !diagnostic_.span.known() : !same_file) other_file(m.span);
      const bool shown = same_file && before->line == m.line && excerpt.text == shown_line;
      if (same_file && m.line > before->line + 1) gap();
      if (!shown) row(std::to_string(m.line), excerpt.text);
      underline_row(m, excerpt.marked);
      shown_line = std::move(excerpt.text);
    }
  }

  void gap() {
    out_.append(gutter_ + 2, ' ');
    paint(Style::Gutter, "...");
    out_ += '\n';
  }

  /// The heading of an excerpt that is not from the main file.
  void other_file(Span span) {
    out_.append(gutter_ + 2, ' ');
    paint(Style::Gutter, "::: ");
    location(span);
    out_ += '\n';
  }

  /// `   = note: text`; the lines of a longer text stand below each other.
  void remark(std::string_view title, Style style, std::string_view text) {
    gutter("", "= ");
    paint(style, title);
    out_ += ": ";
    bool first = true;
    const std::string words = redaction_.words(text);
    auto lines = lines_of(words, kMostRemarkLines + 1);
    if (lines.size() > kMostRemarkLines) lines.back() = "…";
    for (std::string_view line : lines) {
      if (!first) out_.append(gutter_ + 4 + title.size() + 2, ' ');
      out_ += printable(line);
      out_ += '\n';
      first = false;
    }
  }

  void changed_lines(const std::vector<std::string>& lines, const FixPreview& change, bool added) {
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
      gutter(std::to_string(change.line + i), "");
      const Window window = window_around(lines[i], i == 0 ? change.focus : 0);
      const std::string text = seen(lines[i], window);
      paint(added ? Style::Added : Style::Removed,
            (added ? "+" : "-") + (text.empty() ? text : ' ' + text));
      out_ += '\n';
    }
    if (lines.size() > kMostLines) gap();
  }

  void print(const Fix& fix, const FixPreview& change) {
    remark("help", Style::Note, fix.text);
    if (!fix.span.known()) return;
    const bool elsewhere = !diagnostic_.span.known() || fix.span.file != diagnostic_.span.file;
    if (elsewhere) other_file(fix.span);
    changed_lines(change.removed, change, false);
    changed_lines(change.added, change, true);
  }

  const Diagnostic& diagnostic_;
  const SourceMap& sources_;
  const Redaction& redaction_;
  bool colour_;
  std::string& out_;
  std::vector<Mark> marks_;
  std::vector<FixPreview> previews_;
  std::size_t gutter_ = 1;
};

}  // namespace

std::string render_text(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                        bool colour) {
  if (diagnostics.empty()) return {};
  const Redaction redaction(diagnostics, sources);
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += '\n';
    Page(diagnostic, sources, redaction, colour, out).print();
  }
  return out;
}

}  // namespace trainyard
