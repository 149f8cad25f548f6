#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "source/item_at.h"
#include "source/span.h"

namespace trainyard {

/// Index into Origins; 0 is "no origin known".
using OriginId = std::uint32_t;
inline constexpr OriginId kNoOrigin = 0;

enum class OriginKind : std::uint8_t {
  None,
  Spec,       ///< a line of a TrainingJob, or of what it extends or is overlaid with
  Cluster,    ///< a line of a Cluster
  Flag,       ///< the command line; `name` is the flag
  Default,    ///< a documented default; `name` is the field
  Catalogue,  ///< a line of the machine or fabric catalogue
  Rule,       ///< computed; `name` is the rule, the inputs are what it used
  Template,   ///< a line of a template; the inputs are the fields that filled its hole
  Constant,   ///< fixed by the compiler; `name` says why
  Injected,   ///< added by a controller; `name` is `operator: why`, the inputs led to it
  Replaced,   ///< what stood there in a layer below
  Parameter,  ///< a line of a matrix; `name` is the parameter
  Lock,       ///< a line of a lock file
};

/// Why a value is what it is.
struct Origin {
  OriginKind kind = OriginKind::None;
  Span span;              // the text it comes from, where there is any
  std::string_view name;  // must outlive the table: a literal, or text in an arena
  std::uint32_t first_input = 0;
  std::uint32_t input_count = 0;
};

/// The append-only table that serves diagnostics, the provenance map and `trainyard why`.
class Origins {
 public:
  Origins() { clear(); }

  OriginId add(OriginKind kind, Span span, std::string_view name = {},
               std::initializer_list<OriginId> inputs = {}) {
    return add(kind, span, name, std::span(inputs.begin(), inputs.size()));
  }
  OriginId add(OriginKind kind, Span span, std::string_view name,
               std::span<const OriginId> inputs) {
    const auto first = static_cast<std::uint32_t>(inputs_.size());
    for (OriginId input : inputs) {
      if (input != kNoOrigin) inputs_.push_back(input);
    }
    const auto count = static_cast<std::uint32_t>(inputs_.size()) - first;
    table_.push_back({kind, span, name, first, count});
    return static_cast<OriginId>(table_.size() - 1);
  }
  const Origin& operator[](OriginId id) const { return item_at(table_, id); }
  std::span<const OriginId> inputs(OriginId id) const {
    const Origin& origin = (*this)[id];
    return std::span(inputs_).subspan(origin.first_input, origin.input_count);
  }
  std::size_t size() const { return table_.size(); }

  void clear() {
    table_.assign(1, Origin{});
    inputs_.clear();
  }

 private:
  std::vector<Origin> table_;
  std::vector<OriginId> inputs_;
};

}  // namespace trainyard
