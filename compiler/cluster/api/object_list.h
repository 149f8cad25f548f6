#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/api_error.h"
#include "cluster/api/api_paths.h"
#include "cluster/http/transport.h"
#include "cluster/json_document.h"

namespace trainyard {

/// Objects of one kind.
struct Selection {
  ApiResource resource;
  std::string name_space;           // "" for all
  std::string label_selector = {};  // "" for any
  std::string field_selector = {};
};

struct Listed {
  std::vector<View> items;  // with apiVersion and kind
  std::string resource_version;
  std::vector<JsonAnswer> pages;  // what the items are views into
  std::optional<ApiError> error;  // then `items` are not all
};

/// A list that comes page by page in `Transport::turn`. Its end forgets what is under way.
class ListCall {
 public:
  /// `done` gets the whole list, or its error. `transport` must outlive this.
  ListCall(Transport& transport, Selection selection, std::function<void(Listed&)> done);
  ListCall(const ListCall&) = delete;
  ListCall& operator=(const ListCall&) = delete;
  ~ListCall();

 private:
  void ask(const std::string& next);
  void take(Answer& answer);
  void end();

  Transport& transport_;
  Selection selection_;
  std::function<void(Listed&)> done_;
  Listed list_;
  Transport::Ticket ticket_ = 0;
  bool has_begun_anew_ = false;
};

/// All objects, in pages of 500. A list that the server has forgotten meanwhile (410) begins anew,
/// once.
Listed list_objects(Transport& transport, const Selection& selection);
/// Several lists at the same time; the results are in the order of the selections.
std::vector<Listed> list_all(Transport& transport, const std::vector<Selection>& selections);

}  // namespace trainyard
