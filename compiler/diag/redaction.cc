#include "diag/redaction.h"

#include <algorithm>

#include "diag/secrets.h"
#include "source/unescaped.h"

namespace trainyard {
namespace {

constexpr std::string_view kMask = kSecretMask;
// As much of a secret as may be quoted: messages cut long texts off.
constexpr std::size_t kShortest = 6;
constexpr std::size_t kTelling = 12;
// How far before a piece of source the copy of a secret may begin that reaches into it.
constexpr std::size_t kLookBack = 512;

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

}  // namespace

std::size_t RedactedText::begin_of(std::size_t offset) const {
  std::size_t shown = 0;      // bytes of `text` up to the last cut
  std::size_t known = begin;  // bytes of the file up to it
  for (const Cut& cut : cuts) {
    if (offset < cut.begin) break;
    if (offset < cut.end) return cut.mask;
    shown = cut.mask + kMask.size();
    known = cut.end;
  }
  return std::min(shown + (offset - std::min(offset, known)), text.size());
}

std::size_t RedactedText::end_of(std::size_t offset) const {
  for (const Cut& cut : cuts) {
    if (cut.begin < offset && offset < cut.end) return cut.mask + kMask.size();
  }
  return begin_of(offset);
}

Redaction::Redaction(std::span<const Diagnostic> diagnostics, const SourceMap& sources)
    : sources_(sources) {
  for (const Diagnostic& diagnostic : diagnostics) {
    search(diagnostic.span.file);
    for (const Label& label : diagnostic.labels) search(label.span.file);
    for (const Fix& fix : diagnostic.fixes) search(fix.span.file);
    for (const Span secret : diagnostic.secrets) redact(secret);
  }
  join_ranges();
}

void Redaction::search(FileId file) {
  if (file == kNoFile || ranges_.contains(file)) return;
  const std::string_view text = sources_.text(file);
  std::vector<Range>& ranges = ranges_[file];
  if (sources_.is_hidden(file)) ranges.push_back({0, text.size()});
  for (const CredentialFinding& found : find_secrets(text)) {
    ranges.push_back({found.begin, found.end});
    remember(text.substr(found.begin, found.end - found.begin));
  }
}

void Redaction::redact(Span span) {
  if (!span.known()) return;
  search(span.file);
  ranges_[span.file].push_back({span.begin, span.end});
  std::string_view text = sources_.text(span);
  if (text.size() >= 2 && is_quote(text.front()) && text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  remember(text);
}

void Redaction::remember(std::string_view secret) {
  if (secret.size() < kShortest) return;
  if (const auto unescaped = Unescaped::of(secret)) {
    remember(unescaped_.emplace_back(unescaped->text()));
  }
  texts_.insert(secret);
  firsts_[static_cast<unsigned char>(secret.front())] = true;
  longest_ = std::max(longest_, secret.size());
}

void Redaction::join(std::vector<Range>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const Range range : ranges) {
    if (kept > 0 && range.begin <= ranges[kept - 1].end) {
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

void Redaction::join_ranges() {
  for (auto& [file, ranges] : ranges_) join(ranges);
}

std::span<const Redaction::Range> Redaction::within(FileId file, Range part) const {
  const auto of_file = ranges_.find(file);
  if (of_file == ranges_.end()) return {};
  const std::vector<Range>& all = of_file->second;
  const auto first = std::partition_point(all.begin(), all.end(),
                                          [&](Range range) { return range.end <= part.begin; });
  const auto last =
      std::partition_point(first, all.end(), [&](Range range) { return range.begin < part.end; });
  return {first, last};
}

std::vector<Redaction::Range> Redaction::secrets_in(FileId file, Range part) const {
  const std::span<const Range> known = within(file, part);
  std::vector<Range> result(known.begin(), known.end());
  if (texts_.empty()) return result;
  const std::string_view text = sources_.text(file);
  std::size_t at = part.begin - std::min({part.begin, longest_, kLookBack});
  while (at < std::min(part.end, text.size())) {
    const std::size_t length = secret_at(text, at);
    if (length != 0 && at + length > part.begin) result.push_back({at, at + length});
    at += std::max<std::size_t>(length, 1);
  }
  join(result);
  return result;
}

Redaction::Range Redaction::widened(FileId file, Range part, Range whole) const {
  const std::vector<Range> secrets = secrets_in(file, part);
  if (secrets.empty()) return part;
  return {std::max(whole.begin, std::min(part.begin, secrets.front().begin)),
          std::min(whole.end, std::max(part.end, secrets.back().end))};
}

RedactedText Redaction::source(FileId file, Range part) const {
  const std::string_view text = sources_.text(file);
  RedactedText result;
  result.begin = part.begin;
  std::size_t at = part.begin;
  for (const Range secret : secrets_in(file, part)) {
    const std::size_t from = std::max(secret.begin, part.begin);
    const std::size_t to = std::min(secret.end, part.end);
    result.text += text.substr(at, from - at);
    result.cuts.push_back({from, to, result.text.size()});
    result.text += kMask;
    at = to;
  }
  result.text += text.substr(at, part.end - at);
  return result;
}

std::size_t Redaction::secret_at(std::string_view text, std::size_t at) const {
  constexpr int kMostTried = 8;  // of secrets that begin alike
  if (!firsts_[static_cast<unsigned char>(text[at])]) return 0;
  const std::string_view rest = text.substr(at);
  const auto shared = [&](std::string_view secret) {
    const auto limit = std::min(secret.size(), rest.size());
    return static_cast<std::size_t>(
        std::mismatch(secret.begin(), secret.begin() + static_cast<std::ptrdiff_t>(limit),
                      rest.begin())
            .first -
        secret.begin());
  };
  const auto quoted = [&](std::string_view secret) {
    const std::size_t length = shared(secret);
    return length >= std::min(secret.size(), kTelling) ? length : 0;
  };
  // Of sorted texts the neighbours have most in common with `rest`.
  auto next = texts_.upper_bound(rest);
  std::size_t longest = next == texts_.end() ? 0 : quoted(*next);
  for (int tried = 0; tried < kMostTried && next != texts_.begin(); ++tried) {
    longest = std::max(longest, quoted(*--next));
    if (shared(*next) < kShortest) break;
  }
  return longest;
}

std::string Redaction::words(std::string_view text) const {
  const std::vector<CredentialFinding> found = find_credentials(text);
  std::string result;
  auto next = found.begin();
  for (std::size_t at = 0; at < text.size();) {
    while (next != found.end() && next->end <= at) ++next;
    const bool by_format = next != found.end() && next->begin <= at;
    const std::size_t length = by_format ? next->end - at : secret_at(text, at);
    if (length == 0) {
      result += text[at++];
    } else {
      result += kMask;
      at += length;
    }
  }
  return result;
}

std::string full_text(const Diagnostic& diagnostic, const Redaction& redaction) {
  std::string text = redaction.words(diagnostic.message);
  for (const std::string& note : diagnostic.notes) text += "\n" + redaction.words(note);
  for (const Fix& fix : diagnostic.fixes) text += "\n" + redaction.words(fix.text);
  return text;
}

}  // namespace trainyard
