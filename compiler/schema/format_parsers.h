#pragma once

#include <string_view>

#include "schema/patterns.h"

namespace trainyard {

// The formats that are more than a pattern, each as Go's standard library (or kube-openapi's
// strfmt) reads it.

bool is_request_uri(std::string_view text);  // net/url ParseRequestURI
bool is_email(std::string_view text);        // net/mail ParseAddress, without comments
bool is_host_size(std::string_view text);    // at most 255 bytes, 63 for each label
bool is_ip(std::string_view text);           // net ParseIP, leading zeros let through
bool is_cidr(std::string_view text);
bool is_mac(std::string_view text);
bool is_isbn10(std::string_view text);
bool is_isbn13(std::string_view text);
bool is_credit_card(std::string_view text, Patterns& patterns);
bool is_base64(std::string_view text);         // of govalidator: not empty, in one line
bool is_encoded_bytes(std::string_view text);  // as Go reads bytes: empty or in several lines, too
bool is_date(std::string_view text);
bool is_date_time(std::string_view text);
bool is_duration(std::string_view text);

}  // namespace trainyard
