#include "cluster/runai/runai_calls.h"

#include <utility>

#include "cluster/http/url_text.h"
#include "cluster/json_document.h"
#include "diag/foreign_text.h"
#include "diag/secrets.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestSentence = 600;
const std::string kWorkloads = "/api/v1/workloads";

std::string path_of(RunaiSort sort) {
  return kWorkloads + (sort == RunaiSort::Training ? "/trainings" : "/distributed");
}

std::string page_at(std::size_t offset) {
  return "?limit=" + std::to_string(kRunaiPage) + "&offset=" + std::to_string(offset);
}

/// A sentence of the server on one line, without credentials.
std::string safe(std::string_view text) {
  return without_secrets(foreign_text(text.substr(0, kLongestSentence)));
}

}  // namespace

Request runai_submit_call(RunaiSort sort, std::string body) {
  return {.method = Method::Post,
          .path = path_of(sort),
          .body = std::move(body),
          .content_type = "application/json",
          .repeatable = false};
}

Request runai_get_call(RunaiSort sort, std::string_view id) {
  return {.path = path_of(sort) + "/" + encoded(id)};
}

Request runai_verb_call(RunaiSort sort, std::string_view id, std::string_view verb) {
  return {.method = Method::Post,
          .path = path_of(sort) + "/" + encoded(id) + "/" + std::string(verb)};
}

Request runai_delete_call(RunaiSort sort, std::string_view id) {
  return {.method = Method::Delete, .path = path_of(sort) + "/" + encoded(id)};
}

Request runai_workloads_call(std::string_view name, std::size_t offset) {
  std::string path = kWorkloads + page_at(offset);
  if (!name.empty()) path += "&filterBy=" + encoded("name==" + std::string(name));
  return {.path = std::move(path)};
}

Request runai_projects_call(std::size_t offset) {
  return {.path = "/api/v1/org-unit/projects" + page_at(offset)};
}

Request runai_part_call(std::string_view id, std::string_view part) {
  return {.path = kWorkloads + "/" + encoded(id) + "/" + std::string(part) + page_at(0)};
}

std::optional<ApiError> runai_error_of(const Answer& answer) {
  if (answer.ok()) return std::nullopt;
  ApiError error;
  error.trouble = answer.trouble;
  error.message = answer.problem;
  error.retry_after = answer.retry_after;
  if (answer.trouble != Trouble::None) return error;
  error.status = answer.status;
  if (answer.status >= 500) error.reason = "InternalError";  // is_unavailable asks for one
  const JsonAnswer document = JsonDocument::read(answer.body);
  const View root = document == nullptr ? View() : document->root();
  error.message = safe(string_at(root, "message"));
  // Of the exchange in the form of RFC 6749.
  if (error.message.empty()) error.message = safe(string_at(root, "error_description"));
  if (error.message.empty()) {
    error.message = unreadable_runai_answer().message;
  } else if (const std::string details = safe(string_at(root, "details")); !details.empty()) {
    error.message += " (" + details + ")";
  }
  for (const View each : items_at(root, "complianceIssues")) {
    error.causes.push_back({std::string(string_at(each, "rule")),
                            foreign_text(string_at(each, "field")),
                            safe(string_at(each, "details"))});
  }
  error.message += " [" + std::to_string(answer.status) + "]";
  return error;
}

ApiError unreadable_runai_answer() {
  ApiError error;
  error.message = "the answer is not that of a control plane of Run:ai: check `--runai`";
  return error;
}

std::string_view help_for_runai(const ApiError& error) {
  if (error.is_connection()) return {};
  switch (error.status) {
    case 401:
      return "the token is refused: make a new access key, or ask for a new token";
    case 403:
      return "an access rule of Run:ai must give this user or service account a role in the "
             "project";
    case 404:
      return "it is gone, or this user may not see it";
    case 409:
      return "another workload has this name: choose another `metadata.name`";
    default:
      return error.status == 429 || error.status >= 500
                 ? "the control plane cannot answer now: try again later"
                 : "";
  }
}

}  // namespace trainyard
