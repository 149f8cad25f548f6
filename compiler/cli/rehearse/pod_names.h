#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// A question to the DNS server of a rehearsal (RFC 1035).
struct NameQuestion {
  std::string name;            // without the domains of the cluster that resolvers try behind it
  std::string packet;          // up to the end of the question
  bool in_cluster = false;     // one of those domains was there
  bool asks_for_ipv4 = false;  // else for another kind of record
  bool asks_for_ipv6 = false;
};

/// Nothing for a packet that is no question.
std::optional<NameQuestion> read_question(std::string_view packet);

/// The answer: an address such as `10.99.0.1`, or for "" that there is no such name.
std::string answer_to(const NameQuestion& question, const std::string& address);

}  // namespace trainyard
