#include "schema/scalar_check.h"

#include <cfloat>
#include <cmath>
#include <string_view>

#include "schema/format_parsers.h"
#include "schema/formats.h"
#include "schema/type_words.h"
#include "schema/value_equal.h"
#include "source/characters.h"
#include "tree/scalar.h"

namespace trainyard {
namespace {

struct PatternWords {
  std::string_view pattern;
  std::string_view words;
};

constexpr PatternWords kWords[] = {
    {R"(^([0-9]+|[0-9]+d([0-9]+h)?([0-9]+m)?([0-9]+s)?|[0-9]+h([0-9]+m)?([0-9]+s)?|[0-9]+m([0-9]+s)?|[0-9]+s)$)",
     "a length of time in days, hours, minutes and seconds, such as `7d`, `1h30m` or `90s`"},
    {R"(^([1-7]c\.)?[1-7]g\.[0-9]+gb([.+-][a-z.]+)*$)",
     "a MIG profile of one to seven slices, such as `1g.10gb`"},
    {R"(^([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$)",
     "a qualified name, such as `nvidia.com/gpu`"},
    {R"re(^\s*(\.{0,2}/\S*|[a-z][a-z0-9+.-]*://\S+|\S+\.(whl|tar\.gz|zip)|[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\s*(\[\s*([A-Za-z0-9][A-Za-z0-9._-]*\s*(,\s*[A-Za-z0-9][A-Za-z0-9._-]*\s*)*)?\])?\s*(@\s*\S+|\(?\s*((===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9._*+!-]+\s*(,\s*(===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9._*+!-]+\s*)*)?,?\s*\)?)\s*(;.*["'].*)?)$)re",
     "a requirement as in PEP 508, such as `numpy>=1.26,<2`; options go to `pip.args`"},
    {R"(^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$)",
     "a name of lower-case letters, digits, `-` and `.`, such as `torch-distributed`"},
    {R"(^/)", "an absolute path, such as `/data`"},
    {R"(^/.)", "an absolute path other than `/`, such as `/data`"},
    {R"(^[A-Z][A-Za-z0-9]*$)", "a kind as Kubernetes spells it, such as `Service`"},
    {R"(^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$)",
     "a Python module, such as `package.train`"},
    {R"(^[^/])", "a path below the directory, without `/` in front"},
    {R"(^[^\s]+$)", "a text without spaces"},
    {R"(^[a-z][a-z0-9+.-]*://[^\s]+$)", "a URL, such as `s3://bucket/path`"},
    {R"(^(rediss?://)?((\[[0-9a-fA-F:.]+\]|[^\s@:/,\[\]]+)(:[0-9]+)?,?)+$)",
     "a host and the number of its port, without credentials, such as `redis.ray-system:6379`"},
    {R"(^https?://[^\s]+$)", "a URL with its scheme, such as `http://minio.storage:9000`"},
    {R"(^[a-z][a-z0-9-]*$)", "lower-case letters, digits and `-`, with a letter first"},
    {R"(^v?[0-9]+(\.[0-9]+){0,3}([+-][0-9A-Za-z.+-]+)?$)", "a version, such as `1.33`"},
};

/// What a pattern of our own schemas asks for, as a person would say it: "an absolute path, such as
/// `/data`"; "" for a pattern of other schemas.
std::string_view pattern_words(std::string_view pattern) {
  for (const PatternWords& each : kWords) {
    if (each.pattern == pattern) return each.words;
  }
  return {};
}

std::uint32_t code_points(std::string_view text) {
  std::uint32_t count = 0;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++count;
  }
  return count;
}

/// kubernetes/kube-openapi pkg/validation/validate/values.go
bool is_multiple(double value, double factor) {
  if (value == std::trunc(value) && factor == std::trunc(factor)) {
    return std::fmod(value, factor) == 0;
  }
  const double times = factor < 1 ? 1 / factor * value : value / factor;
  const double off = std::fabs(times - std::round(times));
  return off == 0 || off < 1e-9 * std::fmax(1, std::fabs(times));
}

/// By this a pattern is known as that which controller-gen writes for a quantity.
constexpr std::string_view kQuantityUnits = "([KMGTPE]i)|[numkMGTPE]";

/// The quantity that was very likely meant.
std::string near_quantity(std::string_view text) {
  if (text.ends_with('B') || text.ends_with('b')) {
    const std::string_view rest = text.substr(0, text.size() - 1);
    if (is_quantity(rest)) return std::string(rest);
  }
  std::string changed;
  for (char c : text) {
    if (c != ' ') changed += c;
  }
  if (is_quantity(changed)) return changed;
  const std::size_t unit = changed.find_first_not_of("0123456789.");
  if (unit == std::string::npos || unit == 0) return {};
  for (std::size_t i = unit; i < changed.size(); ++i) {
    char& c = changed[i];
    if (i == unit && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (i > unit && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (changed.ends_with('b')) changed.pop_back();
  return is_quantity(changed) ? changed : std::string();
}

/// Whether an integer of the text fits; more than a double can tell near 2^63.
bool fits_int64(const Node& node, double value) {
  return node.kind == Kind::Int ? as_int64(node).has_value() || std::fabs(value) < 9.2e18
                                : std::fabs(value) < 9.2e18;
}

void text_length(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  const std::string_view value = subject.tree[at.node].text;
  const std::size_t most = schema.max_length == kNoLimit ? value.size() : schema.max_length;
  // A code point takes one to four bytes: most texts need no counting.
  if (value.size() <= most && value.size() / 4 >= schema.min_length) return;
  const std::uint32_t count = code_points(value);
  if (count >= schema.min_length && count <= most) return;
  Violation* found = subject.fail(DiagnosticKind::BadLength, at);
  if (found == nullptr) return;
  const bool few = count < schema.min_length;
  if (count == 0) {
    found->message = "found an empty string, wanted at least ";
  } else {
    found->message =
        "found " + counted(count, "character") + ", wanted at " + (few ? "least " : "most ");
  }
  found->message += count == 0 ? counted(schema.min_length, "character")
                               : std::to_string(few ? schema.min_length : schema.max_length);
}

void bad_quantity(const Subject& subject, const Frame& at) {
  const Node& node = subject.tree[at.node];
  Violation* found = subject.fail(DiagnosticKind::BadQuantity, at);
  if (found == nullptr) return;
  found->message = shown(node) + " is not a quantity, wanted a number with an optional suffix " +
                   "such as `500m`, `16Gi` or `2`";
  const std::string near = near_quantity(node.text);
  if (near.empty()) return;
  found->message += ": did you mean `" + near + "`?";
  found->replacement = near;
}

void quantity(const Subject& subject, const Frame& at) {
  const Node& node = subject.tree[at.node];
  if (!is_quantity(node.text)) bad_quantity(subject, at);
}

void text_pattern(const Subject& subject, Patterns& patterns, const SchemaNode& schema,
                  const Frame& at) {
  const std::string_view pattern = subject.pack.text(schema.pattern);
  const auto result = patterns.match(pattern, subject.tree[at.node].text);
  if (result == Patterns::Result::Match) return;
  if (result == Patterns::Result::Broken) {
    if (Violation* found = subject.fail(DiagnosticKind::BadSchema, at)) {
      found->message = "the pattern `" + std::string(pattern) +
                       "` of the schema cannot be checked: " + patterns.error(pattern);
    }
    return;
  }
  if (pattern.find(kQuantityUnits) != std::string_view::npos) return bad_quantity(subject, at);
  if (Violation* found = subject.fail(DiagnosticKind::PatternMismatch, at)) {
    const std::string_view words = pattern_words(pattern);
    const std::string text = shown(subject.tree[at.node]);
    found->message = words.empty()
                         ? text + " does not match the pattern `" + std::string(pattern) + "`"
                         : "found " + text + ", wanted " + std::string(words);
    // `Job` for `job`: only the case is wrong.
    const std::string lower = lower_case(subject.tree[at.node].text);
    const bool fits = patterns.match(pattern, lower) == Patterns::Result::Match;
    if (!words.empty() && fits && plain_is_string(lower)) found->replacement = lower;
  }
}

void multiple(const Subject& subject, const SchemaNode& schema, const Frame& at, double value) {
  // kubernetes/kube-openapi pkg/validation/validate/values.go MultipleOfNativeType
  const bool whole = value == std::trunc(value);
  const double factor = whole ? std::trunc(schema.multiple_of) : schema.multiple_of;
  if (factor > 0 && is_multiple(value, factor)) return;
  Violation* found = subject.fail(DiagnosticKind::OutOfRange, at);
  if (found == nullptr) return;
  found->message = "found " + shown(subject.tree[at.node]) + ", wanted a multiple of `" +
                   number_text(schema.multiple_of) + "`";
  if (factor != schema.multiple_of) {
    found->message +=
        "; the API server takes the whole part, `" + number_text(factor) + "`, for integers";
  }
}

void number_format(const Subject& subject, const SchemaNode& schema, const Frame& at,
                   double value) {
  bool fits = true;
  Format format = format_of(subject.pack.text(schema.format));
  if (format == Format::None && schema.types == kInteger) format = Format::Int64;
  if (format == Format::Int32) fits = value >= INT32_MIN && value <= INT32_MAX;
  if (format == Format::Int64) fits = fits_int64(subject.tree[at.node], value);
  if (format == Format::Float) fits = !(std::fabs(value) > static_cast<double>(FLT_MAX));
  if (fits) return;
  // The server holds integers to their size, and no other numbers.
  const bool lenient = (schema.types & kNumber) && format != Format::Float;
  Violation* found = lenient ? subject.warn(DiagnosticKind::OutOfRange, at)
                             : subject.fail(DiagnosticKind::OutOfRange, at);
  if (found != nullptr) {
    found->message =
        "found " + shown(subject.tree[at.node]) + ", wanted " + std::string(example_of(format));
  }
}

}  // namespace

void check_text(const Subject& subject, Patterns& patterns, const SchemaNode& schema,
                const Frame& at) {
  if (schema.flags & kQuantity) return quantity(subject, at);
  if (schema.min_length != 0 || schema.max_length != kNoLimit) text_length(subject, schema, at);
  if (schema.pattern.size != 0) text_pattern(subject, patterns, schema, at);
  if (schema.format.size == 0) return;
  const Format format = format_of(subject.pack.text(schema.format));
  if (format == Format::None || has_format(format, subject.tree[at.node].text, patterns)) return;
  // The core API has bytes, which are decoded; a custom resource has a text of this format.
  if (subject.is_builtin && format == Format::Byte && is_encoded_bytes(subject.tree[at.node].text))
    return;
  if (Violation* found = subject.fail(DiagnosticKind::BadFormat, at)) {
    found->message = shown(subject.tree[at.node]) + " does not have the format " +
                     shown(subject.pack.text(schema.format)) + ", wanted " +
                     std::string(example_of(format));
  }
}

void check_number(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  const bool limited = (schema.flags & (kHasMinimum | kHasMaximum)) || schema.multiple_of != 0;
  const Node& node = subject.tree[at.node];
  // Go's IntOrString holds 32 bits (kubernetes/apimachinery pkg/util/intstr/intstr.go).
  if (subject.is_builtin && (schema.flags & kIntOrString)) {
    const double value = number_of(node);
    if (value >= INT32_MIN && value <= INT32_MAX) return;
    if (Violation* found = subject.fail(DiagnosticKind::OutOfRange, at)) {
      found->message =
          "found " + shown(node) + ", wanted " + std::string(example_of(Format::Int32));
    }
    return;
  }
  // An integer without a format has 64 bits.
  const bool large = schema.types == kInteger && node.text.size() > 18;
  if (!limited && !large && schema.format.size == 0) return;
  const double value = number_of(node);
  const bool low =
      (schema.flags & kHasMinimum) &&
      ((schema.flags & kExclusiveMinimum) ? value <= schema.minimum : value < schema.minimum);
  const bool high =
      (schema.flags & kHasMaximum) &&
      ((schema.flags & kExclusiveMaximum) ? value >= schema.maximum : value > schema.maximum);
  if (low || high) {
    if (Violation* found = subject.fail(DiagnosticKind::OutOfRange, at)) {
      const bool open = schema.flags & (low ? kExclusiveMinimum : kExclusiveMaximum);
      const std::string_view wanted =
          open ? (low ? "more than" : "less than") : (low ? "at least" : "at most");
      found->message = "found " + shown(node) + ", wanted " + std::string(wanted) + " `" +
                       number_text(low ? schema.minimum : schema.maximum) + "`";
    }
  }
  if (schema.multiple_of != 0) multiple(subject, schema, at, value);
  if ((large || schema.format.size != 0) && !low && !high)
    number_format(subject, schema, at, value);
}

}  // namespace trainyard
