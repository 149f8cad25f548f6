#include "schema/patterns.h"

#include <re2/re2.h>

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "cel/regexes.h"

namespace trainyard {
namespace {

struct SamePlace {
  bool operator()(std::string_view a, std::string_view b) const {
    return a.data() == b.data() && a.size() == b.size();
  }
};
struct PlaceHash {
  std::size_t operator()(std::string_view text) const {
    return std::hash<const char*>()(text.data()) ^ (text.size() << 20U);
  }
};

/// Of amounts in definitions, as controller-gen writes it for each field of the type.
constexpr std::string_view kAmount =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

/// Whether `text` is one of the amounts that people write, which kAmount matches: `8`, `500m`,
/// `64Gi`.
bool is_usual_amount(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0) return false;
  const std::string_view unit = text.substr(digits);
  if (unit.empty()) return true;
  if (unit.size() == 1) return std::string_view("numkMGTPE").find(unit[0]) != unit.npos;
  return unit.size() == 2 && unit[1] == 'i' &&
         std::string_view("KMGTPE").find(unit[0]) != unit.npos;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

struct Patterns::Cache {
  struct Entry {
    std::unique_ptr<RE2> compiled;
    bool is_amount = false;
  };
  std::unordered_map<std::string_view, Entry, PlaceHash, SamePlace> entries;

  const Entry& get(std::string_view pattern) {
    Entry& entry = entries[pattern];
    if (!entry.compiled) {
      RE2::Options options;
      options.set_log_errors(false);
      entry = {std::make_unique<RE2>(piece(pattern), options), pattern == kAmount};
    }
    return entry;
  }
};

Patterns::Patterns() : cache_(std::make_unique<Cache>()) {}
Patterns::~Patterns() = default;
Patterns::Patterns(Patterns&&) noexcept = default;
Patterns& Patterns::operator=(Patterns&&) noexcept = default;

Patterns::Result Patterns::match(std::string_view pattern, std::string_view text) {
  const Cache::Entry& entry = cache_->get(pattern);
  if (!entry.compiled->ok()) return Result::Broken;
  if (entry.is_amount && is_usual_amount(text)) return Result::Match;
  return RE2::PartialMatch(piece(text), *entry.compiled) ? Result::Match : Result::Mismatch;
}

std::string Patterns::error(std::string_view pattern) {
  return cache_->get(pattern).compiled->error();
}

std::size_t Patterns::size(std::string_view pattern) {
  const RE2& compiled = *cache_->get(pattern).compiled;
  return compiled.ok() ? static_cast<std::size_t>(compiled.ProgramSize()) : 0;
}

std::string pattern_fault(std::string_view pattern) {
  return cel::pattern_fault(pattern);
}

bool PatternBudget::is_spent(FileId file) const {
  const auto found = taken_.find(file);
  return found != taken_.end() && found->second > kMost;
}

std::string PatternBudget::take(FileId file, std::size_t size) {
  std::size_t& taken = taken_[file];
  taken += size;
  if (taken <= kMost) return {};
  return "the patterns of this file up to here take " + std::to_string(taken) +
         " instructions; expected at most " + std::to_string(kMost);
}

}  // namespace trainyard
