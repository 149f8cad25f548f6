#include "cluster/api/api_error.h"

#include <algorithm>

#include "cluster/json_document.h"
#include "diag/foreign_text.h"
#include "diag/secrets.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestMessage = 600;

/// A sentence of the server without control characters and credentials, cut where it is long.
std::string safe(std::string_view text) {
  std::string result = without_secrets(foreign_lines(text.substr(0, 4 * kLongestMessage)));
  std::ranges::replace(result, '\n', ' ');
  if (result.size() <= kLongestMessage) return result;
  std::size_t end = kLongestMessage;
  while ((static_cast<unsigned char>(result[end]) & 0xc0) == 0x80) --end;
  return result.substr(0, end) + "...";
}

/// `Invalid value: core.PodSpec{...}: field is immutable` without the value: field.Error of
/// k8s.io/apimachinery pkg/util/validation/field writes kind, value and detail in this way. A value
/// ends in `}`, `"` or `]`, or is one word.
std::string without_value(std::string_view message) {
  for (const std::string_view kind :
       {"Invalid value: ", "Unsupported value: ", "Duplicate value: ", "Duplicate value",
        "Not found: ", "Too long: ", "Too many: "}) {
    if (!message.starts_with(kind)) continue;
    const std::string_view rest = message.substr(kind.size());
    const std::string_view name = kind.substr(0, kind.find(':'));
    std::size_t end = rest.npos;
    for (const std::string_view close : {"}: ", "\": ", "]: "}) {
      const std::size_t at = rest.rfind(close);
      if (at != rest.npos) end = end == rest.npos ? at + 3 : std::max(end, at + 3);
    }
    if (end == rest.npos && rest.find_first_of("{[\"") == rest.npos) {
      const std::size_t at = rest.find(": ");
      if (at != rest.npos) end = at + 2;
    }
    const std::string_view detail = end == rest.npos ? std::string_view() : rest.substr(end);
    // A detail has no braces and no escapes: what has some may be a part of the value.
    const bool is_detail = detail.find_first_of("{}\\") == detail.npos;
    return detail.empty() || !is_detail ? std::string(name) : safe(detail);
  }
  return safe(message);
}

std::string message_of_causes(const ApiError& error) {
  std::string message;
  for (const ApiCause& each : error.causes) {
    if (!message.empty()) message += "; ";
    message += each.field.empty() || each.field == "<nil>" ? "" : each.field + ": ";
    message += each.message;
  }
  return message.empty() ? "the server refuses the object" : message;
}

void take_status(View status, ApiError& error) {
  error.reason = string_at(status, "reason");
  if (error.status == 0) {
    error.status = static_cast<int>(integer_at(status, "code").value_or(0));
  }
  const View details = get(status, "details");
  error.retry_after = std::max(
      error.retry_after, static_cast<int>(integer_at(details, "retryAfterSeconds").value_or(0)));
  for (const View each : items_at(details, "causes")) {
    error.causes.push_back({std::string(string_at(each, "reason")),
                            foreign_text(string_at(each, "field")),
                            without_value(string_at(each, "message"))});
  }
  // The sentence of a 422 quotes the whole value, with every literal of the environment.
  error.message =
      error.is_invalid() ? message_of_causes(error) : safe(string_at(status, "message"));
}

/// For an answer that is no Status: of a proxy or a portal.
std::string foreign_answer(int status) {
  if (status == 401) return "the server does not know the user (401)";
  if (status >= 300 && status < 400) {
    return "something redirects to another page (" + std::to_string(status) +
           "): a portal wants a login, or `server` is no API server";
  }
  return "the answer is not that of a Kubernetes API server (" + std::to_string(status) +
         "): check `server` of the kubeconfig";
}

}  // namespace

std::optional<ApiError> error_of(const Answer& answer) {
  if (answer.ok()) return std::nullopt;
  ApiError error;
  error.trouble = answer.trouble;
  error.status = answer.trouble == Trouble::None ? answer.status : 0;
  error.retry_after = answer.retry_after;
  error.message = answer.problem;
  if (answer.trouble != Trouble::None) return error;
  const JsonAnswer document = JsonDocument::read(answer.body);
  const bool is_status = document && string_at(document->root(), "kind") == "Status";
  if (is_status) take_status(document->root(), error);
  if (error.message.empty()) error.message = foreign_answer(answer.status);
  return error;
}

ApiError error_of(View status) {
  ApiError error;
  take_status(status, error);
  return error;
}

ApiError interruption() {
  ApiError error;
  error.trouble = Trouble::Interrupted;
  error.message = "interrupted";
  return error;
}

ApiError unreadable_answer() {
  ApiError error;
  error.message =
      "the answer is not that of a Kubernetes API server: check `server` of the kubeconfig";
  return error;
}

std::string sentence(const ApiError& error) {
  if (error.status == 401 && error.trouble == Trouble::None) {
    return "the server does not accept the credentials of the kubeconfig: log in again (" +
           error.message + ")";
  }
  return error.message;
}

}  // namespace trainyard
