#pragma once

#include <string_view>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// The `name` of each item of a list differs from all before it. What the schema has reported as a
/// duplicate is left alone.
void unique_names(View list, std::string_view what, CheckContext& context);

/// `map` has a text at `key` that is not empty.
void require_text(View map, std::string_view key, CheckContext& context);

/// `value` is set, in the sense of Go: not null, not empty, not zero, not false.
bool is_set(View value);

/// Label keys and values, of labels, selectors and node selectors.
void check_labels(View labels, std::string_view what, CheckContext& context);

/// The key of a label, or of a taint.
void check_label_key(View key, CheckContext& context);

/// The name of a driver of volumes or devices.
void check_driver_name(View driver, std::string_view what, CheckContext& context);

/// The metadata of something that is made for a pod, which `what` says: it has only labels and
/// annotations of its own.
void check_template_metadata(View metadata, std::string_view what, CheckContext& context);

/// A LabelSelector.
void check_selector(View selector, CheckContext& context);

}  // namespace trainyard
