#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// An address of data: `scheme://owner/item`, and where the scheme has them `:version`, and
/// `/inner`, a file of a repository or of a version.
struct DataAddress {
  std::string_view scheme, owner, item, version, inner;
  bool is_dataset = false;  // as a hub says it
  bool is_prefix = false;   // ends with a slash
};

DataAddress split_address(std::string_view uri);

/// Ours for an address of another tool, `gs://` or the page of a repository; "" for all others.
std::string address_of_other_tool(std::string_view uri);

/// `json` of `train.json`: letters and digits that begin with a letter, as those of `v1.2` and
/// `Llama-3.1-8B` do not. Empty for none.
std::string_view extension_of(std::string_view name);

}  // namespace trainyard
