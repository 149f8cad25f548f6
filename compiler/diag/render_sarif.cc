#include <map>
#include <nlohmann/json.hpp>

#include "diag/fix_preview.h"
#include "diag/place.h"
#include "diag/redaction.h"
#include "diag/report.h"
#include "source/characters.h"

namespace trainyard {
namespace {

using nlohmann::json;

/// `gang-size` as SARIF writes the name of a rule: `GangSize`.
std::string identifier(std::string_view kebab) {
  std::string result;
  bool starts = true;
  for (char c : kebab) {
    if (c != '-') result += starts ? to_upper(c) : c;
    starts = c == '-';
  }
  return result;
}

/// A path as a URI reference; relative paths stay relative.
std::string uri(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  std::string result = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    const bool word = is_alphanumeric(c);
    if (word || kPlain.find(c) != kPlain.npos) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

class SarifRun {
 public:
  SarifRun(std::span<const Diagnostic> diagnostics, const SourceMap& sources)
      : sources_(sources), redaction_(diagnostics, sources) {
    for (const Diagnostic& diagnostic : diagnostics) results_.push_back(result(diagnostic));
  }

  json finish(std::string_view version) {
    return {{"tool",
             {{"driver",
               {{"name", "trainyard"},
                {"version", version},
                {"semanticVersion", version},
                {"rules", std::move(rules_)}}}}},
            {"columnKind", "unicodeCodePoints"},
            {"results", std::move(results_)}};
  }

 private:
  std::size_t rule_of(const Diagnostic& diagnostic) {
    const auto [at, is_new] = rule_numbers_.emplace(diagnostic.rule(), rules_.size());
    if (is_new) rules_.push_back(rule(diagnostic));
    return at->second;
  }

  static json rule(const Diagnostic& diagnostic) {
    const KindInfo& kind = info(diagnostic.kind);
    const FoundBy& by = diagnostic.found_by;
    const bool is_check = !by.check.empty();
    json object = {
        {"id", diagnostic.rule()},
        {"name", is_check ? identifier(by.check) : std::string(kind.identifier)},
        {"shortDescription", {{"text", is_check ? by.sentence : kind.sentence}}},
        {"defaultConfiguration", {{"level", word(is_check ? by.severity : kind.severity)}}}};
    if (is_check) {
      object["help"] = {{"text", "trainyard explain check " + std::string(by.check)}};
    }
    return object;
  }

  json file(const Place& place) const { return {{"uri", uri(place.file)}}; }

  json region(const Place& place) const {
    return {
        {"startLine", place.start.line},    {"startColumn", place.start.column},
        {"endLine", place.end.line},        {"endColumn", place.end.column},
        {"byteOffset", place.start_offset}, {"byteLength", place.end_offset - place.start_offset}};
  }

  json location(Span span) const {
    const Place place = place_of(span, sources_);
    return {{"physicalLocation", {{"artifactLocation", file(place)}, {"region", region(place)}}}};
  }

  json related(const Label& label, std::size_t number) const {
    json object = location(label.span);
    object["id"] = number;
    object["message"] = {{"text", redaction_.words(label.text)}};
    return object;
  }

  json fix(const Fix& fix) const {
    const Place place = place_of(fix.span, sources_);
    const json replacement = {
        {"deletedRegion", region(place)},
        {"insertedContent", {{"text", redaction_.words(new_text(fix, sources_))}}}};
    const json change = {{"artifactLocation", file(place)},
                         {"replacements", json::array({replacement})}};
    return {{"description", {{"text", redaction_.words(fix.text)}}},
            {"artifactChanges", json::array({change})}};
  }

  json result(const Diagnostic& diagnostic) {
    json object = {{"ruleId", diagnostic.rule()},
                   {"ruleIndex", rule_of(diagnostic)},
                   {"level", word(diagnostic.severity)},
                   {"message", {{"text", full_text(diagnostic, redaction_)}}},
                   {"properties", {{"kind", info(diagnostic.kind).name}}}};
    if (diagnostic.span.known()) object["locations"] = json::array({location(diagnostic.span)});
    if (!diagnostic.path.empty()) {
      const json logical = {{"fullyQualifiedName", redaction_.words(diagnostic.path)}};
      object["locations"][0]["logicalLocations"] = json::array({logical});
    }
    for (const Label& label : diagnostic.labels) {
      if (!label.span.known()) continue;
      json& list = object["relatedLocations"];
      list.push_back(related(label, list.size() + 1));
    }
    for (const Fix& each : diagnostic.fixes) {
      if (each.span.known()) object["fixes"].push_back(fix(each));
    }
    return object;
  }

  const SourceMap& sources_;
  const Redaction redaction_;
  std::map<std::string_view, std::size_t> rule_numbers_;
  json rules_ = json::array();
  json results_ = json::array();
};

}  // namespace

std::string render_sarif(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                         std::string_view version) {
  const json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", json::array({SarifRun(diagnostics, sources).finish(version)})}};
  return log.dump(2, ' ', true, json::error_handler_t::replace) + '\n';
}

}  // namespace trainyard
