#include "cli/rehearse/name_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "cli/rehearse/pod_names.h"
#include "source/descriptor.h"

namespace trainyard {
namespace {

constexpr std::size_t kHeader = 12;  // bytes of a packet (RFC 1035)

/// A packet of a socket, and who sent it.
std::optional<std::string> receive(int socket, sockaddr_in& from) {
  char packet[4096];
  socklen_t size = sizeof from;
  const ssize_t length =
      ::recvfrom(socket, packet, sizeof packet, 0, reinterpret_cast<sockaddr*>(&from), &size);
  if (length < 0) return std::nullopt;
  return std::string(packet, static_cast<std::size_t>(length));
}

/// The resolver tries a name with domains of the cluster behind it first.
void note(std::set<std::string>& unknown, const std::string& name, bool exists) {
  std::erase_if(unknown, [&](const std::string& each) {
    return each == name || each.starts_with(name + ".");
  });
  if (!exists) unknown.insert(name);
}

int open_socket(int family) {
  return ::socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// A socket that leads to a DNS server; -1 where that is no address.
int connected_to(const std::string& server) {
  sockaddr_in address = {};
  sockaddr_in6 address6 = {};
  address.sin_family = AF_INET;
  address6.sin6_family = AF_INET6;
  address.sin_port = address6.sin6_port = htons(53);
  const bool is_4 = ::inet_pton(AF_INET, server.c_str(), &address.sin_addr) == 1;
  if (!is_4 && ::inet_pton(AF_INET6, server.c_str(), &address6.sin6_addr) != 1) return -1;
  const int socket = open_socket(is_4 ? AF_INET : AF_INET6);
  const auto* const to = is_4 ? reinterpret_cast<const sockaddr*>(&address)
                              : reinterpret_cast<const sockaddr*>(&address6);
  if (::connect(socket, to, is_4 ? sizeof address : sizeof address6) == 0) return socket;
  ::close(socket);
  return -1;
}

}  // namespace

void NameServer::open_outside() {
  const Descriptor file(::open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC));
  std::string text = "\n" + (file.is_open() ? read_all(file, 64 * 1024).text : "");
  std::ranges::replace(text, '\t', ' ');
  constexpr std::string_view kWord = "\nnameserver ";
  for (std::size_t at = 0; outside_ == -1 && (at = text.find(kWord, at)) != text.npos;) {
    const std::size_t begin = text.find_first_not_of(' ', at += kWord.size());
    if (begin == text.npos) break;
    outside_ = connected_to(text.substr(begin, text.find_first_of(" \n", begin) - begin));
  }
}

void NameServer::close_outside() {
  if (outside_ != -1) ::close(std::exchange(outside_, -1));
}

void NameServer::open() {
  inside_ = open_socket(AF_INET);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(53);
  ::inet_pton(AF_INET, kRehearsalServer, &address.sin_addr);
  ::bind(inside_, reinterpret_cast<sockaddr*>(&address), sizeof address);
}

void NameServer::answer(std::vector<SeenPod>& seen) {
  sockaddr_in from = {};
  while (const auto packet = receive(inside_, from)) take_question(*packet, from, seen);
  while (outside_ != -1) {
    auto packet = receive(outside_, from);
    if (!packet) break;
    take_answer(std::move(*packet), seen);
  }
}

void NameServer::take_question(const std::string& packet, const sockaddr_in& from,
                               std::vector<SeenPod>& seen) {
  const auto question = read_question(packet);
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &from.sin_addr, text, sizeof text);
  const RehearsedPod* const pod = find_pod(rehearsal_, text);
  if (!question || pod == nullptr) return;
  const auto place = static_cast<std::size_t>(pod - rehearsal_.pods.data());
  const RehearsedPod* const known = find_pod(rehearsal_, question->name);
  // A name without a dot is one of the cluster, whatever the network of this machine calls so.
  const bool is_address = question->name.ends_with(".in-addr.arpa");  // whose name is asked for
  const bool goes_outside = known == nullptr && outside_ != -1 && !question->in_cluster &&
                            !is_address && question->name.find('.') != std::string::npos;
  // The network outside has no IPv6: no address, and not that there is no such name.
  if (goes_outside && question->asks_for_ipv6) {
    send(answer_to(*question, kRehearsalServer), from);
  } else if (goes_outside) {
    asked_[++next_] = {place, from, question->name, packet.substr(0, 2)};
    const std::string number = {static_cast<char>(next_ >> 8), static_cast<char>(next_ & 0xff)};
    const std::string sent = number + packet.substr(2);
    ::send(outside_, sent.data(), sent.size(), 0);
  } else {
    if (known == nullptr && !is_address) note(seen[place].unknown, question->name, false);
    send(answer_to(*question, known == nullptr ? "" : known->address), from);
  }
}

void NameServer::take_answer(std::string packet, std::vector<SeenPod>& seen) {
  if (packet.size() < kHeader) return;
  const auto byte = [&packet](std::size_t at) { return static_cast<unsigned char>(packet[at]); };
  const auto found = asked_.find(static_cast<std::uint16_t>(byte(0) << 8 | byte(1)));
  if (found == asked_.end()) return;
  const Asked asked = std::move(found->second);
  asked_.erase(found);
  constexpr unsigned kNoSuchName = 3;
  note(seen[asked.pod].unknown, asked.name, (byte(3) & 0xfU) != kNoSuchName);
  packet.replace(0, 2, asked.number);
  packet[2] = static_cast<char>(byte(2) & ~2U);  // a cut answer is good: here is no TCP
  send(packet, asked.from);
}

void NameServer::send(const std::string& packet, const sockaddr_in& to) const {
  ::sendto(inside_, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&to),
           sizeof to);
}

}  // namespace trainyard
