#include "schema/patterns.h"

#include <re2/re2.h>

#include <cstdint>
#include <functional>
#include <unordered_map>

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

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

struct Patterns::Cache {
  std::unordered_map<std::string_view, std::unique_ptr<RE2>, PlaceHash, SamePlace> compiled;

  const RE2& get(std::string_view pattern) {
    std::unique_ptr<RE2>& slot = compiled[pattern];
    if (!slot) {
      RE2::Options options;
      options.set_log_errors(false);
      slot = std::make_unique<RE2>(piece(pattern), options);
    }
    return *slot;
  }
};

Patterns::Patterns() : cache_(std::make_unique<Cache>()) {}
Patterns::~Patterns() = default;
Patterns::Patterns(Patterns&&) noexcept = default;
Patterns& Patterns::operator=(Patterns&&) noexcept = default;

Patterns::Result Patterns::match(std::string_view pattern, std::string_view text) {
  const RE2& compiled = cache_->get(pattern);
  if (!compiled.ok()) return Result::Broken;
  return RE2::PartialMatch(piece(text), compiled) ? Result::Match : Result::Mismatch;
}

std::string Patterns::error(std::string_view pattern) {
  return cache_->get(pattern).error();
}

}  // namespace trainyard
