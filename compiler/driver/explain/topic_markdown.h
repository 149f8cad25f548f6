#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// The topics of an Explanation as Markdown: a heading for each, its facts and fields as tables,
/// its example as YAML. docs/explain.md describes what topics have.
std::string topics_markdown(std::string_view topics);

}  // namespace trainyard
