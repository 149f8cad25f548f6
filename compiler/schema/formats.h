#pragma once

#include <string_view>

#include "schema/patterns.h"

namespace trainyard {

/// The formats that the API server enforces; it ignores all others.
///
/// kubernetes/apiextensions-apiserver pkg/apiserver/validation/formats.go, with the meaning of
/// kubernetes/kube-openapi pkg/validation/strfmt.
enum class Format {
  None,
  // of strings
  BsonObjectId,
  Uri,
  Email,
  Hostname,
  Ipv4,
  Ipv6,
  Cidr,
  Mac,
  Uuid,
  Uuid3,
  Uuid4,
  Uuid5,
  Isbn,
  Isbn10,
  Isbn13,
  CreditCard,
  Ssn,
  HexColor,
  RgbColor,
  Byte,
  Date,
  Duration,
  DateTime,
  ShortName,
  LongName,
  // of numbers
  Int32,
  Int64,
  Float,
};

/// The format of a name as schemas write it; `-` in it means nothing.
Format format_of(std::string_view name);
/// What a text of this format looks like: "an IPv4 address such as `10.0.0.1`".
std::string_view example_of(Format format);
/// Whether `text` has a format of strings; true for every other format.
bool has_format(Format format, std::string_view text, Patterns& patterns);

/// A Kubernetes quantity: `500m`, `1.5Gi`, `1e3`.
bool is_quantity(std::string_view text);

}  // namespace trainyard
