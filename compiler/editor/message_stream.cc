#include "editor/message_stream.h"

#include <algorithm>
#include <utility>

#include "source/number_text.h"

namespace trainyard {
namespace {

constexpr std::string_view kEndOfHeader = "\r\n\r\n";
constexpr std::string_view kLength = "content-length:";

bool is_length(std::string_view line) {
  return line.size() >= kLength.size() &&
         std::equal(kLength.begin(), kLength.end(), line.begin(), [](char wanted, char found) {
           return wanted == (found >= 'A' && found <= 'Z' ? found - 'A' + 'a' : found);
         });
}

std::optional<std::size_t> number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return read_number<std::size_t>(text);
}

}  // namespace

std::optional<std::string> MessageReader::broken(std::string why) {
  fault_ = std::move(why);
  waiting_.clear();
  return std::nullopt;
}

bool MessageReader::read_header() {
  const std::size_t end = waiting_.find(kEndOfHeader, at_);
  if (std::min(end, waiting_.size()) - at_ > kLongestHeader) {
    broken("a header has more than " + std::to_string(kLongestHeader) + " bytes");
    return false;
  }
  if (end == std::string::npos) return false;
  std::string_view header = std::string_view(waiting_).substr(at_, end - at_);
  at_ = end + kEndOfHeader.size();
  while (!header.empty()) {
    const std::size_t stop = std::min(header.find("\r\n"), header.size());
    const std::string_view line = header.substr(0, stop);
    header.remove_prefix(std::min(stop + 2, header.size()));
    if (is_length(line)) length_ = number(line.substr(kLength.size()));
  }
  if (length_ && *length_ <= kLongestBody) return true;
  broken(length_ ? "a message has more than " + std::to_string(kLongestBody) + " bytes"
                 : "a header has no `Content-Length`");
  return false;
}

std::optional<std::string> MessageReader::next() {
  if (!fault_.empty()) return std::nullopt;
  if (!length_ && !read_header()) return std::nullopt;
  if (waiting_.size() - at_ < *length_) return std::nullopt;
  std::string body = waiting_.substr(at_, *length_);
  at_ += *std::exchange(length_, std::nullopt);
  if (at_ == waiting_.size() || at_ > kLongestHeader) waiting_.erase(0, std::exchange(at_, 0));
  return body;
}

std::string framed(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace trainyard
