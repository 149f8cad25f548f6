#include "cluster/api/object_list.h"

#include <memory>
#include <utility>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kPageSize = "500";

}  // namespace

ListCall::ListCall(Transport& transport, Selection selection, std::function<void(Listed&)> done)
    : transport_(transport), selection_(std::move(selection)), done_(std::move(done)) {
  ask("");
}

ListCall::~ListCall() {
  transport_.cancel(ticket_);
}

void ListCall::ask(const std::string& next) {
  const Query query = {{"limit", std::string(kPageSize)},
                       {"labelSelector", selection_.label_selector},
                       {"fieldSelector", selection_.field_selector},
                       {"continue", next}};
  ticket_ =
      transport_.start({.path = collection_path(selection_.resource, selection_.name_space, query)},
                       [this](Answer& answer) { take(answer); });
}

void ListCall::end() {
  const auto done = std::move(done_);
  Listed list = std::move(list_);
  done(list);  // may be the end of this
}

void ListCall::take(Answer& answer) {
  if (auto error = error_of(answer)) {
    if (error->is_gone() && !has_begun_anew_) {
      has_begun_anew_ = true;
      list_ = Listed();
      return ask("");
    }
    list_.error = std::move(*error);
    return end();
  }
  const JsonAnswer page = JsonDocument::read_list(
      std::move(answer.body), selection_.resource.api_version, selection_.resource.kind);
  const View metadata = page ? get(page->root(), "metadata") : View();
  if (!metadata) {
    list_.error = unreadable_answer();
    return end();
  }
  for (const View each : items_at(page->root(), "items")) list_.items.push_back(each);
  list_.resource_version = string_at(metadata, "resourceVersion");
  list_.pages.push_back(page);
  const std::string next(string_at(metadata, "continue"));
  if (next.empty()) return end();
  ask(next);
}

std::vector<Listed> list_all(Transport& transport, const std::vector<Selection>& selections) {
  std::vector<Listed> results(selections.size());
  std::vector<std::unique_ptr<ListCall>> calls;
  std::size_t left = selections.size();
  for (std::size_t i = 0; i < selections.size(); ++i) {
    calls.push_back(std::make_unique<ListCall>(transport, selections[i], [&, i](Listed& list) {
      results[i] = std::move(list);
      --left;
    }));
  }
  while (left > 0) transport.turn();
  return results;
}

Listed list_objects(Transport& transport, const Selection& selection) {
  return std::move(list_all(transport, {selection}).front());
}

}  // namespace trainyard
