#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// An amount of a resource as Kubernetes writes it: `500m`, `1.5Gi`, `1e3`.
///
/// Exact: a whole number of billionths, up to 1e28 units and somewhat beyond. What is accepted and
/// what is printed follows kubernetes/apimachinery pkg/api/resource/quantity.go; unlike there, an
/// amount beyond our range is refused and not printed wrongly (`1000E` comes out as `1` there).
class Quantity {
 public:
  /// The family of suffixes that the text had; it decides the canonical text.
  enum class Format : std::uint8_t { Binary, Decimal, Exponent };

  Quantity() = default;
  static Quantity of(std::int64_t units, Format format = Format::Decimal);

  /// Nothing when the text is no quantity, or is out of range. Smaller parts than a billionth are
  /// rounded away from zero; an amount with a binary suffix stops at 2^63 - 1.
  static std::optional<Quantity> parse(std::string_view text);

  /// The one text that Kubernetes gives this amount: `1000m` is "1", `1.5Gi` is "1536Mi".
  std::string text() const;

  Format format() const { return format_; }
  bool is_zero() const { return nano_ == 0; }
  bool is_negative() const { return nano_ < 0; }

  /// Units rounded away from zero, if they fit.
  std::optional<std::int64_t> whole_units() const;
  /// Units as a double, which may be a little off.
  double approximate() const { return static_cast<double>(nano_) / 1e9; }

  /// The sum in the format of `a`, unless `a` is zero; nothing when it is out of range.
  friend std::optional<Quantity> add(const Quantity& a, const Quantity& b);
  friend std::optional<Quantity> multiply(const Quantity& a, std::int64_t factor);

  /// By amount: `1Ki` equals `1024`.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.nano_ <=> b.nano_;
  }
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }

 private:
  __extension__ typedef __int128 Nano;

  Quantity(Nano nano, Format format) : nano_(nano), format_(format) {}

  Nano nano_ = 0;
  Format format_ = Format::Decimal;
};

std::optional<Quantity> add(const Quantity& a, const Quantity& b);
std::optional<Quantity> multiply(const Quantity& a, std::int64_t factor);

}  // namespace trainyard
