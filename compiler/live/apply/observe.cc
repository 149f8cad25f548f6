#include "live/apply/observe.h"

#include <algorithm>
#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"
#include "live/live_exit.h"

namespace trainyard {
namespace {

constexpr int kCreated = 201;  // of an apply of what is not there

/// A name of the same length that is not the object's own, for a dry run beside it.
std::string stand_in(std::string name) {
  name.back() = name.back() == 'x' ? 'y' : 'x';
  return name;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// The body with another name: that line of `metadata` comes before all others of this depth.
std::string renamed(const WantedObject& object, const std::string& name) {
  std::string body = object.body;
  const std::size_t metadata = body.find("\nmetadata:\n");
  const std::size_t line = body.find("\n  name: ", metadata);
  if (metadata == std::string::npos || line == std::string::npos) return {};
  const std::size_t begin = line + std::string_view("\n  name: ").size();
  body.replace(begin, body.find('\n', begin) - begin, name);
  return body;
}

class Observer {
 public:
  Observer(Transport& transport, const std::vector<const WantedObject*>& objects, bool force)
      : transport_(transport), objects_(objects), force_(force) {}

  Observation observe(const Discovery& discovery, const std::string& name_space) {
    result_.objects.resize(objects_.size());
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      Observed& observed = result_.objects[i];
      observed.resource = discovery.find(objects_[i]->api_version, objects_[i]->kind);
      if (observed.resource == nullptr || !observed.resource->namespaced) continue;
      observed.name_space = objects_[i]->name_space.empty() ? name_space : objects_[i]->name_space;
    }
    ask_first();
    if (!result_.error) ask_again();
    return std::move(result_);
  }

 private:
  using Places = std::vector<std::size_t>;

  /// A dry run of each; then what is there, unless that has said that nothing is. If the first few
  /// objects are new, the others most likely are, too: of those the whole answer is of no use, and
  /// is asked for where that guess was wrong.
  void ask_first() {
    Places known;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (result_.objects[i].resource != nullptr) known.push_back(i);
    }
    const std::size_t few = std::min<std::size_t>(known.size(), Transport::kConnections);
    const Places rest(known.begin() + static_cast<std::ptrdiff_t>(few), known.end());
    known.resize(few);
    Places present = try_all(known, true);
    const bool are_new = present.empty();
    Places more = try_all(rest, !are_new);
    if (are_new) more = try_all(more, true);
    present.insert(present.end(), more.begin(), more.end());
    if (!result_.error) ask_live(present);
  }

  /// A dry run of each; which of them are there, or refused.
  Places try_all(const Places& places, bool whole) {
    Places present;
    if (result_.error) return present;
    std::vector<Request> requests;
    for (const std::size_t i : places) {
      const Observed& observed = result_.objects[i];
      const WantedObject& object = *objects_[i];
      requests.push_back(apply_call(*observed.resource, observed.name_space, object.name,
                                    object.body, {.dry_run = true, .force = force_}));
      if (!whole) requests.back().accept = kMetadataOnly;
    }
    std::vector<Answer> answers = transport_.send_all(std::move(requests));
    for (std::size_t i = 0; i < places.size() && !result_.error; ++i) {
      const bool is_new = answers[i].status == kCreated;
      if (!is_new) present.push_back(places[i]);
      if (whole || !answers[i].ok()) take_next(answers[i], result_.objects[places[i]]);
    }
    return present;
  }

  void ask_live(const Places& present) {
    std::vector<Request> requests;
    for (const std::size_t i : present) {
      const Observed& observed = result_.objects[i];
      requests.push_back(get_call(*observed.resource, observed.name_space, objects_[i]->name));
    }
    std::vector<Answer> answers = transport_.send_all(std::move(requests));
    for (std::size_t i = 0; i < present.size() && !result_.error; ++i) {
      take_live(answers[i], result_.objects[present[i]]);
    }
  }

  void take_live(Answer& answer, Observed& observed) {
    if (const auto error = error_of(answer)) {
      if (!error->is_not_found()) result_.error = error;
      return;
    }
    observed.live = JsonDocument::read(std::move(answer.body));
  }

  void take_next(Answer& answer, Observed& observed) {
    observed.refusal = error_of(answer);
    if (!observed.refusal) {
      // Beside nothing there is nothing to compare.
      if (answer.status != kCreated) observed.next = JsonDocument::read(std::move(answer.body));
    } else if (observed.refusal->is_connection() || is_unavailable(*observed.refusal) ||
               observed.refusal->status == 401) {
      result_.error = observed.refusal;
    }
  }

  /// Where a change is refused: whether the object would be taken if it were made anew. That does
  /// not depend on how a server or a webhook words its refusal.
  void ask_again() {
    std::vector<Request> requests;
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const Observed& observed = result_.objects[i];
      if (observed.live == nullptr || !observed.refusal) continue;
      const std::string name = stand_in(objects_[i]->name);
      std::string body = renamed(*objects_[i], name);
      if (body.empty()) continue;
      requests.push_back(apply_call(*observed.resource, observed.name_space, name, std::move(body),
                                    {.dry_run = true, .force = true}));
      owners.push_back(i);
    }
    std::vector<Answer> answers = transport_.send_all(std::move(requests));
    for (std::size_t i = 0; i < owners.size(); ++i) {
      Observed& observed = result_.objects[owners[i]];
      if (answers[i].trouble != Trouble::None) result_.error = error_of(answers[i]);
      if (answers[i].ok()) observed.fresh = fresh(std::move(answers[i].body), owners[i]);
    }
  }

  /// The answer as if it had been given for the real name and UID, so that only ours differs.
  JsonAnswer fresh(std::string text, std::size_t index) const {
    const JsonAnswer answer = JsonDocument::read(text);
    if (answer == nullptr) return nullptr;
    const View live = result_.objects[index].live->root();
    replace_all(text, answer->root()["metadata"]["uid"].text(), live["metadata"]["uid"].text());
    replace_all(text, "\"" + stand_in(objects_[index]->name) + "\"",
                "\"" + objects_[index]->name + "\"");
    return JsonDocument::read(std::move(text));
  }

  Transport& transport_;
  const std::vector<const WantedObject*>& objects_;
  bool force_;
  Observation result_;
};

}  // namespace

Observation observe(Transport& transport, const Discovery& discovery,
                    const std::vector<const WantedObject*>& objects, const std::string& name_space,
                    bool force) {
  return Observer(transport, objects, force).observe(discovery, name_space);
}

}  // namespace trainyard
