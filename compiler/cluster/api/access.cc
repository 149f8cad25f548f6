#include "cluster/api/access.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cluster/json_document.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

Request review_request(const Right& right) {
  const std::size_t slash = right.resource.find('/');
  std::string attributes = "\"verb\":" + quoted(right.verb) + ",\"group\":" + quoted(right.group) +
                           ",\"resource\":" + quoted(right.resource.substr(0, slash));
  if (slash != right.resource.npos) {
    attributes += ",\"subresource\":" + quoted(right.resource.substr(slash + 1));
  }
  if (!right.name_space.empty()) attributes += ",\"namespace\":" + quoted(right.name_space);
  return {.method = Method::Post,
          .path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
          .body = R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                  R"("spec":{"resourceAttributes":{)" +
                  attributes + "}}}",
          .content_type = "application/json"};
}

std::string in_brackets(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& each : words) {
    text += (text.empty() ? "" : ", ") + (each.empty() ? std::string("\"\"") : each);
  }
  return "[" + text + "]";
}

}  // namespace

AccessReview review_access(Transport& transport, const std::vector<Right>& rights) {
  AccessReview review;
  std::vector<Request> requests;
  for (const Right& each : rights) requests.push_back(review_request(each));
  std::vector<Answer> answers = transport.send_all(std::move(requests));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (auto error = error_of(answers[i])) {
      review.error = std::move(*error);
      return review;
    }
    const JsonAnswer document = JsonDocument::read(std::move(answers[i].body));
    if (document == nullptr) {
      review.error = unreadable_answer();
      return review;
    }
    const bool allowed = is_true(get(get(document->root(), "status"), "allowed"));
    if (!allowed) review.missing.push_back(rights[i]);
  }
  return review;
}

std::string roles_for(const std::vector<Right>& rights) {
  using Resources = std::map<std::pair<std::string, std::string>, std::set<std::string>>;
  std::map<std::string, Resources> by_name_space;
  for (const Right& each : rights) {
    by_name_space[each.name_space][{each.group, each.resource}].insert(each.verb);
  }
  std::string text;
  for (const auto& [name_space, resources] : by_name_space) {
    // Resources with the same verbs share a rule.
    std::map<std::pair<std::string, std::set<std::string>>, std::set<std::string>> rules;
    for (const auto& [resource, verbs] : resources) {
      rules[{resource.first, verbs}].insert(resource.second);
    }
    if (!text.empty()) text += "---\n";
    text += "apiVersion: rbac.authorization.k8s.io/v1\nkind: ";
    text += name_space.empty()
                ? "ClusterRole\nmetadata:\n  name: trainyard\n"
                : "Role\nmetadata:\n  name: trainyard\n  namespace: " + name_space + "\n";
    text += "rules:\n";
    for (const auto& [rule, names] : rules) {
      text += "- apiGroups: " + in_brackets({rule.first}) + "\n  resources: " + in_brackets(names) +
              "\n  verbs: " + in_brackets(rule.second) + "\n";
    }
  }
  return text;
}

std::optional<ServerFacts> ask_server(Transport& transport, ApiError& error) {
  std::vector<Request> requests;
  requests.push_back({.path = "/version"});
  requests.push_back({.method = Method::Post,
                      .path = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                      .body = R"({"apiVersion":"authentication.k8s.io/v1",)"
                              R"("kind":"SelfSubjectReview"})",
                      .content_type = "application/json"});
  std::vector<Answer> answers = transport.send_all(std::move(requests));
  for (const Answer& each : answers) {
    const auto failed = error_of(each);
    // A server that does not know the review, or does not allow it, still has a version.
    const bool is_review = &each == &answers.back();
    if (!failed || (is_review && (failed->is_not_found() || failed->status == 403))) continue;
    error = *failed;
    return std::nullopt;
  }
  const JsonAnswer version = JsonDocument::read(std::move(answers.front().body));
  if (version == nullptr || string_at(version->root(), "gitVersion").empty()) {
    error = unreadable_answer();
    return std::nullopt;
  }
  ServerFacts facts;
  facts.version = string_at(version->root(), "gitVersion");
  const JsonAnswer review = JsonDocument::read(std::move(answers.back().body));
  const View user = review ? get(get(review->root(), "status"), "userInfo") : View();
  facts.user = string_at(user, "username");
  for (const View each : items_at(user, "groups")) facts.groups.emplace_back(string_of(each));
  return facts;
}

}  // namespace trainyard
