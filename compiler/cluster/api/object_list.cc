#include "cluster/api/object_list.h"

#include <functional>
#include <utility>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kPageSize = "500";

/// One list on its way through its pages.
class Pages {
 public:
  Pages(Transport& transport, const Selection& selection, Listed& into)
      : transport_(transport), selection_(selection), into_(into) {}

  void begin() {
    ++open_;
    ask("");
  }
  bool done() const { return open_ == 0; }

 private:
  void ask(const std::string& next) {
    const Query query = {{"limit", std::string(kPageSize)},
                         {"labelSelector", selection_.label_selector},
                         {"fieldSelector", selection_.field_selector},
                         {"continue", next}};
    transport_.start({.path = collection_path(selection_.resource, selection_.name_space, query)},
                     [this](Answer& answer) { take(answer); });
  }

  void take(Answer& answer) {
    if (auto error = error_of(answer)) {
      if (error->is_gone() && !has_begun_anew_) {
        has_begun_anew_ = true;
        into_ = Listed();
        return ask("");
      }
      into_.error = std::move(*error);
      --open_;
      return;
    }
    const JsonAnswer page = JsonDocument::read_list(
        std::move(answer.body), selection_.resource.api_version, selection_.resource.kind);
    if (page == nullptr) {
      into_.error = ApiError{.message = "the server sent a list that is no JSON"};
      --open_;
      return;
    }
    for (const View each : items_at(page->root(), "items")) into_.items.push_back(each);
    const View metadata = get(page->root(), "metadata");
    into_.resource_version = string_at(metadata, "resourceVersion");
    into_.pages.push_back(page);
    const std::string next(string_at(metadata, "continue"));
    if (next.empty()) {
      --open_;
    } else {
      ask(next);
    }
  }

  Transport& transport_;
  const Selection& selection_;
  Listed& into_;
  int open_ = 0;
  bool has_begun_anew_ = false;
};

}  // namespace

std::vector<Listed> list_all(Transport& transport, const std::vector<Selection>& selections) {
  std::vector<Listed> results(selections.size());
  std::vector<std::unique_ptr<Pages>> lists;
  for (std::size_t i = 0; i < selections.size(); ++i) {
    lists.push_back(std::make_unique<Pages>(transport, selections[i], results[i]));
    lists.back()->begin();
  }
  for (const auto& each : lists) {
    while (!each->done()) transport.turn();
  }
  return results;
}

Listed list_objects(Transport& transport, const Selection& selection) {
  return std::move(list_all(transport, {selection}).front());
}

}  // namespace trainyard
