#include "cli/rehearse/pod_names.h"

#include <arpa/inet.h>

#include <cstdint>

namespace trainyard {
namespace {

constexpr std::size_t kHeader = 12;

}  // namespace

std::optional<NameQuestion> read_question(std::string_view packet) {
  NameQuestion question;
  std::size_t at = kHeader;
  while (at < packet.size() && packet[at] != 0) {
    const auto length = static_cast<unsigned char>(packet[at]);
    if (length > 63 || at + 1 + length >= packet.size()) return std::nullopt;
    if (!question.name.empty()) question.name += '.';
    question.name += packet.substr(at + 1, length);
    at += 1U + length;
  }
  if (question.name.empty() || at + 5 > packet.size()) return std::nullopt;
  question.packet = packet.substr(0, at + 5);
  const std::string_view kind = packet.substr(at + 1, 2);
  question.asks_for_ipv4 = kind == std::string_view("\0\1", 2);
  question.asks_for_ipv6 = kind == std::string_view("\0\x1c", 2);
  for (std::string_view domain : {".svc.cluster.local", ".cluster.local"}) {
    if (!question.name.ends_with(domain)) continue;
    question.name.erase(question.name.size() - domain.size());
    question.in_cluster = true;
    break;
  }
  return question;
}

std::string answer_to(const NameQuestion& question, const std::string& address) {
  std::string answer = question.packet;
  const bool gives_address = question.asks_for_ipv4 && !address.empty();
  // An answer with authority; the error "no such name"; one question, and at most one answer.
  const char counts[] = {
      '\x85', address.empty() ? '\x83' : '\x80', 0, 1, 0, static_cast<char>(gives_address), 0, 0, 0,
      0};
  answer.replace(2, sizeof counts, counts, sizeof counts);
  if (!gives_address) return answer;
  // The name of the question, an address of the Internet, for no time, of four bytes.
  answer += std::string("\xc0\x0c\0\1\0\1\0\0\0\0\0\4", 12);
  std::uint32_t bytes = 0;
  ::inet_pton(AF_INET, address.c_str(), &bytes);
  answer.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return answer;
}

}  // namespace trainyard
