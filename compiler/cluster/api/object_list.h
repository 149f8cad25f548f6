#pragma once

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
  std::string name_space;      // "" for all
  std::string label_selector;  // "" for any
  std::string field_selector;
};

struct Listed {
  std::vector<View> items;  // with apiVersion and kind
  std::string resource_version;
  std::vector<JsonAnswer> pages;  // what the items are views into
  std::optional<ApiError> error;  // then `items` are not all
};

/// All objects, in pages of 500. A list that the server has forgotten meanwhile (410) begins anew,
/// once.
Listed list_objects(Transport& transport, const Selection& selection);
/// Several lists at the same time; the results are in the order of the selections.
std::vector<Listed> list_all(Transport& transport, const std::vector<Selection>& selections);

}  // namespace trainyard
